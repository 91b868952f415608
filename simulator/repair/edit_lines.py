"""Edits of a repair with their command lines, and the JSON types of repairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

from kube_objects.sentences import Data
from scheduler_core.edits.costs import Kind
from scheduler_core.edits.edit import Edit
from scheduler_core.edits.steps import Step

Claim = Literal["minimum", "minimal", "found"]

# `from` is a Python keyword, so this TypedDict uses the functional syntax.
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


@dataclass(frozen=True, slots=True)
class EditLine:
    """An edit with the command line that makes it, as its steps; no steps if a later edit's line makes it, too."""

    edit: Edit
    steps: Sequence[Step] = field(default=())
    note: Data | None = None

    @property
    def text(self) -> str:
        return " && ".join(step.text for step in self.steps)

    def as_dict(self) -> ExplainedEdit:
        """Return the JSON form. `kubectl` is empty if a later edit's line makes this edit, too."""
        edit = self.edit
        answer: ExplainedEdit = {
            "kind": edit.kind,
            "object": edit.of.as_dict(),
            "cost": edit.cost,
            "sentence": edit.sentence,
            "kubectl": self.text,
        }
        if edit.path:
            # Order of the keys for readers: path, old value, new value, cost.
            answer = {
                "kind": edit.kind,
                "object": answer["object"],
                "path": edit.path.removesuffix("[]"),
                "from": edit.before,
                "to": edit.after,
                "cost": edit.cost,
                "sentence": edit.sentence,
                "kubectl": answer["kubectl"],
            }
        if self.note is not None:
            answer["note"] = self.note
        return answer
