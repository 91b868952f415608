"""A repair as it is told: its edits, what it costs, what it does to others."""

from typing import Any, Literal, NotRequired, TypedDict

from kube_objects.sentences import Data
from scheduler_core.edits.costs import Kind
from simulator.repair.line import Line

Claim = Literal["minimum", "minimal", "found"]

# `from` is a word of Python's.
ExplainedEdit = TypedDict(
    "ExplainedEdit",
    {
        "kind": Kind,
        "object": dict[str, str],
        "path": NotRequired[str],
        "from": NotRequired[Any | None],
        "to": NotRequired[Any | None],
        "cost": int,
        "sentence": Data,
        "kubectl": str,
        "note": NotRequired[Data],
    },
)


class ExplainedSideEffect(TypedDict):
    kind: str
    pod: str
    what: Data


class ExplainedRepair(TypedDict):
    edits: list[ExplainedEdit]
    cost: int
    node: str
    verified: bool
    claim: Claim
    side_effects: list[ExplainedSideEffect]
    commands: list[Any]
    inverse: list[Any]


def explained(line: Line) -> ExplainedEdit:
    """Return an edit as people and programs read it. `kubectl` is empty if the line of a later edit makes it, too."""
    edit = line.edit
    found: ExplainedEdit = {
        "kind": edit.kind,
        "object": edit.of.as_dict(),
        "cost": edit.cost,
        "sentence": edit.sentence,
        "kubectl": line.text,
    }
    if edit.path:
        # In the order in which it is read: where, from what, to what, at what cost.
        found = {
            "kind": edit.kind,
            "object": found["object"],
            "path": edit.path.removesuffix("[]"),
            "from": edit.before,
            "to": edit.after,
            "cost": edit.cost,
            "sentence": edit.sentence,
            "kubectl": found["kubectl"],
        }
    if line.note is not None:
        found["note"] = line.note
    return found
