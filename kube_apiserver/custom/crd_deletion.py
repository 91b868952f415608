"""Deletion of a CRD, which waits until no object of its kind is left.

Source: the finalizer controller of apiextensions-apiserver.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from kube_apiserver import errors
from kube_apiserver.resources import Resource
from kube_apiserver.time_format import TIME_FORMAT

FINALIZER = "customresourcecleanup.apiextensions.k8s.io"
_TERMINATING = "Terminating"
_NO_MORE = "create not allowed while custom resource definition is terminating"


def mark_deleted(definition: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the CRD marked for deletion, with a finalizer that waits for the last object."""
    time = now.strftime(TIME_FORMAT)
    metadata = {**definition["metadata"], "deletionTimestamp": time, "deletionGracePeriodSeconds": 0}
    metadata["finalizers"] = [*(metadata.get("finalizers") or ()), FINALIZER]
    if metadata.get("generation"):
        metadata["generation"] = int(metadata["generation"]) + 1
    status = definition.get("status") or {}
    others = [each for each in status.get("conditions") or () if each.get("type") != _TERMINATING]
    ends = {
        "lastTransitionTime": time,
        "message": "CustomResource deletion is in progress",
        "reason": "InstanceDeletionInProgress",
        "status": "True",
        "type": _TERMINATING,
    }
    return {**definition, "metadata": metadata, "status": {**status, "conditions": [*others, ends]}}


def is_waiting(definition: Mapping[str, Any]) -> bool:
    return FINALIZER in (definition["metadata"].get("finalizers") or ())


def without_finalizer(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the CRD without the finalizer, after its last object was deleted."""
    left = [each for each in definition["metadata"].get("finalizers") or () if each != FINALIZER]
    metadata = {name: item for name, item in definition["metadata"].items() if name != "finalizers"}
    return {**definition, "metadata": {**metadata, **({"finalizers": left} if left else {})}}


def reject_if_terminating(definition: Mapping[str, Any] | None, resource: Resource, name: str) -> None:
    """Raise ApiError for a create of a kind whose CRD is being deleted."""
    if definition is not None and definition["metadata"].get("deletionTimestamp"):
        raise errors.refused(resource, name, _NO_MORE)
