"""Conditions of nodes, and the taints that say the same.

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
    """The status of its Ready condition; None if nobody has reported it."""
    found = condition(conditions(node), READY)
    return None if found is None else str(found.get("status"))


def taints_of(node: Manifest) -> Sequence[Taint]:
    return spec(node).get("taints") or ()


def has_taint(node: Manifest, key: str, effect: str) -> bool:
    return any((one.get("key"), one.get("effect")) == (key, effect) for one in taints_of(node))


def is_new(node: Manifest) -> bool:
    """Registered, but nobody has reported. A node that came without the taint is taken as it was given."""
    return readiness(node) is None and has_taint(node, NOT_READY, NO_SCHEDULE)


def with_schedule_taints(node: Manifest, now: float, also: Sequence[str] = ()) -> Sequence[Taint]:
    """Its taints, those of no scheduling as its conditions have them. Source: doNoScheduleTaintingPass."""
    wanted = [key for one in conditions(node) if (key := _TAINT_OF.get((str(one.get("type")), str(one.get("status")))))]
    wanted += also
    if spec(node).get("unschedulable"):
        wanted.append(UNSCHEDULABLE)
    others = [
        one
        for one in taints_of(node)
        if one.get("effect") != NO_SCHEDULE or one.get("key") not in _OURS or one.get("key") in wanted
    ]
    there = {one.get("key") for one in others if one.get("effect") == NO_SCHEDULE}
    return [*others, *(new_taint(key, NO_SCHEDULE, now) for key in wanted if key not in there)]


def new_taint(key: str, effect: str, now: float) -> Taint:
    return {"key": key, "effect": effect, "timeAdded": format_time(now)}


def evicting_key(node: Manifest) -> str | None:
    """Of the taint by which its pods are evicted; None if it is ready, or has not been heard of."""
    return _TAINT_OF.get((READY, readiness(node) or ""))


def with_evicting_taint(taints: Sequence[Taint], key: str | None, now: float) -> Sequence[Taint]:
    """One of the two at most: they exclude each other. Source: processTaintBaseEviction."""
    others = [
        one
        for one in taints
        if one.get("effect") != NO_EXECUTE or one.get("key") not in (NOT_READY, UNREACHABLE) or one.get("key") == key
    ]
    if key is None or any((one.get("key"), one.get("effect")) == (key, NO_EXECUTE) for one in others):
        return others
    return [*others, new_taint(key, NO_EXECUTE, now)]


def unknown(node: Manifest, now: float) -> list[Mapping[str, Any]]:
    """Its conditions when its kubelet has been silent for too long. Source: tryUpdateNodeHealth."""
    found = list(conditions(node))
    moment = format_time(now)
    for type_ in (READY, *PRESSURES):
        before = condition(found, type_)
        unknown_status: dict[str, Any] = {"type": type_, "status": "Unknown"}
        if before is None:
            unknown_status |= {"reason": "NodeStatusNeverUpdated", "message": "Kubelet never posted node status."}
            if created(node):
                unknown_status["lastHeartbeatTime"] = created(node)
            found.append({**unknown_status, "lastTransitionTime": moment})
        elif before.get("status") != "Unknown":
            unknown_status |= {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
            changed = {**before, **unknown_status, "lastTransitionTime": moment}
            found = [changed if one is before else one for one in found]
    return found


def with_conditions(node: Manifest, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {**status(node), "conditions": list(found)}
