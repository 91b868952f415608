"""Affinity terms: whom they match, for terms of the pod being scheduled and for terms of pods that run already.

Source: pkg/scheduler/framework/plugins/interpodaffinity, kube-scheduler/framework/types.go AffinityTerm.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kube_objects.affinity import AffinityTerm
from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector
from scheduler_core.cache.counts import DomainCounts
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.framework.handle import Lister


@dataclass(slots=True, frozen=True)
class IncomingTerm:
    """A term of the pod being scheduled, its namespaces looked up: None means all of them."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        in_namespace = self.namespaces is None or pod.namespace in self.namespaces
        return in_namespace and self.selector is not None and self.selector.matches(pod.labels)


def incoming_terms(terms: Iterable[AffinityTerm], lister: Lister | None) -> list[IncomingTerm]:
    """With a lister, the namespaces that the term's selector selects now are added to those that it names.

    Upstream then still matches that selector, and against no labels at all: one that is content with none, like NotIn
    or DoesNotExist, makes the term match pods of every namespace. Source: mergeAffinityTermNamespacesIfNotEmpty.
    """
    incoming = []
    for term in terms:
        namespaces: frozenset[str] | None = term.namespaces
        selector = term.namespace_selector
        if selector is not None and selector.matches({}):
            namespaces = None
        elif selector is not None and lister is not None:
            selected = [found.name for found in lister.list("Namespace") if selector.matches(found.labels)]
            namespaces = term.namespaces.union(selected)
        incoming.append(IncomingTerm(term.topology_key, term.selector, namespaces))
    return incoming


def matches_all(terms: Sequence[IncomingTerm], pod: Pod) -> bool:
    """No terms match no pod. Source: podMatchesAllAffinityTerms."""
    return bool(terms) and all(term.matches(pod) for term in terms)


def count_matching_all(terms: Sequence[IncomingTerm], everything: Nodes, key: str) -> DomainCounts:
    """How many pods match every one of `terms` (at least one), for each value of label `key`, by code."""
    selectors = [term.selector for term in terms if term.selector is not None]
    if len(selectors) < len(terms):
        nobody = np.zeros(len(everything), np.int64)
        return DomainCounts(everything.label(key), len(everything.label_values(key)), nobody)
    if len(terms) == 1:  # as nearly everywhere: nothing to put together
        return everything.pods_by_domain(PodSelector(terms[0].namespaces, tuple(selectors)), key)
    named = [term.namespaces for term in terms if term.namespaces is not None]
    namespaces = frozenset.intersection(*named) if named else None
    return everything.pods_by_domain(PodSelector(namespaces, tuple(dict.fromkeys(selectors))), key)


def existing_term_matches(term: AffinityTerm, pod: Pod, namespace_labels: Mapping[str, str]) -> bool:
    """Whether a term of another pod matches `pod`, whose namespace has these labels. Source: AffinityTerm.Matches."""
    if pod.namespace not in term.namespaces:
        selector = term.namespace_selector
        if selector is None or not selector.matches(namespace_labels):
            return False
    return term.selector is not None and term.selector.matches(pod.labels)
