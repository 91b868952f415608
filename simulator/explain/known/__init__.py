"""Known reason texts of kube-scheduler: the plugin that gives each, its meaning, and what to inspect.

They are those of v1.34 and v1.36, and those of older versions that users still meet. Source:
pkg/scheduler/framework/plugins, pkg/scheduler/algorithm/predicates/error.go (up to v1.18).
"""

from typing import TypedDict

from simulator.explain.known.binding_and_other_schedulers import OTHER_REASONS
from simulator.explain.known.devices import DEVICE_REASONS
from simulator.explain.known.entry import Described, KnownReason
from simulator.explain.known.groups import GROUP_REASONS
from simulator.explain.known.nodes import NODE_REASONS
from simulator.explain.known.phases import PHASE_REASONS
from simulator.explain.known.pods import POD_REASONS
from simulator.explain.known.taints import WELL_KNOWN_TAINTS
from simulator.explain.known.volumes import VOLUME_REASONS

# In order of priority: the first matching pattern applies.
KNOWN_REASONS: tuple[KnownReason, ...] = (
    *NODE_REASONS,
    *POD_REASONS,
    *VOLUME_REASONS,
    *DEVICE_REASONS,
    *GROUP_REASONS,
    *PHASE_REASONS,
    *OTHER_REASONS,
)


def find_known_reason(text: str) -> tuple[KnownReason, dict[str, str]] | None:
    """Return the entry that matches a reason and the details in it, or None."""
    for known in KNOWN_REASONS:
        match = known.pattern.fullmatch(text)
        if match is not None:
            return known, {name: value or "" for name, value in match.groupdict().items()}
    return None


class ExplainedPlainWords(TypedDict):
    pattern: str
    plain: str


def plain_words() -> list[ExplainedPlainWords]:
    """Return the plain wording of each reason that has one; the first matching pattern applies.

    `pattern` is a JavaScript regular expression that matches the whole reason; `plain` uses its groups as fields.
    """
    worded = [known for known in KNOWN_REASONS if known.plain]
    return [{"pattern": known.pattern.pattern.replace("(?P<", "(?<"), "plain": str(known.plain)} for known in worded]


def describe(text: str) -> Described:
    """Return the meaning and the hints for a reason text; all fields are empty for an unknown text."""
    match = find_known_reason(text)
    if match is None:
        return {
            "plugin": "",
            "point": "",
            "meaning": None,
            "look": [],
            "evicting": "",
            "versions": "",
            "details": {},
        }
    known, details = match
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
