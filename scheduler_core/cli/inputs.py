"""What the commands read: scenarios as kubectl prints them, and configurations. Everything wrong is said at once."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from scheduler_core.config import ConfigError, SchedulerConfiguration, default_configuration
from scheduler_core.config import Problem as ConfigProblem
from scheduler_core.config.limits import MAX_BYTES as CONFIG_BYTES
from scheduler_core.emulations import V1_34_1
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import DuplicatePluginError, Registry
from scheduler_core.objects.documents import read_documents
from scheduler_core.objects.limits import Limits
from scheduler_core.objects.problems import Problem
from scheduler_core.objects.read import did_you_mean
from scheduler_core.plugins.table import IN_TREE
from scheduler_core.simulation import CommandError, Record, Simulation

STDIN = "-"
_SCENARIO_LIMITS = Limits()


class InputError(Exception):
    """The input cannot be used; `lines` say why, one problem each, with file, place and rule."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        super().__init__("\n".join(self.lines))


@dataclass(slots=True)
class Scenario:
    """The objects of one or several files, in their order, and where each of them came from."""

    manifests: list[Mapping[str, Any]] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)

    def create_in(self, simulation: Simulation) -> Iterator[Record]:
        """The command that puts the objects into a simulation. Raises InputError at once if it is refused."""
        if not self.manifests:
            return iter(())
        try:
            return simulation.apply({"kind": "create", "objects": self.manifests})
        except CommandError as error:
            raise InputError(map(self._place, error.problems)) from error

    def _place(self, problem: Problem) -> str:
        head, _, rest = problem.path.partition("]")
        number = head.removeprefix("objects[")
        if head == number or not number.isdigit():
            return str(problem)
        inner = Problem(rest.removeprefix("."), problem.value, problem.rule, problem.hint)
        return f"{self.origins[int(number)]}: {inner}"


@dataclass(slots=True)
class Configured:
    """A configuration as text (None: kube-scheduler's default) and as it is after defaulting."""

    text: str | None
    configuration: SchedulerConfiguration


@dataclass(slots=True)
class Input:
    configured: Configured
    scenario: Scenario


def read_input(config: str | None, names: Sequence[str], registry: Registry, emulation: Emulation = V1_34_1) -> Input:
    """Both kinds of input; raises one InputError for all that is wrong with either."""
    lines: list[str] = []
    configured, scenario = Configured(None, default_configuration()), Scenario()
    try:
        configured = read_configuration(config, registry, emulation)
    except InputError as error:
        lines += error.lines
    try:
        scenario = read_scenario(names) if names else scenario
    except InputError as error:
        lines += error.lines
    if lines:
        raise InputError(lines)
    return Input(configured, scenario)


def read_scenario(names: Sequence[str]) -> Scenario:
    """The objects of these files; `-` is the standard input. Raises InputError with the problems of all the files."""
    scenario, lines = Scenario(), []
    first_seen: dict[tuple[str, str], str] = {}
    for name in names:
        try:
            read = read_documents(read_bytes(name, _SCENARIO_LIMITS.bytes))
        except InputError as error:
            lines += error.lines
            continue
        lines += [f"{shown(name)}: {problem}" for problem in read.problems]
        for obj in read.objects:
            identity = (obj.kind, obj.key)
            if identity in first_seen:
                lines.append(f"{shown(name)}: {obj.kind} {obj.key}: is in {first_seen[identity]} already")
                continue
            first_seen[identity] = shown(name)
            scenario.manifests.append(dict(obj.manifest))
            scenario.origins.append(f"{shown(name)}: {obj.kind} {obj.key}")
    if not lines and not scenario.manifests:
        lines = [f"{', '.join(map(shown, names))}: there is nothing in it that scheduling uses"]
    if lines:
        raise InputError(lines)
    return scenario


def read_configuration(name: str | None, registry: Registry, emulation: Emulation = V1_34_1) -> Configured:
    """The configuration in a file, as this version reads it; None is its default one. Raises InputError."""
    if name is None:
        return Configured(None, emulation.load(None, registry.points()))
    text = read_config_text(name)
    try:
        return Configured(text, emulation.load(text, registry.points()))
    except ConfigError as error:
        raise InputError(config_problems(shown(name), error.stage, error.problems)) from error


def read_config_text(name: str) -> str:
    """The text of a configuration file, as it is. Raises InputError."""
    try:
        return read_bytes(name, CONFIG_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError([f"{shown(name)}: must be UTF-8 text, but byte {error.start} is not"]) from error


def read_plugins(modules: Sequence[str]) -> Registry:
    """The in-tree plugins and those of these modules' `PLUGINS`. Raises InputError."""
    registry = IN_TREE
    for name in modules:
        try:
            registry = registry.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, ValueError, DuplicatePluginError) as error:
            raise InputError([f"--plugins {name}: {error}"]) from error
    return registry


def config_problems(name: str, stage: str, problems: Iterable[ConfigProblem]) -> Iterator[str]:
    """One line for each thing that is wrong with the configuration in a file."""
    for problem in problems:
        place = name if problem.line is None else f"{name}:{problem.line}"
        hint = f"; {problem.hint}" if problem.hint else ""
        yield f"{place}: {stage}: {problem}{hint}"


def read_bytes(name: str, most: int) -> bytes:
    """What a file holds, or the standard input. Raises InputError, also for more than `most` bytes."""
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(most + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise InputError([f"{shown(name)}: {getattr(error, 'strerror', None) or error}"]) from error
    if len(data) > most:
        raise InputError([f"{shown(name)}: is larger than {most} bytes"])
    return data


def full_key(name: str) -> str:
    """A pod's key; without a namespace it is in `default`."""
    return name if "/" in name else f"default/{name}"


def unknown(option: str, rule: str, name: str, known: Iterable[str]) -> InputError:
    """What to raise for a name that is not there, with the nearest one that is."""
    hint = did_you_mean(name, known)
    return InputError([f"{option}: {rule}" + (f"; {hint}" if hint else "")])


def shown(name: str) -> str:
    """A file's name in messages."""
    return "standard input" if name == STDIN else name
