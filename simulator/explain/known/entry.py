"""Type of a known reason: a text of kube-scheduler with its meaning and what to inspect."""

import re
from dataclasses import dataclass
from typing import Any, TypedDict

from kube_objects.sentences import Data, Template

NO_WORDS = Template("")
# Values of `evicting`: evicting pods could help, cannot help, or it depends.
COULD, CANNOT, DEPENDS = "could", "cannot", "depends"


class LookAnswer(TypedDict):
    what: Data
    command: str


class Described(TypedDict):
    """Description of a reason; all fields are empty for an unknown one."""

    plugin: str
    point: str
    meaning: Data | None
    look: list[LookAnswer]
    evicting: str
    versions: str
    details: dict[str, Any]


@dataclass(slots=True, frozen=True)
class Inspection:
    """An object or setting to inspect, with the kubectl command that shows it ("" if there is none)."""

    what: Template
    command: str = ""

    def as_dict(self) -> LookAnswer:
        return {"what": self.what(), "command": self.command}


@dataclass(slots=True, frozen=True)
class KnownReason:
    """A reason text that kube-scheduler gives, as a pattern with its meaning.

    `pattern` matches the whole text; its named groups are the details and may be fields of `meaning`. `versions` names
    the releases that give the text, "" for current ones. `plain` is a short wording for a node, "" if the original text
    is as clear.
    """

    pattern: re.Pattern[str]
    plugin: str
    meaning: Template
    look: tuple[Inspection, ...] = ()
    evicting: str = CANNOT
    versions: str = ""
    point: str = "Filter"
    plain: Template = NO_WORDS


def reason(
    pattern: str,
    plugin: str,
    meaning: str,
    *look: Inspection,
    evicting: str = CANNOT,
    versions: str = "",
    point: str = "Filter",
    plain: str = "",
) -> KnownReason:
    return KnownReason(re.compile(pattern), plugin, Template(meaning), look, evicting, versions, point, Template(plain))
