"""Nominator: the nodes that pods are nominated to after preemption.

Source: pkg/scheduler/backend/queue/nominator.go.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from kube_objects.pod import Pod

PodRef = tuple[str, str, str]  # namespace, name, uid


class Nominator:
    """Nominations by node. `find_pod` returns a live pod by its key: deleted and assigned pods are not nominated."""

    def __init__(self, find_pod: Callable[[str], Pod | None]) -> None:
        self._find_pod = find_pod
        self._by_node: dict[str, dict[str, PodRef]] = {}
        self._node_of: dict[str, str] = {}

    def add(self, pod: Pod, node_name: str | None = None) -> None:
        """Nominate `pod` to `node_name` ("" for no node), or with None to the node in its status."""
        self.remove(pod.uid)
        node = pod.nominated_node_name if node_name is None else node_name
        if not node:
            return
        live = self._find_pod(pod.key)
        if live is None or live.node_name:
            return
        self._node_of[pod.uid] = node
        self._by_node.setdefault(node, {})[pod.uid] = (pod.namespace, pod.name, pod.uid)

    def update(self, old: Pod, new: Pod) -> None:
        """Update the pod's nomination; an update without one keeps a nomination that exists in memory only."""
        nominated = None
        if not old.nominated_node_name and not new.nominated_node_name:
            nominated = self._node_of.get(old.uid)
        self.remove(old.uid)
        self.add(new, nominated)

    def remove(self, uid: str) -> None:
        node = self._node_of.pop(uid, None)
        if node is not None:
            del self._by_node[node][uid]
            if not self._by_node[node]:
                del self._by_node[node]

    def on_node(self, node_name: str) -> list[PodRef]:
        """Return the pods nominated to the node, in the order of their nomination."""
        return list(self._by_node.get(node_name, {}).values())

    def nodes(self) -> Collection[str]:
        """Return the names of the nodes that pods are nominated to."""
        return self._by_node.keys()

    def dump(self) -> list[list[Any]]:
        """Return JSON-ready data: `[node name, [[namespace, name, uid], …]]` in order."""
        return [[node, [list(ref) for ref in refs.values()]] for node, refs in self._by_node.items()]

    def load(self, data: Iterable[Any]) -> None:
        """Load the data of `dump` into an empty instance."""
        for node, refs in data:
            self._by_node[node] = {uid: (namespace, name, uid) for namespace, name, uid in refs}
            self._node_of.update((uid, node) for _, _, uid in refs)
