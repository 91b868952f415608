"""Conditions of pods and nodes, as whoever reports them writes them.

Source: pkg/api/v1/pod/util.go UpdatePodCondition.
"""

from typing import Any

from scheduler_core.actors.manifests import Manifest, condition, conditions, format_time, status, with_status


def with_condition(obj: Manifest, type_: str, value: str, reason: str, message: str, now: float) -> dict[str, Any]:
    """A copy with the condition; its time moves only with its status."""
    before = condition(conditions(obj), type_)
    made: dict[str, Any] = {"type": type_, "status": value, "lastTransitionTime": format_time(now)}
    if before is not None and before.get("status") == value and before.get("lastTransitionTime"):
        made["lastTransitionTime"] = before["lastTransitionTime"]
    if reason:
        made["reason"] = reason
    if message:
        made["message"] = message
    found = [made if one is before else one for one in conditions(obj)]
    return with_status(obj, {**status(obj), "conditions": found if before is not None else [*found, made]})
