"""Line: an edit of a repair, with what a person types to make it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kube_objects.sentences import Data
from scheduler_core.edits.edit import Edit
from scheduler_core.edits.steps import Step


@dataclass(frozen=True, slots=True)
class Line:
    """An edit, and the steps that make it: none if those of a later edit make it, too."""

    edit: Edit
    steps: Sequence[Step] = field(default=())
    note: Data | None = None

    @property
    def text(self) -> str:
        return " && ".join(step.text for step in self.steps)
