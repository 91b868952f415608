"""Conditions of pods and nodes, as whoever reports them writes them.

Source: pkg/api/v1/pod/util.go UpdatePodCondition.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.actors.manifests import Manifest, condition, conditions, format_time, status, with_status


def with_condition(obj: Manifest, type_: str, value: str, reason: str, message: str, now: float) -> dict[str, Any]:
    """A copy with the condition."""
    found = set_condition(conditions(obj), type_, value, reason, message, now)
    return with_status(obj, {**status(obj), "conditions": found})


def set_condition(
    found: Sequence[Mapping[str, Any]], type_: str, value: str, reason: str, message: str, now: float
) -> list[Mapping[str, Any]]:
    """The conditions with this one among them; its time moves only with its status."""
    before = condition(found, type_)
    made: dict[str, Any] = {"type": type_, "status": value, "lastTransitionTime": format_time(now)}
    if before is not None and before.get("status") == value and before.get("lastTransitionTime"):
        made["lastTransitionTime"] = before["lastTransitionTime"]
    if reason:
        made["reason"] = reason
    if message:
        made["message"] = message
    return [*found, made] if before is None else [made if one is before else one for one in found]
