"""A copy of a cluster in which controllers test whether pods would fit on nodes that don't exist yet.

Source: cluster-autoscaler/simulator/clustersnapshot.
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
    """A snapshot of a SimulatedCluster. Implements `kube_controllers.cluster_autoscaler.snapshot.Snapshot`."""

    def __init__(self, original: Any, cache: Cache | None = None) -> None:
        self._original = original
        self._cluster = type(original)(
            original.config, original.registry, lambda config: (), original.traits, built=False
        )
        self._cluster.store = original.store.copied()
        self._cluster.cache = original.cache.copied() if cache is None else cache.copied()
        self._cluster.now = original.now
        self._cluster._build(original.config, None)
        self._frameworks = self._cluster.scheduler.frameworks
        self._parsed: dict[int, tuple[Manifest, Pod]] = {}

    def copied(self) -> "Trial":
        """Return an independent copy of this snapshot."""
        copy = Trial(self._original, self._cluster.cache)
        copy._parsed = self._parsed
        return copy

    @property
    def nodes(self) -> Sequence[str]:
        return [node.name for node in self._cluster.cache.table.nodes]

    def check_node(self, node: Manifest) -> None:
        """Raise ObjectError for a manifest that can't be added."""
        parse_object(node)

    def add_node(self, node: Manifest) -> None:
        parsed = parse_object(node)
        assert isinstance(parsed, Node)
        self._cluster.store.put(parsed)
        self._cluster.cache.add_node(parsed)

    def remove_node(self, name: str) -> None:
        """Remove a node and its pods."""
        node = self._cluster.store.remove("Node", name)
        row = self._cluster.cache.table.rows.get(name)
        if node is None or row is None:
            return
        for pod in list(self._cluster.cache.table.pods[row].values()):
            self._cluster.cache.remove_pod(pod)
        assert isinstance(node, Node)
        self._cluster.cache.remove_node(node)

    def add_pod(self, pod: Manifest, node: str) -> None:
        """Place the pod on this node. Only the cache contains it, from which `remove_node` removes it."""
        self._cluster.cache.add_pod(self._parse_pod(pod).with_node(node))

    def _parse_pod(self, pod: Manifest) -> Pod:
        """Parse the manifest of a pod; the result is cached by the identity of the manifest."""
        entry = self._parsed.get(id(pod))
        if entry is None or entry[0] is not pod:
            parsed = parse_object(pod)
            assert isinstance(parsed, Pod)
            entry = self._parsed[id(pod)] = (pod, parsed)
        return entry[1]

    def first_fit(self, pod: Manifest, nodes: Iterable[str]) -> str | None:
        """Return the first of these nodes, in this order, that no filter rejects; None if there is none."""
        parsed = self._parse_pod(pod)
        framework = self._frameworks.get(parsed.scheduler_name)
        rows = self._rows(nodes)
        if framework is None or not len(rows):
            return None
        state = CycleState()
        table = self._cluster.cache.table
        outcome = run_pre_filter(framework, state, parsed, Nodes(table), None)
        if not outcome.status.is_success:
            return None
        if outcome.node_names is not None:
            rows = np.array([row for row in rows.tolist() if table.nodes[row].name in outcome.node_names], np.int64)
        feasible = search(framework, state, parsed, Nodes(table, rows), 0, 1).feasible_rows
        return table.nodes[int(feasible[0])].name if len(feasible) else None

    def _rows(self, nodes: Iterable[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        rows = self._cluster.cache.table.rows
        return np.array([rows[name] for name in nodes if name in rows], np.int64)

    def why_not(self, pod: Manifest, node: str) -> str:
        """Return the reason why the Node rejects the Pod, as Kubernetes words it; "" if it fits."""
        parsed = self._parse_pod(pod)
        framework = self._frameworks.get(parsed.scheduler_name)
        if framework is None:
            return f'no profile has the schedulerName "{parsed.scheduler_name}"'
        return "; ".join(self._status(framework, parsed, node).reasons)

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
