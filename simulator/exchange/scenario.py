"""A scenario as one file: what a cluster starts from, and every command since. Played again it gives the same bytes."""

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
    """The text is no scenario; `problems` are all that is wrong with it."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


@dataclass(slots=True)
class Scenario:
    """`config` is the configuration at the beginning, "" for the version's own; `commands` are those of the format."""

    name: str
    emulates: str = ORIGINAL_VERSION.version
    seed: int = 0
    config: str = ""
    commands: list[dict[str, Any]] = field(default_factory=list)

    @property
    def emulations(self) -> list[str]:
        """The kube-schedulers that run it, one after the other: feature gates are switched on the way."""
        found = [self.emulates]
        for command in self.commands:
            if command["kind"] == "set_gates":
                with suppress(GateError):  # it was refused, and nothing switched
                    found.append(emulation_of(plain_version(self.emulates), parse_gates(command["gates"])).version)
        return found

    def play(self, registry: Registry | None = None, **options: Any) -> Iterator[Record]:
        """The records that it leads to. Raises ConfigError; a command that is refused gives none, as it did then."""
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
    """The file's text: JSON, a command a line. The same scenario gives the same text."""
    head = document(scenario)
    del head["commands"]
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}," for name, value in head.items()]
    commands = ",\n".join(f"  {json.dumps(command, ensure_ascii=False)}" for command in scenario.commands)
    return "\n".join(["{", *lines, ' "commands": [', *([commands] if commands else []), " ]", "}"]) + "\n"


def document(scenario: Scenario) -> dict[str, Any]:
    """The file as a value."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": scenario.name,
        "emulates": scenario.emulates,
        "seed": scenario.seed,
        "config": scenario.config,
        "commands": scenario.commands,
    }


def looks_like_one(text: str) -> bool:
    """Whether a text means to be a scenario, right or wrong."""
    return text.lstrip()[:1] == "{" and API_VERSION in text[:1000]


def read(text: str) -> Scenario:
    """The inverse of `write`. Raises ScenarioError with everything that is wrong."""
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
    return of(data)


def of(data: Any) -> Scenario:
    """The inverse of `document`. Raises ScenarioError with everything that is wrong."""
    if not isinstance(data, dict):
        raise ScenarioError([Problem("", None, say("must be an object"))])
    problems = [Problem(name, None, say("is no field of a scenario")) for name in data if name not in _FIELDS]
    for name, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
        if data.get(name) != wanted:
            problems.append(Problem(name, data.get(name), say('must be "{wanted}"', wanted=wanted)))
    name, emulates = data.get("name", ""), data.get("emulates", ORIGINAL_VERSION.version)
    seed, config, commands = data.get("seed", 0), data.get("config", ""), data.get("commands", [])
    if not isinstance(name, str) or len(name) > MAX_NAME:
        problems.append(Problem("name", name, say("must be text of at most {n} characters", n=MAX_NAME)))
    if not isinstance(emulates, str) or emulates not in EMULATIONS:
        problems.append(Problem("emulates", emulates, say("must be one of {choices}", choices=", ".join(EMULATIONS))))
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 1 << 63:
        problems.append(Problem("seed", seed, say("must be a whole number from 0 to 2^63 − 1")))
    if not isinstance(config, str):
        problems.append(Problem("config", config, say("must be text")))
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
            for found in error.problems:
                yield Problem(f"commands[{index}].{found.path}", found.value, found.rule, found.hint)
