"""Cluster for recorded test vectors: pods are tried in a given order, without a queue.

Instead of choosing randomly it takes the first candidate in the order of the Node objects, as the recordings do.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.node import Node
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.config.types import SchedulerConfiguration
from scheduler_core.cycle.scheduler import Dependencies, Scheduler
from scheduler_core.framework.emulation import Emulation
from scheduler_core.framework.extender import Extender
from scheduler_core.framework.status import SUCCESS, Status
from simulator.simulation.store import ObjectStore

EMPTY_CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
# Preemption compares start times: 2025-06-01T00:00:00Z, and one second more for each placed pod.
FIRST_START = 1748736000.0


class Nominations:
    """A Nominator without a queue; the pods of a node are in the order of their nominations."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, Pod]] = {}

    def set(self, pod: Pod, node_name: str) -> None:
        """Nominate the pod for a node; "" removes the nomination."""
        for node, pods in list(self._by_node.items()):
            pods.pop(pod.uid, None)
            if not pods:
                del self._by_node[node]
        if node_name:
            self._by_node.setdefault(node_name, {})[pod.uid] = pod

    def nominated_pods(self, node_name: str) -> list[Pod]:
        return list(self._by_node.get(node_name, {}).values())

    def nominated_nodes(self) -> list[str]:
        return list(self._by_node)


class VectorCluster:
    """Store, cache, nominations and scheduler of one scenario; plugins use it as their Writer."""

    def __init__(
        self,
        objects: Iterable[Mapping[str, Any]],
        config: SchedulerConfiguration,
        emulation: Emulation,
        extenders: Sequence[Extender] = (),
        read: Callable[[Mapping[str, Any]], KubeObject] = parse_object,
    ) -> None:
        self.store = ObjectStore()
        self.cache = Cache()
        self.nominator = Nominations()
        dependencies = Dependencies(self.cache, self.store, self, self.nominator, lambda: 0.0, lambda candidates: 0)
        self.scheduler = Scheduler(config, emulation.registry, dependencies, extenders, emulation.traits)
        self.placed = 0
        self.cleared: list[str] = []
        self._held_back: list[Callable[[], None]] = []
        self.holds_updates = False
        self.named = 0
        for manifest in objects:
            self.add(read(manifest))

    def add(self, obj: KubeObject) -> None:
        self.store.put(obj)
        if isinstance(obj, Node):
            self.cache.add_node(obj)
        elif isinstance(obj, Pod) and not obj.finished:
            if obj.node_name:
                self.cache.add_pod(obj)
            elif obj.nominated_node_name:
                self.nominator.set(obj, obj.nominated_node_name)

    def remove_node(self, name: str) -> None:
        node = self.store.remove("Node", name)
        assert isinstance(node, Node)
        self.cache.remove_node(node)

    def current(self, pod: Pod) -> Pod:
        """Return the stored version of `pod`, with the writes of earlier attempts."""
        stored = self.store.get("Pod", pod.key)
        return stored if isinstance(stored, Pod) else pod

    def place(self, pod: Pod, node_name: str) -> Pod:
        """Make `pod` run on the node, as if it was bound and started."""
        self.placed += 1
        running = pod.with_node(node_name)
        running.start_time = FIRST_START + self.placed
        self.store.put(running)
        self.cache.add_pod(running)
        self.nominator.set(pod, "")
        return running

    def nominate(self, pod: Pod, node_name: str) -> None:
        """Store the nomination of the pod; "" clears it."""
        pod = self.current(pod).with_nomination(node_name)
        self.store.put(pod)
        self.nominator.set(pod, node_name)

    def after_failure(self, pod: Pod, nominated: str | None) -> None:
        """Store a failed attempt's nomination; with None the pod keeps its own nomination."""
        self.nominate(pod, self.current(pod).nominated_node_name if nominated is None else nominated)

    # Writer

    def bind(self, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        if self.holds_updates:
            self._held_back.append(lambda: self._update(obj))
        else:
            self._update(obj)

    def _update(self, obj: KubeObject) -> None:
        self.store.put(obj)

    def delete(self, obj: KubeObject) -> None:
        if self.holds_updates:
            self._held_back.append(lambda: self._delete(obj))
        else:
            self._delete(obj)

    def _delete(self, obj: KubeObject) -> None:
        self.store.remove(obj.kind, obj.key)

    def time(self) -> float:
        """Return 0, because the vectors have no times."""
        return 0.0

    def name_for(self, prefix: str) -> str:
        self.named += 1
        return f"{prefix}{self.named:05d}"

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        def remove() -> None:
            self.cache.remove_pod(victim)
            self.store.remove("Pod", victim.key)

        self._held_back.append(remove)

    def clear_nomination(self, pod: Pod) -> None:
        self.cleared.append(pod.key)
        self._held_back.append(lambda: self.nominate(pod, ""))

    def apply_preemption(self) -> None:
        """Apply the writes of PostFilter. They are delayed so that the attempt can be examined first."""
        for write in self._held_back:
            write()
        self._held_back.clear()

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """Ignore the Event; the vectors contain the messages."""


def load_config(text: str | None, emulation: Emulation) -> SchedulerConfiguration:
    return emulation.load(text or EMPTY_CONFIG, emulation.registry.points())
