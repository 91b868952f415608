"""VectorCluster: a cluster for test vectors, where pods are tried in a given order, without a queue.

Where the real scheduler is random it takes the first candidate in the order of the Node objects, as the vectors do.
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
# Start times decide who is evicted first: 2025-06-01T00:00:00Z and one second more for every pod placed.
FIRST_START = 1748736000.0


class Nominations:
    """The Nominator of a cluster without a queue. Pods of a node come in the order in which they were nominated."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[str, Pod]] = {}

    def set(self, pod: Pod, node_name: str) -> None:
        """ "" takes the nomination back."""
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
    """Store, cache, nominations and scheduler of one scenario; also the Writer that plugins get."""

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
        """The stored version of `pod`, with what earlier attempts wrote to it."""
        found = self.store.get("Pod", pod.key)
        return found if isinstance(found, Pod) else pod

    def place(self, pod: Pod, node_name: str) -> Pod:
        """Let `pod` run on the node from now on, as if bound and started."""
        self.placed += 1
        running = pod.with_node(node_name)
        running.start_time = FIRST_START + self.placed
        self.store.put(running)
        self.cache.add_pod(running)
        self.nominator.set(pod, "")
        return running

    def nominate(self, pod: Pod, node_name: str) -> None:
        """ "" clears the nomination."""
        pod = self.current(pod).with_nomination(node_name)
        self.store.put(pod)
        self.nominator.set(pod, node_name)

    def after_failure(self, pod: Pod, nominated: str | None) -> None:
        """What the failure handler makes of a nomination: None keeps the pod's own, which counts from now on."""
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
        """The vectors leave times out."""
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
        """What PostFilter wrote takes effect: not earlier, so that the attempt can still be examined as it was."""
        for write in self._held_back:
            write()
        self._held_back.clear()

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        """The vectors hold the messages themselves; events are not compared."""


def load_config(text: str | None, emulation: Emulation) -> SchedulerConfiguration:
    return emulation.load(text or EMPTY_CONFIG, emulation.registry.points())
