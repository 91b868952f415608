"""Nodes: a view of some rows of a NodeTable, and NodeView: one of them. What plugins work on."""

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


class CountedNodes(Protocol):
    """Selects nodes by what their objects say. Equal ones, which must have equal hashes, select the same."""

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
        """The nodes at `positions` (ints, or a bool mask) of this view."""
        return Nodes(self.table, self.row_numbers[positions])

    def what_if(self) -> "Nodes":
        """The same nodes in a table of their own, whose pods may be added and removed (`add_pod`, `remove_pod`)."""
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
        """The same of nodes in the order of their creation: of those that follow one another in a third of the time."""
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
        """The lowest priority among the pods on each node; without pods, more than any priority."""
        return self.table.lowest_priority.values[self.rows]  # type: ignore[return-value]

    def allocatable(self, resource: str) -> IntColumn:
        return self.table.allocatable(resource).values[self.rows]  # type: ignore[return-value]

    def requested(self, resource: str) -> IntColumn:
        """What the pods on each node request (cpu in millicores)."""
        return self.table.requested(resource).values[self.rows]  # type: ignore[return-value]

    def nonzero_requested(self, resource: str) -> IntColumn:
        """The same with defaults for containers without requests."""
        return self.table.nonzero_requested(resource).values[self.rows]  # type: ignore[return-value]

    def label(self, key: str) -> CodeColumn:
        """int32 code of each node's value of label `key`, −1 where it is missing; `label_values` decodes."""
        return self.table.label_codes(key)[self.rows]

    def label_values(self, key: str) -> Sequence[str]:
        """Values of label `key` by code. Holds every value ever seen, also ones that no node has now."""
        self.table.label_codes(key)
        return self.table.vocabularies.label(key).values

    def label_code(self, key: str, value: str) -> int:
        """The code of one value of label `key`, −1 if no node ever had it."""
        self.table.label_codes(key)
        return self.table.vocabularies.label(key).find(value)

    @property
    def taints(self) -> CodeColumn:
        """Code of each node's whole list of taints; `taint_lists` decodes."""
        return self.table.taints.values[self.rows]  # type: ignore[return-value]

    @property
    def taint_lists(self) -> Sequence[tuple[Taint, ...]]:
        return self.table.vocabularies.taints.values

    def pods_matching(self, selector: PodSelector) -> IntColumn:
        """How many pods on each node `selector` selects."""
        return self._matching(selector).values[self.rows]  # type: ignore[return-value]

    def pods_by_domain(self, selector: PodSelector, key: str, counted: "CountedNodes | None" = None) -> DomainCounts:
        """How many pods of the whole table `selector` selects, for each value of label `key`, by code.

        With `counted` only on the nodes that it selects. The answer changes with the table: copy what is to be changed.
        """
        return self._by_domain(self._matching(selector), key, counted)

    def _matching(self, selector: PodSelector) -> CountColumn:
        return self.table.pod_index.matching(selector, self.table.rows)

    def _by_domain(self, column: CountColumn, key: str, counted: "CountedNodes | None") -> DomainCounts:
        def make() -> DomainCounts:
            codes = self.table.label_codes(key)
            if counted is not None:
                codes = np.where(counted.mask(Nodes(self.table)), codes, np.int32(-1))
            return DomainCounts(codes, len(self.table.vocabularies.label(key)), column.values)  # type: ignore[arg-type]

        return self.table.pod_index.by_domain(column, (key, counted), make)

    @property
    def has_terms(self) -> bool:
        """Whether any pod of the table carries an affinity term."""
        return self.table.pod_index.has_terms

    def terms(self, kind: str, labels: Mapping[str, str] | None = None, everywhere: bool = False) -> list[TermCount]:
        """Distinct affinity terms of one kind that pods carry; read a term's column with `term_counts`.

        With `labels` only those whose selector may match them: all that do, and few that do not. `everywhere`: also on
        nodes that upstream does not list for them (`PodIndex.hold`).
        """
        return self.table.pod_index.terms(kind, labels, everywhere)

    def term_counts(self, term: TermCount) -> IntColumn:
        return term.column.values[self.rows]  # type: ignore[return-value]

    def term_by_domain(self, term: TermCount) -> DomainCounts:
        """How many pods of the whole table carry the term, for each value of its topology key; as `pods_by_domain`."""
        return self._by_domain(term.column, term.term.topology_key, None)

    def with_port(self, wanted: HostPort) -> BoolColumn:
        """True where `wanted` is taken already."""
        taken = np.zeros(len(self), np.bool_)
        for names in self.table.holders(wanted):
            taken |= self.named(names)
        return taken

    def named(self, names: Collection[str]) -> BoolColumn:
        """True for the nodes whose name is in `names` (names that do not exist are ignored); `names` finds by hash."""
        if len(self) < len(names):
            return np.fromiter((name in names for name in self.names), np.bool_, len(self))
        rows, size = self.table.rows, len(self.table)
        mask = np.zeros(size + 1, np.bool_)  # the last entry collects the names that do not exist
        mask[np.fromiter(map(rows.get, names, repeat(size)), np.int64, len(names))] = True
        return mask[:-1][self.rows]

    def image_nodes(self, image: str) -> Mapping[str, int]:
        """Node name → size in bytes, of the nodes of the whole table that have `image` (by its full name)."""
        return self.table.images.get(image, {})

    def with_image(self, image: str) -> BoolColumn:
        """True where `image` (by its full name) is present."""
        return self.table.with_image(image)[self.rows]

    def claim_users(self, claim_key: str) -> Mapping[str, int]:
        """Node name → number of pods there that use the claim `namespace/name`."""
        return {} if claim_key in self.table.unlisted_claims else self.table.claims.get(claim_key, {})

    def find(self, name: str) -> "NodeView | None":
        """The node of that name in the whole table."""
        row = self.table.rows.get(name)
        return None if row is None else NodeView(self.table, row)


class NodeView:
    """One node of a table: the object, its pods, its sums."""

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
        """A view of this one node, for column-wise code."""
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
        """The same node in a table of its own, whose pods may be added and removed (`table.add_pod`, `remove_pod`)."""
        return NodeView(self.table.what_if([self.row]), 0)
