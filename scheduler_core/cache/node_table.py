"""NodeTable: the cluster as columns over nodes, updated row by row as nodes and pods come and go.

Rows are in the order in which the nodes were created; the order in which the scheduler visits them is `node_tree`'s.
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
# How many changes back the rows are known that changed.
MOST_RECENT = 16

# The columns of a table: one by one, and by resource, label or image.
_SINGLE = ("unschedulable", "taints", "pod_count", "lowest_priority", "row_versions")
_BY_KEY = ("_allocatable", "_requested", "_nonzero", "_labels", "_with_image")


class Vocabularies:
    """Shared by a table and its what-if copies, so that codes mean the same in all of them."""

    def __init__(self) -> None:
        self.labels: dict[str, Vocabulary[str]] = {}
        self.taints: Vocabulary[tuple[Taint, ...]] = Vocabulary()

    def copied(self) -> "Vocabularies":
        """Some of their own: a table whose nodes change gives new codes, of which others must not know."""
        copy = Vocabularies()
        copy.labels = {key: vocabulary.copied() for key, vocabulary in self.labels.items()}
        copy.taints = self.taints.copied()
        return copy

    def label(self, key: str) -> Vocabulary[str]:
        return self.labels.setdefault(key, Vocabulary())


class NodeTable:
    """Public columns are read through `Nodes` views; only the cache writes."""

    def __init__(self, vocabularies: Vocabularies | None = None) -> None:
        self.vocabularies = vocabularies or Vocabularies()
        self.nodes: list[Node] = []
        self.rows: dict[str, int] = {}
        self.pods: list[dict[str, Pod]] = []  # a row's pods by uid
        self.ports: dict[tuple[str, int], dict[str, dict[str, None]]] = {}  # (protocol, port) → ip → node names
        self.claims: dict[str, dict[str, int]] = {}  # claim key → node name → pods using it
        self.unlisted_claims: set[str] = set()  # those that only pods on hold use
        self.images: dict[str, dict[str, int]] = {}  # image name → node name → bytes
        self.unschedulable = Column(np.bool_, 0)
        self.taints = Column(np.int32, 0)
        self.pod_count = Column(np.int64, 0)
        self.lowest_priority = Column(np.int64, 0, NO_POD)  # of the pods on the row
        self.generation = 0  # changes with every node that comes, changes or goes
        self.version = 0  # one more with every pod that comes or goes
        self.row_versions = Column(np.int64, 0)  # of the last pod that came to the row or left it
        self._changed_last: deque[int] = deque(maxlen=MOST_RECENT)  # the rows of the last versions
        self._renewals = 0
        self._loads: dict[int, Hashable] = {}  # of rows that were asked for, until a pod comes or goes
        self._loads_of = 0  # the generation that they are of
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
        """The nodes' names, by row."""
        if self._names is None:
            self._names = np.array([node.name for node in self.nodes], np.object_)
        return self._names

    # Reading

    @property
    def resources(self) -> list[str]:
        """What nodes have ever offered."""
        return list(self._allocatable)

    def allocatable(self, resource: str) -> Column:
        return self._resource(self._allocatable, resource)

    def requested(self, resource: str) -> Column:
        return self._resource(self._requested, resource)

    def nonzero_requested(self, resource: str) -> Column:
        return self._resource(self._nonzero, resource)

    def _resource(self, columns: dict[str, Column], resource: str) -> Column:
        """A resource that no node and no pod ever named reads as zeros and is not kept."""
        return columns.get(resource) or Column(np.int64, len(self.nodes))

    def label_codes(self, key: str) -> CodeColumn:
        """int32 code of each node's value of label `key`, −1 where the node lacks it."""
        column = self._labels.get(key)
        if column is None:
            column = self._labels[key] = Column(np.int32, len(self.nodes), -1)
            code = self.vocabularies.label(key).code
            values = [node.labels.get(key) for node in self.nodes]
            column.values[:] = [-1 if value is None else code(value) for value in values]
        return column.values  # type: ignore[return-value]

    def with_image(self, image: str) -> BoolColumn:
        """True for the nodes that have `image`. The column is kept for as long as a node has it."""
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
        """A what-if copy makes its own when it is asked for."""
        if self._pod_index is None:
            self._pod_index = PodIndex(len(self))
            for row, (node, pods) in enumerate(zip(self.nodes, self.pods, strict=True)):
                for pod in pods.values():
                    self._pod_index.add(pod, node.name, row, 1)
        return self._pod_index

    def what_if(self, rows: Sequence[int]) -> "NodeTable":
        """A table of its own with these nodes and their pods, for trying out which pods come and go there."""
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
        """The whole table once more, to go its own way: nodes may come, change and go there, too."""
        copy = self.what_if(range(len(self)))
        copy.vocabularies = self.vocabularies.copied()
        copy.images = {name: dict(sizes) for name, sizes in self.images.items()}
        copy.generation = self.generation
        copy.ports = {
            port: {ip: dict(names) for ip, names in addresses.items()} for port, addresses in self.ports.items()
        }
        copy._pod_index = None if self._pod_index is None else self._pod_index.copy()
        return copy

    # Nodes come, change and go

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
        """Drop the node; returns the pods that were counted on it."""
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
                # An image has one size in upstream's cache: that of the first node which has it.
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

    # Pods come and go

    def add_pod(self, pod: Pod, node_name: str) -> None:
        row = self.rows[node_name]
        self.pods[row][pod.uid] = pod
        self._count(pod, node_name, row, 1)

    def remove_pod(self, pod: Pod, node_name: str) -> None:
        """`pod` must be the very version that was added."""
        row = self.rows[node_name]
        self._take_out(pod, row)
        self._count(pod, node_name, row, -1)

    def replace_pod(self, pod: Pod, node_name: str) -> None:
        """Another version of a pod, which counts for as much as the one before."""
        row = self.rows[node_name]
        self._take_out(pod, row)
        self.pods[row][pod.uid] = pod

    def hold(self, pod: Pod) -> None:
        """A group's cycle is about to add the pod to its node, until it is over: see `PodIndex.hold`.

        Upstream's snapshot lists the claims that are in use once, too.
        """
        self.pod_index.hold(pod.node_name, self.pods[self.rows[pod.node_name]].values())
        self.unlisted_claims |= {key for key in _claims_of(pod) if key not in self.claims}

    def end_holds(self) -> None:
        """All pods on hold have been removed."""
        self.pod_index.end_holds()
        self.unlisted_claims.clear()

    def _take_out(self, pod: Pod, row: int) -> None:
        pods = self.pods[row]
        last, moved = pods.popitem()
        if last != pod.uid:
            # As in upstream's slice, the last pod of the node takes the place of the one that goes.
            self.pods[row] = {
                (last if uid == pod.uid else uid): moved if uid == pod.uid else p for uid, p in pods.items()
            }

    def renew(self) -> None:
        """Whatever was kept about a row is stale: something changed that plugins look at besides the row."""
        self.version += MOST_RECENT + 1
        self.row_versions.values[:] = self.version
        self._renewals += 1
        self._loads.clear()

    def changed_since(self, version: int) -> Sequence[int]:
        """The rows to which pods came, or that pods left, after a `version` that is at most MOST_RECENT ago."""
        return list(islice(reversed(self._changed_last), self.version - version))

    def load(self, row: int) -> Hashable:
        """How full a row is, as one value: what is allocatable and requested there, and how many pods there are."""
        if self._loads_of != self.generation:
            self._loads.clear()
            self._loads_of = self.generation
        # Every template that has been asked about asks for the row that the pod before was given.
        known = self._loads.get(row)
        if known is not None:
            return known
        allocatable, requested, nonzero = self._allocatable, self._requested, self._nonzero
        columns = (self.pod_count, *allocatable.values(), *requested.values(), *nonzero.values())
        amounts = [column.values.item(row) for column in columns]
        found = self._loads[row] = (self._renewals, len(allocatable), len(requested), *amounts)
        return found

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
        """The port is free, even if another pod there holds it as well: upstream keeps a set, not counts.

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
        """The nodes where `wanted` is taken, by the address it is taken on; 0.0.0.0 collides with every address."""
        return [
            names
            for ip, names in self.ports.get((wanted.protocol, wanted.port), {}).items()
            if ip == wanted.ip or ANY_ADDRESS in (ip, wanted.ip)
        ]


def _claims_of(pod: Pod) -> list[str]:
    """The keys of the claims that it names."""
    named = [volume.claim_name for volume in pod.volumes if volume.source == "persistentVolumeClaim"]
    return [f"{pod.namespace}/{name}" for name in named]
