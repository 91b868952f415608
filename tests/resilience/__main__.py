"""`make resilience ROUNDS=200 SEED=1`: rounds with one fault each, on both deployments, and their results."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.resilience.deployments import Deployment, Distributed, Embedded, deployed
from tests.resilience.rounds import Game, Tally, plan

# Of the rounds, those on PostgreSQL and Redis; the others on the embedded deployment.
DISTRIBUTED_SHARE = 0.6


def play(kind: type[Deployment], rounds: int, seed: str, tally: Tally) -> bool:
    """Return True if every round on a deployment of this kind ended as without a fault."""
    with deployed(kind) as deployment:
        game = Game(deployment, tally)
        what = "before the first round"
        try:
            for number, fault, its_seed in plan(deployment, rounds, f"{seed}/{deployment.name}"):
                began, what = time.monotonic(), f"round {number}, {fault}"
                game.disturbed(fault, its_seed)
                print(f"{deployment.name}: {what}: {time.monotonic() - began:.1f} s", flush=True)
            what = "after the last round"
            game.check()
        except Exception as error:
            print(f"FAILED: {deployment.name}, {what}, SEED={seed}: {error}", flush=True)
            print(deployment.logs()[-20_000:], file=sys.stderr)
            return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.resilience", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(arguments)
    distributed = round(options.rounds * DISTRIBUTED_SHARE)
    tallies = {Distributed: Tally(), Embedded: Tally()}
    began = time.monotonic()
    # Side by side: a round waits more than it computes.
    with ThreadPoolExecutor() as pool:
        rounds = {Distributed: distributed, Embedded: options.rounds - distributed}
        good = all(pool.map(lambda kind: play(kind, rounds[kind], options.seed, tallies[kind]), rounds))
    print("\n".join(table(tallies[Distributed], tallies[Embedded])))
    result = closing(list(tallies.values())) if good else "FAILED"
    print(f"{result} (SEED={options.seed}, {time.monotonic() - began:.0f} s)")
    return 0 if good else 1


def closing(tallies: list[Tally]) -> str:
    rounds = sum(sum(tally.rounds.values()) for tally in tallies)
    commands = sum(tally.commands for tally in tallies)
    records = sum(tally.records for tally in tallies)
    return (
        f"{rounds} rounds: {commands:,} commands, none lost; {records:,} records, none doubled; "
        "every final state byte-equal to the undisturbed one"
    )


def table(distributed: Tally, embedded: Tally) -> list[str]:
    """Return rounds by kind of fault and deployment, as Markdown."""
    lines = [f"| fault | {Distributed.name} | {Embedded.name} |", "| --- | ---: | ---: |"]
    for kind in sorted(distributed.rounds.keys() | embedded.rounds.keys()):
        lines.append(f"| {kind} | {distributed.rounds[kind]} | {embedded.rounds[kind] or '–'} |")
    for name in ("late", "retries", "reconnections", "told", "watches", "lists"):
        words = {
            "late": "late writers refused",
            "retries": "requests sent again",
            "reconnections": "streams reconnected",
            "told": "changes that watches of the Kubernetes API told, each once",
            "watches": "watches begun again",
            "lists": "lists anew",
        }
        lines.append(f"| {words[name]} | {getattr(distributed, name)} | {getattr(embedded, name)} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
