"""Profiles of scripted plugins only, to test one extension point without upstream's plugins."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.scheduler import Dependencies, Scheduler
from scheduler_core.framework.interface import Plugin
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.priority_sort import PrioritySort
from simulator.simulation.store import ObjectStore
from tests.config_v1_34 import load
from tests.conformance.testing import NodeBuilder


def plugin(name: str, *points: type[Plugin], **methods: Any) -> type[Plugin]:
    """Return a plugin at these points. The functions take the methods' arguments without `self`."""
    made = {key: _without_self(value) if callable(value) else value for key, value in methods.items()}
    return type(name, points, {"name": name, **made})


def _without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *arguments: function(*arguments)


def configured(plugins: Sequence[type[Plugin]], weights: Mapping[str, int] | None = None, binder: bool = True) -> str:
    """Return a configuration that enables only these plugins, in this order."""
    names = ["PrioritySort", *(made.name for made in plugins), *(["DefaultBinder"] if binder else [])]
    weighed = [{"name": name} | ({"weight": weights[name]} if weights and name in weights else {}) for name in names]
    head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    return f'{head}profiles: [{{plugins: {{multiPoint: {{disabled: [{{name: "*"}}], enabled: {weighed}}}}}}}]\n'


class Stage:
    """A scheduler with one profile of scripted plugins, over a fixed set of Nodes."""

    def __init__(
        self,
        plugins: Sequence[type[Plugin]],
        nodes: Sequence[NodeBuilder] = (),
        weights: Mapping[str, int] | None = None,
        binder: bool = True,
        pick: Callable[[int], int] = lambda count: 0,
    ) -> None:
        registry = Registry([PrioritySort, DefaultBinder]).merged(plugins)
        config = load(configured(plugins, weights, binder), registry.points())
        self.cache = Cache()
        self.nominated: dict[str, list[Pod]] = {}
        dependencies = Dependencies(self.cache, ObjectStore(), self, self, lambda: 0.0, pick)
        self.scheduler = Scheduler(config, registry, dependencies)
        for node in nodes:
            self.cache.add_node(node.build())
        self.cache.update_snapshot()

    @property
    def framework(self) -> ProfileFramework:
        return self.scheduler.frameworks["default-scheduler"]

    @property
    def nodes(self) -> Nodes:
        return self.scheduler.snapshot()

    # Nominator

    def nominated_pods(self, node_name: str) -> list[Pod]:
        return list(self.nominated.get(node_name, ()))

    def nominated_nodes(self) -> list[str]:
        return list(self.nominated)

    # Writer: nothing is written in these tests but bindings

    def bind(self, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def update(self, obj: KubeObject) -> None:
        raise AssertionError("no scripted plugin updates anything")

    def delete(self, obj: KubeObject) -> None:
        raise AssertionError("no scripted plugin deletes anything")

    def time(self) -> float:
        raise AssertionError("no scripted plugin writes times")

    def name_for(self, prefix: str) -> str:
        raise AssertionError("no scripted plugin makes objects")

    def evict(self, preemptor: Pod, victim: Pod, message: str) -> None:
        raise AssertionError("no scripted plugin evicts anything")

    def clear_nomination(self, pod: Pod) -> None:
        raise AssertionError("no scripted plugin clears nominations")

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None:
        raise AssertionError("no scripted plugin writes events")
