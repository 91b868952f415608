"""Trial: what the scheduler's filters say of pods on nodes that are not there, for actors that plan with them.

It is a copy of the cluster that nobody sees. Source: cluster-autoscaler/simulator/clustersnapshot.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from kube_objects.manifests import Manifest
from kube_objects.node import Node
from kube_objects.parse import parse_object
from kube_objects.pod import Pod
from scheduler_core.cache.cache import Cache
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.search import search
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import run_pre_filter
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Status


class Trial:
    """Implements `kube_controllers.cluster_autoscaler.snapshot.Snapshot`. `of` is a SimulatedCluster."""

    def __init__(self, of: Any, cache: Cache | None = None) -> None:
        self._of = of
        self._cluster = type(of)(of.config, of.registry, lambda config: (), of.traits, built=False)
        self._cluster.store = of.store.copied()
        self._cluster.cache = of.cache.copied() if cache is None else cache.copied()
        self._cluster.now = of.now
        self._cluster._build(of.config, None)
        self._frameworks = self._cluster.scheduler.frameworks
        self._parsed: dict[int, tuple[Manifest, Pod]] = {}

    def copied(self) -> "Trial":
        """Another one as it is by now, to go its own way."""
        copy = Trial(self._of, self._cluster.cache)
        copy._parsed = self._parsed
        return copy

    @property
    def nodes(self) -> Sequence[str]:
        return [node.name for node in self._cluster.cache.table.nodes]

    def check_node(self, node: Manifest) -> None:
        """Raise ObjectError for a manifest that can't be added."""
        parse_object(node)

    def add_node(self, node: Manifest) -> None:
        found = parse_object(node)
        assert isinstance(found, Node)
        self._cluster.store.put(found)
        self._cluster.cache.add_node(found)

    def remove_node(self, name: str) -> None:
        """With the pods that are on it."""
        found = self._cluster.store.remove("Node", name)
        row = self._cluster.cache.table.rows.get(name)
        if found is None or row is None:
            return
        for pod in list(self._cluster.cache.table.pods[row].values()):
            self._cluster.cache.remove_pod(pod)
        assert isinstance(found, Node)
        self._cluster.cache.remove_node(found)

    def add_pod(self, pod: Manifest, node: str) -> None:
        """Count the pod on this node. It goes through the cache, which `remove_node` takes it out of."""
        self._cluster.cache.add_pod(self._pod(pod).with_node(node))

    def _pod(self, pod: Manifest) -> Pod:
        """Parsed once, as long as somebody asks about the same manifest."""
        known = self._parsed.get(id(pod))
        if known is None or known[0] is not pod:
            found = parse_object(pod)
            assert isinstance(found, Pod)
            known = self._parsed[id(pod)] = (pod, found)
        return known[1]

    def first_fit(self, pod: Manifest, nodes: Iterable[str]) -> str | None:
        """The first of these nodes, in this order, that no filter rejects."""
        found = self._pod(pod)
        framework = self._frameworks.get(found.scheduler_name)
        rows = self._rows(nodes)
        if framework is None or not len(rows):
            return None
        state = CycleState()
        table = self._cluster.cache.table
        outcome = run_pre_filter(framework, state, found, Nodes(table), None)
        if not outcome.status.is_success:
            return None
        if outcome.node_names is not None:
            rows = np.array([row for row in rows.tolist() if table.nodes[row].name in outcome.node_names], np.int64)
        feasible = search(framework, state, found, Nodes(table, rows), 0, 1).feasible_rows
        return table.nodes[int(feasible[0])].name if len(feasible) else None

    def _rows(self, nodes: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        known = self._cluster.cache.table.rows
        return np.array([known[name] for name in nodes if name in known], np.int64)

    def why_not(self, pod: Manifest, node: str) -> str:
        """Return the reason why the Node rejects the Pod, as Kubernetes words it; "" if it fits."""
        found = self._pod(pod)
        framework = self._frameworks.get(found.scheduler_name)
        if framework is None:
            return f'no profile has the schedulerName "{found.scheduler_name}"'
        return "; ".join(self._status(framework, found, node).reasons)

    def _status(self, framework: ProfileFramework, pod: Pod, node: str) -> Status:
        state, table = CycleState(), self._cluster.cache.table
        outcome = run_pre_filter(framework, state, pod, Nodes(table), None)
        if not outcome.status.is_success:
            return outcome.status
        if outcome.node_names is not None and node not in outcome.node_names:
            names = " ".join(outcome.narrowing)
            return Status.unresolvable(f"node(s) didn't satisfy plugin(s) [{names}]")
        found = search(framework, state, pod, Nodes(table, self._rows([node])), 0, 1)
        return found.statuses[int(found.codes[0])]
