"""The definition of a command: its fields, its preparation, its inverse, its label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import Template, say
from kube_objects.text.problems import Problem
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.commands.fields import FieldType, Schema
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline

# The fields that the API adds to those of a command.
RESERVED = ("kind", "key")

Payload = Mapping[str, Any]
# A template and the values of its placeholders.
Label = tuple[Template, Mapping[str, str | int]]
Prepare = Callable[[Timeline, Payload], Iterator[Record]]
RecordFields = dict[str, Any]
# A function that changes the cluster, and returns the kind and the fields of the record.
CarryOut = Callable[[], tuple[str, RecordFields]]


class CommandError(ValueError):
    """An error for a command that can't be applied; nothing was changed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(slots=True, frozen=True, kw_only=True)
class Command:
    """A kind of command.

    `prepare` checks the payload (CommandError) and returns an iterator of records, which applies the command.
    `check_together` returns the problems of fields that depend on each other.
    `about` is its row in docs/reference/commands-and-trace.md, which `make docs` writes.
    A command that users can undo has a `label` and an `inverse`, which turns `BeforeChange.body` into the payload of
    the undo; `record` is the kind of record that carries the change. `outlives_reset`: a reset keeps the change.
    `is_stored`: the payload's content is also stored as objects or as a configuration.
    `as_stored` returns the payload for a replay. `wakes_no_group`: the command makes no unschedulable pod group
    schedulable.
    """

    kind: str
    about: str
    prepare: Prepare
    required: Mapping[str, FieldType] = field(default_factory=dict)
    optional: Mapping[str, FieldType] = field(default_factory=dict)
    check_together: Callable[[Payload], Sequence[Problem]] = lambda _: ()
    record: str = ""
    label: Callable[[Payload], Label] | None = None
    inverse: Callable[[Payload], Payload] | None = None
    outlives_reset: bool = False
    is_stored: bool = False
    as_stored: Callable[[Payload], Payload] = lambda payload: payload
    wakes_no_group: bool = False

    def __post_init__(self) -> None:
        reserved = [name for name in self.fields if name in RESERVED]
        if reserved:
            raise ValueError(f"{self.kind}: a field may not be called {', '.join(reserved)}")

    @property
    def is_change(self) -> bool:
        """Whether a user can undo the command."""
        return self.inverse is not None

    @property
    def fields(self) -> Mapping[str, FieldType]:
        return {**self.required, **self.optional}

    def check(self, payload: Payload) -> list[Problem]:
        """Return all problems with the form of a payload of this kind."""
        names, fields = payload.keys() - {"kind"}, self.fields
        missing = sorted(self.required.keys() - names)
        problems = [Problem(name, None, say("is required for {kind}", kind=self.kind)) for name in missing]
        for name in sorted(names):
            if name in fields:
                problems += fields[name].check(name, payload[name])
            else:
                problems.append(Problem(name, payload[name], say("is not a field of {kind}", kind=self.kind)))
        return problems + list(self.check_together(payload))

    def notation(self) -> str:
        """Return the fields as the table of docs/reference/commands-and-trace.md shows them."""
        types = [(name, type_) for name, type_ in self.required.items()]
        types += [(f"{name}?", type_) for name, type_ in self.optional.items()]
        return ", ".join(f"`{name}: {type_.notation}`" if type_.notation else f"`{name}`" for name, type_ in types)

    def schema(self) -> Schema:
        """Return the JSON schema of the command."""
        fields = self.fields
        return {
            "type": "object",
            "title": self.kind,
            "properties": {
                "kind": {"type": "string", "enum": [self.kind]},
                **{name: fields[name].schema() for name in sorted(fields)},
            },
            "required": ["kind", *sorted(self.required)],
            "additionalProperties": False,
        }


def one_record(check: Callable[[SimulatedCluster, Payload], CarryOut]) -> Prepare:
    """Return the `prepare` of a command with a single record.

    1. `check` checks the payload and returns a function. Raise CommandError.
    2. That function changes the cluster, and returns the kind and the fields of the record.
    3. The simulation makes the record, and processes what the change leads to.
    """

    def prepare(simulation: Timeline, payload: Payload) -> Iterator[Record]:
        carry_out = check(simulation.cluster, payload)

        def records() -> Iterator[Record]:
            kind, fields = carry_out()
            yield simulation.record(kind, **fields)
            yield from simulation.settle()

        return records()

    return prepare


def restore(before: Payload) -> Payload:
    """Return the command that undoes a change of objects: put earlier objects back, delete new ones.

    `before["objects"]` has kind, key and manifest of each object before the change; None if it didn't exist.
    """
    earlier = [manifest for _, _, manifest in before["objects"] if manifest is not None]
    new = [_reference(kind, key) for kind, key, manifest in before["objects"] if manifest is None]
    return {"kind": "restore"} | ({"objects": earlier} if earlier else {}) | ({"delete": new} if new else {})


def _reference(kind: str, key: str) -> dict[str, str]:
    namespace, _, name = key.rpartition("/")
    return {"kind": kind, "name": name} | ({"namespace": namespace} if namespace else {})
