"""Validate command: read a configuration and a scenario and print all problems, without running anything."""

import argparse

from simulator.cli import playing
from simulator.cli import run as cli
from simulator.cli.errors import BAD_INPUT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 the input is valid, 2 invalid input"
    parser.add_argument(
        "scenario", nargs="*", metavar="SCENARIO", help="a YAML or JSON file, as kubectl prints it; - reads stdin"
    )
    playing.add_config_arguments(parser)
    parser.set_defaults(validate=True, seed=0, trace=None, timings=False, commands=None, write_config_to=None)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    if arguments.config is None and not arguments.scenario:
        print("nothing to validate: give --config FILE or a scenario")
        return BAD_INPUT
    return cli.run(arguments)
