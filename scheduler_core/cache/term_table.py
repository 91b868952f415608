"""TermTable: the distinct affinity terms of pods on nodes, with how many pods on each node have each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from kube_objects.affinity import AffinityTerm
from kube_objects.pod import Pod
from kube_objects.selectors import IN, LabelSelector
from scheduler_core.cache.counts import CountColumn

REQUIRED_AFFINITY, REQUIRED_ANTI_AFFINITY = "requiredAffinity", "requiredAntiAffinity"
PREFERRED_AFFINITY, PREFERRED_ANTI_AFFINITY = "preferredAffinity", "preferredAntiAffinity"

# Upstream's snapshot has two lists of nodes that have such a pod (NodeInfoLister).
_AFFINITY_LIST, _ANTI_AFFINITY_LIST = "HavePodsWithAffinityList", "HavePodsWithRequiredAntiAffinityList"
LISTS: Mapping[str, Callable[[Pod], bool]] = {
    _AFFINITY_LIST: lambda pod: pod.pod_affinity is not None or pod.pod_anti_affinity is not None,
    _ANTI_AFFINITY_LIST: lambda pod: pod.pod_anti_affinity is not None and bool(pod.pod_anti_affinity.required),
}
# Upstream looks for a kind of term on the nodes of this list.
LIST_OF = {
    REQUIRED_ANTI_AFFINITY: _ANTI_AFFINITY_LIST,
    REQUIRED_AFFINITY: _AFFINITY_LIST,
    PREFERRED_AFFINITY: _AFFINITY_LIST,
    PREFERRED_ANTI_AFFINITY: _AFFINITY_LIST,
}

TermKey = tuple[str, AffinityTerm, int]
Anchor = tuple[str, str] | None


@dataclass(slots=True)
class TermCount:
    """A term that pods have, with the column of how many on each node."""

    kind: str
    term: AffinityTerm
    weight: int
    column: CountColumn
    total: int = 0


class TermTable:
    """The distinct terms, indexed by a label that their selector requires."""

    def __init__(self) -> None:
        self._terms: dict[TermKey, TermCount] = {}
        self._anchored: dict[str, dict[Anchor, dict[TermKey, TermCount]]] = {}  # by kind

    def __bool__(self) -> bool:
        return bool(self._terms)

    def add(self, kind: str, term: AffinityTerm, weight: int, row: int, delta: int, size: int) -> None:
        """Add (`delta` 1) or remove (−1) a pod that has the term; `size` is the number of rows."""
        key = (kind, term, weight)
        count = self._terms.get(key)
        if count is None:
            count = TermCount(kind, term, weight, CountColumn(size))
            self._keep(key, count)
        count.column.add(row, delta)
        count.total += delta
        if not count.total:
            del self._terms[key]
            anchored = self._anchored.get(kind, {})
            for anchor in anchors(term):
                del anchored[anchor][key]
                if not anchored[anchor]:
                    del anchored[anchor]
            if not anchored:
                self._anchored.pop(kind, None)

    def _keep(self, key: TermKey, count: TermCount) -> None:
        self._terms[key] = count
        for anchor in anchors(count.term):
            self._anchored.setdefault(count.kind, {}).setdefault(anchor, {})[key] = count

    def find(self, kind: str, labels: Mapping[str, str] | None) -> list[TermCount]:
        """Return the terms of one kind; `labels` selects a superset of those that match them."""
        if labels is None:
            return [count for count in self._terms.values() if count.kind == kind]
        terms: list[TermCount] = []
        if anchored := self._anchored.get(kind):
            for anchor in (None, *labels.items()):
                if counts := anchored.get(anchor):
                    terms += counts.values()
        return terms

    def take_over(self, other: "TermTable", size: int) -> None:
        """Add all counts of `other`."""
        for (kind, term, weight), count in other._terms.items():
            for row in np.flatnonzero(count.column.values).tolist():
                self.add(kind, term, weight, row, int(count.column.values[row]), size)

    def columns(self) -> Iterator[CountColumn]:
        return (count.column for count in self._terms.values())

    def copied(self, columns: Mapping[int, CountColumn]) -> "TermTable":
        """Return the same terms with other columns, by the `id` of those here."""
        other = TermTable()
        for key, count in self._terms.items():
            other._keep(key, replace(count, column=columns[id(count.column)]))
        return other


def terms_of(pod: Pod) -> Iterator[tuple[str, AffinityTerm, int]]:
    """Return (kind, term, weight) of each inter-pod (anti-)affinity term of `pod`; required terms have weight 0."""
    for affinity, required, preferred in (
        (pod.pod_affinity, REQUIRED_AFFINITY, PREFERRED_AFFINITY),
        (pod.pod_anti_affinity, REQUIRED_ANTI_AFFINITY, PREFERRED_ANTI_AFFINITY),
    ):
        if affinity is not None:
            for term in affinity.required:
                yield required, term, 0
            for weighted in affinity.preferred:
                yield preferred, weighted.term, weighted.weight


def anchors(term: AffinityTerm) -> list[Anchor]:
    """Return labels of which a pod must have one to match `term`; [None] if it requires no label, [] if nothing
    matches.
    """
    return [] if term.selector is None else first_anchors((term.selector,))


def first_anchors(selectors: Iterable[LabelSelector]) -> list[Anchor]:
    for selector in selectors:
        for requirement in selector.requirements:
            if requirement.operator == IN:
                return [(requirement.key, value) for value in dict.fromkeys(requirement.values)]
    return [None]
