"""PodHeap: queued pods ordered by a key; pods with equal keys are ordered by their insertion.

Source: pkg/scheduler/backend/heap/heap.go (whose order among equals is arbitrary).
"""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

from scheduler_core.framework.queued_pod import QueuedPodInfo

SortKey = Callable[[QueuedPodInfo], tuple[Any, ...]]


class PodHeap:
    """A heap of pods with lookup by `namespace/name`. Removed entries stay in the heap until they reach its top."""

    def __init__(self, sort_key: SortKey) -> None:
        self._sort_key = sort_key
        self._heap: list[tuple[tuple[Any, ...], int, str]] = []
        self._entries: dict[str, tuple[tuple[Any, ...], int, QueuedPodInfo]] = {}
        self._sequence = count()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, pod_key: str) -> bool:
        return pod_key in self._entries

    def get(self, pod_key: str) -> QueuedPodInfo | None:
        entry = self._entries.get(pod_key)
        return entry[2] if entry else None

    def put(self, queued: QueuedPodInfo) -> None:
        """Add the pod, or update its key; a pod keeps its position among equals."""
        old = self._entries.get(queued.pod.key)
        key, sequence = self._sort_key(queued), old[1] if old else next(self._sequence)
        self._entries[queued.pod.key] = (key, sequence, queued)
        if old is None or old[0] != key:
            heapq.heappush(self._heap, (key, sequence, queued.pod.key))
        if len(self._heap) > 2 * len(self._entries) + 64:  # mostly removed entries: rebuild
            self._heap = [(key, sequence, name) for name, (key, sequence, _) in self._entries.items()]
            heapq.heapify(self._heap)

    def peek(self) -> QueuedPodInfo | None:
        while self._heap:
            key, sequence, pod_key = self._heap[0]
            entry = self._entries.get(pod_key)
            if entry is not None and entry[0] == key and entry[1] == sequence:
                return entry[2]
            heapq.heappop(self._heap)
        return None

    def pop(self) -> QueuedPodInfo | None:
        queued = self.peek()
        if queued is not None:
            self.remove(queued.pod.key)
        return queued

    def remove(self, pod_key: str) -> QueuedPodInfo | None:
        entry = self._entries.pop(pod_key, None)
        return entry[2] if entry else None

    def in_order(self) -> list[QueuedPodInfo]:
        """Return all pods, the next one first."""
        return [entry[2] for entry in sorted(self._entries.values(), key=lambda entry: entry[:2])]

    def by_arrival(self) -> list[QueuedPodInfo]:
        """Return all pods in insertion order; putting them in this order restores the heap."""
        return [entry[2] for entry in sorted(self._entries.values(), key=lambda entry: entry[1])]
