"""The sub-queues as JSON-ready data, for checkpoints."""

from collections.abc import Mapping
from typing import Any

from scheduler_core.framework.queued_pod import QueuedPod
from scheduler_core.objects.pod import Pod
from scheduler_core.queue.backoff import BackoffQueue
from scheduler_core.queue.heap import PodHeap
from scheduler_core.queue.unschedulable_pods import UnschedulablePods


def _heaps(active: PodHeap, backoff: BackoffQueue) -> dict[str, PodHeap]:
    return {"active": active, "backoff": backoff.rejected, "errorBackoff": backoff.failed}


def dump_queues(active: PodHeap, backoff: BackoffQueue, unschedulable: UnschedulablePods) -> dict[str, Any]:
    """Pods by uid, equals among them in their order."""
    dumped = {name: [queued.dump() for queued in heap.by_arrival()] for name, heap in _heaps(active, backoff).items()}
    return dumped | {"unschedulable": [queued.dump() for queued in unschedulable.all()]}


def load_queues(
    active: PodHeap,
    backoff: BackoffQueue,
    unschedulable: UnschedulablePods,
    data: Mapping[str, Any],
    pods: Mapping[str, Pod],
) -> None:
    """The inverse, into empty ones; `pods` maps uids to the live pods."""
    for name, heap in _heaps(active, backoff).items():
        for dumped in data[name]:
            heap.put(QueuedPod.load(dumped, pods))
    for dumped in data["unschedulable"]:
        unschedulable.put(QueuedPod.load(dumped, pods))
