"""KnownReason: one text that kube-scheduler gives as a reason, with what it means and what to look at."""

import re
from dataclasses import dataclass
from typing import Any, TypedDict

from kube_objects.sentences import Data, Template

NO_WORDS = Template("")
# Whether evicting pods could help.
COULD, CANNOT, DEPENDS = "could", "cannot", "depends"


class LookAnswer(TypedDict):
    what: Data
    command: str


class Described(TypedDict):
    """What is known of a reason; of an unknown one all of it is empty."""

    plugin: str
    point: str
    meaning: Data | None
    look: list[LookAnswer]
    evicting: str
    versions: str
    details: dict[str, Any]


@dataclass(slots=True, frozen=True)
class Look:
    """Something to look at, with the command that shows it ("" if there is none)."""

    what: Template
    command: str = ""

    def as_dict(self) -> LookAnswer:
        return {"what": self.what(), "command": self.command}


@dataclass(slots=True, frozen=True)
class KnownReason:
    """`pattern` matches the whole text; its named groups are the details, and may be places of `meaning`.

    `versions` says when kube-scheduler spoke so, "" for now. `plain` says it of a node in a few words, where there is
    little room; "" where upstream's own words are as good.
    """

    pattern: re.Pattern[str]
    plugin: str
    meaning: Template
    look: tuple[Look, ...] = ()
    evicting: str = CANNOT
    versions: str = ""
    point: str = "Filter"
    plain: Template = NO_WORDS


def reason(
    pattern: str,
    plugin: str,
    meaning: str,
    *look: Look,
    evicting: str = CANNOT,
    versions: str = "",
    point: str = "Filter",
    plain: str = "",
) -> KnownReason:
    return KnownReason(re.compile(pattern), plugin, Template(meaning), look, evicting, versions, point, Template(plain))
