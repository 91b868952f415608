"""Breakpoints: what an attempt, or what a controller did, has to meet for a run to stop after it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_controllers.names import CONTROLLERS
from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from scheduler_core.cycle.schedule_one import PodAttempt
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import Code

MAX_BREAKPOINTS = 50
MAX_TEXT = 1024

Breakpoint = Mapping[str, Any]

# Where plugins are asked about the chosen node: whatever is no success there ends the attempt.
_AFTER_SELECTION = (ExtensionPoint.RESERVE, ExtensionPoint.PERMIT, ExtensionPoint.PRE_BIND, ExtensionPoint.BIND)
# Waiting at Permit is no failure; how it ends is a step of its own.
_WAIT_ON_PERMIT = "WaitOnPermit"


@dataclass(slots=True, frozen=True)
class Field:
    """A field of a breakpoint, with how the page calls it. Without `choices` it is free text, such as its `hint`."""

    name: str
    label: str
    required: bool = False
    choices: Sequence[str] = ()
    hint: str = ""

    def check(self, value: Any, path: str) -> Problem | None:
        if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT:
            return Problem(path, value, say("must be text of 1 to {n} characters", n=MAX_TEXT))
        if self.choices and value not in self.choices:
            return Problem(path, value, say("must be one of {choices}", choices=", ".join(self.choices)))
        return None

    def schema(self) -> dict[str, Any]:
        if self.choices:
            return {"type": "string", "title": self.label, "enum": list(self.choices)}
        example = {"example": self.hint} if self.hint else {}
        return {"type": "string", "title": self.label, "minLength": 1, "maxLength": MAX_TEXT} | example


@dataclass(slots=True, frozen=True)
class Kind:
    """What a breakpoint may wait for, with how the page calls it."""

    label: str
    fields: Sequence[Field] = ()

    @property
    def required(self) -> list[str]:
        return [field.name for field in self.fields if field.required]


KINDS: Mapping[str, Kind] = {
    "pod": Kind("an attempt of a pod", [Field("pod", "pod", required=True, hint="default/web-1")]),
    "rejection": Kind("a plugin rejects a node", [Field("plugin", "plugin", required=True), Field("node", "node")]),
    "failure": Kind(
        "an error at an extension point",
        [Field("point", "extension point", required=True, choices=[str(point) for point in ExtensionPoint])],
    ),
    "preemption": Kind("a preemption"),
    "reconcile": Kind(
        "a controller does something",
        [Field("actor", "controller", choices=tuple(CONTROLLERS)), Field("object", "object", hint="default/web")],
    ),
}


def words() -> Iterator[str]:
    """Yield the texts of the kinds that are translated."""
    for kind in KINDS.values():
        yield kind.label
        yield from (field.label for field in kind.fields)


def check(value: Any, path: str = "breakpoints") -> list[Problem]:
    """Yield the problems of a list of breakpoints."""
    if not isinstance(value, list):
        return [Problem(path, value, say("must be a list of breakpoints"))]
    if len(value) > MAX_BREAKPOINTS:
        return [Problem(path, len(value), say("must have at most {n} breakpoints", n=MAX_BREAKPOINTS))]
    return [problem for i, item in enumerate(value) for problem in _check_one(item, f"{path}[{i}]")]


def _check_one(item: Any, path: str) -> list[Problem]:
    if not isinstance(item, Mapping):
        return [Problem(path, item, say('must be an object with a "kind"'))]
    name = item.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        return [Problem(f"{path}.kind", name, say("must be one of {choices}", choices=", ".join(KINDS)))]
    kind, given = KINDS[name], item.keys() - {"kind"}
    problems: list[Problem | None] = [
        Problem(f"{path}.{field}", None, say("is required for {kind}", kind=name))
        for field in kind.required
        if field not in given
    ]
    fields = {field.name: field for field in kind.fields}
    for field in sorted(map(str, given)):
        if field in fields:
            problems.append(fields[field].check(item[field], f"{path}.{field}"))
        else:
            problems.append(Problem(f"{path}.{field}", item[field], say("is not a field of {kind}", kind=name)))
    return [problem for problem in problems if problem is not None]


def schema() -> dict[str, Any]:
    """The form of a list of breakpoints, as a JSON schema; its titles and descriptions are what the page says."""
    return {
        "type": "array",
        "items": {"oneOf": [_schema_of(name, kind) for name, kind in KINDS.items()]},
        "maxItems": MAX_BREAKPOINTS,
    }


def _schema_of(name: str, kind: Kind) -> dict[str, Any]:
    return {
        "type": "object",
        "title": name,
        "description": kind.label,
        "properties": {
            "kind": {"type": "string", "enum": [name]},
            **{field.name: field.schema() for field in kind.fields},
        },
        "required": ["kind", *kind.required],
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
