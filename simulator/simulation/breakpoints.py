"""Breakpoints: conditions about a scheduling attempt or a controller's change, after which a run stops."""

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

# The extension points that run for the chosen node only, where every status except success ends the attempt.
_AFTER_SELECTION = (ExtensionPoint.RESERVE, ExtensionPoint.PERMIT, ExtensionPoint.PRE_BIND, ExtensionPoint.BIND)
# The name of the trace step in which a wait at Permit ends. The wait itself is no failure.
_WAIT_ON_PERMIT = "WaitOnPermit"


@dataclass(slots=True, frozen=True)
class BreakpointField:
    """A field of a breakpoint. `label` is its name in the UI, `hint` an example of free text."""

    name: str
    label: str
    required: bool = False
    choices: Sequence[str] = ()
    hint: str = ""

    def check(self, value: Any, path: str) -> Problem | None:
        if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT:
            return Problem(path, value, say("must be a string of 1 to {n} characters", n=MAX_TEXT))
        if self.choices and value not in self.choices:
            return Problem(path, value, say("must be one of {choices}", choices=", ".join(self.choices)))
        return None

    def schema(self) -> dict[str, Any]:
        if self.choices:
            return {"type": "string", "title": self.label, "enum": list(self.choices)}
        example = {"example": self.hint} if self.hint else {}
        return {"type": "string", "title": self.label, "minLength": 1, "maxLength": MAX_TEXT} | example


@dataclass(slots=True, frozen=True)
class BreakpointKind:
    """A kind of breakpoint. `label` is its name in the UI."""

    label: str
    fields: Sequence[BreakpointField] = ()

    @property
    def required(self) -> list[str]:
        return [field.name for field in self.fields if field.required]


KINDS: Mapping[str, BreakpointKind] = {
    "pod": BreakpointKind("an attempt of a pod", [BreakpointField("pod", "pod", required=True, hint="default/web-1")]),
    "rejection": BreakpointKind(
        "a plugin rejects a node", [BreakpointField("plugin", "plugin", required=True), BreakpointField("node", "node")]
    ),
    "failure": BreakpointKind(
        "an error at an extension point",
        [BreakpointField("point", "extension point", required=True, choices=[str(point) for point in ExtensionPoint])],
    ),
    "preemption": BreakpointKind("a preemption"),
    "reconcile": BreakpointKind(
        "a controller acts",
        [
            BreakpointField("actor", "controller", choices=tuple(CONTROLLERS)),
            BreakpointField("object", "object", hint="default/web"),
        ],
    ),
}


def words() -> Iterator[str]:
    """Yield the texts of the kinds that are translated."""
    for kind in KINDS.values():
        yield kind.label
        yield from (field.label for field in kind.fields)


def check(value: Any, path: str = "breakpoints") -> list[Problem]:
    """Return the problems of a list of breakpoints."""
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
    kind, names = KINDS[name], item.keys() - {"kind"}
    problems: list[Problem | None] = [
        Problem(f"{path}.{field}", None, say("is required for {kind}", kind=name))
        for field in kind.required
        if field not in names
    ]
    fields = {field.name: field for field in kind.fields}
    for field in sorted(map(str, names)):
        if field in fields:
            problems.append(fields[field].check(item[field], f"{path}.{field}"))
        else:
            problems.append(Problem(f"{path}.{field}", item[field], say("is not a field of {kind}", kind=name)))
    return [problem for problem in problems if problem is not None]


def schema() -> dict[str, Any]:
    """Return the JSON schema of a list of breakpoints, with the labels of the UI as titles and descriptions."""
    return {
        "type": "array",
        "items": {"oneOf": [_schema_of(name, kind) for name, kind in KINDS.items()]},
        "maxItems": MAX_BREAKPOINTS,
    }


def _schema_of(name: str, kind: BreakpointKind) -> dict[str, Any]:
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


def find_met(
    breakpoints: Sequence[Breakpoint], attempt: PodAttempt, rows: Mapping[str, int], *, late: bool
) -> Breakpoint | None:
    """Return the first breakpoint that an attempt meets. `rows`: node name → row of the node table.

    `late` means the end of an attempt that waited at Permit; its scheduling cycle was checked earlier.
    """
    return next((item for item in breakpoints if _meets(item, attempt, rows, late)), None)


def find_met_by_controller(breakpoints: Sequence[Breakpoint], controller: str, key: str) -> Breakpoint | None:
    """Return the first breakpoint that a controller's change of the object `key` meets.

    The field `object` also matches objects whose names begin with it and a hyphen, such as the Pods of a ReplicaSet.
    """
    return next(
        (item for item in breakpoints if item["kind"] == "reconcile" and _meets_reconcile(item, controller, key)), None
    )


def _meets_reconcile(item: Breakpoint, controller: str, key: str) -> bool:
    prefix = item.get("object", key)
    return item.get("actor", controller) == controller and (key == prefix or key.startswith(f"{prefix}-"))


def _meets(item: Breakpoint, attempt: PodAttempt, rows: Mapping[str, int], late: bool) -> bool:
    match item["kind"]:
        case "pod":
            return not late and attempt.queued.pod.key == item["pod"]
        case "rejection":
            return _rejects(attempt, item["plugin"], item.get("node"), rows, late)
        case "failure":
            return _fails(attempt, item["point"])
        case _:
            return not late and attempt.cycle is not None and bool(attempt.cycle.nominated)


def _rejects(attempt: PodAttempt, plugin: str, node: str | None, rows: Mapping[str, int], late: bool) -> bool:
    """Return whether the plugin rejected the node, or any node if `node` is None.

    A rejection by Reserve or Permit is about the chosen node.
    """
    result = None if late or attempt.cycle is None else attempt.cycle.attempt.found
    if result is not None:
        codes = result.codes if node is None else result.codes[result.rows == rows.get(node, -1)]
        if any(result.statuses[code].plugin == plugin for code in set(codes.tolist()) if code):
            return True
    if plugin not in attempt.rejected_by | attempt.pending_on:
        return False
    return node is None or (attempt.assumed is not None and attempt.assumed.node_name == node)


def _fails(attempt: PodAttempt, point: str) -> bool:
    """Return whether a plugin or an extender returned an error at the point, or ended the attempt there."""
    error, passes = Code.ERROR.upstream_name, (Code.SUCCESS.upstream_name, Code.SKIP.upstream_name)
    for step in () if attempt.trace is None else attempt.trace.steps:
        is_wait = step["code"] == Code.WAIT.upstream_name
        step_point = ExtensionPoint.PERMIT if step["point"] == _WAIT_ON_PERMIT else step["point"]
        if step_point != point or step.get("ignored") or is_wait:
            continue
        if step["code"] == error or (point in _AFTER_SELECTION and step["code"] not in passes):
            return True
    return False
