"""Predicates and getters for Pods, and the Pod of a template.

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
    """Return the address that a Pod holds, or "". A finished Pod no longer holds the one in its status."""
    status = None if pod is None else pod.get("status")
    address = status.get("podIP") if status else None
    return address if status and isinstance(address, str) and status.get("phase") not in FINISHED else ""


def is_active(pod: Manifest) -> bool:
    """Source: IsPodActive."""
    return not is_finished(pod) and not is_deleted(pod)


def is_terminating(pod: Manifest) -> bool:
    """Source: IsPodTerminating."""
    return not is_finished(pod) and is_deleted(pod)


def is_ready(pod: Manifest) -> bool:
    ready = condition(conditions(pod), "Ready")
    return ready is not None and ready.get("status") == "True"


def ready_since(pod: Manifest) -> float | None:
    ready = condition(conditions(pod), "Ready")
    if ready is None or ready.get("status") != "True":
        return None
    return parse_time(ready.get("lastTransitionTime"))


def is_available(pod: Manifest, min_ready: int, now: float) -> bool:
    """Source: IsPodAvailable."""
    if min_ready == 0:
        return is_ready(pod)
    since = ready_since(pod)
    return since is not None and since + min_ready <= now


def next_availability(pods: Iterable[Manifest], min_ready: int, now: float) -> float | None:
    """Return the time at which the next ready Pod becomes available; None if there is none.

    Source: FindMinNextPodAvailabilityCheck.
    """
    if min_ready <= 0:
        return None
    times = [since + min_ready for pod in pods if is_ready(pod) and (since := ready_since(pod)) is not None]
    return min((at for at in times if at > now), default=None)


def from_template(template: Mapping[str, Any], owner: Manifest) -> dict[str, Any]:
    """Return a new Pod of the template, with a `generateName`. Source: GetPodFromTemplate."""
    template_metadata = template.get("metadata") or {}
    metadata: dict[str, Any] = {"generateName": f"{name(owner)}-", "namespace": namespace(owner)}
    for field in ("labels", "annotations", "finalizers"):
        if template_metadata.get(field):
            metadata[field] = template_metadata[field]
    metadata["ownerReferences"] = [controller_reference(owner)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": template.get("spec") or {},
        "status": {"phase": "Pending"},
    }


def deletion_cost(pod: Manifest) -> int:
    try:
        return int(annotations(pod).get(DELETION_COST, 0))
    except ValueError:
        return 0


def restarts(pod: Manifest) -> tuple[int, int]:
    """Return sort keys by which Pods with more restarts come first; restarts of sidecars count last.

    Source: compareMaxContainerRestarts.
    """
    sidecars = {
        container["name"]
        for container in spec(pod).get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    }
    regular = [container.get("restartCount", 0) for container in status(pod).get("containerStatuses") or ()]
    of_sidecars = [
        container.get("restartCount", 0)
        for container in status(pod).get("initContainerStatuses") or ()
        if container.get("name") in sidecars
    ]
    return -max(regular, default=0), -max(of_sidecars, default=0)


def describe(obj: Manifest) -> str:
    """Return the kind and name, such as `ReplicaSet web-6d5`."""
    return f"{kind(obj)} {name(obj) or meta(obj).get('generateName', '')}"
