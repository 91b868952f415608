"""PodIndex: how many pods on each node match a selector, and how many have an affinity term.

Pods with equal namespace and labels form a class. A selector is matched once per class; its column of counts per node,
and the column's sums by topology domain, are updated as pods are added and removed.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector
from scheduler_core.cache.counts import CountColumn, DomainCounts
from scheduler_core.cache.term_table import LIST_OF, LISTS, Anchor, TermCount, TermTable, first_anchors, terms_of

# Cached columns per table; the least recently used one is dropped first.
MAX_SELECTOR_COLUMNS = 1024
# Cached sums by domain per table; one more drops all of them.
MAX_DOMAIN_COUNTS = 1024


@dataclass(slots=True, frozen=True)
class PodSelector:
    """A selector of pods: in any of `namespaces` (None = all), matching all of `selectors`.

    `terminating` false excludes pods that are being deleted.
    """

    namespaces: frozenset[str] | None
    selectors: tuple[LabelSelector, ...]
    terminating: bool = True

    def matches(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        return (
            (self.namespaces is None or namespace in self.namespaces)
            and (self.terminating or not terminating)
            and all(selector.matches(labels) for selector in self.selectors)
        )


@dataclass(slots=True)
class PodClass:
    """The pods with equal namespace and labels; `counts` is by node name."""

    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    counts: dict[str, int] = field(default_factory=dict)
    columns: list[CountColumn] = field(default_factory=list)


ClassKey = tuple[str, bool, frozenset[tuple[str, str]]]


class PodIndex:
    """The selector columns and affinity terms of one table."""

    def __init__(self, size: int = 0) -> None:
        """Create an empty index of `size` rows."""
        self._classes: dict[ClassKey, PodClass] = {}
        self._labelled: dict[tuple[str, str], dict[ClassKey, PodClass]] = {}  # label → classes that have it
        self._columns: dict[PodSelector, CountColumn] = {}
        self._anchored: dict[Anchor, dict[PodSelector, CountColumn]] = {}  # required label → columns
        self._terms = TermTable()
        self._unlisted = TermTable()  # terms of held pods on nodes that upstream doesn't list
        self._not_listed: set[tuple[str, str]] = set()  # (node name, list)
        self._summed: list[CountColumn] = []  # columns that have sums, once per sum
        self._size = size

    def copy(self) -> "PodIndex":
        """Return an independent index of the same pods, without sums by domain."""
        rows = range(self._size)
        other = PodIndex(self._size)
        columns = {id(column): column.copied(rows) for column in self._all_columns()}
        for selector, column in self._columns.items():
            other._add_column(selector, columns[id(column)])
        for key, pods in self._classes.items():
            copied = [columns[id(column)] for column in pods.columns]
            own_class = PodClass(pods.namespace, pods.labels, pods.terminating, dict(pods.counts), copied)
            other._add_class(key, own_class)
        other._terms = self._terms.copied(columns)
        other._unlisted = self._unlisted.copied(columns)
        other._not_listed = set(self._not_listed)
        return other

    def append_row(self) -> None:
        self._size += 1
        self.forget_domains()
        for column in self._all_columns():
            column.append()

    def remove_row(self, row: int) -> None:
        """Remove a row, whose pods have been removed before."""
        self._size -= 1
        self.forget_domains()
        for column in self._all_columns():
            column.remove(row)

    def forget_domains(self) -> None:
        """Drop all sums by domain, because a node changed."""
        for column in self._summed:
            column.by_domain.clear()
        self._summed.clear()

    def by_domain(self, column: CountColumn, key: Hashable, make: Callable[[], DomainCounts]) -> DomainCounts:
        """Return the sums of `column` under `key`; `make` computes them the first time."""
        counts = column.by_domain.get(key)
        if counts is None:
            if len(self._summed) >= MAX_DOMAIN_COUNTS:
                self.forget_domains()
            counts = column.by_domain[key] = make()
            self._summed.append(column)
        return counts

    def _all_columns(self) -> Iterator[CountColumn]:
        yield from self._columns.values()
        yield from self._terms.columns()
        yield from self._unlisted.columns()

    def add(self, pod: Pod, node_name: str, row: int, delta: int) -> None:
        """Add (`delta` 1) or remove (−1) `pod` on its node."""
        key = (pod.namespace, pod.terminating, frozenset(pod.labels.items()))
        pods = self._classes.get(key)
        if pods is None:
            pods = PodClass(pod.namespace, pod.labels, pod.terminating)
            self._add_class(key, pods)
            for anchor in (None, *pods.labels.items()):
                for selector, column in self._anchored.get(anchor, {}).items():
                    if selector.matches(pods.namespace, pods.labels, pods.terminating):
                        pods.columns.append(column)
        count = pods.counts.get(node_name, 0) + delta
        if count:
            pods.counts[node_name] = count
        else:
            del pods.counts[node_name]
            if not pods.counts:
                self._remove_class(key)
        for column in pods.columns:
            column.add(row, delta)
        if pod.pod_affinity is not None or pod.pod_anti_affinity is not None:
            for kind, term, weight in terms_of(pod):
                is_listed = (node_name, LIST_OF[kind]) not in self._not_listed
                (self._terms if is_listed else self._unlisted).add(kind, term, weight, row, delta, self._size)

    def hold(self, node_name: str, pods: Collection[Pod]) -> None:
        """Prepare for a pod that a pod group's cycle adds beside these until `end_holds`.

        Upstream's snapshot lists the nodes with affinity terms once. A pod that is assumed in it (Snapshot.AssumePod)
        adds no node to these lists, so that readers of the lists don't see its terms.
        """
        for name, carries in LISTS.items():
            if not any(map(carries, pods)):
                self._not_listed.add((node_name, name))

    def end_holds(self) -> None:
        """End the holds; all held pods have been removed.

        Pods added to their nodes meanwhile are listed from now on.
        """
        self._not_listed.clear()
        if self._unlisted:
            self._terms.take_over(self._unlisted, self._size)
            self._unlisted = TermTable()

    def _add_class(self, key: ClassKey, pods: PodClass) -> None:
        self._classes[key] = pods
        for label in key[2]:
            self._labelled.setdefault(label, {})[key] = pods

    def _remove_class(self, key: ClassKey) -> None:
        del self._classes[key]
        for label in key[2]:
            del self._labelled[label][key]
            if not self._labelled[label]:
                del self._labelled[label]

    def _add_column(self, selector: PodSelector, column: CountColumn) -> None:
        self._columns[selector] = column
        for anchor in required_labels(selector):
            self._anchored.setdefault(anchor, {})[selector] = column

    def matching(self, selector: PodSelector, rows: Mapping[str, int]) -> CountColumn:
        """Return how many pods on each row `selector` selects; `rows` is node name → row."""
        if len(self._columns) < MAX_SELECTOR_COLUMNS // 2 and (known := self._columns.get(selector)) is not None:
            return known  # far from the limit, the order of use doesn't matter
        column = self._columns.pop(selector, None)
        if column is None:
            if len(self._columns) >= MAX_SELECTOR_COLUMNS:
                self._forget(next(iter(self._columns)))
            column = CountColumn(self._size)
            self._add_column(selector, column)
            for pods in self._candidates(selector):
                if selector.matches(pods.namespace, pods.labels, pods.terminating):
                    pods.columns.append(column)
                    for node_name, count in pods.counts.items():
                        column.values[rows[node_name]] += count
        self._columns[selector] = column  # last = most recently used
        return column

    def _candidates(self, selector: PodSelector) -> Iterator[PodClass]:
        """Return all classes that the selector may match, a superset."""
        for anchor in required_labels(selector):
            yield from (self._classes if anchor is None else self._labelled.get(anchor, {})).values()

    def _forget(self, selector: PodSelector) -> None:
        column = self._columns.pop(selector)
        for pods in self._candidates(selector):
            pods.columns = [columns for columns in pods.columns if columns is not column]
        for anchor in required_labels(selector):
            del self._anchored[anchor][selector]
            if not self._anchored[anchor]:
                del self._anchored[anchor]

    @property
    def has_terms(self) -> bool:
        """Return True if any pod on a node has a term."""
        return bool(self._terms)

    def terms(self, kind: str, labels: Mapping[str, str] | None = None, everywhere: bool = False) -> list[TermCount]:
        """Return the distinct terms of one kind that pods on the nodes have; `everywhere` includes nodes that aren't
        listed.

        `labels` selects a superset of the terms that match them.
        """
        listed = self._terms.find(kind, labels)
        return listed + self._unlisted.find(kind, labels) if everywhere else listed


@lru_cache(maxsize=4096)
def required_labels(selector: PodSelector) -> list[Anchor]:
    """Return labels of which a pod must have one, as `anchors` does for terms."""
    return first_anchors(selector.selectors)
