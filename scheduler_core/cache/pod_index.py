"""PodIndex: per node, how many pods match a selector, and how many carry an affinity term.

Pods with the same namespace and labels are one class. A selector is matched against a class once; from then on its
column of counts per node is kept up to date as pods come and go, whatever the number of pods, and so are the sums of
such a column by topology domain.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector
from scheduler_core.cache.counts import CountColumn, DomainCounts
from scheduler_core.cache.term_table import LIST_OF, LISTS, Anchor, TermCount, TermTable, first_anchors, terms_of

# Columns kept per table; beyond it the least recently used is dropped and rebuilt when asked for again.
MAX_SELECTOR_COLUMNS = 1024
# Sums by domain kept per table; with one more all of them are dropped.
MAX_DOMAIN_COUNTS = 1024


@dataclass(slots=True, frozen=True)
class PodSelector:
    """Which pods to count: in any of `namespaces` (None = all), matching all of `selectors`.

    `terminating` false leaves out pods that are being deleted.
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
    """Pods with equal namespace and labels; `counts` is by node name."""

    namespace: str
    labels: Mapping[str, str]
    terminating: bool
    counts: dict[str, int] = field(default_factory=dict)
    columns: list[CountColumn] = field(default_factory=list)


ClassKey = tuple[str, bool, frozenset[tuple[str, str]]]


class PodIndex:
    def __init__(self, size: int = 0) -> None:
        """`size` is the number of rows."""
        self._classes: dict[ClassKey, PodClass] = {}
        self._labelled: dict[tuple[str, str], dict[ClassKey, PodClass]] = {}  # those classes, by each of their labels
        self._columns: dict[PodSelector, CountColumn] = {}
        self._wanting: dict[Anchor, dict[PodSelector, CountColumn]] = {}  # those columns, by a label that they want
        self._terms = TermTable()
        self._unlisted = TermTable()  # terms that only pods on hold carry, on nodes that are not listed for them
        self._not_listed: set[tuple[str, str]] = set()  # (node name, list)
        self._summed: list[CountColumn] = []  # once for each of their sums by domain
        self._size = size

    def copy(self) -> "PodIndex":
        """An index of its own that counts the same pods; sums by domain are made anew when they are asked for."""
        rows = range(self._size)
        other = PodIndex(self._size)
        columns = {id(column): column.copied(rows) for column in self._all_columns()}
        for selector, column in self._columns.items():
            other._keep(selector, columns[id(column)])
        for key, pods in self._classes.items():
            copied = [columns[id(column)] for column in pods.columns]
            own_class = PodClass(pods.namespace, pods.labels, pods.terminating, dict(pods.counts), copied)
            other._list(key, own_class)
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
        """The row's pods have been removed before."""
        self._size -= 1
        self.forget_domains()
        for column in self._all_columns():
            column.remove(row)

    def forget_domains(self) -> None:
        """A node has come, changed or gone."""
        for column in self._summed:
            column.by_domain.clear()
        self._summed.clear()

    def by_domain(self, column: CountColumn, key: Hashable, make: Callable[[], DomainCounts]) -> DomainCounts:
        """The sums of `column` under `key`, kept from then on; `make` makes them the first time."""
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
        """Count `pod` in (`delta` 1) or out (−1) on its node."""
        key = (pod.namespace, pod.terminating, frozenset(pod.labels.items()))
        pods = self._classes.get(key)
        if pods is None:
            pods = PodClass(pod.namespace, pod.labels, pod.terminating)
            self._list(key, pods)
            for anchor in (None, *pods.labels.items()):
                for selector, column in self._wanting.get(anchor, {}).items():
                    if selector.matches(pods.namespace, pods.labels, pods.terminating):
                        pods.columns.append(column)
        count = pods.counts.get(node_name, 0) + delta
        if count:
            pods.counts[node_name] = count
        else:
            del pods.counts[node_name]
            if not pods.counts:
                self._unlist(key)
        for column in pods.columns:
            column.add(row, delta)
        if pod.pod_affinity is not None or pod.pod_anti_affinity is not None:
            for kind, term, weight in terms_of(pod):
                is_listed = (node_name, LIST_OF[kind]) not in self._not_listed
                (self._terms if is_listed else self._unlisted).add(kind, term, weight, row, delta, self._size)

    def hold(self, node_name: str, pods: Collection[Pod]) -> None:
        """A group's cycle is about to put a pod beside these, until it is over (`end_holds`).

        Upstream's snapshot lists the nodes that carry terms once; a pod that is assumed in it (Snapshot.AssumePod)
        lists no further node, so that its terms are not seen by those who ask the listed nodes only.
        """
        for name, carries in LISTS.items():
            if not any(map(carries, pods)):
                self._not_listed.add((node_name, name))

    def end_holds(self) -> None:
        """All pods on hold have gone again. Who came to their nodes meanwhile is listed from now on."""
        self._not_listed.clear()
        if self._unlisted:
            self._terms.take_over(self._unlisted, self._size)
            self._unlisted = TermTable()

    def _list(self, key: ClassKey, pods: PodClass) -> None:
        self._classes[key] = pods
        for label in key[2]:
            self._labelled.setdefault(label, {})[key] = pods

    def _unlist(self, key: ClassKey) -> None:
        del self._classes[key]
        for label in key[2]:
            del self._labelled[label][key]
            if not self._labelled[label]:
                del self._labelled[label]

    def _keep(self, selector: PodSelector, column: CountColumn) -> None:
        self._columns[selector] = column
        for anchor in wanted_labels(selector):
            self._wanting.setdefault(anchor, {})[selector] = column

    def matching(self, selector: PodSelector, rows: Mapping[str, int]) -> CountColumn:
        """How many pods on each row `selector` selects; `rows` is node name → row."""
        if len(self._columns) < MAX_SELECTOR_COLUMNS // 2 and (known := self._columns.get(selector)) is not None:
            return known  # none will be dropped soon: it does not matter which was used last
        column = self._columns.pop(selector, None)
        if column is None:
            if len(self._columns) >= MAX_SELECTOR_COLUMNS:
                self._forget(next(iter(self._columns)))
            column = CountColumn(self._size)
            self._keep(selector, column)
            for pods in self._candidates(selector):
                if selector.matches(pods.namespace, pods.labels, pods.terminating):
                    pods.columns.append(column)
                    for node_name, count in pods.counts.items():
                        column.values[rows[node_name]] += count
        self._columns[selector] = column  # last = most recently used
        return column

    def _candidates(self, selector: PodSelector) -> Iterator[PodClass]:
        """All classes that it may match, and few that it does not."""
        for anchor in wanted_labels(selector):
            yield from (self._classes if anchor is None else self._labelled.get(anchor, {})).values()

    def _forget(self, selector: PodSelector) -> None:
        column = self._columns.pop(selector)
        for pods in self._candidates(selector):
            pods.columns = [columns for columns in pods.columns if columns is not column]
        for anchor in wanted_labels(selector):
            del self._wanting[anchor][selector]
            if not self._wanting[anchor]:
                del self._wanting[anchor]

    @property
    def has_terms(self) -> bool:
        """Whether any pod on a node carries a term."""
        return bool(self._terms)

    def terms(self, kind: str, labels: Mapping[str, str] | None = None, everywhere: bool = False) -> list[TermCount]:
        """The distinct terms of one kind that pods on the nodes carry; `everywhere` on nodes not listed for them, too.

        With `labels` only those whose selector may match them: all that do, and few that do not.
        """
        found = self._terms.find(kind, labels)
        return found + self._unlisted.find(kind, labels) if everywhere else found


@lru_cache(maxsize=4096)
def wanted_labels(selector: PodSelector) -> list[Anchor]:
    """As `anchors`."""
    return first_anchors(selector.selectors)
