"""The texts of kube-scheduler that are known: who says them, what they mean, what to look at.

Those of v1.34 and v1.36, and those of older versions that are still met.
Source: pkg/scheduler/framework/plugins, pkg/scheduler/algorithm/predicates/error.go (up to v1.18).
"""

from typing import TypedDict

from simulator.explain.known.devices import DEVICE_REASONS
from simulator.explain.known.entry import Described, KnownReason
from simulator.explain.known.groups import GROUP_REASONS
from simulator.explain.known.nodes import NODE_REASONS
from simulator.explain.known.others import OTHER_REASONS
from simulator.explain.known.phases import PHASE_REASONS
from simulator.explain.known.pods import POD_REASONS
from simulator.explain.known.taints import WELL_KNOWN_TAINTS
from simulator.explain.known.volumes import VOLUME_REASONS

# The first pattern that matches counts.
KNOWN_REASONS: tuple[KnownReason, ...] = (
    *NODE_REASONS,
    *POD_REASONS,
    *VOLUME_REASONS,
    *DEVICE_REASONS,
    *GROUP_REASONS,
    *PHASE_REASONS,
    *OTHER_REASONS,
)


def find(text: str) -> tuple[KnownReason, dict[str, str]] | None:
    """The entry for a reason, and its details."""
    for known in KNOWN_REASONS:
        match = known.pattern.fullmatch(text)
        if match is not None:
            return known, {name: value or "" for name, value in match.groupdict().items()}
    return None


class ExplainedPlainWords(TypedDict):
    pattern: str
    plain: str


def plain_words() -> list[ExplainedPlainWords]:
    """Which reasons are said of a node in which plain words, the first that matches counts.

    All of the reason matches `pattern`, a regular expression of JavaScript; `plain` has its groups as places.
    """
    found = [(known.pattern.pattern, str(known.plain)) for known in KNOWN_REASONS if known.plain]
    return [{"pattern": pattern.replace("(?P<", "(?<"), "plain": plain} for pattern, plain in found]


def describe(text: str) -> Described:
    """What is known of a text; for an unknown one all of it is empty."""
    found = find(text)
    if found is None:
        return {
            "plugin": "",
            "point": "",
            "meaning": None,
            "look": [],
            "evicting": "",
            "versions": "",
            "details": {},
        }
    known, details = found
    taint = WELL_KNOWN_TAINTS.get(details.get("key", ""))
    places = {name: value for name, value in details.items() if f"{{{name}}}" in known.meaning}
    return {
        "plugin": known.plugin or details.get("plugins", details.get("name", "")),
        "point": known.point,
        "meaning": known.meaning(**places),
        "look": [look.as_dict() for look in known.look],
        "evicting": known.evicting,
        "versions": known.versions,
        "details": details | ({"wellKnown": taint()} if taint is not None else {}),
    }
