"""The command line: `python -m playground COMMAND` in a clone, `kube-scheduler-playground COMMAND` installed.

Without a command it is `serve`. A command's module is imported when the command runs, so that commands of the engine
start without the web stack. See docs/reference/cli.md.
"""

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any, NamedTuple

from playground import folders

# The status that a shell reports for a program that SIGPIPE ended.
READER_LEFT = 141
DEFAULT = "serve"


class Subcommand(NamedTuple):
    """A subcommand: its module, the help text, and the prefix of its functions in a module with several of them.

    `{prefix}add_arguments(parser)` declares the arguments; `{prefix}run(arguments)` returns the exit status and raises
    InputError for input that it cannot use.
    """

    module: str
    help: str
    prefix: str = ""


SUBCOMMANDS = {
    "add-nodes": Subcommand(
        "simulator.cli.capacity", "find nodes to add for the pending Pods, verified by a run", "add_nodes_"
    ),
    "capacity": Subcommand(
        "simulator.cli.capacity", "count the copies of a Pod that fit, and show what stops the next", "capacity_"
    ),
    "config": Subcommand("simulator.cli.config", "show, export or translate a KubeSchedulerConfiguration"),
    "drainable": Subcommand("simulator.cli.capacity", "list the nodes that can be drained, in order", "drainable_"),
    "explain": Subcommand("simulator.cli.explain", "explain why a Pod does not fit, or why a node was chosen"),
    "failures": Subcommand(
        "simulator.cli.capacity", "list the Pods that stay pending when a node or a zone fails", "failures_"
    ),
    "lessons": Subcommand("simulator.cli.lessons", "check lessons with their model answers"),
    "life": Subcommand("simulator.cli.life", "show a Pod's attempts, queue moves and Events in a scenario"),
    "repair": Subcommand("simulator.cli.repair", "find fixes for a pending Pod, each verified by a run"),
    "replay": Subcommand("simulator.cli.replay", "replay an exported scenario"),
    "run": Subcommand("simulator.cli.run", "schedule a scenario, without a server"),
    "serve": Subcommand("playground.local.serve", "start broker, database, workers and web server; Ctrl-C stops them"),
    "trace": Subcommand("simulator.cli.trace", "schedule a cluster trace from CSV files, without a server"),
    "upgrade": Subcommand("simulator.cli.upgrade", "show what another version of kube-scheduler would change"),
    "validate": Subcommand("simulator.cli.validate", "check a configuration and scenarios without a run"),
}
MANAGE = "manage"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand and return its exit status: 2 for a wrong command line or wrong input."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == [MANAGE]:
        return manage(words[1:])
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help", "--version")):
        words = [DEFAULT, *words]
    return run(words, SUBCOMMANDS, parser_of(words[0], SUBCOMMANDS, program_name()))


def run(words: Sequence[str], subcommands: dict[str, Subcommand], parser: argparse.ArgumentParser) -> int:
    """Run the subcommand that `words` begin with; print the lines of an InputError and return 2 for it."""
    from simulator.cli.errors import BAD_INPUT, InputError

    arguments = parser.parse_args(words)
    name = arguments.command
    try:
        status: int = function_of(subcommands[name], "run")(arguments)
        sys.stdout.flush()
    except InputError as error:
        for line in error.lines:
            print(line, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Python would flush again at its exit, and report another error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_LEFT
    return status


def parser_of(name: str, subcommands: dict[str, Subcommand], program: str) -> argparse.ArgumentParser:
    """Return a parser that lists every subcommand and knows the arguments of the one called `name`."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Watch and explain the decisions of kube-scheduler. Without a command, start the playground.",
        epilog=f"`{MANAGE}` runs a Django command, for example for users and backups. `{MANAGE} help` lists them.",
    )
    if folders.INSTALLED:
        parser.add_argument("--version", action="version", version=f"%(prog)s {metadata.version(folders.COMMAND)}")
    parsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command, subcommand in subcommands.items():
        subparser = parsers.add_parser(command, help=subcommand.help, description=subcommand.help)
        if command == name:
            function_of(subcommand, "add_arguments")(subparser)
    return parser


def function_of(subcommand: Subcommand, name: str) -> Callable[..., Any]:
    """Import the module of a subcommand and return one of its functions."""
    # Imported modules are permanent, so the garbage collector need not scan them.
    gc.disable()
    try:
        module = importlib.import_module(subcommand.module)
    finally:
        gc.freeze()
        gc.enable()
    function: Callable[..., Any] = getattr(module, subcommand.prefix + name)
    return function


def program_name() -> str:
    """Return the name that this was called by: the command of a wheel, or its module."""
    called = os.path.basename(sys.argv[0])
    return called if called == folders.COMMAND else "python -m playground"


def manage(words: Sequence[str]) -> int:
    """Run a command of Django's; a wheel has no manage.py beside it."""
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
    execute_from_command_line([f"{program_name()} {MANAGE}", *words])
    return 0


if __name__ == "__main__":
    sys.exit(main())
