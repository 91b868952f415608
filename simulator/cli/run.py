"""Run command: schedule a scenario without a server, print a table or a trace, and check assertions in CI."""

import argparse
import contextlib
import json
import sys
import time
import traceback
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from kube_controllers.names import CONTROLLERS
from kube_objects.pod_makers import format_counts
from scheduler_core.config import export_yaml
from simulator.cli import assertions, charts, playing, workloads
from simulator.cli.errors import DEFECT, FAILED, OK, InputError
from simulator.cli.input.inputs import STDIN, read_configuration, read_emulation
from simulator.cli.output import times
from simulator.cli.output.outcomes import Outcomes, PodOutcome
from simulator.explain.times import TimeSums, group_by_steps
from simulator.importers.notes import podless_kinds_note

if TYPE_CHECKING:
    from kube_controllers.objects import Objects

COLUMNS = ("NAMESPACE", "POD", "STATUS", "NODE", "ATTEMPTS", "MESSAGE")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 success, 1 an assertion failed, 2 invalid input, 3 internal error"
    parser.add_argument(
        "scenario", nargs="*", metavar="SCENARIO", help="a YAML or JSON file, as kubectl prints it; - reads stdin"
    )
    playing.add_arguments(parser)
    playing.add_until_argument(parser)
    controllers = f"run controllers: all, none (default), or a list of {', '.join(CONTROLLERS)}"
    parser.add_argument(
        "--controllers",
        dest="actors",
        type=workloads.parse_controllers,
        default=(),
        metavar="all|none|LIST",
        help=controllers,
    )
    # The name of the option in earlier versions.
    parser.add_argument("--actors", type=workloads.parse_controllers, default=(), help=argparse.SUPPRESS)
    keep = (
        "with --controllers: keep objects whose owners are missing from SCENARIO; otherwise they are garbage-collected"
    )
    parser.add_argument(playing.KEEP_OWNERLESS, action="store_true", help=keep)
    parser.add_argument("--table", action="store_true", help="print all Pods, not only those without a node")
    parser.add_argument("--trace", metavar="FILE", help="write the records as JSON Lines; - writes to stdout")
    charts.add_arguments(parser)
    timings = "print the time of each extension point and plugin, summed over all attempts"
    parser.add_argument("--timings", action="store_true", help=timings)
    write_to = "write the complete configuration and exit, as kube-scheduler does; - writes to stdout"
    parser.add_argument("--write-config-to", metavar="FILE", help=write_to)
    parser.add_argument(
        "--validate", action="store_true", help="check the input without a run, as the command validate does"
    )
    assertions.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    try:
        return _run(arguments)
    except (BrokenPipeError, InputError):
        raise  # The caller handles a closed output and invalid input.
    except Exception:
        traceback.print_exc()
        print("Internal error: this is a bug in the engine, not in your input. Please report it.", file=sys.stderr)
        return DEFECT


def _run(arguments: argparse.Namespace) -> int:
    if arguments.write_config_to is not None:
        registry = playing.read_registry(arguments)
        emulation = read_emulation(arguments)
        configured = read_configuration(arguments.config, registry, emulation, arguments.without_plugins)
        with _writing(arguments.write_config_to) as file:
            file.write(export_yaml(configured.configuration))
        return OK
    if not arguments.scenario and not arguments.validate:
        raise InputError(["SCENARIO: name at least one file, or - for standard input"])
    clock = time.perf_counter if arguments.timings else None
    play = playing.prepare(arguments, record_steps=arguments.trace is not None or arguments.timings, clock=clock)
    podless_note = podless_kinds_note(play.scenario.podless)
    if arguments.validate:
        _print_valid(arguments)
        if play.scenario.unused:
            print(f"not used by scheduling: {format_counts(play.scenario.unused)}")
        if podless_note:
            print(podless_note)
        return OK
    outcomes, sums = Outcomes(), TimeSums()
    with (
        open_output(arguments.trace) as trace,
        open_output(arguments.charts) as charts_file,
        open_output(arguments.rollouts) as rollouts_file,
    ):
        collectors = charts.followers(play.simulation, charts_file, arguments.charts_every, rollouts_file)
        for record in play.records(arguments.until):
            if record.error is not None:
                raise record.error
            outcomes.follow(record)
            sums.count(group_by_steps([record]))
            if trace is not None:
                trace.write(json.dumps(record.data, sort_keys=True, separators=(",", ":")) + "\n")
            for follower in collectors:
                follower.follow(record)
        for follower in collectors:
            follower.end()
    output = sys.stderr if STDIN in (arguments.trace, arguments.charts, arguments.rollouts) else sys.stdout
    report(outcomes, output, whole=arguments.table)
    if podless_note and play.simulation.cluster.controllers is None:
        print(podless_note, file=output)
    objects = workloads.objects_of(play.simulation)
    if arguments.actors:
        _print_table(workloads.COLUMNS, list(workloads.rows(objects)), output)
    if arguments.timings:
        for line in times.run_lines(sums.describe()):
            print(line, file=output)
    return _check_assertions(arguments.assertions, outcomes, objects, output)


def _print_valid(arguments: argparse.Namespace) -> None:
    for name in (arguments.config, *arguments.scenario, arguments.commands):
        if name is not None:
            print(f"{name}: ok")


def report(outcomes: Outcomes, file: IO[str], *, whole: bool) -> None:
    """Print the pods without a node, or all pods, and the totals."""
    tried = outcomes.tried
    shown = tried if whole else [pod for pod in tried if not pod.placed and not pod.ended]
    if shown:
        _print_table(COLUMNS, [_row(pod) for pod in shown], file)
    placed = sum(pod.placed for pod in tried)
    gone = sum(pod.lane == "gone" and not pod.ended for pod in tried)
    ended = sum(bool(pod.ended) for pod in tried)
    ran_already = len(outcomes.pods) - len(tried)
    parts = [f"{placed} placed", f"{len(tried) - placed - gone - ended} pending"]
    parts += [f"{ended} ended"] if ended else []
    parts += [f"{gone} evicted"] if gone else []
    parts += [f"{ran_already} already running"] if ran_already else []
    print(f"{len(outcomes.pods)} pods: {', '.join(parts)}", file=file)


def _row(pod: PodOutcome) -> tuple[str, ...]:
    namespace, _, name = pod.pod.rpartition("/")
    return namespace, name, pod.status, pod.node, str(pod.attempts), pod.reason


def _print_table(columns: tuple[str, ...], rows: list[tuple[str, ...]], file: IO[str]) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        line = "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(line.rstrip(), file=file)


def _check_assertions(
    wanted: list[assertions.AnyAssertion], outcomes: Outcomes, objects: "Objects | None", file: IO[str]
) -> int:
    failed = 0
    for assertion in wanted:
        if isinstance(assertion, workloads.WorkloadAssertion):
            failures = list(assertion.failures(objects))
        else:
            failures = list(assertion.failures(outcomes))
        failed += bool(failures)
        for failure in failures:
            print(f"FAILED {failure}", file=file)
    if wanted:
        print(f"{len(wanted)} assertions, {failed} failed", file=file)
    return FAILED if failed else OK


@contextlib.contextmanager
def _writing(name: str) -> Iterator[IO[str]]:
    """Open the file to write, or standard output for `-`. Raises InputError if it cannot be written."""
    if name == STDIN:
        yield sys.stdout
        return
    try:
        with open(name, "w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise InputError([f"{name}: {error.strerror or error}"]) from error


@contextlib.contextmanager
def open_output(name: str | None) -> Iterator[IO[str] | None]:
    """Open the file to write; None if none is named."""
    if name is None:
        yield None
        return
    with _writing(name) as file:
        yield file
