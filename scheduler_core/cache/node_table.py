"""NodeTable: the cluster as columns over nodes, updated row by row as nodes and pods change.

Rows are in the order in which the nodes were created; `node_tree` has the visiting order.
Source: pkg/scheduler/framework/types.go NodeInfo, pkg/scheduler/backend/cache/snapshot.go.
"""

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kube_objects.node import Node
from kube_objects.pod import HostPort, Pod
from kube_objects.taints import Taint
from scheduler_core.cache.column_types import BoolColumn, CodeColumn
from scheduler_core.cache.columns import Column, Vocabulary
from scheduler_core.cache.pod_index import PodIndex

T = TypeVar("T")

ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - a value to compare with, nothing listens
NO_POD = np.iinfo(np.int64).max
# The number of recent versions whose changed row is known.
MAX_RECENT_CHANGES = 16

# The attributes that hold a column, and those that hold columns by resource, label or image.
_SINGLE = ("unschedulable", "taints", "pod_count", "lowest_priority", "row_versions")
_BY_KEY = ("_allocatable", "_requested", "_nonzero", "_labels", "_with_image")


class Vocabularies:
    """The codes of label values and taints, shared by a table and its what-if copies."""

    def __init__(self) -> None:
        self.labels: dict[str, Vocabulary[str]] = {}
        self.taints: Vocabulary[tuple[Taint, ...]] = Vocabulary()

    def copied(self) -> "Vocabularies":
        """Return an independent copy, for a table whose nodes will change."""
        copy = Vocabularies()
        copy.labels = {key: vocabulary.copied() for key, vocabulary in self.labels.items()}
        copy.taints = self.taints.copied()
        return copy

    def label(self, key: str) -> Vocabulary[str]:
        return self.labels.setdefault(key, Vocabulary())


class NodeTable:
    """The columns of all nodes. Plugins read them through `Nodes` views; only the cache writes."""

    def __init__(self, vocabularies: Vocabularies | None = None) -> None:
        self.vocabularies = vocabularies or Vocabularies()
        self.nodes: list[Node] = []
        self.rows: dict[str, int] = {}
        self.pods: list[dict[str, Pod]] = []  # a row's pods by uid
        self.ports: dict[tuple[str, int], dict[str, dict[str, None]]] = {}  # (protocol, port) → ip → node names
        self.claims: dict[str, dict[str, int]] = {}  # claim key → node name → pods using it
        self.unlisted_claims: set[str] = set()  # claims that only held pods use
        self.images: dict[str, dict[str, int]] = {}  # image name → node name → bytes
        self.unschedulable = Column(np.bool_, 0)
        self.taints = Column(np.int32, 0)
        self.pod_count = Column(np.int64, 0)
        self.lowest_priority = Column(np.int64, 0, NO_POD)  # the lowest priority among the row's pods
        self.generation = 0  # incremented when a node is added, updated or removed
        self.version = 0  # incremented when a pod is added or removed
        self.row_versions = Column(np.int64, 0)  # the version of the last change to the row's pods
        self._changed_last: deque[int] = deque(maxlen=MAX_RECENT_CHANGES)  # the rows of the last versions
        self._renewals = 0
        self._loads: dict[int, Hashable] = {}  # row → its load, until its pods change
        self._loads_generation = 0  # the generation for which `_loads` is valid
        self._names: NDArray[np.object_] | None = None
        self._pod_index: PodIndex | None = PodIndex()
        self._allocatable: dict[str, Column] = {}
        self._requested: dict[str, Column] = {}
        self._nonzero: dict[str, Column] = {}
        self._labels: dict[str, Column] = {}
        self._with_image: dict[str, Column] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def names(self) -> NDArray[np.object_]:
        """Return the nodes' names, by row."""
        if self._names is None:
            self._names = np.array([node.name for node in self.nodes], np.object_)
        return self._names

    # Reading

    @property
    def resources(self) -> list[str]:
        """Return all resources that a node has ever had as allocatable."""
        return list(self._allocatable)

    def allocatable(self, resource: str) -> Column:
        return self._resource(self._allocatable, resource)

    def requested(self, resource: str) -> Column:
        return self._resource(self._requested, resource)

    def nonzero_requested(self, resource: str) -> Column:
        return self._resource(self._nonzero, resource)

    def _resource(self, columns: dict[str, Column], resource: str) -> Column:
        """Return the resource's column, or zeros if no node and no pod ever named it."""
        return columns.get(resource) or Column(np.int64, len(self.nodes))

    def label_codes(self, key: str) -> CodeColumn:
        """Return the int32 code of each node's value of label `key`, −1 if the node lacks it."""
        column = self._labels.get(key)
        if column is None:
            column = self._labels[key] = Column(np.int32, len(self.nodes), -1)
            code = self.vocabularies.label(key).code
            values = [node.labels.get(key) for node in self.nodes]
            column.values[:] = [-1 if value is None else code(value) for value in values]
        return column.values  # type: ignore[return-value]

    def with_image(self, image: str) -> BoolColumn:
        """Return True for the nodes that have `image`. The column is cached as long as a node has it."""
        column = self._with_image.get(image)
        if column is None:
            column = Column(np.bool_, len(self.nodes))
            names = self.images.get(image, {})
            column.values[[self.rows[name] for name in names if name in self.rows]] = True
            if names:
                self._with_image[image] = column
        return column.values  # type: ignore[return-value]

    @property
    def pod_index(self) -> PodIndex:
        """Return the index of the pods; a what-if copy builds its own on first use."""
        if self._pod_index is None:
            self._pod_index = PodIndex(len(self))
            for row, (node, pods) in enumerate(zip(self.nodes, self.pods, strict=True)):
                for pod in pods.values():
                    self._pod_index.add(pod, node.name, row, 1)
        return self._pod_index

    def what_if(self, rows: Sequence[int]) -> "NodeTable":
        """Return a table with these nodes and their pods, to try out other pods on them."""
        copy = NodeTable(self.vocabularies)
        copy._pod_index = None
        copy.nodes = [self.nodes[row] for row in rows]
        copy.rows = {node.name: i for i, node in enumerate(copy.nodes)}
        copy.pods = [dict(self.pods[row]) for row in rows]
        copy.images = self.images
        copy.version = self.version
        for name in _SINGLE:
            setattr(copy, name, getattr(self, name).take(rows))
        for name in _BY_KEY:
            setattr(copy, name, {key: column.take(rows) for key, column in getattr(self, name).items()})
        if self.ports or self.claims:
            for node, pods in zip(copy.nodes, copy.pods, strict=True):
                for pod in pods.values():
                    copy._take_ports([port for port in pod.host_ports if self._holds(port, node.name)], node.name)
                    copy._tally_claims(pod, node.name, 1)
        return copy

    def copied(self) -> "NodeTable":
        """Return an independent copy of the whole table, whose nodes may change, too."""
        copy = self.what_if(range(len(self)))
        copy.vocabularies = self.vocabularies.copied()
        copy.images = {name: dict(sizes) for name, sizes in self.images.items()}
        copy.generation = self.generation
        copy.ports = {
            port: {ip: dict(names) for ip, names in addresses.items()} for port, addresses in self.ports.items()
        }
        copy._pod_index = None if self._pod_index is None else self._pod_index.copy()
        return copy

    # Nodes are added, updated and removed

    def add_node(self, node: Node) -> None:
        self.generation, self._names = self.generation + 1, None
        self.rows[node.name] = len(self.nodes)
        self.nodes.append(node)
        self.pods.append({})
        for column in self._columns():
            column.append()
        if self._pod_index is not None:
            self._pod_index.append_row()
        self._write(len(self.nodes) - 1, node, {})

    def update_node(self, node: Node) -> None:
        self.generation += 1
        row = self.rows[node.name]
        old = self.nodes[row]
        self.nodes[row] = node
        self._forget_images(row, old)
        self._write(row, node, old.allocatable)
        if self._pod_index is not None:
            self._pod_index.forget_domains()

    def remove_node(self, name: str) -> Collection[Pod]:
        """Remove the node; return the pods that were counted on it."""
        self.generation, self._names = self.generation + 1, None
        row = self.rows[name]
        pods = list(self.pods[row].values())
        for pod in pods:
            self.remove_pod(pod, name)
        self._forget_images(row, self.nodes[row])
        for column in self._columns():
            column.remove(row)
        if self._pod_index is not None:
            self._pod_index.remove_row(row)
        del self.nodes[row], self.pods[row], self.rows[name]
        for later, node in enumerate(self.nodes[row:], row):
            self.rows[node.name] = later
        return pods

    def _columns(self) -> Sequence[Column]:
        groups = (getattr(self, name).values() for name in _BY_KEY)
        return [*(getattr(self, name) for name in _SINGLE), *(column for group in groups for column in group)]

    def _write(self, row: int, node: Node, old_allocatable: Mapping[str, int]) -> None:
        self.unschedulable.values[row] = node.unschedulable
        self.taints.values[row] = self.vocabularies.taints.code(node.taints)
        for resource in old_allocatable.keys() - node.allocatable.keys():
            self._allocatable[resource].values[row] = 0
        for resource, amount in node.allocatable.items():
            self._column(self._allocatable, resource).values[row] = amount
        for key, column in self._labels.items():
            value = node.labels.get(key)
            column.values[row] = -1 if value is None else self.vocabularies.label(key).code(value)
        for image in node.images:
            for name in image.names:
                sizes = self.images.setdefault(name, {})
                # In upstream's cache an image has one size: that of the first node that reported it.
                sizes[node.name] = next(iter(sizes.values()), image.size_bytes)
                if name in self._with_image:
                    self._with_image[name].values[row] = True

    def _forget_images(self, row: int, node: Node) -> None:
        for image in node.images:
            for name in image.names:
                self._discard(self.images, name, node.name)
                if name in self._with_image:
                    self._with_image[name].values[row] = False
                    if name not in self.images:
                        del self._with_image[name]

    def _column(self, columns: dict[str, Column], resource: str) -> Column:
        column = columns.get(resource)
        if column is None:
            column = columns[resource] = Column(np.int64, len(self.nodes))
        return column

    # Pods are added and removed

    def add_pod(self, pod: Pod, node_name: str) -> None:
        row = self.rows[node_name]
        self.pods[row][pod.uid] = pod
        self._count(pod, node_name, row, 1)

    def remove_pod(self, pod: Pod, node_name: str) -> None:
        """Remove a pod; `pod` must be the very version that was added."""
        row = self.rows[node_name]
        self._remove_from_row(pod, row)
        self._count(pod, node_name, row, -1)

    def replace_pod(self, pod: Pod, node_name: str) -> None:
        """Replace a pod by another version with the same counts."""
        row = self.rows[node_name]
        self._remove_from_row(pod, row)
        self.pods[row][pod.uid] = pod

    def hold(self, pod: Pod) -> None:
        """Prepare for a pod that a pod group's cycle adds until its end: see `PodIndex.hold`.

        Upstream's snapshot lists the claims in use once, too.
        """
        self.pod_index.hold(pod.node_name, self.pods[self.rows[pod.node_name]].values())
        self.unlisted_claims |= {key for key in _claims_of(pod) if key not in self.claims}

    def end_holds(self) -> None:
        """End the holds of a pod group's cycle; all held pods have been removed."""
        self.pod_index.end_holds()
        self.unlisted_claims.clear()

    def _remove_from_row(self, pod: Pod, row: int) -> None:
        pods = self.pods[row]
        last, moved = pods.popitem()
        if last != pod.uid:
            # As in upstream's slice, the last pod of the node takes the removed pod's place.
            self.pods[row] = {
                (last if uid == pod.uid else uid): moved if uid == pod.uid else p for uid, p in pods.items()
            }

    def invalidate_rows(self) -> None:
        """Invalidate all cached rows, because something outside of the table changed that plugins read."""
        self.version += MAX_RECENT_CHANGES + 1
        self.row_versions.values[:] = self.version
        self._renewals += 1
        self._loads.clear()

    def changed_since(self, version: int) -> Sequence[int]:
        """Return the rows whose pods changed after `version`, which is at most MAX_RECENT_CHANGES ago."""
        return list(islice(reversed(self._changed_last), self.version - version))

    def load(self, row: int) -> Hashable:
        """Return a row's load as one value: allocatable and requested amounts, and the number of pods."""
        if self._loads_generation != self.generation:
            self._loads.clear()
            self._loads_generation = self.generation
        # Each cached signature asks for the load of the row that the previous pod got.
        known = self._loads.get(row)
        if known is not None:
            return known
        allocatable, requested, nonzero = self._allocatable, self._requested, self._nonzero
        columns = (self.pod_count, *allocatable.values(), *requested.values(), *nonzero.values())
        amounts = [column.values.item(row) for column in columns]
        load = self._loads[row] = (self._renewals, len(allocatable), len(requested), *amounts)
        return load

    def _count(self, pod: Pod, node_name: str, row: int, delta: int) -> None:
        self.version += 1
        self._loads.pop(row, None)
        self.row_versions.values[row] = self.version
        self._changed_last.append(row)
        self.pod_count.values[row] += delta
        for resource, amount in pod.requests.items():
            self._column(self._requested, resource).values[row] += delta * amount
        for resource, amount in pod.nonzero_requests.items():
            self._column(self._nonzero, resource).values[row] += delta * amount
        if self._pod_index is not None:
            self._pod_index.add(pod, node_name, row, delta)
        lowest = self.lowest_priority.values
        if delta > 0:
            if pod.priority < lowest[row]:
                lowest[row] = pod.priority
            self._take_ports(pod.host_ports, node_name)
        else:
            if pod.priority == lowest[row]:
                lowest[row] = min((other.priority for other in self.pods[row].values()), default=NO_POD)
            for port in pod.host_ports:
                self._release(port, node_name)
        if pod.volumes:
            self._tally_claims(pod, node_name, delta)

    def _take_ports(self, ports: Iterable[HostPort], node_name: str) -> None:
        for port in ports:
            self.ports.setdefault((port.protocol, port.port), {}).setdefault(port.ip, {})[node_name] = None

    def _tally_claims(self, pod: Pod, node_name: str, delta: int) -> None:
        for key in _claims_of(pod):
            self._tally(self.claims, key, node_name, delta)

    def _tally(self, counts: dict[str, dict[str, int]], key: str, node_name: str, delta: int) -> None:
        per_node = counts.setdefault(key, {})
        per_node[node_name] = per_node.get(node_name, 0) + delta
        if not per_node[node_name]:
            self._discard(counts, key, node_name)

    def _holds(self, port: HostPort, node_name: str) -> bool:
        return node_name in self.ports.get((port.protocol, port.port), {}).get(port.ip, {})

    def _release(self, port: HostPort, node_name: str) -> None:
        """Free the port, even if another pod on the node uses it as well, because upstream keeps a set and not
        counts.

        Source: kube-scheduler/framework/types.go HostPortInfo.
        """
        addresses = self.ports.get((port.protocol, port.port), {})
        self._discard(addresses, port.ip, node_name)
        if not addresses:
            self.ports.pop((port.protocol, port.port), None)

    @staticmethod
    def _discard(counts: dict[str, dict[str, T]], key: str, node_name: str) -> None:
        per_node = counts.get(key, {})
        per_node.pop(node_name, None)
        if not per_node:
            counts.pop(key, None)

    def holders(self, wanted: HostPort) -> list[Collection[str]]:
        """Return the nodes where `wanted` is in use, by its address; 0.0.0.0 conflicts with every address."""
        return [
            names
            for ip, names in self.ports.get((wanted.protocol, wanted.port), {}).items()
            if ip == wanted.ip or ANY_ADDRESS in (ip, wanted.ip)
        ]


def _claims_of(pod: Pod) -> list[str]:
    """Return the keys of the PersistentVolumeClaims that the pod names."""
    named = [volume.claim_name for volume in pod.volumes if volume.source == "persistentVolumeClaim"]
    return [f"{pod.namespace}/{name}" for name in named]
