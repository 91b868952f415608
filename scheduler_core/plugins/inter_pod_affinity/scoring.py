"""Preferred terms of the pod and of existing pods, as weights per topology domain.

Source: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go.
"""

from collections.abc import Iterator

import numpy as np

from kube_objects.affinity import PodAffinity, WeightedAffinityTerm
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn, highest, lowest
from scheduler_core.cache.counts import DomainCounts
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cache.term_table import PREFERRED_AFFINITY, PREFERRED_ANTI_AFFINITY, REQUIRED_AFFINITY, TermCount
from scheduler_core.framework.handle import Lister
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.inter_pod_affinity.terms import (
    count_matching_all,
    existing_term_matches,
    incoming_terms,
)

# Topology key → signed weights, each with the number of matching pods by label code; the last entry is 0, for nodes
# without the label. The arrays belong to the NodeTable.
DomainWeights = dict[str, list[tuple[int, IntColumn]]]


def has_preferences(pod: Pod) -> bool:
    return bool(preferred_terms(pod.pod_affinity) or preferred_terms(pod.pod_anti_affinity))


def preferred_terms(affinity: PodAffinity | None) -> tuple[WeightedAffinityTerm, ...]:
    return affinity.preferred if affinity is not None else ()


def weigh_domains(pod: Pod, everything: Nodes, lister: Lister, hard_weight: int) -> DomainWeights:
    """Return the weights of all terms with matching pods, by topology key."""
    weights: DomainWeights = {}
    for key, weight, pods in _contributions(pod, everything, lister, hard_weight):
        if pods.total:
            weights.setdefault(key, []).append((weight, pods.counts))
    return weights


def _contributions(
    pod: Pod, everything: Nodes, lister: Lister, hard_weight: int
) -> Iterator[tuple[str, int, DomainCounts]]:
    """Return (topology key, signed weight, pods by domain) of each matching term. Source: processExistingPod."""
    for affinity, sign in ((pod.pod_affinity, 1), (pod.pod_anti_affinity, -1)):
        own = preferred_terms(affinity)
        terms = incoming_terms((weighted.term for weighted in own), lister)
        for weighted, term in zip(own, terms, strict=True):
            yield term.topology_key, sign * weighted.weight, count_matching_all([term], everything, term.topology_key)
    for existing, weight in terms_of_others(pod, everything, lister, hard_weight):
        yield existing.term.topology_key, weight, everything.term_by_domain(existing)


def terms_of_others(pod: Pod, everything: Nodes, lister: Lister, hard_weight: int) -> Iterator[tuple[TermCount, int]]:
    """Return the terms of existing pods that match this one, with their signed weights.

    Upstream visits all nodes for a pod with preferred terms, else only the nodes listed for affinity.
    """
    namespace_labels = lister.namespace_labels(pod.namespace)
    everywhere = has_preferences(pod)
    for kind, sign in ((REQUIRED_AFFINITY, hard_weight), (PREFERRED_AFFINITY, 1), (PREFERRED_ANTI_AFFINITY, -1)):
        for existing in everything.terms(kind, pod.labels, everywhere) if sign else ():
            if existing_term_matches(existing.term, pod, namespace_labels):
                yield existing, sign if kind == REQUIRED_AFFINITY else sign * existing.weight


def sum_weights(weights: DomainWeights, nodes: Nodes) -> IntColumn:
    total: IntColumn = np.zeros(len(nodes), np.int64)
    for key, weighted in weights.items():
        codes = nodes.label(key)
        for weight, pods in weighted:
            total += weight * pods.take(codes)
    return total


def normalize_scores(raw: IntColumn, from_zero: bool = False) -> IntColumn:
    """Scale the lowest score to 0 and the highest to 100; equal scores become 0.

    `from_zero` includes 0 in the range.
    """
    min_score, max_score = lowest(raw), highest(raw)
    if from_zero:
        min_score, max_score = min(min_score, 0), max(max_score, 0)
    if min_score == max_score:
        return np.zeros_like(raw)
    return (MAX_NODE_SCORE * ((raw - min_score) / (max_score - min_score))).astype(np.int64)
