"""Cache: the nodes, the pods on them, and the pods that are assumed there until their binding is observed.

Source: pkg/scheduler/backend/cache/cache.go.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.history import dump_history, load_history
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.node_tree import NodeTree
from scheduler_core.cache.pod_groups import PodGroups


class CacheError(Exception):
    """Raised if an update contradicts the cache; the message is upstream's."""


class Cache:
    """The scheduler's view of nodes and pods.

    `table` includes assumed pods; `order` is the visiting order of the nodes. `ttl` is how many virtual seconds an
    assumed pod lives after its binding finished; 0 (upstream's setting) means forever. Pods on unknown nodes are stored
    and counted as soon as their node is added.
    """

    def __init__(self, ttl: float = 0.0) -> None:
        self.table = NodeTable()
        self.pod_groups = PodGroups()
        self.ttl = ttl
        self._tree = NodeTree()
        self._pods: dict[str, Pod] = {}
        self._assumed: dict[str, float | None] = {}  # uid → deadline; None while it may not expire
        self._orphans: dict[str, dict[str, Pod]] = {}  # name of an unknown node → its pods by uid
        self._visited: list[str] = []  # the visiting order of the last snapshot
        self._nodes_changed = False  # since the last snapshot
        self._order: IntColumn | None = None

    def copied(self) -> "Cache":
        """Return an independent copy. Nodes and pods are shared, because they are immutable."""
        copy = Cache(self.ttl)
        copy.table = self.table.copied()
        copy.pod_groups = self.pod_groups.copied()
        copy._tree.load(self._tree.dump())
        copy._pods, copy._assumed = dict(self._pods), dict(self._assumed)
        copy._orphans = {name: dict(pods) for name, pods in self._orphans.items()}
        copy._visited, copy._nodes_changed, copy._order = list(self._visited), self._nodes_changed, self._order
        return copy

    # Nodes

    def add_node(self, node: Node) -> None:
        self._tree.add(node)
        self.table.add_node(node)
        for pod in self._orphans.pop(node.name, {}).values():
            self.table.add_pod(pod, node.name)
        self._nodes_changed, self._order = True, None

    def update_node(self, old: Node, new: Node) -> None:
        self._tree.update(old, new)
        self.table.update_node(new)
        if self._nodes_changed:
            self._order = None

    def remove_node(self, node: Node) -> None:
        """Remove the node. Its pods stay in the cache until they are removed themselves."""
        if node.name not in self.table.rows:
            raise CacheError(f"node {node.name} is not found")
        self._tree.remove(self.table.nodes[self.table.rows[node.name]])
        pods = self.table.remove_node(node.name)
        if pods:
            self._orphans[node.name] = {pod.uid: pod for pod in pods}
        self._nodes_changed, self._order = True, None

    @property
    def order(self) -> IntColumn:
        """Return the int64 rows of the table in the order in which an attempt that starts now visits the nodes."""
        if self._order is None:
            rows = self.table.rows
            self._order = np.array([rows[name] for name in self._names_to_visit()], np.int64)
        return self._order

    def update_snapshot(self) -> None:
        """Update the visiting order at the start of an attempt, if nodes were added or removed since the last one.

        So a node that changed its zone, or was recreated between two attempts, keeps its place.
        """
        self._visited = self._names_to_visit()
        self._nodes_changed = False

    def _names_to_visit(self) -> list[str]:
        if not self._nodes_changed or self.table.rows.keys() == set(self._visited):
            return self._visited
        return self._tree.names()

    # Pods

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def get(self, uid: str) -> Pod | None:
        """Return the pod as the cache counts it, also if its node was removed."""
        return self._pods.get(uid)

    def is_assumed(self, uid: str) -> bool:
        return uid in self._assumed

    def add_pod(self, pod: Pod) -> None:
        """Add an assigned pod. An assumed pod is replaced, also if it is on another node."""
        if pod.uid in self._assumed:
            if self._replace(self._pods[pod.uid], pod):
                return
            self._remove(pod.uid)
        elif pod.uid in self._pods:
            raise CacheError(f"pod {pod.uid}({pod.key}) was already in added state")
        self._add(pod)

    def update_pod(self, old: Pod, new: Pod) -> None:
        """Update a pod; `old` and `new` are on the same node."""
        current = self._pods.get(old.uid)
        if current is None:
            raise CacheError(f"pod {old.uid}({old.key}) is not added to scheduler cache, so cannot be updated")
        if old.uid in self._assumed:
            raise CacheError(f"assumed pod {old.uid}({old.key}) should not be updated")
        if current.node_name != new.node_name:
            raise CacheError(f"pod {old.uid}({old.key}) updated on a different node than previously added to")
        if not self._replace(current, new):
            self._remove(old.uid)
            self._add(new)

    def remove_pod(self, pod: Pod) -> None:
        current = self._pods.get(pod.uid)
        if current is None:
            raise CacheError(f"pod {pod.uid}({pod.key}) is not found in scheduler cache, so cannot be removed from it")
        if pod.node_name not in ("", current.node_name):
            raise CacheError(f"pod {pod.uid}({pod.key}) was added to a different node than it was assumed")
        self._remove(pod.uid)

    def assume(self, pod: Pod) -> None:
        """Count `pod` on its `node_name` before it is bound."""
        if pod.uid in self._pods:
            raise CacheError(f"pod {pod.uid}({pod.key}) is in the cache, so can't be assumed")
        self._add(pod, is_assumed=True)

    def hold(self, pod: Pod) -> None:
        """Assume the pod for the rest of a pod group's cycle."""
        if pod.node_name in self.table.rows:
            self.table.hold(pod)
        self.assume(pod)

    def end_holds(self) -> None:
        """End the holds of a pod group's cycle; all held pods have been forgotten."""
        self.table.end_holds()

    def finish_binding(self, pod: Pod, now: float) -> None:
        """Start the time to live of the assumed pod."""
        if pod.uid in self._assumed and self.ttl:
            self._assumed[pod.uid] = now + self.ttl

    def forget(self, pod: Pod) -> None:
        """Undo `assume`."""
        current = self._pods.get(pod.uid)
        if current is not None and current.node_name != pod.node_name:
            raise CacheError(
                f"pod {pod.uid}({pod.key}) was assumed on {pod.node_name} but assigned to {current.node_name}"
            )
        if pod.uid not in self._assumed:
            raise CacheError(f"pod {pod.uid}({pod.key}) wasn't assumed so cannot be forgotten")
        self._remove(pod.uid, is_forgotten=True)

    def expire(self, now: float) -> list[Pod]:
        """Remove and return the assumed pods whose time to live is over."""
        overdue = [uid for uid, deadline in self._assumed.items() if deadline is not None and now > deadline]
        return [self._remove(uid) for uid in overdue]

    def _add(self, pod: Pod, is_assumed: bool = False) -> None:
        self._pods[pod.uid] = pod
        if is_assumed:
            self._assumed[pod.uid] = None
            self.pod_groups.assume(pod)
        else:
            self.pod_groups.put(pod)
        if pod.node_name in self.table.rows:
            self.table.add_pod(pod, pod.node_name)
        else:
            self._orphans.setdefault(pod.node_name, {})[pod.uid] = pod

    def _replace(self, current: Pod, new: Pod) -> bool:
        """Replace a pod if no count changes; otherwise do nothing and return False."""
        if new.node_name not in self.table.rows or not _counts_the_same(current, new):
            return False
        del self._pods[current.uid]
        self._assumed.pop(current.uid, None)
        self._pods[new.uid] = new
        self.table.replace_pod(new, new.node_name)
        return True

    def _remove(self, uid: str, is_forgotten: bool = False) -> Pod:
        pod = self._pods.pop(uid)
        self._assumed.pop(uid, None)
        if is_forgotten:
            self.pod_groups.forget(pod)
        else:
            self.pod_groups.remove(pod)
        if pod.node_name in self.table.rows:
            self.table.remove_pod(pod, pod.node_name)
        else:
            pods = self._orphans[pod.node_name]
            del pods[uid]
            if not pods:
                del self._orphans[pod.node_name]
        return pod

    # Checkpoints

    def dump(self) -> dict[str, Any]:
        """Return JSON-ready data; nodes by name, pods by uid, both in an order that `load` restores."""
        on_nodes = zip(self.table.nodes, self.table.pods, strict=True)
        return {
            "zones": self._tree.dump(),
            "visited": self._visited,
            "nodesChanged": self._nodes_changed,
            "pods": [[node.name, list(pods)] for node, pods in on_nodes],
            "elsewhere": [[name, list(pods)] for name, pods in self._orphans.items()],
            "assumed": [[uid, deadline] for uid, deadline in self._assumed.items()],
            "history": dump_history(self.table),
        }

    def load(self, data: Mapping[str, Any], nodes: Mapping[str, Node], pods: Mapping[str, Pod]) -> None:
        """Load the data of `dump` into a new cache; `nodes` by name and `pods` by uid are the live objects."""
        for name, _ in data["pods"]:
            self.table.add_node(nodes[name])
        self._tree.load(data["zones"])
        self._visited = list(data["visited"])
        self._nodes_changed = data["nodesChanged"]
        for node_name, uids in (*data["pods"], *data["elsewhere"]):
            for uid in uids:
                self._add(pods[uid] if pods[uid].node_name else pods[uid].with_node(node_name))
        self._assumed = dict(data["assumed"])
        load_history(self.table, data["history"])


def _counts_the_same(old: Pod, new: Pod) -> bool:
    """Return True if no column of the NodeTable differs between two versions of a pod."""
    return (
        old.node_name == new.node_name
        and old.requests is new.requests
        and old.nonzero_requests is new.nonzero_requests
        and old.labels is new.labels
        and old.priority == new.priority
        and old.terminating == new.terminating
        and not _has_other_counts(old)
        and not _has_other_counts(new)
    )


def _has_other_counts(pod: Pod) -> bool:
    """Return True if the pod is counted by more than its requests, labels and number."""
    return bool(pod.host_ports or pod.volumes or pod.pod_affinity or pod.pod_anti_affinity or pod.scheduling_group)
