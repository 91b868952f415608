"""Upgrade command: effects of another kube-scheduler version on the pods of a scenario."""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kube_objects.meta import KubeObject
from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from scheduler_core.framework.emulation import Emulation
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import Input, config_problems, display_name, read_emulation, read_input
from simulator.cli.input.trace_files import TraceError, read_trace
from simulator.simulation import Simulation
from simulator.upgrade.changes import KINDS
from simulator.upgrade.report import Progress, UpgradeDifference, UpgradeGroup, UpgradeReport, as_json, compare

CHANGED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 it is told, 1 a difference of --fail-on is among it, 2 the input cannot be used"
    scenario = "YAML or JSON as kubectl prints it, with nodes and pods; - is stdin"
    parser.add_argument("scenario", nargs="*", metavar="SCENARIO", help=scenario)
    trace = "the nodes and pods of a cluster trace, *node*.csv and *pod*.csv, instead of a scenario"
    parser.add_argument("--trace-dir", type=Path, metavar="DIR", help=trace)
    versions = tuple(EMULATIONS)
    parser.add_argument("--from", dest="old", choices=versions, required=True, help="the version that runs now")
    parser.add_argument("--to", dest="new", choices=versions, required=True, help="the version to come")
    config = "the configuration of the version that runs now; the other one reads it, too"
    parser.add_argument("--config", metavar="FILE", help=config)
    for side, name in (("from", "old"), ("to", "new")):
        help_text = f"feature gates of --{side}, as kube-scheduler takes them"
        flag = f"--{side}-feature-gates"
        parser.add_argument(flag, dest=f"{name}_gates", default="", metavar="A=true,B=false", help=help_text)
    fail = "exit with 1 if there is such a difference (may be repeated)"
    parser.add_argument("--fail-on", action="append", choices=KINDS, default=[], help=fail)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    old, new = (
        read_emulation(argparse.Namespace(emulate=version, feature_gates=gates))
        for version, gates in ((arguments.old, arguments.old_gates), (arguments.new, arguments.new_gates))
    )
    if bool(arguments.scenario) == (arguments.trace_dir is not None):
        raise InputError(["a scenario or --trace-dir must be given, and not both"])
    loaded = read_input(arguments.config, arguments.scenario, old.registry, old)
    try:
        old = loaded.emulation
        objects = _read_trace_objects(arguments.trace_dir) if arguments.trace_dir else _admitted_objects(old, loaded)
        report = compare(objects, old, new, loaded.configured.text, progress=_progress())
    except TraceError as error:
        raise InputError(str(error).split("\n")) from error
    except ConfigError as error:
        raise InputError(config_problems(display_name(arguments.config or "-"), error.stage, error.problems)) from error
    if arguments.json:
        print(json.dumps(as_json(report), ensure_ascii=False, indent=1))
    else:
        print(*_lines(report), sep="\n")
    return CHANGED if any(report.has(kind) for kind in arguments.fail_on) else OK


def _progress() -> Progress:
    """Return a callback that prints the progress once per second if stderr is a terminal."""
    printed = time.monotonic()

    def print_progress(done: int, expected: int) -> None:
        nonlocal printed
        if sys.stderr.isatty() and time.monotonic() - printed >= 1:
            printed = time.monotonic()
            print(f"  {min(done, expected):,} of {expected:,} attempts", file=sys.stderr)

    return print_progress


def _read_trace_objects(folder: Path) -> list[KubeObject]:
    return list(read_trace(folder).objects)


def _admitted_objects(old: Emulation, loaded: Input) -> list[KubeObject]:
    """Return the objects as the API server stores them, for example with priorities and generated claims."""
    simulation = Simulation.create(config=loaded.configured.text, emulation=old, record_steps=False)
    for _ in loaded.scenario.create_in(simulation):
        pass
    return list(simulation.cluster.store)


def _lines(report: UpgradeReport) -> Iterator[str]:
    yield f"{report.old} → {report.new}"
    if report.errors:
        yield f"{report.new} does not start with this configuration:"
        yield from (f"  {error}" for error in report.errors)
        return
    yield from (f"  configuration: {note}" for note in report.configuration)
    direct = sum(moved.direct for moved in report.moved)
    if not report.moved:
        yield "your pod lands where it did" if report.pods == 1 else f"none of your {report.pods} pods lands elsewhere"
    else:
        moved = len(report.moved)
        pods = "your pod" if report.pods == 1 else f"{moved} of your {report.pods} pods"
        yield (
            f"{pods} {'lands' if moved == 1 else 'land'} elsewhere: {direct} by a change itself, "
            f"{moved - direct} because of pods before them"
        )
    for group in report.groups:
        yield ""
        yield from _group(group)


def _group(group: UpgradeGroup) -> Iterator[str]:
    yield " and ".join(group.plugins) or "the framework"
    for change in group.changes:
        yield f"  {change.since}: {change.sentence} ({change.upstream})"
    yield "  " + ", ".join(f"{_WORDS[kind]}: {count}" for kind, count in group.counts.items())
    for example in group.examples:
        yield f"    {_example(example)}"


_WORDS = {"placement": "another node", "verdict": "another verdict", "score": "other scores", "message": "other words"}


def _example(difference: UpgradeDifference) -> str:
    old, new = difference.old, difference.new
    match difference.kind:
        case "placement":
            return f"{difference.pod}: {old.node} → {new.node}"
        case "score":
            assert difference.scores is not None
            return f"{difference.pod} on {difference.node}: {difference.scores[0]} → {difference.scores[1]}"
        case "verdict":
            return f"{difference.pod}: {_verdict(old.outcome, old.node)} → {_verdict(new.outcome, new.node)}"
        case _:
            return f"{difference.pod}: {old.message} → {new.message}"


def _verdict(outcome: str, node: str | None) -> str:
    return f"{outcome} on {node}" if node else outcome
