"""Breakpoints: what an attempt has to meet for a run to stop after it."""

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.actors.table import ACTORS
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import Code
from scheduler_core.sentences import say
from scheduler_core.text.problems import Problem

MAX_BREAKPOINTS = 50
MAX_TEXT = 1024

Breakpoint = Mapping[str, Any]

# kind → (required fields, optional fields)
FIELDS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "pod": (("pod",), ()),
    "rejection": (("plugin",), ("node",)),
    "failure": (("point",), ()),
    "preemption": ((), ()),
    "reconcile": ((), ("actor", "object")),
}
# Where plugins are asked about the chosen node: whatever is no success there ends the attempt.
_AFTER_SELECTION = (ExtensionPoint.RESERVE, ExtensionPoint.PERMIT, ExtensionPoint.PRE_BIND, ExtensionPoint.BIND)
# Waiting at Permit is no failure; how it ends is a step of its own.
_WAIT_ON_PERMIT = "WaitOnPermit"
POINTS = tuple(str(point) for point in ExtensionPoint)
# What stands in fields that are no free text.
CHOICES: Mapping[str, Sequence[str]] = {"point": POINTS, "actor": tuple(ACTORS)}


def check(value: Any, path: str = "breakpoints") -> list[Problem]:
    """What is wrong with a list of breakpoints."""
    if not isinstance(value, list):
        return [Problem(path, value, say("must be a list of breakpoints"))]
    if len(value) > MAX_BREAKPOINTS:
        return [Problem(path, len(value), say("must have at most {n} breakpoints", n=MAX_BREAKPOINTS))]
    return [problem for i, item in enumerate(value) for problem in _check_one(item, f"{path}[{i}]")]


def _check_one(item: Any, path: str) -> list[Problem]:
    if not isinstance(item, Mapping):
        return [Problem(path, item, say('must be an object with a "kind"'))]
    kind = item.get("kind")
    if not isinstance(kind, str) or kind not in FIELDS:
        return [Problem(f"{path}.kind", kind, say("must be one of {choices}", choices=", ".join(FIELDS)))]
    required, optional = FIELDS[kind]
    given = item.keys() - {"kind"}
    problems = [
        Problem(f"{path}.{name}", None, say("is required for {kind}", kind=kind))
        for name in required
        if name not in given
    ]
    for name in sorted(map(str, given)):
        if name not in (*required, *optional):
            problems.append(Problem(f"{path}.{name}", item[name], say("is not a field of {kind}", kind=kind)))
        elif not isinstance(item[name], str) or not 0 < len(item[name]) <= MAX_TEXT:
            problems.append(
                Problem(f"{path}.{name}", item[name], say("must be text of 1 to {n} characters", n=MAX_TEXT))
            )
        elif name in CHOICES and item[name] not in CHOICES[name]:
            problems.append(
                Problem(f"{path}.{name}", item[name], say("must be one of {choices}", choices=", ".join(CHOICES[name])))
            )
    return problems


def schema() -> dict[str, Any]:
    """The form of a list of breakpoints, as a JSON schema."""
    return {
        "type": "array",
        "items": {"oneOf": [_schema_of(kind, *names) for kind, names in FIELDS.items()]},
        "maxItems": MAX_BREAKPOINTS,
    }


def _schema_of(kind: str, required: Sequence[str], optional: Sequence[str]) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": MAX_TEXT}
    fields = {
        name: {"type": "string", "enum": list(CHOICES[name])} if name in CHOICES else text
        for name in sorted((*required, *optional))
    }
    return {
        "type": "object",
        "title": kind,
        "properties": {"kind": {"type": "string", "enum": [kind]}, **fields},
        "required": ["kind", *required],
        "additionalProperties": False,
    }


def met(
    breakpoints: Sequence[Breakpoint], attempt: PodAttempt, rows: Mapping[str, int], *, late: bool
) -> Breakpoint | None:
    """The first of the breakpoints that an attempt meets. `rows`: node → row of the table.

    `late`: it is the end of an attempt that waited at Permit, and what it did before does not count again.
    """
    return next((one for one in breakpoints if _meets(one, attempt, rows, late)), None)


def met_by_actor(breakpoints: Sequence[Breakpoint], actor: str, key: str) -> Breakpoint | None:
    """The first that is met by what an actor did. `object`: that one, or those that are named after it."""
    return next((one for one in breakpoints if one["kind"] == "reconcile" and _is_about(one, actor, key)), None)


def _is_about(wanted: Breakpoint, actor: str, key: str) -> bool:
    about = wanted.get("object", key)
    return wanted.get("actor", actor) == actor and (key == about or key.startswith(f"{about}-"))


def _meets(wanted: Breakpoint, attempt: PodAttempt, rows: Mapping[str, int], late: bool) -> bool:
    match wanted["kind"]:
        case "pod":
            return not late and attempt.queued.pod.key == wanted["pod"]
        case "rejection":
            return _rejects(attempt, wanted["plugin"], wanted.get("node"), rows, late)
        case "failure":
            return _fails(attempt, wanted["point"])
        case _:
            return not late and attempt.cycle is not None and bool(attempt.cycle.nominated)


def _rejects(attempt: PodAttempt, plugin: str, node: str | None, rows: Mapping[str, int], late: bool) -> bool:
    """Whether the plugin was the first to reject the node, or any node; Permit and Reserve speak of the chosen one."""
    found = None if late or attempt.cycle is None else attempt.cycle.attempt.found
    if found is not None:
        codes = found.codes if node is None else found.codes[found.rows == rows.get(node, -1)]
        if any(found.statuses[code].plugin == plugin for code in set(codes.tolist()) if code):
            return True
    if plugin not in attempt.rejected_by | attempt.pending_on:
        return False
    return node is None or (attempt.assumed is not None and attempt.assumed.node_name == node)


def _fails(attempt: PodAttempt, point: str) -> bool:
    """Whether a plugin or an extender broke at the point, or ended the attempt there after a node was chosen."""
    error, fine = Code.ERROR.upstream_name, (Code.SUCCESS.upstream_name, Code.SKIP.upstream_name)
    for step in () if attempt.trace is None else attempt.trace.steps:
        is_wait = step["code"] == Code.WAIT.upstream_name
        at = ExtensionPoint.PERMIT if step["point"] == _WAIT_ON_PERMIT else step["point"]
        if at != point or step.get("ignored") or is_wait:
            continue
        if step["code"] == error or (point in _AFTER_SELECTION and step["code"] not in fine):
            return True
    return False
