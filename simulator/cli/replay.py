"""Play a scenario file again: the same bytes as where it was exported, as a trace or a report."""

import argparse
import json
import sys

from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from simulator.cli.errors import OK, InputError
from simulator.cli.input.inputs import display_name, read_bytes, read_plugins
from simulator.cli.output.outcomes import Outcomes
from simulator.cli.run import open_output, report
from simulator.exchange.scenario import ScenarioError, read

MAX_BYTES = 256 * 1024 * 1024
STDOUT = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 success, 2 invalid input"
    parser.add_argument("file", metavar="FILE", help="a scenario that the playground exported; - reads stdin")
    parser.add_argument("--table", action="store_true", help="print all Pods, not only those without a node")
    parser.add_argument("--trace", metavar="FILE", help="write the records as JSON Lines; - writes to stdout")
    plugins = "a Python module with out-of-tree plugins in the tuple PLUGINS (may be repeated)"
    parser.add_argument("--plugins", action="append", default=[], metavar="MODULE", help=plugins)


def run(arguments: argparse.Namespace) -> int:
    """Exit status as in the help. Raises InputError."""
    name = display_name(arguments.file)
    try:
        scenario = read(read_bytes(arguments.file, MAX_BYTES).decode("utf-8-sig"))
        registry = read_plugins(arguments.plugins, EMULATIONS[scenario.emulates])
        outcomes = Outcomes()
        with open_output(arguments.trace) as trace:
            for record in scenario.play(registry, record_steps=trace is not None):
                outcomes.follow(record)
                if trace is not None:
                    trace.write(json.dumps(record.data, sort_keys=True, separators=(",", ":")) + "\n")
    except UnicodeDecodeError as error:
        raise InputError([f"{name}: must be UTF-8 text, but byte {error.start} is not"]) from error
    except (ScenarioError, ConfigError) as error:
        raise InputError(f"{name}: {problem}" for problem in error.problems) from error
    report(outcomes, sys.stderr if arguments.trace == STDOUT else sys.stdout, whole=arguments.table)
    return OK
