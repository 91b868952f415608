"""Repairs compared with exhaustive search, over many seeds: `python -m tests.core.repair.exhaustive --count 2000`.

Each seed is a cluster of at most 8 Nodes with a pending Pod, and at most 12 edits that its costs allow. Every set that
costs less than the found repair is tried; without a repair, every set. Most sets are tried in forks; every 50th, and
each that places the Pod, from scratch.
"""

import argparse
import random
import sys
from dataclasses import dataclass, field

from scheduler_core.edits.costs import COSTS, Prices
from scheduler_core.edits.edit import Edits
from simulator.repair.finder import MINIMUM, Finder, Limits
from simulator.simulation import Simulation
from tests.core.repair.random_clusters import (
    MOST_EDITS,
    POD,
    Forks,
    cheaper,
    cluster,
    config,
    emulation,
    places,
    played,
    pool,
)


@dataclass(slots=True)
class Verdict:
    """The result of a seed. `waits`: the Pod needs a repair. `sets`: how many were tried.

    `wrong`: sentences about failures.
    """

    waits: bool = True
    found: bool = False
    sets: int = 0
    wrong: list[str] = field(default_factory=list)


def few_edits(simulation: Simulation, seed: int, most: int = MOST_EDITS) -> Prices:
    """Return costs that leave so few edits that all sets of them can be tried."""
    draw = random.Random(seed * 7 + 1)
    never: dict[str, int | None] = {kind: None for kind in COSTS if kind != "recreate_job" and draw.random() < 0.35}
    while len(offered := pool(simulation, Prices(never), most=most)) > most:
        never[draw.choice(sorted({edit.kind for edit in offered}))] = None
    return Prices(never)


def check(seed: int, most_sets: int | None = None, most_edits: int = MOST_EDITS) -> Verdict:
    simulation = played(cluster(seed), config(seed), emulation(seed))
    prices = few_edits(simulation, seed, most_edits)
    finder = Finder(simulation, POD, prices, lambda: 0.0, Limits(results=3))
    found = list(finder.find())
    if finder.outcome.why is not None:
        return Verdict(waits=False)
    verdict = Verdict(found=bool(found))
    for repair in found:
        if not places(simulation, repair.edits):
            verdict.wrong.append(f"shown, and does not place the pod: {_told(repair.edits)}")
    # A set whose proof failed (others take the place, nobody wakes the pod) makes every claim a weaker one.
    unproven = finder.outcome.not_proven > 0
    if found and found[0].claim != MINIMUM and not unproven:
        verdict.wrong.append(f"the first is {found[0].claim}, not {MINIMUM}")
    if not found and not finder.outcome.as_dict()["exhaustive"] and not unproven:
        verdict.wrong.append("none found, and not everything was searched")
    forks = Forks(simulation)
    for edits in cheaper(pool(simulation, prices, most=most_edits), found[0].cost if found else None):
        if verdict.sets == most_sets:
            break
        verdict.sets += 1
        # Most of them in forks; every 50th shows that from scratch comes to the same.
        if places(simulation, edits) if verdict.sets % 50 == 1 else forks.places(edits):
            least = f"{found[0].cost}: {_told(found[0].edits)}" if found else "none"
            verdict.wrong.append(f"{sum(edit.cost for edit in edits)} does: {_told(edits)}; found was {least}")
            break
    return verdict


def _told(edits: Edits) -> list[str]:
    return sorted(edit.sentence["text"] for edit in edits)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=2000, help="clusters whose pod waits")
    parser.add_argument("--edits", type=int, default=MOST_EDITS, help="at most so many, of which all sets are tried")
    arguments = parser.parse_args()
    seed, clusters, repaired, sets, wrong = arguments.first, 0, 0, 0, 0
    while clusters < arguments.count:
        verdict = check(seed, most_edits=arguments.edits)
        clusters += verdict.waits
        repaired += verdict.found
        sets += verdict.sets
        wrong += bool(verdict.wrong)
        for line in verdict.wrong:
            print(f"seed {seed}: {line}", flush=True)
        seed += 1
        if clusters % 100 == 0 and verdict.waits:
            print(
                f"seed {seed}: {clusters} clusters, {repaired} with a repair, {sets} sets; wrong: {wrong}", flush=True
            )
    print(f"{clusters} clusters, {repaired} with a repair, {sets} sets tried from scratch; wrong: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
