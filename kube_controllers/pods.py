"""Pods as controllers judge them, and as they make them.

Source: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.manifests import (
    Manifest,
    annotations,
    condition,
    conditions,
    controller_reference,
    is_deleted,
    kind,
    meta,
    name,
    namespace,
    parse_time,
    spec,
    status,
)

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
FINISHED = ("Succeeded", "Failed")
_NOTHING: Mapping[str, Any] = {}


def phase(pod: Manifest) -> str:
    return str((pod.get("status") or _NOTHING).get("phase") or "Pending")


def node_of(pod: Manifest) -> str:
    return str((pod.get("spec") or _NOTHING).get("nodeName") or "")


def is_finished(pod: Manifest) -> bool:
    return (pod.get("status") or _NOTHING).get("phase") in FINISHED


def held_address(pod: Manifest | None) -> str:
    """The pod's address, "" without one; a finished pod only has it to be read."""
    status = None if pod is None else pod.get("status")
    given = status.get("podIP") if status else None
    return given if status and isinstance(given, str) and status.get("phase") not in FINISHED else ""


def is_active(pod: Manifest) -> bool:
    """Source: IsPodActive."""
    return not is_finished(pod) and not is_deleted(pod)


def is_terminating(pod: Manifest) -> bool:
    """Source: IsPodTerminating."""
    return not is_finished(pod) and is_deleted(pod)


def is_ready(pod: Manifest) -> bool:
    found = condition(conditions(pod), "Ready")
    return found is not None and found.get("status") == "True"


def ready_since(pod: Manifest) -> float | None:
    found = condition(conditions(pod), "Ready")
    if found is None or found.get("status") != "True":
        return None
    return parse_time(found.get("lastTransitionTime"))


def is_available(pod: Manifest, min_ready: int, now: float) -> bool:
    """Source: IsPodAvailable."""
    if min_ready == 0:
        return is_ready(pod)
    since = ready_since(pod)
    return since is not None and since + min_ready <= now


def next_availability(pods: Iterable[Manifest], min_ready: int, now: float) -> float | None:
    """When the first of the ready pods becomes available. Source: FindMinNextPodAvailabilityCheck."""
    if min_ready <= 0:
        return None
    times = [since + min_ready for pod in pods if is_ready(pod) and (since := ready_since(pod)) is not None]
    return min((at for at in times if at > now), default=None)


def from_template(template: Mapping[str, Any], owner: Manifest) -> dict[str, Any]:
    """A pod to be created; its name is drawn at random. Source: GetPodFromTemplate."""
    given = template.get("metadata") or {}
    made: dict[str, Any] = {"generateName": f"{name(owner)}-", "namespace": namespace(owner)}
    for field in ("labels", "annotations", "finalizers"):
        if given.get(field):
            made[field] = given[field]
    made["ownerReferences"] = [controller_reference(owner)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": made,
        "spec": template.get("spec") or {},
        "status": {"phase": "Pending"},
    }


def deletion_cost(pod: Manifest) -> int:
    try:
        return int(annotations(pod).get(DELETION_COST, 0))
    except ValueError:
        return 0


def restarts(pod: Manifest) -> tuple[int, int]:
    """Source: compareMaxContainerRestarts: more restarts go first, those of sidecars count last."""
    sidecars = {one["name"] for one in spec(pod).get("initContainers") or () if one.get("restartPolicy") == "Always"}
    regular = [one.get("restartCount", 0) for one in status(pod).get("containerStatuses") or ()]
    beside = [
        one.get("restartCount", 0)
        for one in status(pod).get("initContainerStatuses") or ()
        if one.get("name") in sidecars
    ]
    return -max(regular, default=0), -max(beside, default=0)


def describe(obj: Manifest) -> str:
    """`ReplicaSet web-6d5`, as sentences name objects."""
    return f"{kind(obj)} {name(obj) or meta(obj).get('generateName', '')}"
