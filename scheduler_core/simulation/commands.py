"""Commands: the only way to change a cluster. Checked before anything happens. See docs/trace_format.md."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scheduler_core.config.limits import MAX_BYTES
from scheduler_core.objects.problems import Problem
from scheduler_core.simulation import breakpoints, reset

MAX_OBJECTS = 200_000
MAX_ADVANCE_SECONDS = 366 * 24 * 3600
MAX_CYCLES = 10_000_000
MAX_TEXT = 1024
MAX_NOTE = 500

# kind → (required fields, optional fields)
FIELDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "create": (frozenset({"objects"}), frozenset()),
    "update": (frozenset({"objects"}), frozenset({"as_cluster"})),
    "recreate": (frozenset({"objects"}), frozenset()),
    "delete": (frozenset({"objects"}), frozenset()),
    "restore": (frozenset(), frozenset({"objects", "delete"})),
    "set_config": (frozenset({"yaml"}), frozenset({"note"})),
    "schedule_one": (frozenset(), frozenset()),
    "run": (frozenset({"until"}), frozenset({"breakpoints"})),
    "advance_clock": (frozenset({"seconds"}), frozenset()),
    "permit": (frozenset({"pod", "decision"}), frozenset({"plugin", "message"})),
    "fail_binding": (frozenset(), frozenset({"message"})),
    "seed": (frozenset({"seed"}), frozenset()),
    "cordon": (frozenset({"node"}), frozenset()),
    "uncordon": (frozenset({"node"}), frozenset()),
    "drain": (frozenset({"node"}), frozenset()),
    "fail_node": (frozenset({"node"}), frozenset()),
    "recover_node": (frozenset({"node"}), frozenset()),
    "activate": (frozenset({"pod"}), frozenset()),
    "evict": (frozenset({"pod"}), frozenset()),
    "finish_pod": (frozenset({"pod", "phase"}), frozenset()),
    "reset": (frozenset(), frozenset({"keeps"})),
}


class CommandError(ValueError):
    """The command cannot be carried out; nothing was changed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass(slots=True, frozen=True)
class Until:
    """When a run stops, besides having no pod to pop."""

    cycles: int | None = None
    pod: str | None = None
    breakpoint: bool = False


def check(command: Mapping[str, Any]) -> str:
    """The command's kind; CommandError for an unknown kind, missing or unknown fields, values out of range."""
    kind = command.get("kind")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise CommandError([Problem("kind", kind, f"must be one of {', '.join(FIELDS)}")])
    required, optional = FIELDS[kind]
    given = command.keys() - {"kind"}
    problems = [Problem(name, None, f"is required for {kind}") for name in sorted(required - given)]
    problems += [
        Problem(name, command[name], f"is not a field of {kind}") for name in sorted(given - required - optional)
    ]
    problems += [problem for name in sorted(given) if (problem := _check_field(name, command[name])) is not None]
    if "breakpoints" in given:
        problems += breakpoints.check(command["breakpoints"])
        if command.get("until") != {"breakpoint": True}:
            problems.append(Problem("breakpoints", None, 'is only for runs until {"breakpoint": true}'))
    if problems:
        raise CommandError(problems)
    return kind


def _check_field(name: str, value: Any) -> Problem | None:
    rule = ""
    match name:
        case "objects" | "delete":
            if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
                rule = "must be a list of objects"
            elif not 0 < len(value) <= MAX_OBJECTS:
                rule = f"must have 1 to {MAX_OBJECTS} objects"
        case "seconds":
            if not _is_number(value) or not 0 < value <= MAX_ADVANCE_SECONDS:
                rule = f"must be a number above 0 and at most {MAX_ADVANCE_SECONDS}"
        case "seed":
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 63:
                rule = "must be a whole number from 0 to 2^63 − 1"
        case "decision":
            if value not in ("allow", "reject"):
                rule = 'must be "allow" or "reject"'
        case "phase":
            if value not in ("Succeeded", "Failed"):
                rule = 'must be "Succeeded" or "Failed"'
        case "as_cluster":
            if not isinstance(value, bool):
                rule = "must be true or false"
        case "keeps":
            if not isinstance(value, list) or not all(isinstance(one, str) and one in reset.KEEPS for one in value):
                rule = f"must be a list of {', '.join(reset.KEEPS)}"
        case "until":
            return _check_until(value)
        case "yaml":
            if not isinstance(value, str) or len(value) > MAX_BYTES:
                rule = f"must be text of at most {MAX_BYTES} characters"
        case "note":
            if not isinstance(value, str) or len(value) > MAX_NOTE:
                rule = f"must be text of at most {MAX_NOTE} characters"
        case "pod" | "node" | "plugin" | "message":
            if not isinstance(value, str) or len(value) > MAX_TEXT:
                rule = f"must be text of at most {MAX_TEXT} characters"
    return Problem(name, value, rule) if rule else None


def _check_until(value: Any) -> Problem | None:
    if value == "idle":
        return None
    if isinstance(value, Mapping) and len(value) == 1:
        cycles, pod = value.get("cycles"), value.get("pod")
        if isinstance(cycles, int) and not isinstance(cycles, bool) and 0 < cycles <= MAX_CYCLES:
            return None
        if (isinstance(pod, str) and len(pod) <= MAX_TEXT) or value.get("breakpoint") is True:
            return None
    rule = f'must be "idle", {{"cycles": 1 to {MAX_CYCLES}}}, {{"pod": "namespace/name"}} or {{"breakpoint": true}}'
    return Problem("until", value, rule)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def until(value: Any) -> Until:
    """A checked `until` field."""
    return Until() if value == "idle" else Until(**value)
