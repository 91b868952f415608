"""Queueing hints for pods that NodeResourcesFit rejected.

Source: pkg/scheduler/framework/plugins/noderesources/fit.go isSchedulableAfterPodEvent, isSchedulableAfterNodeChange.
"""

from collections.abc import Mapping

from kube_objects.names import STANDARD_CONTAINER_RESOURCES, is_scalar_resource
from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint


def after_pod_event(pod: Pod, old: Pod, new: Pod | None) -> QueueingHint:
    """Return Queue if a pod was deleted from its node, or a pod was scaled down."""
    if new is None:
        return QueueingHint.QUEUE if old.node_name or old.nominated_node_name else QueueingHint.SKIP
    if new.uid == pod.uid:
        return QueueingHint.QUEUE
    freed = new.node_name and any(old.requests.get(r, 0) > new.requests.get(r, 0) for r in _requested(pod.requests))
    return QueueingHint.QUEUE if freed else QueueingHint.SKIP


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Return Queue if the pod fits on the empty node, and the node is new or has more of a requested resource."""
    requests = pod.filter_requests
    requested = _requested(requests)
    if new.allocatable.get("pods", 0) < 1 or any(requests[r] > new.allocatable.get(r, 0) for r in requested):
        return QueueingHint.SKIP
    if old is None:
        return QueueingHint.QUEUE
    grown = any(new.allocatable.get(r, 0) > old.allocatable.get(r, 0) for r in ("pods", *requested))
    return QueueingHint.QUEUE if grown else QueueingHint.SKIP


def _requested(requests: Mapping[str, int]) -> list[str]:
    """Return the requested resources that the plugin checks."""
    return [
        name
        for name, amount in requests.items()
        if amount and (name in STANDARD_CONTAINER_RESOURCES or is_scalar_resource(name))
    ]
