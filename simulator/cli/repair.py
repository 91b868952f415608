"""Repair command: the smallest changes with which a pending pod gets a node, each verified by a run."""

import argparse
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from kube_objects.serialize import manifest_of
from kube_objects.text.yaml_writer import dump_yaml
from scheduler_core.edits.costs import COSTS, CostsError, Prices, read_prices
from simulator.cli import playing
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import full_key, unknown_name_error
from simulator.repair.capacity import pending_pods
from simulator.repair.commands import plan_repair
from simulator.repair.edit_lines import Claim, EditLine
from simulator.repair.finder import (
    ANYWAY,
    FOUND,
    HAS_NODE,
    MINIMAL,
    MINIMUM,
    Finder,
    Limits,
    Repair,
    SearchOutcome,
)
from simulator.repair.multi_pod_finder import MOST_PODS, repair_many
from simulator.simulation import Simulation
from simulator.simulation.fork import fork

NONE_FOUND = 1
# Factor of the search time with --apply, so that a busy machine finds the repair that an idle one printed.
PATIENCE = 10
NEVER = "never"
_CLAIMS: dict[Claim, str] = {MINIMUM: "cheapest", MINIMAL: "no spare edits", FOUND: "works"}
PATTERN = "With * or ?: one fix for all pending Pods that match"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 a fix was found, or none is needed; 1 no fix was found; 2 invalid input"
    parser.add_argument(
        "scenario", nargs="+", metavar="SCENARIO", help="a YAML or JSON file, as kubectl prints it; - reads stdin"
    )
    parser.add_argument(
        "--pod",
        required=True,
        metavar="NS/POD",
        help=f"the pending Pod; without NS/ in the namespace default. {PATTERN}",
    )
    locked = (
        "objects that must not change, with * and ?: Node/db-*, Pod/NS/NAME, Namespace/NS, Taint/KEY (may be repeated)"
    )
    parser.add_argument("--locked", action="append", default=[], metavar="KIND/NAME", help=locked)
    cost = f"the cost of a kind of edit, or {NEVER} (may be repeated); kinds: {', '.join(COSTS)}"
    parser.add_argument("--cost", action="append", default=[], metavar="KIND=N", help=cost)
    parser.add_argument("--limit", type=int, default=8, metavar="N", help="stop after N fixes (default 8)")
    parser.add_argument(
        "--seconds", type=float, default=10.0, metavar="S", help="search for at most S seconds (default 10)"
    )
    parser.add_argument(
        "--apply", type=int, metavar="N", help="print the scenario after fix N as YAML, which `run` can read"
    )
    as_json = "print JSON instead of text (docs/reference/explanation-json.md)"
    parser.add_argument("--json", action="store_true", help=as_json)
    playing.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    prices = read_prices_and_locks(arguments)
    simulation = run_scenario(arguments)
    key = full_key(arguments.pod)
    if "*" in key or "?" in key:
        return _run_many(arguments, simulation, key, prices)
    if simulation.cluster.find_pod(key) is None:
        pods = (pod.key for pod in simulation.cluster.store.list("Pod"))
        raise unknown_name_error("--pod", f"there is no pod {key} in the scenario", key, pods)
    limits = _limits(arguments)
    finder = Finder(simulation, key, prices, time.perf_counter, limits)
    repairs = []
    for number, repair in enumerate(finder.find(), 1):
        repairs.append(repair)
        if arguments.apply is None and not arguments.json:
            for line in _lines(number, repair):
                print(line, flush=True)
        if number == arguments.apply:
            print(repaired_scenario(simulation, repair, key), end="")
            return OK
    if arguments.apply is not None:
        raise InputError([f"--apply {arguments.apply}: only {len(repairs)} fixes were found"])
    _report(finder.outcome, arguments.json)
    placed = finder.outcome.why is not None and finder.outcome.why["template"] in (ANYWAY, HAS_NODE)
    return OK if repairs or placed else NONE_FOUND


def _run_many(arguments: argparse.Namespace, simulation: Simulation, pattern: str, prices: Prices) -> int:
    keys = [key for key in pending_pods(simulation) if fnmatchcase(key, pattern)]
    if not keys:
        raise InputError([f"--pod: no pending Pod matches {pattern}"])
    if len(keys) > MOST_PODS:
        raise InputError([f"--pod: {len(keys)} Pods match {pattern}; at most {MOST_PODS} can be fixed at once"])
    limits = _limits(arguments)
    repairs = list(repair_many(simulation, keys, prices, time.perf_counter, limits))
    if arguments.apply is not None:
        if not 0 < arguments.apply <= len(repairs):
            raise InputError([f"--apply {arguments.apply}: only {len(repairs)} fixes were found"])
        print(_scenario_after(simulation, repairs[arguments.apply - 1].commands), end="")
        return OK
    if arguments.json:
        print(
            json.dumps(
                {"pods": keys, "repairs": [repair.as_dict() for repair in repairs]}, ensure_ascii=False, indent=1
            )
        )
    else:
        for number, repair in enumerate(repairs, 1):
            print(f"{number}. cost {repair.cost}, verified for all {len(keys)} pods, {_CLAIMS[repair.claim]}")
            several = len({edit.of.key for edit in repair.edits if edit.of.kind == "Pod"}) > 1
            for line in _edit_lines(repair.lines, names_pods=several):
                print(line)
            for node, count in repair.nodes.items():
                print(f"   Add {count} nodes like {node}")
            for effect in repair.effects:
                print(f"   side effect: {effect.what['text']}")
        print(f"{len(repairs)} fixes for {len(keys)} pods")
    return OK if repairs else NONE_FOUND


def _limits(arguments: argparse.Namespace) -> Limits:
    if arguments.apply is None:
        return Limits(arguments.limit, arguments.seconds)
    return Limits(max(arguments.limit, arguments.apply), arguments.seconds * PATIENCE)


def read_prices_and_locks(arguments: argparse.Namespace) -> Prices:
    """Return the costs and locks of the options. Raises InputError."""
    costs: dict[str, int | str | None] = {}
    for option in arguments.cost:
        kind, _, value = option.partition("=")
        costs[kind] = None if value == NEVER else int(value) if value.isascii() and value.isdigit() else value
    problems = [f"--{name}: must be above 0" for name in ("limit", "seconds") if getattr(arguments, name) <= 0]
    try:
        prices = read_prices(costs, arguments.locked)
    except CostsError as error:
        problems += [f"--cost, --locked: {problem}" for problem in error.problems]
    if problems:
        raise InputError(problems)
    return prices


def run_scenario(arguments: argparse.Namespace) -> Simulation:
    """Return the scenario after a run until idle. Raises InputError."""
    play = playing.prepare(arguments, record_steps=False)
    for _ in play.records("idle"):
        pass
    return play.simulation


def repaired_scenario(simulation: Simulation, repair: Repair, key: str) -> str:
    """Return all objects with the repair made and nothing scheduled since, after the configuration if there is one."""
    trial = fork(simulation)
    plan_repair(trial, repair.edits, key).carry_out(trial, key)
    return _scenario_text(trial)


def _scenario_after(simulation: Simulation, commands: Iterable[Mapping[str, Any]]) -> str:
    trial = fork(simulation)
    for command in commands:
        for _ in trial.apply(command):
            pass
    return _scenario_text(trial)


def _scenario_text(trial: Simulation) -> str:
    texts = [trial.config_text] if trial.config_text else []
    return "---\n".join([*texts, *(dump_yaml(dict(manifest_of(obj))) for obj in trial.cluster.store)])


def _lines(number: int, repair: Repair) -> Iterator[str]:
    yield f"{number}. cost {repair.cost}, verified on {repair.node}, {_CLAIMS[repair.claim]}"
    yield from _edit_lines(repair.lines)
    for effect in repair.effects:
        yield f"   side effect: {effect.what['text']}"


def _edit_lines(lines: Sequence[EditLine], names_pods: bool = False) -> Iterator[str]:
    """Yield the lines of the edits; `whose` names the pod of each, if the edits are of several templates."""
    for line in lines:
        edit = line.edit
        pod = f"{edit.of.key}: " if names_pods and edit.of.kind == "Pod" else ""
        yield f"   {pod}{edit.sentence['text']}"
        if line.text:
            yield f"     $ {line.text}"
        if line.note is not None:
            yield f"     {line.note['text']}"


def _report(outcome: SearchOutcome, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.as_dict(), ensure_ascii=False, indent=1))
        return
    if outcome.why is not None:
        print(outcome.why["text"])
        return
    row = outcome.as_dict()
    searched = row["searched"]
    ended = "the search was complete" if row["exhaustive"] else "more fixes may exist"
    print(
        f"fixes: {len(outcome.repairs)}; {searched['sets']} sets of edits tried on {searched['nodes']} nodes; {ended}"
    )
