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
    parser.epilog = "exit status: 0 report printed, 1 a --fail-on difference was found, 2 invalid input"
    scenario = "a YAML or JSON file with Nodes and Pods, as kubectl prints it; - reads stdin"
    parser.add_argument("scenario", nargs="*", metavar="SCENARIO", help=scenario)
    trace = "read Nodes and Pods from *node*.csv and *pod*.csv in DIR instead of a scenario"
    parser.add_argument("--trace-dir", type=Path, metavar="DIR", help=trace)
    versions = tuple(EMULATIONS)
    parser.add_argument("--from", dest="old", choices=versions, required=True, help="the current version")
    parser.add_argument("--to", dest="new", choices=versions, required=True, help="the new version")
    config = "the KubeSchedulerConfiguration for both versions"
    parser.add_argument("--config", metavar="FILE", help=config)
    for side, name in (("from", "old"), ("to", "new")):
        help_text = f"feature gates of the version --{side}, in the syntax of kube-scheduler"
        flag = f"--{side}-feature-gates"
        parser.add_argument(flag, dest=f"{name}_gates", default="", metavar="A=true,B=false", help=help_text)
    fail = "exit with status 1 if there is a difference of this kind (may be repeated)"
    parser.add_argument("--fail-on", action="append", choices=KINDS, default=[], help=fail)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    old, new = (
        read_emulation(argparse.Namespace(emulate=version, feature_gates=gates))
        for version, gates in ((arguments.old, arguments.old_gates), (arguments.new, arguments.new_gates))
    )
    if bool(arguments.scenario) == (arguments.trace_dir is not None):
        raise InputError(["give either a scenario or --trace-dir"])
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
        yield "your pod gets the same node" if report.pods == 1 else f"all of your {report.pods} pods get the same node"
    else:
        moved = len(report.moved)
        pods = "your pod" if report.pods == 1 else f"{moved} of your {report.pods} pods"
        yield (
            f"{pods} {'gets' if moved == 1 else 'get'} another node: {direct} as a direct effect, "
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


_WORDS = {
    "placement": "different node",
    "verdict": "different result",
    "score": "different score",
    "message": "different message",
}


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
