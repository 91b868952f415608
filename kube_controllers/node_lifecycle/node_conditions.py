"""Conditions of Nodes, and the taints that follow from them.

Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, its nodeConditionToTaintKeyStatusMap.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.manifests import Manifest, condition, conditions, created, format_time, spec, status

NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "NoExecute"
READY = "Ready"
PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure")
NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
_TAINT_OF: Mapping[tuple[str, str], str] = {
    (READY, "False"): NOT_READY,
    (READY, "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
}
_OURS = frozenset({*_TAINT_OF.values(), UNSCHEDULABLE})

Taint = Mapping[str, Any]


def readiness(node: Manifest) -> str | None:
    """Return the status of the Ready condition; None if it is missing."""
    ready = condition(conditions(node), READY)
    return None if ready is None else str(ready.get("status"))


def taints_of(node: Manifest) -> Sequence[Taint]:
    return spec(node).get("taints") or ()


def has_taint(node: Manifest, key: str, effect: str) -> bool:
    return any((taint.get("key"), taint.get("effect")) == (key, effect) for taint in taints_of(node))


def is_new(node: Manifest) -> bool:
    """Return whether the Node is registered but its kubelet has not reported. A Node without the taint counts as
    reported.
    """
    return readiness(node) is None and has_taint(node, NOT_READY, NO_SCHEDULE)


def with_schedule_taints(node: Manifest, now: float, also: Sequence[str] = ()) -> Sequence[Taint]:
    """Return the taints with the NoSchedule ones that the conditions imply. Source: doNoScheduleTaintingPass."""
    wanted = [
        key
        for listed in conditions(node)
        if (key := _TAINT_OF.get((str(listed.get("type")), str(listed.get("status")))))
    ]
    wanted += also
    if spec(node).get("unschedulable"):
        wanted.append(UNSCHEDULABLE)
    others = [
        taint
        for taint in taints_of(node)
        if taint.get("effect") != NO_SCHEDULE or taint.get("key") not in _OURS or taint.get("key") in wanted
    ]
    present = {taint.get("key") for taint in others if taint.get("effect") == NO_SCHEDULE}
    return [*others, *(new_taint(key, NO_SCHEDULE, now) for key in wanted if key not in present)]


def new_taint(key: str, effect: str, now: float) -> Taint:
    return {"key": key, "effect": effect, "timeAdded": format_time(now)}


def evicting_key(node: Manifest) -> str | None:
    """Return the key of the taint that evicts the Node's Pods; None if the Node is ready or has not reported."""
    return _TAINT_OF.get((READY, readiness(node) or ""))


def with_evicting_taint(taints: Sequence[Taint], key: str | None, now: float) -> Sequence[Taint]:
    """Return the taints with this NoExecute taint, and without the other one. Source: processTaintBaseEviction."""
    others = [
        taint
        for taint in taints
        if taint.get("effect") != NO_EXECUTE
        or taint.get("key") not in (NOT_READY, UNREACHABLE)
        or taint.get("key") == key
    ]
    if key is None or any((taint.get("key"), taint.get("effect")) == (key, NO_EXECUTE) for taint in others):
        return others
    return [*others, new_taint(key, NO_EXECUTE, now)]


def unknown_conditions(node: Manifest, now: float) -> list[Mapping[str, Any]]:
    """Return the conditions of a Node whose kubelet was silent for too long. Source: tryUpdateNodeHealth."""
    updated = list(conditions(node))
    moment = format_time(now)
    for type_ in (READY, *PRESSURES):
        before = condition(updated, type_)
        unknown_status: dict[str, Any] = {"type": type_, "status": "Unknown"}
        if before is None:
            unknown_status |= {"reason": "NodeStatusNeverUpdated", "message": "Kubelet never posted node status."}
            if created(node):
                unknown_status["lastHeartbeatTime"] = created(node)
            updated.append({**unknown_status, "lastTransitionTime": moment})
        elif before.get("status") != "Unknown":
            unknown_status |= {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
            changed = {**before, **unknown_status, "lastTransitionTime": moment}
            updated = [changed if existing is before else existing for existing in updated]
    return updated


def with_conditions(node: Manifest, new_conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {**status(node), "conditions": list(new_conditions)}
