"""Scenario file: the initial state of a cluster and every command since. Playing it again gives the same bytes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.errors import JSONError
from kube_objects.text.json_count import has_more_values
from kube_objects.text.json_values import finite, line_of, no_constant
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from scheduler_core.emulations import EMULATIONS, ORIGINAL_VERSION, emulation_of, plain_version
from scheduler_core.framework.registry import Registry
from scheduler_core.gates import GateError, parse_gates
from simulator.simulation import CommandError, Record, Simulation
from simulator.simulation.commands.table import check

API_VERSION, KIND = "kube-scheduler-playground/v1", "Scenario"
MAX_COMMANDS = 100_000
MAX_NAME = 100
_FIELDS = ("apiVersion", "kind", "name", "emulates", "seed", "config", "commands")


class ScenarioError(ValueError):
    """Error for a text that is not a scenario; `problems` lists everything that is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


@dataclass(slots=True)
class Scenario:
    """A cluster's history that can be played again.

    `config` is the initial configuration, "" for the version's default; `commands` are those of the trace format.
    """

    name: str
    emulates: str = ORIGINAL_VERSION.version
    seed: int = 0
    config: str = ""
    commands: list[dict[str, Any]] = field(default_factory=list)

    @property
    def emulations(self) -> list[str]:
        """Return the kube-scheduler versions that run the scenario, in order.

        `set_gates` commands change the version.
        """
        versions = [self.emulates]
        for command in self.commands:
            if command["kind"] == "set_gates":
                with suppress(GateError):  # A refused command changed nothing.
                    versions.append(emulation_of(plain_version(self.emulates), parse_gates(command["gates"])).version)
        return versions

    def play(self, registry: Registry | None = None, **options: Any) -> Iterator[Record]:
        """Replay the scenario, and yield its records. Raise ConfigError.

        1. Create an empty cluster with the version, the seed and the initial configuration.
        2. Apply the commands in order. A command that was refused is refused again, and yields no records.
        """
        emulation = EMULATIONS[self.emulates]
        simulation = Simulation.create(
            seed=self.seed, config=self.config or None, emulation=emulation, registry=registry, **options
        )
        for command in self.commands:
            try:
                yield from simulation.apply(command)
            except CommandError:
                continue


def write(scenario: Scenario) -> str:
    """Return the text of a scenario file: JSON with one command per line. Equal scenarios give equal texts."""
    head = document(scenario)
    del head["commands"]
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in head.items()]
    commands = ",\n".join(f"  {json.dumps(command, ensure_ascii=False)}" for command in scenario.commands)
    return "\n".join(["{", *lines, ' "commands": [', *([commands] if commands else []), " ]", "}"]) + "\n"


def document(scenario: Scenario) -> dict[str, Any]:
    """Return the file's content as a JSON value."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": scenario.name,
        "emulates": scenario.emulates,
        "seed": scenario.seed,
        "config": scenario.config,
        "commands": scenario.commands,
    }


def looks_like_scenario(text: str) -> bool:
    """Return True if the text is meant to be a scenario, valid or not."""
    return text.lstrip()[:1] == "{" and API_VERSION in text[:1000]


def read(text: str) -> Scenario:
    """Parse the text that `write` returns. Raises ScenarioError with all problems."""
    most = Limits().values
    if has_more_values(text, most):
        raise ScenarioError([Problem("", None, say("has more than {n} values", n=most))])
    try:
        data = json.loads(text, parse_constant=no_constant, parse_float=finite)
    except JSONError as error:
        raise ScenarioError(
            [Problem("", None, say("must be JSON: {why}", why=error), line=line_of(error.number, text))]
        ) from error
    except (ValueError, RecursionError) as error:
        raise ScenarioError([Problem("", None, say("must be JSON: {why}", why=error))]) from error
    return parse_scenario(data)


def parse_scenario(data: Any) -> Scenario:
    """Parse the value that `document` returns. Raises ScenarioError with all problems."""
    if not isinstance(data, dict):
        raise ScenarioError([Problem("", None, say("must be an object"))])
    problems = [Problem(name, None, say("is not a field of a scenario")) for name in data if name not in _FIELDS]
    for name, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if data.get(name) != wanted:
            problems.append(Problem(name, data.get(name), say('must be "{wanted}"', wanted=wanted)))
    name, emulates = data.get("name", ""), data.get("emulates", ORIGINAL_VERSION.version)
    seed, config, commands = data.get("seed", 0), data.get("config", ""), data.get("commands", [])
    if not isinstance(name, str) or len(name) > MAX_NAME:
        problems.append(Problem("name", name, say("must be a string of at most {n} characters", n=MAX_NAME)))
    if not isinstance(emulates, str) or emulates not in EMULATIONS:
        problems.append(Problem("emulates", emulates, say("must be one of {choices}", choices=", ".join(EMULATIONS))))
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 1 << 63:
        problems.append(Problem("seed", seed, say("must be a whole number from 0 to 2^63 − 1")))
    if not isinstance(config, str):
        problems.append(Problem("config", config, say("must be a string")))
    problems += _check_commands(commands)
    if problems:
        raise ScenarioError(problems)
    return Scenario(name, emulates, seed, config, commands)


def _check_commands(commands: Any) -> Iterator[Problem]:
    if not isinstance(commands, list) or len(commands) > MAX_COMMANDS:
        yield Problem("commands", None, say("must be a list of at most {n} commands", n=MAX_COMMANDS))
        return
    for index, command in enumerate(commands):
        if not isinstance(command, Mapping):
            yield Problem(f"commands[{index}]", command, say("must be an object"))
            continue
        try:
            check(command)
        except CommandError as error:
            for problem in error.problems:
                yield Problem(f"commands[{index}].{problem.path}", problem.value, problem.rule, problem.hint)
