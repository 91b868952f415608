"""Nodes: a view of some rows of a NodeTable, and NodeView: one row. Plugins read the cluster through these."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kube_objects.node import Node
from kube_objects.pod import HostPort, Pod
from kube_objects.taints import Taint
from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.counts import CountColumn, DomainCounts
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.cache.term_table import TermCount

Rows = slice | NDArray[np.int64]
_ALL = slice(None)


class NodeMask(Protocol):
    """A selector of nodes by their objects. Equal selectors must have equal hashes."""

    def __hash__(self) -> int: ...

    def mask(self, nodes: "Nodes") -> BoolColumn: ...


class Nodes:
    """Columns over `len(self)` nodes, in the view's order. Columns may alias the table: never write to them."""

    __slots__ = ("_size", "rows", "table")

    def __init__(self, table: NodeTable, rows: NDArray[np.int64] | None = None) -> None:
        self.table = table
        self.rows: Rows
        self.rows, self._size = (_ALL, len(table.nodes)) if rows is None else (rows, len(rows))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator["NodeView"]:
        for row in self.row_numbers.tolist():
            yield NodeView(self.table, row)

    def __getitem__(self, i: int) -> "NodeView":
        return NodeView(self.table, int(self.row_numbers[i]))

    def name(self, i: int) -> str:
        return self.table.nodes[int(self.row_numbers[i])].name

    def take(self, positions: NDArray[Any] | list[int]) -> "Nodes":
        """Return the nodes at `positions` (ints, or a bool mask) of this view."""
        return Nodes(self.table, self.row_numbers[positions])

    def what_if(self) -> "Nodes":
        """Return the same nodes in a table of their own, whose pods may be added and removed."""
        return Nodes(self.table.what_if(self.row_numbers.tolist()))

    @property
    def row_numbers(self) -> NDArray[np.int64]:
        return np.arange(self._size) if isinstance(self.rows, slice) else self.rows

    @property
    def names(self) -> list[str]:
        names: list[str] = self.table.names[self.rows].tolist()
        return names

    @property
    def names_in_order(self) -> list[str]:
        """Return the names of a view in the order of creation; adjacent rows are read as a slice."""
        rows = self.rows
        if isinstance(rows, slice) or not len(rows) or rows.item(-1) - rows.item(0) != len(rows) - 1:
            return self.names
        names: list[str] = self.table.names[rows.item(0) : rows.item(-1) + 1].tolist()
        return names

    @property
    def unschedulable(self) -> BoolColumn:
        return self.table.unschedulable.values[self.rows]  # type: ignore[return-value]

    @property
    def pod_count(self) -> IntColumn:
        return self.table.pod_count.values[self.rows]  # type: ignore[return-value]

    @property
    def lowest_priority(self) -> IntColumn:
        """Return the lowest priority among the pods on each node; a node without pods has more than any priority."""
        return self.table.lowest_priority.values[self.rows]  # type: ignore[return-value]

    def allocatable(self, resource: str) -> IntColumn:
        return self.table.allocatable(resource).values[self.rows]  # type: ignore[return-value]

    def requested(self, resource: str) -> IntColumn:
        """Return the sum of the pods' requests on each node (cpu in millicores)."""
        return self.table.requested(resource).values[self.rows]  # type: ignore[return-value]

    def nonzero_requested(self, resource: str) -> IntColumn:
        """Return the sum of the pods' requests, with defaults for containers without requests."""
        return self.table.nonzero_requested(resource).values[self.rows]  # type: ignore[return-value]

    def label(self, key: str) -> CodeColumn:
        """Return the int32 code of each node's value of label `key`, −1 if it has none; `label_values` decodes."""
        return self.table.label_codes(key)[self.rows]

    def label_values(self, key: str) -> Sequence[str]:
        """Return the values of label `key` by code, also values that no node has any more."""
        self.table.label_codes(key)
        return self.table.vocabularies.label(key).values

    def label_code(self, key: str, value: str) -> int:
        """Return the code of one value of label `key`, −1 if no node ever had it."""
        self.table.label_codes(key)
        return self.table.vocabularies.label(key).find(value)

    @property
    def taints(self) -> CodeColumn:
        """Return the code of each node's whole list of taints; `taint_lists` decodes."""
        return self.table.taints.values[self.rows]  # type: ignore[return-value]

    @property
    def taint_lists(self) -> Sequence[tuple[Taint, ...]]:
        return self.table.vocabularies.taints.values

    def pods_matching(self, selector: PodSelector) -> IntColumn:
        """Return how many pods on each node `selector` selects."""
        return self._matching(selector).values[self.rows]  # type: ignore[return-value]

    def pods_by_domain(self, selector: PodSelector, key: str, counted: "NodeMask | None" = None) -> DomainCounts:
        """Return how many pods of the whole table `selector` selects, by the code of label `key`.

        `counted` restricts the nodes. The result changes with the table: copy it before you modify it.
        """
        return self._by_domain(self._matching(selector), key, counted)

    def _matching(self, selector: PodSelector) -> CountColumn:
        return self.table.pod_index.matching(selector, self.table.rows)

    def _by_domain(self, column: CountColumn, key: str, counted: "NodeMask | None") -> DomainCounts:
        def make() -> DomainCounts:
            codes = self.table.label_codes(key)
            if counted is not None:
                codes = np.where(counted.mask(Nodes(self.table)), codes, np.int32(-1))
            return DomainCounts(codes, len(self.table.vocabularies.label(key)), column.values)  # type: ignore[arg-type]

        return self.table.pod_index.by_domain(column, (key, counted), make)

    @property
    def has_terms(self) -> bool:
        """Return True if any pod of the table has an affinity term."""
        return self.table.pod_index.has_terms

    def terms(self, kind: str, labels: Mapping[str, str] | None = None, everywhere: bool = False) -> list[TermCount]:
        """Return the distinct affinity terms of one kind that pods have; read a term's column with `term_counts`.

        `labels` selects a superset of the terms that match them. `everywhere` includes nodes that upstream doesn't list
        (`PodIndex.hold`).
        """
        return self.table.pod_index.terms(kind, labels, everywhere)

    def term_counts(self, term: TermCount) -> IntColumn:
        return term.column.values[self.rows]  # type: ignore[return-value]

    def term_by_domain(self, term: TermCount) -> DomainCounts:
        """Return how many pods of the whole table have the term, by its topology key, as in `pods_by_domain`."""
        return self._by_domain(term.column, term.term.topology_key, None)

    def with_port(self, wanted: HostPort) -> BoolColumn:
        """Return True for the nodes where `wanted` is in use."""
        taken = np.zeros(len(self), np.bool_)
        for names in self.table.holders(wanted):
            taken |= self.named(names)
        return taken

    def named(self, names: Collection[str]) -> BoolColumn:
        """Return True for the nodes whose name is in `names`, a set or dict; unknown names are ignored."""
        if len(self) < len(names):
            return np.fromiter((name in names for name in self.names), np.bool_, len(self))
        rows, size = self.table.rows, len(self.table)
        mask = np.zeros(size + 1, np.bool_)  # the last entry collects the names that do not exist
        mask[np.fromiter(map(rows.get, names, repeat(size)), np.int64, len(names))] = True
        return mask[:-1][self.rows]

    def image_nodes(self, image: str) -> Mapping[str, int]:
        """Return node name → size in bytes, for all nodes that have `image` (its full name)."""
        return self.table.images.get(image, {})

    def with_image(self, image: str) -> BoolColumn:
        """Return True for the nodes that have `image` (its full name)."""
        return self.table.with_image(image)[self.rows]

    def claim_users(self, claim_key: str) -> Mapping[str, int]:
        """Return node name → number of its pods that use the claim `namespace/name`."""
        return {} if claim_key in self.table.unlisted_claims else self.table.claims.get(claim_key, {})

    def find(self, name: str) -> "NodeView | None":
        """Return the node with that name in the whole table."""
        row = self.table.rows.get(name)
        return None if row is None else NodeView(self.table, row)


class NodeView:
    """One node of a table: the object, its pods, and their sums."""

    __slots__ = ("row", "table")

    def __init__(self, table: NodeTable, row: int) -> None:
        self.table = table
        self.row = row

    @property
    def node(self) -> Node:
        return self.table.nodes[self.row]

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def labels(self) -> Mapping[str, str]:
        return self.node.labels

    @property
    def pods(self) -> Collection[Pod]:
        return self.table.pods[self.row].values()

    @property
    def as_nodes(self) -> Nodes:
        """Return a view of this one node, for column-wise code."""
        return Nodes(self.table, np.array([self.row]))

    def allocatable(self, resource: str) -> int:
        return int(self.table.allocatable(resource).values[self.row])

    def requested(self, resource: str) -> int:
        return int(self.table.requested(resource).values[self.row])

    def nonzero_requested(self, resource: str) -> int:
        return int(self.table.nonzero_requested(resource).values[self.row])

    @property
    def pod_count(self) -> int:
        return int(self.table.pod_count.values[self.row])

    def what_if(self) -> "NodeView":
        """Return the same node in a table of its own, whose pods may be added and removed."""
        return NodeView(self.table.what_if([self.row]), 0)
