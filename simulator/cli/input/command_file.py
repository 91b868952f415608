"""Reader of the option `--commands`: a file of simulation commands, which are applied in order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kube_objects.documents import decode_text
from kube_objects.text.errors import TextError
from kube_objects.text.limits import Limits
from kube_objects.text.problems import Problem
from kube_objects.text.yaml_values import read_yaml
from simulator.cli import language
from simulator.cli.errors import InputError
from simulator.cli.input.inputs import display_name, read_bytes
from simulator.simulation import CommandError, Record, Simulation
from simulator.simulation.commands.table import check

_LIMITS = Limits(objects=10_000)


@dataclass(slots=True)
class CommandFile:
    """The commands of a file, after a check of their form."""

    name: str
    commands: list[Mapping[str, Any]]

    def play(self, simulation: Simulation) -> Iterator[Record]:
        """Yield the records of all commands. Raises InputError for the first one that the engine refuses."""
        for i, command in enumerate(self.commands):
            try:
                yield from simulation.apply(command)
            except CommandError as error:
                raise InputError(_problem_lines(self.name, i, error)) from error


def read_command_file(name: str) -> CommandFile:
    """Read the list of commands in a YAML or JSON file; `-` is standard input.

    Raises InputError with all problems.
    """
    commands = _read_list(name)
    lines = []
    for i, command in enumerate(commands):
        if not isinstance(command, Mapping):
            lines.append(f'{display_name(name)}: [{i}]: must be an object with a "kind"')
            continue
        try:
            check(command)
        except CommandError as error:
            lines += _problem_lines(name, i, error)
    if lines:
        raise InputError(lines)
    return CommandFile(name, commands)


def _read_list(name: str) -> list[Any]:
    text = decode_text(read_bytes(name, _LIMITS.bytes), _LIMITS)
    if isinstance(text, Problem):
        raise InputError([f"{display_name(name)}: {text}"])
    try:
        documents = [document.value for document in read_yaml(text, _LIMITS)]
    except TextError as error:
        raise InputError([f"{display_name(name)}:{error.line or 1}: {error.rule}"]) from error
    if len(documents) != 1 or not isinstance(documents[0], list):
        raise InputError([f"{display_name(name)}: must be one list of commands"])
    if len(documents[0]) > _LIMITS.objects:
        raise InputError([f"{display_name(name)}: must have at most {_LIMITS.objects} commands"])
    return documents[0]


def _problem_lines(name: str, number: int, error: CommandError) -> Iterator[str]:
    for problem in error.problems:
        path = f"[{number}].{problem.path}"
        placed = Problem(path, problem.value, problem.rule, problem.hint)
        yield f"{display_name(name)}: {language.translate_problem(placed)}"
