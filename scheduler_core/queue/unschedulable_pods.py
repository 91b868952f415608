"""UnschedulablePods: pods that wait for an event, indexed by the plugins that rejected them.

Source: pkg/scheduler/backend/queue/unschedulable_pods.go.
"""

from collections.abc import Callable, Collection
from itertools import count

from scheduler_core.framework.queued_pod import QueuedPodInfo


class UnschedulablePods:
    """The unschedulable pods, gated ones included.

    `asks` returns the plugins whose hints decide about a pod; without any, every event moves it. The index makes an
    event's cost proportional to the pods that it may move.
    """

    def __init__(self, asks: Callable[[QueuedPodInfo], Collection[str]]) -> None:
        self._asks = asks
        self._pods: dict[str, QueuedPodInfo] = {}
        self._places: dict[str, tuple[int, tuple[str, ...]]] = {}  # pod key → (sequence, plugins that index it)
        self._by_plugin: dict[str, dict[str, int]] = {}  # plugin ("" for none) → pod key → sequence
        self._sequence = count()

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, pod_key: str) -> bool:
        return pod_key in self._pods

    def get(self, pod_key: str) -> QueuedPodInfo | None:
        return self._pods.get(pod_key)

    def all(self) -> list[QueuedPodInfo]:
        """Return all pods in the order in which they came."""
        return list(self._pods.values())

    def put(self, queued: QueuedPodInfo) -> None:
        """Add or update the pod; it keeps its position."""
        key = queued.pod.key
        sequence, indexes = self._places.get(key) or (next(self._sequence), ())
        self._pods[key] = queued
        plugins = tuple(sorted(self._asks(queued))) or ("",)
        if plugins != indexes:
            self._leave(key, indexes)
            self._places[key] = (sequence, plugins)
            for plugin in plugins:
                self._by_plugin.setdefault(plugin, {})[key] = sequence

    def remove(self, pod_key: str) -> QueuedPodInfo | None:
        queued = self._pods.pop(pod_key, None)
        if queued is not None:
            _, indexes = self._places.pop(pod_key)
            self._leave(pod_key, indexes)
        return queued

    def _leave(self, pod_key: str, indexes: Collection[str]) -> None:
        for plugin in indexes:
            keys = self._by_plugin[plugin]
            del keys[pod_key]
            if not keys:
                del self._by_plugin[plugin]

    def pods_to_ask(self, plugins: Collection[str]) -> list[QueuedPodInfo]:
        """Return the pods that a hint of `plugins` may move and those that any event moves, in the order in which
        they came.
        """
        sequences: dict[str, int] = {}
        for plugin in ("", *plugins):
            sequences.update(self._by_plugin.get(plugin, {}))
        return [self._pods[key] for key in sorted(sequences, key=sequences.__getitem__)]
