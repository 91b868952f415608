"""Options for running a scenario, which several commands share, and the records of the run."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kube_objects.pod_makers import format_counts
from kube_objects.sentences import say
from scheduler_core.config import SchedulerConfiguration
from scheduler_core.emulations import DEFAULT, EMULATIONS
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.stopwatch import Clock
from simulator.cli.input.command_file import CommandFile, read_command_file
from simulator.cli.input.inputs import (
    ScenarioInput,
    add_gates_argument,
    print_note,
    read_emulation,
    read_input,
    read_plugins,
)
from simulator.simulation import Record, Simulation
from simulator.simulation.commands.scheduling import MAX_ADVANCE_SECONDS, MAX_CYCLES

MAX_SEED = (1 << 63) - 1
KEEP_OWNERLESS = "--keep-ownerless"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(slots=True)
class Play:
    """A simulation before its first record, and the input that it was created from.

    `created` are the records of creating the objects; `command_file` has the commands that follow, if any.
    """

    simulation: Simulation
    created: Iterator[Record]
    command_file: CommandFile | None
    scenario: ScenarioInput

    def beginning(self) -> Iterator[Record]:
        """Yield the records of creating the objects and of the command file. Raise InputError for a refused command."""
        yield from self.created
        if self.command_file is not None:
            yield from self.command_file.play(self.simulation)

    def records(self, until: Any) -> Iterator[Record]:
        """Yield all records: those of `beginning`, and those of a run if there is no command file."""
        yield from self.beginning()
        if self.command_file is None:
            yield from self.simulation.apply({"kind": "run", "until": until})


def prepare(arguments: argparse.Namespace, *, record_steps: bool, clock: Clock | None = None) -> Play:
    """Read all input that the options name, and create its simulation. Raise InputError with all problems.

    1. Read plugins, the command file, the configuration and the scenario.
    2. Print notes and warnings about input that is not used.
    3. Create the simulation. The objects are created as the caller reads the records.
    """
    emulation, registry = read_emulation(arguments), read_registry(arguments)
    command_file = None if arguments.commands is None else read_command_file(arguments.commands)
    loaded = read_input(arguments.config, arguments.scenario, registry, emulation, arguments.without_plugins)
    for text in loaded.scenario.notes:
        print_note(text)
    actors = getattr(arguments, "actors", ())
    if actors:
        _handle_ownerless(loaded.scenario, keep=arguments.keep_ownerless)
    _warn_of_extenders(loaded.configured.configuration)
    simulation = Simulation.create(
        seed=arguments.seed,
        config=loaded.configured.text,
        emulation=loaded.emulation,
        registry=loaded.registry,
        record_steps=record_steps,
        clock=clock,
        actors=actors,
    )
    return Play(simulation, loaded.scenario.create_in(simulation), command_file, loaded.scenario)


def read_registry(arguments: argparse.Namespace) -> Registry:
    """Return the version's plugins and those of `--plugins`. Raises InputError."""
    return read_plugins(arguments.plugins, read_emulation(arguments))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that plays a scenario, except the scenario itself."""
    add_config_arguments(parser)
    parser.add_argument(
        "--seed", type=_seed, default=0, metavar="N", help="the seed that breaks ties between nodes (default 0)"
    )
    commands = "run the commands of a YAML or JSON file instead (docs/reference/commands-and-trace.md); - reads stdin"
    parser.add_argument("--commands", metavar="FILE", help=commands)


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="FILE", help="a KubeSchedulerConfiguration (default: kube-scheduler's)")
    plugins = "a Python module with out-of-tree plugins in the tuple PLUGINS (may be repeated)"
    parser.add_argument("--plugins", action="append", default=[], metavar="MODULE", help=plugins)
    without = "ignore out-of-tree plugins of the configuration that no module of --plugins contains"
    parser.add_argument("--without-plugins", action="store_true", help=without)
    emulate = "the version of kube-scheduler to emulate, which also reads --config (default %(default)s)"
    parser.add_argument("--emulate", choices=tuple(EMULATIONS), default=DEFAULT.version, help=emulate)
    add_gates_argument(parser)


def add_until_argument(parser: argparse.ArgumentParser) -> None:
    until = "when to stop: idle (no Pod is ready, default), after N attempts, or after a TIME such as 90s, 5m or 2h"
    parser.add_argument("--until", type=_until, default="idle", metavar="idle|N|TIME", help=until)


def _handle_ownerless(scenario: ScenarioInput, *, keep: bool) -> None:
    """Remove references to missing owners, or note which objects the garbage collector will delete."""
    if keep:
        scenario.drop_missing_owners()
    elif scenario.ownerless:
        kinds = Counter(str(scenario.manifests[place].get("kind")) for place in scenario.ownerless)
        print_note(
            say(
                "{kinds}: owners are missing from the scenario, so the garbage collector will delete them",
                kinds=format_counts(kinds),
            )
        )
        print_note(say("to keep them without owners, use {option}", option=KEEP_OWNERLESS))


def _warn_of_extenders(configuration: SchedulerConfiguration) -> None:
    if configuration.extenders:
        print(
            f"warning: {len(configuration.extenders)} extenders are not called, because commands use no network",
            file=sys.stderr,
        )


def _seed(text: str) -> int:
    return _whole(text, 0, MAX_SEED)


def _until(text: str) -> Any:
    if text == "idle":
        return text
    if text[-1:] in _UNITS:
        most = MAX_ADVANCE_SECONDS // _UNITS[text[-1]]
        return {"seconds": _whole(text[:-1], 1, most) * _UNITS[text[-1]]}
    return {"cycles": _whole(text, 1, MAX_CYCLES)}


def _whole(text: str, low: int, high: int) -> int:
    if text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} must be a whole number from {low} to {high}")
