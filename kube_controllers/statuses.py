"""Conditions of Pods and Nodes, as the components that report them write them.

Source: pkg/api/v1/pod/util.go UpdatePodCondition.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_objects.manifests import Manifest, condition, conditions, format_time, status, with_status


def with_condition(obj: Manifest, type_: str, value: str, reason: str, message: str, now: float) -> dict[str, Any]:
    """Return a copy of the object with the condition."""
    updated = set_condition(conditions(obj), type_, value, reason, message, now)
    return with_status(obj, {**status(obj), "conditions": updated})


def set_condition(
    listed: Sequence[Mapping[str, Any]], type_: str, value: str, reason: str, message: str, now: float
) -> list[Mapping[str, Any]]:
    """Return the conditions with this one added or replaced. Its transition time changes only with its status."""
    before = condition(listed, type_)
    made = make_condition(before, type_, value, reason, message, now)
    return [*listed, made] if before is None else [made if existing is before else existing for existing in listed]


def make_condition(
    before: Mapping[str, Any] | None, type_: str, value: str, reason: str, message: str, now: float
) -> dict[str, Any]:
    """Return a condition; it keeps the time of `before` while the status is the same."""
    made: dict[str, Any] = {"type": type_, "status": value, "lastTransitionTime": format_time(now)}
    if before is not None and before.get("status") == value and before.get("lastTransitionTime"):
        made["lastTransitionTime"] = before["lastTransitionTime"]
    if reason:
        made["reason"] = reason
    if message:
        made["message"] = message
    return made


def kubelet_conditions(
    listed: Sequence[Mapping[str, Any]], phase: str, unready: Sequence[str], now: float
) -> list[Mapping[str, Any]]:
    """Return the conditions of a started Pod: those of others, then the five that a kubelet writes, in its order.

    `unready` names the containers that are not ready. Source: pkg/kubelet/kubelet_pods.go generateAPIPodStatus,
    pkg/kubelet/status/generate.go.
    """
    initialized, ready, message = "", "", ""
    if phase in ("Succeeded", "Failed"):
        ready = "PodCompleted" if phase == "Succeeded" else "PodFailed"
        initialized = ready if phase == "Succeeded" else ""
    elif unready:
        ready, message = "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"
    readiness = ("False" if ready else "True", ready, message)
    written = {
        "PodReadyToStartContainers": ("True" if phase == "Running" else "False", "", ""),
        "Initialized": ("True", initialized, ""),
        "Ready": readiness,
        "ContainersReady": readiness,
        "PodScheduled": ("True", "", ""),
    }
    others = [existing for existing in listed if existing.get("type") not in written]
    made = [make_condition(condition(listed, type_), type_, *fields, now) for type_, fields in written.items()]
    return [*others, *made]
