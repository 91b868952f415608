"""Fields of a Pod that an API server sets at once, or that Go's encoder always writes.

Pods from the dashboard, an import, a controller or a simulated kubelet may lack them. Strict clients refuse such
objects.
"""

from collections.abc import Mapping
from typing import Any

_CONTAINERS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_CONTAINER: Mapping[str, Any] = {"name": "", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
# The conditions of a Pod that its kubelet writes.
_KUBELET_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
_CONDITION: Mapping[str, Any] = {"lastProbeTime": None, "lastTransitionTime": None}
# Source: SetDefaults_Pod, and the admission of priorities.
_SPEC: Mapping[str, Any] = {"enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority"}
_QOS_RESOURCES = ("cpu", "memory")
_ZEROS = ("0", "0m", "", "None")


def pod_spec(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a stored Pod with these fields."""
    spec = dict(pod.get("spec") or {})
    # Existing fields keep their order.
    spec |= {name: item for name, item in _SPEC.items() if name not in spec}
    if not spec.get("priorityClassName"):
        spec.setdefault("priority", 0)
    return spec


def pod_status(pod: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a stored Pod with these fields."""
    status = {"phase": "Pending", **(pod.get("status") or {})}
    if "qosClass" not in status:
        status["qosClass"] = quality_of_service(pod.get("spec") or {})
    for name in _CONTAINERS:
        if container_statuses := status.get(name):
            status[name] = [{**_CONTAINER, **item} for item in container_statuses]
    if conditions := status.get("conditions"):
        generation = (pod.get("metadata") or {}).get("generation")
        is_reported = any(item.get("type") == _KUBELET_CONDITIONS[0] for item in conditions)
        status["conditions"] = [_condition(item, generation, is_reported=is_reported) for item in conditions]
        if is_reported and generation:
            status.setdefault("observedGeneration", generation)
    if (pod.get("spec") or {}).get("nodeName"):
        # Binding clears it. Source: setPodHostAndAnnotations of pkg/registry/core/pod/storage.
        status.pop("nominatedNodeName", None)
    return status


def _condition(given: Mapping[str, Any], generation: object, *, is_reported: bool) -> dict[str, Any]:
    """Return a condition with the generation of the Pod that the scheduler or the kubelet has seen.

    `is_reported`: a kubelet has written its conditions. Source: handleSchedulingFailure of pkg/scheduler,
    generateAPIPodStatus of pkg/kubelet.
    """
    condition = {**_CONDITION, **given}
    is_failed = (
        condition.get("type") == "PodScheduled" and condition.get("status") == "False" and condition.get("message")
    )
    # The API server itself writes the condition of a gated Pod.
    is_of_scheduler = is_failed and condition.get("reason") != "SchedulingGated"
    if generation and (is_of_scheduler or (is_reported and condition.get("type") in _KUBELET_CONDITIONS)):
        condition.setdefault("observedGeneration", generation)
    return condition


def quality_of_service(spec: Mapping[str, Any]) -> str:
    """Return the quality of service class of a Pod. Source: component-helpers qos GetPodQOS."""
    lists = [items for name in ("initContainers", "containers") if isinstance(items := spec.get(name), list)]
    containers = [each for items in lists for each in items if isinstance(each, Mapping)]
    asks = [_amounts(each, "requests") for each in containers]
    limits = [_amounts(each, "limits") for each in containers]
    if not any(asks) and not any(limits):
        return "BestEffort"
    is_guaranteed = asks == limits and all(set(limit) == set(_QOS_RESOURCES) for limit in limits)
    return "Guaranteed" if is_guaranteed else "Burstable"


def _amounts(container: Mapping[str, Any], which: str) -> dict[str, str]:
    resources = container.get("resources")
    amounts = resources.get(which) if isinstance(resources, Mapping) else None
    if not isinstance(amounts, Mapping):
        return {}
    return {name: str(amounts[name]) for name in _QOS_RESOURCES if name in amounts and str(amounts[name]) not in _ZEROS}
