"""Required terms: the pod's own, and the anti-affinity of existing pods.

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

    `near` counts pods that match all of the pod's affinity terms (upstream's affinityCounts), `hated` pods that match
    one of its anti-affinity terms (antiAffinityCounts), and `haters` terms of existing pods that match the pod
    (existingAntiAffinityCounts).
    """

    pod: Pod
    everything: Nodes
    namespace_labels: Mapping[str, str]
    affinity: list[IncomingTerm]
    anti_affinity: list[IncomingTerm]
    near: PodCounts = field(default_factory=dict)
    hated: PodCounts = field(default_factory=dict)
    haters: PodCounts = field(default_factory=dict)

    def clone(self) -> Self:
        near, hated, haters = (
            {key: counts.copy() for key, counts in table.items()} for table in (self.near, self.hated, self.haters)
        )
        terms = (self.affinity, self.anti_affinity)
        return type(self)(self.pod, self.everything, self.namespace_labels, *terms, near, hated, haters)

    def add(self, other: Pod, node: NodeView, delta: int) -> None:
        """Count a pod that was added to (`delta` 1) or removed from (-1) the node. Source: updateWithPod."""
        for term in _required(other.pod_anti_affinity):
            if existing_term_matches(term, self.pod, self.namespace_labels):
                self._add(self.haters, term.topology_key, node, delta)
        if matches_all(self.affinity, other):
            for key in _keys(self.affinity):
                self._add(self.near, key, node, delta)
        for own in self.anti_affinity:
            if own.matches(other):
                self._add(self.hated, own.topology_key, node, delta)

    def _add(self, table: PodCounts, key: str, node: NodeView, delta: int) -> None:
        if key not in table:
            table[key] = np.zeros(len(self.everything.label_values(key)) + 1, np.int64)
        domain = domain_of(node, key)
        if domain >= 0:
            table[key][domain] += delta

    @property
    def concerns_pod(self) -> bool:
        return bool(self.affinity or self.anti_affinity or self.haters)

    def verdicts(self, nodes: Nodes, statuses: Sequence[Status]) -> Verdicts:
        """Return the verdicts. Affinity is checked first, existing pods' anti-affinity last."""
        codes: CodeColumn = np.zeros(len(nodes), np.int32)
        domains = {key: nodes.label(key) for key in (*self.haters, *self.hated, *_keys(self.affinity))}
        for table, code in ((self.haters, _EXISTING), (self.hated, _ANTI_AFFINITY)):
            for key, counts in table.items():
                codes[counts.take(domains[key]) > 0] = code
        if self.affinity:
            codes[~self._satisfies_affinity(domains)] = _AFFINITY
        return Verdicts(codes, list(statuses))

    def _satisfies_affinity(self, domains: Mapping[str, CodeColumn]) -> BoolColumn:
        """Return True for nodes that satisfy the pod's affinity; `domains` holds the nodes' label codes by key."""
        # The first pod of a group with affinity to itself may run on any node that has the topology keys.
        first_of_group = not any(map(np.count_nonzero, self.near.values())) and matches_all(self.affinity, self.pod)
        satisfied: BoolColumn | None = None
        for key in _keys(self.affinity):
            codes = domains[key]
            has_pods: BoolColumn = codes >= 0 if first_of_group else self.near[key].take(codes) > 0
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
    state.haters = _count_haters(state)
    if affinity:
        state.near = {key: count_matching_all(affinity, everything, key).counts for key in _keys(affinity)}
    for term in anti_affinity:
        _count(state.hated, term.topology_key, count_matching_all([term], everything, term.topology_key).counts)
    return state


def _count_haters(state: RequiredTerms) -> PodCounts:
    """Return the counts of existing pods' anti-affinity. Source: getExistingAntiAffinityCounts."""
    haters: PodCounts = {}
    for existing in state.everything.terms(REQUIRED_ANTI_AFFINITY, state.pod.labels):
        if existing_term_matches(existing.term, state.pod, state.namespace_labels):
            pods = state.everything.term_by_domain(existing)
            if pods.total:
                _count(haters, existing.term.topology_key, pods.counts)
    return haters


def _count(table: PodCounts, key: str, counts: IntColumn) -> None:
    known = table.get(key)
    table[key] = counts if known is None else known + counts


def _required(affinity: PodAffinity | None) -> tuple[AffinityTerm, ...]:
    return affinity.required if affinity is not None else ()


def _keys(terms: list[IncomingTerm]) -> list[str]:
    return list(dict.fromkeys(term.topology_key for term in terms))
