"""The utilization of a Node by the requests of its Pods. Source: cluster-autoscaler/simulator/utilization/info.go."""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.admission import is_mirror
from kube_objects.manifests import Manifest, annotations, controller_of, meta, parse_time, spec, status
from kube_objects.quantity import parse_milli

GPU = "nvidia.com/gpu"
GPU_LABEL = "cloud.google.com/gke-accelerator"
DAEMON_POD = "cluster-autoscaler.kubernetes.io/daemonset-pod"
# A Pod whose deadline is longer ago doesn't count. Source: PodLongTerminatingExtraThreshold.
LONG_TERMINATING_SECONDS = 30.0


def requested(pod: Manifest, resource: str) -> int:
    """Return the Pod's request in thousandths. Source: k8s.io/component-helpers/resource PodRequests."""
    wanted, largest, sidecars = 0, 0, 0
    for container in spec(pod).get("initContainers") or ():
        amount = _amount(container, resource)
        if container.get("restartPolicy") == "Always":
            sidecars += amount
            largest = max(largest, sidecars)
        else:
            largest = max(largest, amount + sidecars)
    wanted = sum(_amount(container, resource) for container in spec(pod).get("containers") or ()) + sidecars
    pod_level = (spec(pod).get("resources") or {}).get("requests") or {}
    total = parse_milli(str(pod_level[resource])) if resource in pod_level else max(wanted, largest)
    return total + parse_milli(str((spec(pod).get("overhead") or {}).get(resource, 0)))


def _amount(container: Mapping[str, Any], resource: str) -> int:
    return parse_milli(str(((container.get("resources") or {}).get("requests") or {}).get(resource, 0)))


def is_daemon(pod: Manifest) -> bool:
    controller = controller_of(pod)
    return (controller is not None and controller.get("kind") == "DaemonSet") or annotations(pod).get(
        DAEMON_POD
    ) == "true"


def utilization(
    node: Manifest, pods: Iterable[Manifest], now: float, *, skip_daemons: bool = False, skip_mirrors: bool = False
) -> float | None:
    """Return the larger of CPU and memory utilization, or that of GPUs on a Node with them; None if its allocatable is
    unknown.
    """
    listed = list(pods)
    if GPU_LABEL in ((meta(node).get("labels")) or {}):
        gpus = parse_milli(str((status(node).get("allocatable") or {}).get(GPU, 0)))
        return _part(node, listed, GPU, now, skip_daemons, skip_mirrors) if gpus else 0.0
    parts = [_part(node, listed, resource, now, skip_daemons, skip_mirrors) for resource in ("cpu", "memory")]
    return None if None in parts else max(part for part in parts if part is not None)


def _part(
    node: Manifest, pods: Iterable[Manifest], resource: str, now: float, skip_daemons: bool, skip_mirrors: bool
) -> float | None:
    """Source: CalculateUtilizationOfResource."""
    whole = (status(node).get("allocatable") or {}).get(resource)
    if whole is None or not parse_milli(str(whole)):
        return None
    wanted = left_out = 0
    for pod in pods:
        amount = requested(pod, resource)
        if (skip_daemons and is_daemon(pod)) or (skip_mirrors and is_mirror(pod)):
            left_out += amount
        elif not _is_long_terminating(pod, now):
            wanted += amount
    left = parse_milli(str(whole)) - left_out
    return wanted / left if left > 0 else 0.0


def _is_long_terminating(pod: Manifest, now: float) -> bool:
    """Source: IsPodLongTerminating."""
    deadline = parse_time(meta(pod).get("deletionTimestamp"))
    if deadline is None:
        return False
    grace = spec(pod).get("terminationGracePeriodSeconds")
    return now > deadline + (30.0 if grace is None else float(grace)) + LONG_TERMINATING_SECONDS
