"""The definition of a command: its fields, its preparation, its inverse, its label."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.sentences import Template, say
from kube_objects.text.problems import Problem
from simulator.simulation.cluster import SimulatedCluster
from simulator.simulation.commands.fields import Field, Schema
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline

# What the API puts beside a command's fields.
RESERVED = ("kind", "key")

Payload = Mapping[str, Any]
# A template and what it is filled in with.
Label = tuple[Template, Mapping[str, str | int]]
Prepare = Callable[[Timeline, Payload], Iterator[Record]]
RecordFields = dict[str, Any]
CarryOut = Callable[[], tuple[str, RecordFields]]


class CommandError(ValueError):
    """The command cannot be carried out; nothing was changed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(slots=True, frozen=True, kw_only=True)
class Command:
    """A kind of command.

    `prepare` checks the payload (CommandError) and returns an iterator of records, which applies the command.
    `about` is its row in docs/trace_format.md, which `make docs` writes.
    A command that users can undo has a `label` and an `inverse`, which turns `BeforeChange.body` into the payload of
    the undo; `record` is the kind of record that carries the change. `outlives_reset`: a reset keeps the change.
    `is_stored`: the payload's content is also stored as objects or as a configuration.
    `as_stored` returns the payload for a replay. `helps_nobody`: the command makes no unschedulable pod group
    schedulable.
    """

    kind: str
    about: str
    prepare: Prepare
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    check_together: Callable[[Payload], Sequence[Problem]] = lambda _: ()
    record: str = ""
    label: Callable[[Payload], Label] | None = None
    inverse: Callable[[Payload], Payload] | None = None
    outlives_reset: bool = False
    is_stored: bool = False
    as_stored: Callable[[Payload], Payload] = lambda payload: payload
    helps_nobody: bool = False

    def __post_init__(self) -> None:
        taken = [name for name in self.fields if name in RESERVED]
        if taken:
            raise ValueError(f"{self.kind}: a field may not be called {', '.join(taken)}")

    @property
    def is_change(self) -> bool:
        """Whether a user can take it back."""
        return self.inverse is not None

    @property
    def fields(self) -> Mapping[str, Field]:
        return {**self.required, **self.optional}

    def check(self, payload: Payload) -> list[Problem]:
        """All that is wrong with the form of a command of this kind."""
        given, fields = payload.keys() - {"kind"}, self.fields
        missing = sorted(self.required.keys() - given)
        problems = [Problem(name, None, say("is required for {kind}", kind=self.kind)) for name in missing]
        for name in sorted(given):
            if name in fields:
                problems += fields[name].check(name, payload[name])
            else:
                problems.append(Problem(name, payload[name], say("is not a field of {kind}", kind=self.kind)))
        return problems + list(self.check_together(payload))

    def notation(self) -> str:
        """Its fields as a reader's table has them."""
        named = [(name, one) for name, one in self.required.items()]
        named += [(f"{name}?", one) for name, one in self.optional.items()]
        return ", ".join(f"`{name}: {one.notation}`" if one.notation else f"`{name}`" for name, one in named)

    def schema(self) -> Schema:
        """Its form as a JSON schema."""
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
    """`check` gives what changes the cluster, which answers with the kind and the fields of the one record of it."""

    def prepare(simulation: Timeline, payload: Payload) -> Iterator[Record]:
        carry_out = check(simulation.cluster, payload)

        def records() -> Iterator[Record]:
            kind, fields = carry_out()
            yield simulation.record(kind, **fields)
            yield from simulation.settle()

        return records()

    return prepare


def restore(found: Payload) -> Payload:
    """The inverse of what changes objects. `found["objects"]`: kind, key, and manifest or None if it was not there."""
    back = [manifest for _, _, manifest in found["objects"] if manifest is not None]
    gone = [_reference(kind, key) for kind, key, manifest in found["objects"] if manifest is None]
    return {"kind": "restore"} | ({"objects": back} if back else {}) | ({"delete": gone} if gone else {})


def _reference(kind: str, key: str) -> dict[str, str]:
    namespace, _, name = key.rpartition("/")
    return {"kind": kind, "name": name} | ({"namespace": namespace} if namespace else {})
