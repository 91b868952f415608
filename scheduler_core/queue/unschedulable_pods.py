"""UnschedulablePods: pods that wait for an event, found by the plugins that rejected them.

Source: pkg/scheduler/backend/queue/unschedulable_pods.go.
"""

from collections.abc import Callable, Collection
from itertools import count

from scheduler_core.framework.queued_pod import QueuedPod


class UnschedulablePods:
    """Gated pods are among them. `asks` gives the plugins to ask about a pod; none means that any event moves it.

    Most events interest few plugins, so that most pods need not be looked at.
    """

    def __init__(self, asks: Callable[[QueuedPod], Collection[str]]) -> None:
        self._asks = asks
        self._pods: dict[str, QueuedPod] = {}
        self._places: dict[str, tuple[int, tuple[str, ...]]] = {}  # pod key → (sequence, indexes that hold it)
        self._by_plugin: dict[str, dict[str, int]] = {}  # plugin ("" for none) → pod key → sequence
        self._sequence = count()

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, pod_key: str) -> bool:
        return pod_key in self._pods

    def get(self, pod_key: str) -> QueuedPod | None:
        return self._pods.get(pod_key)

    def all(self) -> list[QueuedPod]:
        """In the order in which they came."""
        return list(self._pods.values())

    def put(self, queued: QueuedPod) -> None:
        """Add the pod, or take note of what changed in it; it keeps its place."""
        key = queued.pod.key
        sequence, indexes = self._places.get(key) or (next(self._sequence), ())
        self._pods[key] = queued
        plugins = tuple(sorted(self._asks(queued))) or ("",)
        if plugins != indexes:
            self._leave(key, indexes)
            self._places[key] = (sequence, plugins)
            for plugin in plugins:
                self._by_plugin.setdefault(plugin, {})[key] = sequence

    def remove(self, pod_key: str) -> QueuedPod | None:
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

    def to_ask(self, plugins: Collection[str]) -> list[QueuedPod]:
        """The pods that any of `plugins` may move, and those that any event moves, in the order in which they came."""
        found: dict[str, int] = {}
        for plugin in ("", *plugins):
            found.update(self._by_plugin.get(plugin, {}))
        return [self._pods[key] for key in sorted(found, key=found.__getitem__)]
