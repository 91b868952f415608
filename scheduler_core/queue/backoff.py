"""Backoff: how long a failed pod waits, and the two queues in which it waits.

Source: pkg/scheduler/backend/queue/backoff_queue.go.
"""

import math
from dataclasses import dataclass

from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.queue.heap import PodHeap, SortKey


@dataclass(slots=True, frozen=True)
class BackoffSettings:
    """The initial and maximum backoff in whole seconds; `maximum` 0 switches backoff off."""

    initial: int = 1
    maximum: int = 10

    def expiry(self, queued: QueuedPodInfo) -> int | None:
        """Return the second in which the pod's backoff ends, or None if it has no backoff."""
        count = queued.consecutive_errors or queued.unschedulable_count
        if not self.maximum or not count:
            return None
        shift = count - 1
        duration = self.maximum if self.initial > self.maximum >> shift else self.initial << shift
        return math.floor(queued.timestamp + duration)


def backing_off(queued: QueuedPodInfo, now: float) -> bool:
    """Return True if the pod backs off; it still does in the second in which its backoff ends."""
    return queued.backoff_expiry is not None and queued.backoff_expiry >= math.floor(now)


class BackoffQueue:
    """Pods that wait for the end of their backoff, in two heaps: those that plugins rejected, and those that failed
    with an error.

    `rejected` is ordered by second and then like activeQ. Only its pods are popped early if activeQ is empty.
    """

    def __init__(self, sort_key: SortKey) -> None:
        self.rejected = PodHeap(lambda queued: (queued.backoff_expiry, *sort_key(queued)))
        self.failed = PodHeap(lambda queued: (queued.backoff_expiry,))

    def __len__(self) -> int:
        return len(self.rejected) + len(self.failed)

    def __contains__(self, pod_key: str) -> bool:
        return pod_key in self.rejected or pod_key in self.failed

    def heap_for(self, queued: QueuedPodInfo) -> PodHeap:
        """Return the heap in which the pod belongs, by the result of its last attempt."""
        return self.rejected if queued.rejectors else self.failed

    def get(self, pod_key: str) -> QueuedPodInfo | None:
        return self.rejected.get(pod_key) or self.failed.get(pod_key)

    def remove(self, pod_key: str) -> QueuedPodInfo | None:
        return self.rejected.remove(pod_key) or self.failed.remove(pod_key)

    def pop_completed(self, now: float) -> list[QueuedPodInfo]:
        """Remove and return all pods whose backoff is over, rejected ones first."""
        completed: list[QueuedPodInfo] = []
        for heap in (self.rejected, self.failed):
            while (first := heap.peek()) is not None and not backing_off(first, now):
                heap.remove(first.pod.key)
                completed.append(first)
        return completed

    def next_completion(self) -> float | None:
        """Return the first whole second in which a pod will have completed its backoff."""
        if not len(self):
            return None
        firsts = (heap.peek() for heap in (self.rejected, self.failed))
        expiries = [first.backoff_expiry for first in firsts if first is not None and first.backoff_expiry is not None]
        return min(expiries) + 1 if expiries else None
