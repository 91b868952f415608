"""SubQueues: the waiting pods in activeQ, backoffQ and among the unschedulable pods."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from kube_objects.pod import Pod
from scheduler_core.framework.queued_pod import QueuedPodInfo, dump_all, load_all
from scheduler_core.queue.backoff import BackoffQueue
from scheduler_core.queue.heap import PodHeap, SortKey
from scheduler_core.queue.moves import SubQueue
from scheduler_core.queue.unschedulable_pods import UnschedulablePods


class SubQueues:
    """The three sub-queues. `asks` returns the plugins whose hints decide about an unschedulable pod."""

    def __init__(self, sort_key: SortKey, asks: Callable[[QueuedPodInfo], Collection[str]]) -> None:
        self.active = PodHeap(sort_key)
        self.backoff = BackoffQueue(sort_key)
        self.unschedulable = UnschedulablePods(asks)

    def _heaps(self) -> Mapping[str, PodHeap]:
        return {"active": self.active, "backoff": self.backoff.rejected, "errorBackoff": self.backoff.failed}

    def find(self, pod_key: str) -> QueuedPodInfo | None:
        return self.active.get(pod_key) or self.backoff.get(pod_key) or self.unschedulable.get(pod_key)

    def where(self, pod_key: str) -> SubQueue:
        """Return the pod's sub-queue; OUTSIDE if it is in none."""
        if pod_key in self.active:
            return SubQueue.ACTIVE
        if pod_key in self.backoff.rejected:
            return SubQueue.BACKOFF
        if pod_key in self.backoff.failed:
            return SubQueue.ERROR_BACKOFF
        queued = self.unschedulable.get(pod_key)
        return SubQueue.OUTSIDE if queued is None else waiting_sub_queue(queued)

    def remove(self, pod_key: str) -> None:
        self.active.remove(pod_key) or self.backoff.remove(pod_key) or self.unschedulable.remove(pod_key)

    def update_sorted(self, pod: Pod) -> bool:
        """Update a pod in the heap that holds it; return False if none does."""
        for heap in (self.active, self.backoff.rejected, self.backoff.failed):
            queued = heap.get(pod.key)
            if queued is not None:
                queued.pod = pod
                heap.put(queued)
                return True
        return False

    def dump(self) -> dict[str, Any]:
        """Return JSON-ready data for checkpoints: pods by uid, equals in their order."""
        dumped = {name: dump_all(heap.by_arrival()) for name, heap in self._heaps().items()}
        return dumped | {"unschedulable": dump_all(self.unschedulable.all())}

    def load(self, data: Mapping[str, Any], pods: Mapping[str, Pod]) -> None:
        """Load the data of `dump` into empty sub-queues; `pods` maps uids to the live pods."""
        for name, heap in self._heaps().items():
            for queued in load_all(data[name], pods):
                heap.put(queued)
        for queued in load_all(data["unschedulable"], pods):
            self.unschedulable.put(queued)


def waiting_sub_queue(queued: QueuedPodInfo) -> SubQueue:
    """Return the sub-queue of a pod among the unschedulable ones: GATED or UNSCHEDULABLE."""
    return SubQueue.GATED if queued.gated else SubQueue.UNSCHEDULABLE
