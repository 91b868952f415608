"""Conditions of pods and pod groups: what is read of them, and how they are written."""

from collections.abc import Mapping
from typing import Any

from kube_objects.kinds.written import Written
from kube_objects.parsers.pod import read_conditions
from kube_objects.pod import PodCondition
from kube_objects.read import format_time
from kube_objects.read_fields import ALL, Fields

CONDITION: Fields = {"type": ALL, "status": ALL, "reason": ALL, "message": ALL, "lastTransitionTime": ALL}


def _dump_conditions(conditions: tuple[PodCondition, ...], before: list[Mapping[str, Any]] | None) -> Any:
    """Return the conditions as JSON. An unchanged one stays as it was written."""
    if not before:
        return [_condition(condition) for condition in conditions] or None
    read = dict(zip(read_conditions({"conditions": before}, []), before, strict=True))
    return [read.get(condition) or _condition(condition) for condition in conditions] or None


def _condition(condition: PodCondition) -> dict[str, Any]:
    manifest = {"type": condition.type, "status": condition.status}
    if condition.reason:
        manifest["reason"] = condition.reason
    if condition.message:
        manifest["message"] = condition.message
    if condition.last_transition_time is not None:
        manifest["lastTransitionTime"] = format_time(condition.last_transition_time)
    return manifest


CONDITIONS = Written(
    "conditions",
    "status",
    "conditions",
    lambda json: read_conditions({"conditions": json}, []),
    _dump_conditions,
)
