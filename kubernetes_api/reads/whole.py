"""Parts of a pod's status as Go's encoder writes them: with every field that its types cannot do without.

What the page, an import or a simulated kubelet writes may lack them, and strict clients refuse an object without.
"""

from collections.abc import Mapping
from typing import Any

_CONTAINERS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_CONTAINER: Mapping[str, Any] = {"name": "", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
_CONDITION: Mapping[str, Any] = {"lastProbeTime": None, "lastTransitionTime": None}


def pod_status(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Of a pod as it is stored."""
    found = {"phase": "Pending", **(pod.get("status") or {})}
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
    is_schedulers = found.get("type") == "PodScheduled" and found.get("status") == "False" and found.get("message")
    if is_schedulers and generation:
        # It says of which generation of the pod it speaks. Source: handleSchedulingFailure of pkg/scheduler.
        found.setdefault("observedGeneration", generation)
    return found
