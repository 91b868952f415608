"""The filter for required terms: the pod's own, and the anti-affinity terms of existing pods.

Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from kube_objects.affinity import AffinityTerm, PodAffinity
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.term_table import REQUIRED_ANTI_AFFINITY
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.inter_pod_affinity.terms import (
    IncomingTerm,
    count_matching_all,
    existing_term_matches,
    incoming_terms,
    matches_all,
)
from scheduler_core.plugins.topology import domain_of

REASON_AFFINITY = "node(s) didn't match pod affinity rules"
REASON_ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
REASON_EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"

_AFFINITY, _ANTI_AFFINITY, _EXISTING = 1, 2, 3

# Topology key → number of pods in each domain, by label code; the last entry is 0, for nodes without the label. The
# arrays belong to the NodeTable; `clone` copies them.
PodCounts = dict[str, IntColumn]


@dataclass(slots=True)
class RequiredTerms:
    """The state that PreFilter writes for Filter. `everything` is all nodes of the cluster.

    `affinity_counts` counts pods that match all of the pod's affinity terms, `anti_affinity_counts` pods that match one
    of its anti-affinity terms, and `existing_anti_affinity_counts` terms of existing pods that match the pod.
    """

    pod: Pod
    everything: Nodes
    namespace_labels: Mapping[str, str]
    affinity: list[IncomingTerm]
    anti_affinity: list[IncomingTerm]
    affinity_counts: PodCounts = field(default_factory=dict)
    anti_affinity_counts: PodCounts = field(default_factory=dict)
    existing_anti_affinity_counts: PodCounts = field(default_factory=dict)

    def clone(self) -> Self:
        affinity_counts, anti_affinity_counts, existing_counts = (
            {key: counts.copy() for key, counts in table.items()}
            for table in (self.affinity_counts, self.anti_affinity_counts, self.existing_anti_affinity_counts)
        )
        terms = (self.affinity, self.anti_affinity)
        return type(self)(
            self.pod,
            self.everything,
            self.namespace_labels,
            *terms,
            affinity_counts,
            anti_affinity_counts,
            existing_counts,
        )

    def add(self, other: Pod, node: NodeView, delta: int) -> None:
        """Count a pod that was added to (`delta` 1) or removed from (-1) the node. Source: updateWithPod."""
        for term in _required(other.pod_anti_affinity):
            if existing_term_matches(term, self.pod, self.namespace_labels):
                self._add(self.existing_anti_affinity_counts, term.topology_key, node, delta)
        if matches_all(self.affinity, other):
            for key in _keys(self.affinity):
                self._add(self.affinity_counts, key, node, delta)
        for own in self.anti_affinity:
            if own.matches(other):
                self._add(self.anti_affinity_counts, own.topology_key, node, delta)

    def _add(self, table: PodCounts, key: str, node: NodeView, delta: int) -> None:
        if key not in table:
            table[key] = np.zeros(len(self.everything.label_values(key)) + 1, np.int64)
        domain = domain_of(node, key)
        if domain >= 0:
            table[key][domain] += delta

    @property
    def has_terms_to_check(self) -> bool:
        return bool(self.affinity or self.anti_affinity or self.existing_anti_affinity_counts)

    def verdicts(self, nodes: Nodes, statuses: Sequence[Status]) -> Verdicts:
        """Return the verdicts. Affinity is checked first, existing pods' anti-affinity last."""
        codes: CodeColumn = np.zeros(len(nodes), np.int32)
        domains = {
            key: nodes.label(key)
            for key in (*self.existing_anti_affinity_counts, *self.anti_affinity_counts, *_keys(self.affinity))
        }
        for table, code in (
            (self.existing_anti_affinity_counts, _EXISTING),
            (self.anti_affinity_counts, _ANTI_AFFINITY),
        ):
            for key, counts in table.items():
                codes[counts.take(domains[key]) > 0] = code
        if self.affinity:
            codes[~self._satisfies_affinity(domains)] = _AFFINITY
        return Verdicts(codes, list(statuses))

    def _satisfies_affinity(self, domains: Mapping[str, CodeColumn]) -> BoolColumn:
        """Return True for nodes that satisfy the pod's affinity; `domains` holds the nodes' label codes by key."""
        # The first pod of a group with affinity to itself may run on any node that has the topology keys.
        first_of_group = not any(map(np.count_nonzero, self.affinity_counts.values())) and matches_all(
            self.affinity, self.pod
        )
        satisfied: BoolColumn | None = None
        for key in _keys(self.affinity):
            codes = domains[key]
            has_pods: BoolColumn = codes >= 0 if first_of_group else self.affinity_counts[key].take(codes) > 0
            satisfied = has_pods if satisfied is None else satisfied & has_pods
        assert satisfied is not None  # each of the terms has a key
        return satisfied


def statuses(*before: str) -> tuple[Status, ...]:
    """Return the statuses that `verdicts` indexes; the reasons `before` come first in each."""
    return (
        SUCCESS,
        Status.unresolvable(*before, REASON_AFFINITY),
        Status.unschedulable(*before, REASON_ANTI_AFFINITY),
        Status.unschedulable(*before, REASON_EXISTING),
    )


def count_required(pod: Pod, everything: Nodes, lister: Lister) -> RequiredTerms:
    affinity = incoming_terms(_required(pod.pod_affinity), lister)
    anti_affinity = incoming_terms(_required(pod.pod_anti_affinity), lister)
    state = RequiredTerms(pod, everything, lister.namespace_labels(pod.namespace), affinity, anti_affinity)
    state.existing_anti_affinity_counts = _count_existing_anti_affinity(state)
    if affinity:
        state.affinity_counts = {key: count_matching_all(affinity, everything, key).counts for key in _keys(affinity)}
    for term in anti_affinity:
        _add_counts(
            state.anti_affinity_counts,
            term.topology_key,
            count_matching_all([term], everything, term.topology_key).counts,
        )
    return state


def _count_existing_anti_affinity(state: RequiredTerms) -> PodCounts:
    """Return the counts of existing pods' anti-affinity. Source: getExistingAntiAffinityCounts."""
    counts: PodCounts = {}
    for existing in state.everything.terms(REQUIRED_ANTI_AFFINITY, state.pod.labels):
        if existing_term_matches(existing.term, state.pod, state.namespace_labels):
            pods = state.everything.term_by_domain(existing)
            if pods.total:
                _add_counts(counts, existing.term.topology_key, pods.counts)
    return counts


def _add_counts(table: PodCounts, key: str, counts: IntColumn) -> None:
    known = table.get(key)
    table[key] = counts if known is None else known + counts


def _required(affinity: PodAffinity | None) -> tuple[AffinityTerm, ...]:
    return affinity.required if affinity is not None else ()


def _keys(terms: list[IncomingTerm]) -> list[str]:
    return list(dict.fromkeys(term.topology_key for term in terms))
