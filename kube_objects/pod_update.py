"""The changes of a Pod that the API server allows, and its error messages for all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects import field_errors
from kube_objects.quantity import QuantityError, parse_quantity
from kube_objects.sentences import say
from kube_objects.text.problems import Problem

Manifest = Mapping[str, Any]

UPDATABLE = (
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
)
# The same as paths, with what is checked apart: gates may go, and metadata has rules of its own.
UPDATABLE_PATHS = (
    "metadata.annotations",
    "metadata.labels",
    *(text.split("`")[1] for text in UPDATABLE),
    "spec.schedulingGates",
)
NOT_UPDATABLE = f"pod updates may not change fields other than {','.join(UPDATABLE)}"
NO_CONTAINERS = "pod updates may not add or remove containers"
TOLERATIONS = "existing toleration can not be modified except its tolerationSeconds"
NEW_GATE = "only deletion is allowed, but found new scheduling gate '{name}'"
DEADLINE = "must be less than or equal to previous value"
NO_DEADLINE = "must not update from a positive integer to nil value"
SELECTOR = "only additions to {path} are allowed (no mutations or deletions)"
TERMS = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
TERM = "only additions are allowed (no mutations or deletions)"
RECREATE = say("delete the pod and create it again")
ADD_TOLERATION = say("leave it, and add another toleration")

# What the API server fills in where nothing is said, as far as it shows in a comparison.
_DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "preemptionPolicy": "PreemptLowerPriority",
    "priority": 0,
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "serviceAccountName": "default",
    "terminationGracePeriodSeconds": 30,
}
_CHECKED = ("activeDeadlineSeconds", "tolerations", "schedulingGates")
_NODE_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


@dataclass(frozen=True, slots=True)
class Refusal:
    """The API server's error message (`problem`), and the paths of the fields that it is about."""

    problem: Problem
    fields: tuple[str, ...]


def refusals(old: Manifest, new: Manifest) -> list[Refusal]:
    """Return the API server's errors for the update of Pod `old` to `new`. Both are valid manifests."""
    before, after = _spec(old), _spec(new)
    for name in ("containers", "initContainers"):
        if len(before.get(name, ())) != len(after.get(name, ())):
            return [_forbidden(f"spec.{name}", NO_CONTAINERS, RECREATE)]
    result = [*_deadline(before, after), *_tolerations(before, after), *_gates(before, after)]
    rest = {**after, **{name: before.get(name) for name in _CHECKED}}
    if before["terminationGracePeriodSeconds"] < 0 and after["terminationGracePeriodSeconds"] == 1:
        rest["terminationGracePeriodSeconds"] = before["terminationGracePeriodSeconds"]
    for name in ("containers", "initContainers"):
        pairs = zip(after.get(name, ()), before.get(name, ()), strict=True)
        if name in rest:
            rest[name] = [{**mine, "image": was.get("image")} for mine, was in pairs]
    if before.get("schedulingGates"):
        result += _gated(before, rest)
    changed = tuple(
        f"spec.{name}"
        for name in sorted(before.keys() | rest.keys())
        if _same(before.get(name)) != _same(rest.get(name))
    )
    if changed:
        hint = say("{recreate}; it changes {names}", recreate=RECREATE, names=", ".join(changed))
        result.append(Refusal(field_errors.forbidden("spec", NOT_UPDATABLE, hint), changed))
    return result


def _refusal(path: str, rule: str, hint: str, value: Any = None) -> Refusal:
    return Refusal(Problem(path, value, rule, hint), (path,))


def _forbidden(path: str, detail: str, hint: str) -> Refusal:
    return Refusal(field_errors.forbidden(path, detail, hint), (path,))


def _spec(manifest: Manifest) -> dict[str, Any]:
    return {**_DEFAULTS, **{name: value for name, value in (manifest.get("spec") or {}).items() if value is not None}}


def _deadline(before: Manifest, after: Manifest) -> list[Refusal]:
    """Source: validation of spec.activeDeadlineSeconds: it may be set, and brought forward."""
    was, is_now = before.get("activeDeadlineSeconds"), after.get("activeDeadlineSeconds")
    if was is None or is_now == was:
        return []
    if is_now is None:
        return [_refusal("spec.activeDeadlineSeconds", NO_DEADLINE, RECREATE)]
    return [_refusal("spec.activeDeadlineSeconds", DEADLINE, RECREATE, is_now)] if is_now > was else []


def _tolerations(before: Manifest, after: Manifest) -> list[Refusal]:
    """Source: validateOnlyAddedTolerations."""

    def known(tolerations: Sequence[Manifest]) -> list[Any]:
        return [_same({**each, "tolerationSeconds": None}) for each in tolerations]

    there = known(after.get("tolerations") or ())
    if all(each in there for each in known(before.get("tolerations") or ())):
        return []
    return [_forbidden("spec.tolerations", TOLERATIONS, ADD_TOLERATION)]


def _gates(before: Manifest, after: Manifest) -> list[Refusal]:
    """Source: validateOnlyDeletedSchedulingGates."""
    known = {gate.get("name") for gate in before.get("schedulingGates") or ()}
    return [
        _forbidden(f"spec.schedulingGates[{i}].name", NEW_GATE.format(name=gate.get("name")), RECREATE)
        for i, gate in enumerate(after.get("schedulingGates") or ())
        if gate.get("name") not in known
    ]


def _gated(before: Manifest, rest: dict[str, Any]) -> list[Refusal]:
    """Return the refusals for a gated Pod, whose Nodes may only be narrowed. Checked fields are reset in `rest`."""
    result: list[Refusal] = []
    selector, narrowed = before.get("nodeSelector") or {}, rest.get("nodeSelector") or {}
    if any(narrowed.get(name) != value for name, value in selector.items()):
        result.append(_refusal("spec.nodeSelector", SELECTOR.format(path="spec.nodeSelector"), RECREATE))
    rest["nodeSelector"] = before.get("nodeSelector")
    was, is_now = before.get("affinity") or {}, rest.get("affinity") or {}
    result += _node_affinity(was.get("nodeAffinity") or {}, is_now.get("nodeAffinity") or {})
    rest["affinity"] = {**is_now, "nodeAffinity": was.get("nodeAffinity")}
    return result


def _node_affinity(was: Manifest, is_now: Manifest) -> list[Refusal]:
    """Source: validateNodeAffinityMutation. What is only preferred may be anything."""
    path = f"spec.affinity.nodeAffinity.{_NODE_TERMS}.nodeSelectorTerms"
    before = (was.get(_NODE_TERMS) or {}).get("nodeSelectorTerms") or ()
    after = (is_now.get(_NODE_TERMS) or {}).get("nodeSelectorTerms") or ()
    if not before:
        return []
    if len(before) != len(after):
        return [_refusal(path, TERMS, RECREATE)]
    result = []
    for i, (old, new) in enumerate(zip(before, after, strict=True)):
        # Terms without anything match no node, and stay so.
        for part in ("matchExpressions", "matchFields"):
            same = [_same(rule) for rule in old.get(part) or ()]
            if (not _same(old) and _same(new)) or same != [_same(rule) for rule in new.get(part) or ()][: len(same)]:
                result.append(_refusal(f"{path}[{i}]", TERM, RECREATE))
                break
    return result


def _same(value: Any, key: str = "") -> Any:
    """Return a value for comparisons: without empty parts, quantities as numbers."""
    if isinstance(value, Mapping):
        is_amount = key in ("requests", "limits", "overhead")
        parts = {name: _amount(part) if is_amount else _same(part, name) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part is not None} or None
    if isinstance(value, list | tuple):
        return [_same(part) for part in value] or None
    return None if value == "" or value is False else value


def _amount(value: Any) -> Any:
    try:
        return parse_quantity(str(value)).nano
    except QuantityError:
        return value
