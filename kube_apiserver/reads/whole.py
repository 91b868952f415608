"""Parts of a pod that an API server writes at once, or that Go's encoder cannot leave out.

What the page, an import, a controller or a simulated kubelet writes may lack them; clients show them, and strict ones
refuse an object without.
"""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.quality import quality_of_service

_CONTAINERS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_CONTAINER: Mapping[str, Any] = {"name": "", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
# The conditions of a Pod that its kubelet writes.
_OF_KUBELET = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
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
        is_reported = any(one.get("type") == _OF_KUBELET[0] for one in conditions)
        found["conditions"] = [_condition(one, generation, is_reported=is_reported) for one in conditions]
        if is_reported and generation:
            found.setdefault("observedGeneration", generation)
    if (pod.get("spec") or {}).get("nodeName"):
        # Binding clears it. Source: setPodHostAndAnnotations of pkg/registry/core/pod/storage.
        found.pop("nominatedNodeName", None)
    return found


def _condition(given: Mapping[str, Any], generation: object, *, is_reported: bool) -> dict[str, Any]:
    """Return a condition with the generation of the Pod that the scheduler or the kubelet has seen.

    `is_reported`: a kubelet has written its conditions. Source: handleSchedulingFailure of pkg/scheduler,
    generateAPIPodStatus of pkg/kubelet.
    """
    found = {**_CONDITION, **given}
    is_failed = found.get("type") == "PodScheduled" and found.get("status") == "False" and found.get("message")
    is_of_scheduler = is_failed and found.get("reason") != "SchedulingGated"  # the API server reports gates itself
    if generation and (is_of_scheduler or (is_reported and found.get("type") in _OF_KUBELET)):
        found.setdefault("observedGeneration", generation)
    return found
