"""Affinity terms and the pods that they match, for terms of the incoming pod and of existing pods.

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
    """A term of the incoming pod with resolved namespaces; None means all namespaces."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        in_namespace = self.namespaces is None or pod.namespace in self.namespaces
        return in_namespace and self.selector is not None and self.selector.matches(pod.labels)


def incoming_terms(terms: Iterable[AffinityTerm], lister: Lister | None) -> list[IncomingTerm]:
    """Return the terms; with a lister, the namespaces that the namespace selector selects are added.

    Upstream then matches that selector against no labels as well. A selector that matches without labels (NotIn,
    DoesNotExist) so matches pods of every namespace. Source: mergeAffinityTermNamespacesIfNotEmpty.
    """
    incoming = []
    for term in terms:
        namespaces: frozenset[str] | None = term.namespaces
        selector = term.namespace_selector
        if selector is not None and selector.matches({}):
            namespaces = None
        elif selector is not None and lister is not None:
            selected = [namespace.name for namespace in lister.list("Namespace") if selector.matches(namespace.labels)]
            namespaces = term.namespaces.union(selected)
        incoming.append(IncomingTerm(term.topology_key, term.selector, namespaces))
    return incoming


def matches_all(terms: Sequence[IncomingTerm], pod: Pod) -> bool:
    """Return True if the pod matches every term and there is at least one. Source: podMatchesAllAffinityTerms."""
    return bool(terms) and all(term.matches(pod) for term in terms)


def count_matching_all(terms: Sequence[IncomingTerm], all_nodes: Nodes, key: str) -> DomainCounts:
    """Return how many pods match all of `terms` (at least one), by the code of label `key`."""
    selectors = [term.selector for term in terms if term.selector is not None]
    if len(selectors) < len(terms):
        no_pods = np.zeros(len(all_nodes), np.int64)
        return DomainCounts(all_nodes.label(key), len(all_nodes.label_values(key)), no_pods)
    if len(terms) == 1:  # the common case needs no intersection
        return all_nodes.pods_by_domain(PodSelector(terms[0].namespaces, tuple(selectors)), key)
    named = [term.namespaces for term in terms if term.namespaces is not None]
    namespaces = frozenset.intersection(*named) if named else None
    return all_nodes.pods_by_domain(PodSelector(namespaces, tuple(dict.fromkeys(selectors))), key)


def existing_term_matches(term: AffinityTerm, pod: Pod, namespace_labels: Mapping[str, str]) -> bool:
    """Return True if a term of another pod matches `pod` in a namespace with these labels.

    Source: AffinityTerm.Matches.
    """
    if pod.namespace not in term.namespaces:
        selector = term.namespace_selector
        if selector is None or not selector.matches(namespace_labels):
            return False
    return term.selector is not None and term.selector.matches(pod.labels)
