"""A small cluster with a real scheduler, whose writes are applied and recorded."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.scheduler import CycleResult, Dependencies, Scheduler
from scheduler_core.framework.extender import Extender, ExtenderFilterResult, Victims
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.table import IN_TREE
from simulator.simulation.store import ObjectStore
from tests.config_v1_34 import load
from tests.conformance.testing import NodeBuilder, PodBuilder

CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {{minCandidateNodesPercentage: {percentage}, minCandidateNodesAbsolute: {absolute}}}
"""


class Cluster:
    """A cluster.

    `evicted`, `cleared`, `events` are preemption's writes; `asked` are the sizes of its random choices.
    """

    def __init__(
        self,
        nodes: Iterable[NodeBuilder],
        pods: Iterable[PodBuilder] = (),
        others: Iterable[Mapping[str, Any]] = (),
        extenders: Sequence[Extender] = (),
        percentage: int = 10,
        absolute: int = 100,
        pick: Callable[[int], int] = lambda count: 0,
    ) -> None:
        self.store = ObjectStore()
        self.cache = Cache()
        self.nominated: dict[str, list[Pod]] = {}
        self.evicted: list[str] = []
        self.cleared: list[str] = []
        self.events: list[str] = []
        self.asked: list[int] = []
        self._answer = pick
        dependencies = Dependencies(self.cache, self.store, self, self, lambda: 0.0, self._pick)
        config = load(CONFIG.format(percentage=percentage, absolute=absolute))
        self.scheduler = Scheduler(config, IN_TREE, dependencies, extenders)
        for node in nodes:
            self.cache.add_node(node.build())
        for other in others:
            self.store.put(parse_object(other))
        for pod in pods:
            self.add(pod.build())

    def _pick(self, count: int) -> int:
        self.asked.append(count)
        return self._answer(count)

    def add(self, pod: Pod) -> None:
        self.store.put(pod)
        if pod.node_name:
            self.cache.add_pod(pod)
        elif pod.nominated_node_name:
            self.nominated.setdefault(pod.nominated_node_name, []).append(pod)

    def schedule(self, builder: PodBuilder) -> CycleResult:
        pod = builder.build()
        self.add(pod)
        self.cache.update_snapshot()
        return self.scheduler.run_scheduling_algorithm(self.scheduler.frameworks["default-scheduler"], pod, None)

    # Nominator

    def nominated_pods(self, node_name: str) -> list[Pod]:
        return list(self.nominated.get(node_name, ()))

    def nominated_nodes(self) -> list[str]:
        return list(self.nominated)

    # Writer

    def bind(self, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        self.store.put(obj)

    def delete(self, obj: KubeObject) -> None:
        self.store.remove(obj.kind, obj.key)

    def time(self) -> float:
        return 0.0

    def name_for(self, prefix: str) -> str:
        return f"{prefix}1"

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        self.evicted.append(victim.name)
        self.cache.remove_pod(victim)

    def clear_nomination(self, pod: Pod) -> None:
        self.cleared.append(pod.name)

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        self.events.append(f"{type_} {reason} {obj.name}: {message}")


@dataclass(slots=True)
class ScriptedExtender:
    """An extender.

    `answer` turns sent candidates into returned ones, or raises; its filter rejects the Nodes in `rejects`.
    """

    answer: Callable[[Mapping[str, Victims]], dict[str, Victims]] = dict
    rejects: Sequence[str] = ()
    ignorable: bool = False
    interested: bool = True
    supports_preemption: bool = True
    name: str = "http://extender"
    weight: int = 1
    is_filter: bool = True
    is_prioritizer: bool = False
    is_binder: bool = False
    sent: list[dict[str, list[str]]] = field(default_factory=list)

    def is_interested(self, pod: Pod) -> bool:
        return self.interested

    def filter(self, pod: Pod, nodes: Nodes) -> ExtenderFilterResult:
        left = nodes.take(~nodes.named(self.rejects))
        return ExtenderFilterResult(left, dict.fromkeys(self.rejects, "no"))

    def prioritize(self, pod: Pod, nodes: Nodes) -> Sequence[tuple[str, int]]:
        return ()

    def bind(self, pod: Pod, node_name: str) -> None:
        """Do nothing."""

    def process_preemption(self, pod: Pod, victims: Mapping[str, Victims], nodes: Nodes) -> dict[str, Victims]:
        self.sent.append({name: [victim.name for victim in entry.pods] for name, entry in victims.items()})
        return self.answer(victims)


def budget(name: str, allowed: int, namespace: str = "default", disrupted: Sequence[str] = (), **labels: str) -> Any:
    """Return a PodDisruptionBudget for the Pods with these labels."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": labels}},
        "status": {
            "disruptionsAllowed": allowed,
            "disruptedPods": dict.fromkeys(disrupted, "2025-01-01T00:00:00Z"),
        },
    }
