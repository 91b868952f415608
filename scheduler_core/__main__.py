"""The command line: `python -m scheduler_core COMMAND`; without a command it is `run`. See docs/cli.md."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scheduler_core.cli import (
    actors,
    bench,
    capacity,
    config,
    conformance,
    explain,
    lessons,
    life,
    repair,
    replay,
    run,
    trace,
    upgrade,
    validate,
)
from scheduler_core.cli.input.inputs import InputError
from scheduler_core.collector import look_seldom


@dataclass(frozen=True, slots=True)
class Command:
    """`run` returns the exit status, and raises InputError for what it cannot use."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    help: str


COMMANDS = {
    "actors": Command(actors.add_arguments, actors.run, "play sequences recorded from a real controller manager"),
    "add-nodes": Command(
        capacity.add_nodes_arguments,
        capacity.run_add_nodes,
        "say which nodes must be added for what waits, and prove it",
    ),
    "bench": Command(bench.add_arguments, bench.run, "measure the engine"),
    "capacity": Command(
        capacity.add_capacity_arguments,
        capacity.run_capacity,
        "say how many copies of a pod fit, and what stops the next",
    ),
    "config": Command(config.add_arguments, config.run, "show, export or translate a configuration"),
    "conformance": Command(conformance.add_arguments, conformance.run, "run vectors measured from the real scheduler"),
    "drainable": Command(
        capacity.add_drainable_arguments, capacity.run_drainable, "say which nodes can go, in which order"
    ),
    "explain": Command(explain.add_arguments, explain.run, "say why a pod does not fit, or why a node was chosen"),
    "failures": Command(
        capacity.add_failures_arguments, capacity.run_failures, "say who finds no node when a node or a zone fails"
    ),
    "lessons": Command(lessons.add_arguments, lessons.run, "walk through lessons with their model answers"),
    "life": Command(life.add_arguments, life.run, "tell a pod's attempts, queue moves and Events in a scenario"),
    "repair": Command(repair.add_arguments, repair.run, "say what would make a pending pod fit, and prove it"),
    "replay": Command(replay.add_arguments, replay.run, "play an exported scenario again"),
    "run": Command(run.add_arguments, run.run, "schedule a scenario, without a server"),
    "trace": Command(trace.add_arguments, trace.run, "schedule a cluster trace from CSV files, without a server"),
    "upgrade": Command(upgrade.add_arguments, upgrade.run, "say what another version of kube-scheduler would change"),
    "validate": Command(validate.add_arguments, validate.run, "check a configuration and scenarios; run nothing"),
}
COMMAND = "kube-scheduler-core"
# What a shell reports for a program that was ended by SIGPIPE.
READER_LEFT = 141


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=_name(), description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.add_arguments(subparsers.add_parser(name, help=command.help, description=command.help))
    arguments = parser.parse_args(_with_command(sys.argv[1:] if argv is None else argv))
    look_seldom()
    try:
        status = COMMANDS[arguments.command].run(arguments)
        sys.stdout.flush()
    except InputError as error:
        for line in error.lines:
            print(line, file=sys.stderr)
        return run.BAD_INPUT
    except BrokenPipeError:
        # Python would try to flush once more at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT
    return status


def _name() -> str:
    """What this was called by: the command that a wheel brings, or its module."""
    called = os.path.basename(sys.argv[0])
    return called if called == COMMAND else "python -m scheduler_core"


def _with_command(arguments: Sequence[str]) -> Sequence[str]:
    """kube-scheduler's own flags work as they are: options without a command are those of `run`."""
    first = arguments[0] if arguments else ""
    return ["run", *arguments] if first.startswith("-") and first not in ("-h", "--help") else arguments


if __name__ == "__main__":
    sys.exit(main())
