"""Parts of a pod that an API server writes at once, or that Go's encoder cannot leave out.

What the page, an import, a controller or a simulated kubelet writes may lack them; clients show them, and strict ones
refuse an object without.
"""

from collections.abc import Mapping
from typing import Any

from scheduler_core.admission.quality import quality_of_service

_CONTAINERS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_CONTAINER: Mapping[str, Any] = {"name": "", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
_CONDITION: Mapping[str, Any] = {"lastProbeTime": None, "lastTransitionTime": None}


# Source: SetDefaults_Pod, and the admission of priorities.
_SPEC: Mapping[str, Any] = {"enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority"}


def pod_spec(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Of a pod as it is stored."""
    found = dict(pod.get("spec") or {})
    # What is there stays in its place.
    found |= {name: item for name, item in _SPEC.items() if name not in found}
    if not found.get("priorityClassName"):
        found.setdefault("priority", 0)
    return found


def pod_status(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Of a pod as it is stored."""
    found = {"phase": "Pending", **(pod.get("status") or {})}
    if "qosClass" not in found:
        found["qosClass"] = quality_of_service(pod.get("spec") or {})
    for name in _CONTAINERS:
        if each := found.get(name):
            found[name] = [{**_CONTAINER, **one} for one in each]
    if conditions := found.get("conditions"):
        generation = (pod.get("metadata") or {}).get("generation")
        found["conditions"] = [_condition(one, generation) for one in conditions]
    if (pod.get("spec") or {}).get("nodeName"):
        # Binding clears it. Source: setPodHostAndAnnotations of pkg/registry/core/pod/storage.
        found.pop("nominatedNodeName", None)
    return found


def _condition(given: Mapping[str, Any], generation: object) -> dict[str, Any]:
    found = {**_CONDITION, **given}
    is_failed = found.get("type") == "PodScheduled" and found.get("status") == "False" and found.get("message")
    # That a pod is gated the API server says itself.
    if is_failed and generation and found.get("reason") != "SchedulingGated":
        # It says of which generation of the pod it speaks. Source: handleSchedulingFailure of pkg/scheduler.
        found.setdefault("observedGeneration", generation)
    return found
