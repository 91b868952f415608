"""The command `set_actors`, which switches controllers on and off."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_controllers.hashing import PLAIN, UPSTREAM
from kube_controllers.names import CONTROLLERS, in_table_order
from kube_objects.sentences import Template, say
from kube_objects.text.problems import Problem
from simulator.simulation.commands.command import Command, Label, Payload
from simulator.simulation.commands.fields import Choice, Choices, Schema
from simulator.simulation.journal import Record
from simulator.simulation.timeline import Timeline

ALL, NONE = "all", "none"
_names = Choices(tuple(CONTROLLERS))


class _ControllerNames:
    """The field type of `actors`: `all`, `none`, or a list of names."""

    notation = '"all" | "none" | [name]'

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        if value in (ALL, NONE) or (isinstance(value, list) and not _names.broken_by(value)):
            return ()
        rule = say('must be "all", "none" or a list of {names}', names=", ".join(CONTROLLERS))
        return [Problem(name, value, rule)]

    def schema(self) -> Schema:
        return {"oneOf": [{"type": "string", "enum": [ALL, NONE]}, _names.schema()]}


def controller_names(value: Any) -> tuple[str, ...]:
    """Return the names that a checked value of the field means, in the order of `kube_controllers.names`."""
    if value in (ALL, NONE):
        return tuple(CONTROLLERS) if value == ALL else ()
    return in_table_order(value)


def as_stored(payload: Payload) -> Payload:
    """Return the payload with a list of names, because `all` means other controllers in a later version."""
    return {**payload, "actors": list(controller_names(payload["actors"]))}


def set_actors(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    names = controller_names(payload["actors"])

    def carry_out() -> Iterator[Record]:
        simulation.switch_controllers(names, payload.get("hashes", ""))
        hashes = {"hashes": payload["hashes"]} if "hashes" in payload else {}
        yield simulation.record("actors", actors=list(names), **hashes)
        yield from simulation.settle()

    return carry_out()


def _label(payload: Payload) -> Label:
    names = controller_names(payload["actors"])
    if not names:
        return Template("stop controllers"), {}
    if len(names) == len(CONTROLLERS):
        return Template("start all controllers"), {}
    return Template("run these controllers: {names}"), {"names": ", ".join(names)}


def _inverse(before: Mapping[str, Any]) -> Payload:
    return {"kind": "set_actors", "actors": before["actors"]}


COMMANDS = (
    Command(
        kind="set_actors",
        about="runs these [controllers](controllers.md) and no others; see [Controllers](#controllers)",
        required={"actors": _ControllerNames()},
        optional={"hashes": Choice((UPSTREAM, PLAIN))},
        prepare=set_actors,
        record="actors",
        label=_label,
        as_stored=as_stored,
        inverse=_inverse,
        outlives_reset=True,
    ),
)
