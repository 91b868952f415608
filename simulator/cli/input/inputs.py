"""Input of the commands: scenarios as kubectl prints them, and configurations. All problems are reported at once."""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from kube_controllers.garbage_collector.owners import without_owners
from kube_objects.collect import ReadResult
from kube_objects.documents import File, read_documents, read_files
from kube_objects.meta import KubeObject
from kube_objects.pod_makers import count_without_pods
from kube_objects.shapes import POLICY_KEY, Held
from kube_objects.text.hints import did_you_mean
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from scheduler_core.config import ConfigError, SchedulerConfiguration, default_configuration
from scheduler_core.config.limits import MAX_BYTES as CONFIG_BYTES
from scheduler_core.config.out_of_tree import without
from scheduler_core.emulations import DEFAULT, emulation_of
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.registry import DuplicatePluginError, Registry
from scheduler_core.gates import GateError, parse_gates
from scheduler_core.releases import V1_34
from simulator.cli import language
from simulator.cli.errors import InputError
from simulator.cli.language import in_words
from simulator.importers.folder import KUSTOMIZATION, MANIFESTS, choose
from simulator.importers.notes import notes_of, unused_kinds
from simulator.simulation import CommandError, Record, Simulation
from simulator.simulation.ownerless import find_ownerless

STDIN = "-"
_SCENARIO_LIMITS = Limits()


@dataclass(slots=True)
class ScenarioInput:
    """Objects of one or more files in order, with their origins.

    `notes` describe what was left out. `podless` counts kinds whose controllers do not run, `unused` kinds that
    scheduling does not read. `configurations` and `gates` (for `--feature-gates`) were among the objects. `ownerless`
    are positions of manifests whose owners are missing.
    """

    manifests: list[Mapping[str, Any]] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    podless: dict[str, int] = field(default_factory=dict)
    configurations: list[Held] = field(default_factory=list)
    unused: dict[str, int] = field(default_factory=dict)
    gates: list[str] = field(default_factory=list)
    ownerless: list[int] = field(default_factory=list)

    def drop_missing_owners(self) -> None:
        """Remove references to owners that are not in the scenario."""
        for place in self.ownerless:
            self.manifests[place] = without_owners(self.manifests[place])
        self.ownerless = []

    def create_in(self, simulation: Simulation) -> Iterator[Record]:
        """Return the records of creating the objects in a simulation. Raises InputError for a refused command."""
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
            return str(language.translate_problem(problem))
        inner = Problem(rest.removeprefix("."), problem.value, problem.rule, problem.hint)
        return f"{self.origins[int(number)]}: {language.translate_problem(inner)}"


@dataclass(slots=True)
class Configured:
    """A configuration as text (None: kube-scheduler's default) and after defaulting."""

    text: str | None
    configuration: SchedulerConfiguration


@dataclass(slots=True)
class Input:
    """All input of a command; `emulation` and `registry` include feature gates that were among the objects."""

    configured: Configured
    scenario: ScenarioInput
    emulation: Emulation
    registry: Registry


def read_input(
    config: str | None,
    names: Sequence[str],
    registry: Registry,
    emulation: Emulation = DEFAULT,
    without_plugins: bool = False,
) -> Input:
    """Read the configuration and the scenario. Raises one InputError for all problems.

    A configuration among the objects is used if none is named; feature gates, too.
    """
    lines: list[str] = []
    configured, scenario = Configured(None, default_configuration(V1_34)), ScenarioInput()
    try:
        scenario = read_scenario(names) if names else scenario
        emulation = add_scenario_gates(scenario, emulation)
        registry = emulation.registry.with_others_of(registry)
    except InputError as error:
        lines += error.lines
    try:
        configured = read_configuration(config, registry, emulation, without_plugins)
        if scenario.configurations:
            configured = _choose_configuration(scenario, configured, config, registry, emulation, without_plugins)
    except InputError as error:
        lines = error.lines + lines
    if lines:
        raise InputError(lines)
    return Input(configured, scenario, emulation, registry)


def read_scenario(names: Sequence[str]) -> ScenarioInput:
    """Read the objects of files and folders; `-` is standard input.

    Raises InputError with the problems of all files.
    """
    files: list[File] = []
    lines: list[str] = []
    notes: list[str] = []
    for name in names:
        try:
            if name != STDIN and os.path.isdir(name):
                chosen = choose(list(_walk(name)))
                files += [replace(file, name=os.path.join(name, file.name)) for file in chosen.files]
                notes += [f"{name}: {in_words(note)}" for note in chosen.notes]
                lines += [f"{name}: {language.translate_problem(problem)}" for problem in chosen.problems]
            else:
                files.append(File(display_name(name), read_bytes(name, _SCENARIO_LIMITS.bytes)))
        except InputError as error:
            lines += error.lines
    read = read_files(files) if files else ReadResult()
    everything = ", ".join(map(display_name, names))
    lines += [
        f"{problem.file or everything}: {replace(language.translate_problem(problem), file='')}"
        for problem in read.problems
    ]
    if not lines and not read.objects and not read.configurations:
        lines = [f"{everything}: contains nothing that scheduling uses"]
    if lines:
        raise InputError(lines)
    if read.unused:
        # The rules of the Kubernetes API take 0.3 s to import, and few manifests need them.
        from tests.conformance.cli.api_server import warn_of_unknown_fields

        for line in warn_of_unknown_fields(read):
            print(f"warning: {line}", file=sys.stderr)
    return ScenarioInput(
        [dict(obj.manifest) for obj in read.objects],
        [f"{file}: {obj.kind} {obj.key}" for file, obj in zip(read.origins, read.objects, strict=True)],
        [*notes, *map(in_words, notes_of(read))],
        count_without_pods(read.objects),
        read.configurations,
        unused_kinds(read),
        read.gates,
        _ownerless(read.objects),
    )


def _ownerless(objects: Sequence[KubeObject]) -> list[int]:
    places = {id(obj): place for place, obj in enumerate(objects)}
    return [places[id(obj)] for obj in find_ownerless(objects)]


def _walk(folder: str) -> Iterator[File]:
    """Yield files of a folder that may be manifests, and its kustomizations. Raises InputError."""
    room = _SCENARIO_LIMITS.bytes
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith((*MANIFESTS, KUSTOMIZATION)):
                path = os.path.join(root, name)
                data = read_bytes(path, room)
                room -= len(data)
                yield File(os.path.relpath(path, folder).replace(os.sep, "/"), data)


def read_configuration(
    name: str | None, registry: Registry, emulation: Emulation = DEFAULT, without_plugins: bool = False
) -> Configured:
    """Return the configuration of a file as this version reads it; None is the default. Raises InputError."""
    if name is None:
        return Configured(None, emulation.load(None, registry.points()))
    text = read_config_text(name)
    return _configured(text, display_name(name), registry, emulation, without_plugins)


def _is_policy_map(objects: Sequence[KubeObject]) -> bool:
    """Return True for a ConfigMap with only a Policy, which is read by the lines of its text."""
    return len(objects) == 1 and POLICY_KEY in (objects[0].manifest.get("data") or {})


def read_config_text(name: str) -> str:
    """Return the text of a configuration file, or of the one configuration among manifests. Raises InputError."""
    data = read_bytes(name, CONFIG_BYTES)
    read = read_documents(data)
    if len(read.configurations) == 1 and read.objects and not _is_policy_map(read.objects):
        return read.configurations[0].text
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError([f"{display_name(name)}: must be UTF-8 text, but byte {error.start} is not"]) from error


def _configured(
    text: str, where: str, registry: Registry, emulation: Emulation, without_plugins: bool, offset: int = 0
) -> Configured:
    if without_plugins:
        text, lost = without(text, registry.points())
        for plugin in lost:
            print_note(f"{where}: {plugin}")
    try:
        return Configured(text, emulation.load(text, registry.points()))
    except ConfigError as error:
        problems = [replace(found, line=found.line and found.line + offset) for found in error.problems]
        raise InputError(config_problems(where, error.stage, problems)) from error


def _choose_configuration(
    scenario: ScenarioInput,
    configured: Configured,
    named: str | None,
    registry: Registry,
    emulation: Emulation,
    without_plugins: bool,
) -> Configured:
    """Return the configuration to run with. An invalid one in a ConfigMap is left out, with a note."""
    held = list({config.text: config for config in scenario.configurations}.values())
    places = "; ".join(config.where for config in held)
    if named is not None:
        print_note(f"the configuration of {display_name(named)} is used, not that in {places}")
        return configured
    if len(held) > 1:
        raise InputError([f"there are {len(held)} configurations: {places}; name one of them by --config"])
    only = held[0]
    where = f"{only.file}: {only.path}" if only.name else only.file
    try:
        read_config = _configured(only.text, where, registry, emulation, without_plugins, only.offset or 0)
    except InputError as error:
        if not only.name:
            raise
        for line in error.lines:
            print_note(f"the configuration in {only.where} is left out: {line}")
        return configured
    print_note(f"the configuration in {only.where} is used")
    return read_config


def print_note(text: str) -> None:
    """Print a note to stderr, where it does not disturb a pipe."""
    print(f"note: {in_words(text)}", file=sys.stderr)


def add_gates_argument(parser: argparse.ArgumentParser) -> None:
    gates = "feature gates that are not as the version has them by default, as kube-scheduler takes them"
    parser.add_argument("--feature-gates", default="", metavar="A=true,B=false", help=gates)


def read_emulation(arguments: argparse.Namespace) -> Emulation:
    """Return the version of `--emulate` with the gates of `--feature-gates`. Raises InputError."""
    return _gated(arguments.emulate, arguments.feature_gates)


def _gated(version: str, gates: str) -> Emulation:
    try:
        return emulation_of(version, parse_gates(gates))
    except GateError as error:
        raise InputError([f'invalid argument "{gates[:200]}" for "--feature-gates" flag: {error}']) from error


def add_scenario_gates(scenario: ScenarioInput, emulation: Emulation) -> Emulation:
    """Return the version with the gates among the objects, unless options set gates. Raises InputError."""
    if not scenario.gates:
        return emulation
    if emulation.gates:
        print_note(f"--feature-gates is used, not those among the objects: {'; '.join(scenario.gates)}")
        return emulation
    if len(scenario.gates) > 1:
        raise InputError([f"there are {len(scenario.gates)} lists of feature gates: {'; '.join(scenario.gates)}"])
    print_note(f"the feature gates among the objects are used: {scenario.gates[0]}")
    return _gated(emulation.version, scenario.gates[0])


def read_plugins(modules: Sequence[str], emulation: Emulation) -> Registry:
    """Return the version's plugins and, for the current API, those in the modules' `PLUGINS`. Raises InputError."""
    registry = emulation.registry
    if emulation.rules is None:
        return registry
    for name in modules:
        try:
            registry = registry.merged(import_module(name).PLUGINS)
        except (ImportError, AttributeError, ValueError, DuplicatePluginError) as error:
            raise InputError([f"--plugins {name}: {error}"]) from error
    return registry


def config_problems(name: str, stage: str, problems: Iterable[Problem]) -> Iterator[str]:
    """Yield one line per problem of a configuration."""
    for problem in problems:
        place = name if problem.line is None else f"{name}:{problem.line}"
        hint = f"; {in_words(problem.hint)}" if problem.hint else ""
        yield f"{place}: {stage}: {in_words(problem.text or problem.upstream)}{hint}"


def read_bytes(name: str, most: int) -> bytes:
    """Return the content of a file or of standard input. Raises InputError, also for more than `most` bytes."""
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(most + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise InputError([f"{display_name(name)}: {getattr(error, 'strerror', None) or error}"]) from error
    if len(data) > most:
        raise InputError([f"{display_name(name)}: is larger than {most} bytes"])
    return data


def full_key(name: str) -> str:
    """Return a pod's key; the default namespace is `default`."""
    return name if "/" in name else f"default/{name}"


def unknown_name_error(option: str, rule: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown name, with the nearest known one as a hint."""
    hint = did_you_mean(name, known)
    return InputError([f"{option}: {rule}" + (f"; {hint}" if hint else "")])


def display_name(name: str) -> str:
    """Return a file's name for messages."""
    return "standard input" if name == STDIN else name
