"""InterPodAffinity's facts: pods that keep this one out of the node's domains, or that are missing there.

Source: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
"""

from collections.abc import Callable, Iterator

import numpy as np

from kube_objects.affinity import AffinityTerm
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.cache.term_table import REQUIRED_ANTI_AFFINITY
from scheduler_core.facts import wording
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import MAX_PODS, Fact, first_pod_keys
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.inter_pod_affinity.filtering import RequiredTerms
from scheduler_core.plugins.inter_pod_affinity.plugin import PRE_FILTER
from scheduler_core.plugins.inter_pod_affinity.terms import (
    IncomingTerm,
    existing_term_matches,
    matches_all,
)
from scheduler_core.plugins.topology import domain_of

NEAR = Template("pods that the pod must be near: {count} in {domain}")
NOBODY_NEAR = Template("no pod that the pod must be near is in {domain}")
FIRST_OF_GROUP = Template("no pod anywhere matches, but the pod itself does: the first of a group may go anywhere")
NO_LABEL = Template("the node has no label {key}, so no pod is near it")
HATED = Template("pods that the pod must keep away from: {count} in {domain}, such as {pods}")
NOBODY_HATED = Template("no pod that the pod must keep away from is in {domain}")
REFUSED = Template("pods that keep pods like this one away: {count} in {domain}, such as {pods}")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    terms: RequiredTerms | None = state.find(PRE_FILTER)
    if terms is None:
        return []
    return [*_affinity(context, terms, node), *_anti_affinity(terms, node), *_refusals(context, terms, node)]


def _affinity(context: AttemptContext, terms: RequiredTerms, node: NodeView) -> Iterator[Fact]:
    no_match_anywhere = not any(counts.any() for counts in terms.affinity_counts.values())
    text = " & ".join(wording.format_selector(term.selector) for term in terms.affinity)
    for key in dict.fromkeys(term.topology_key for term in terms.affinity):
        domain = domain_of(node, key)
        if domain < 0:
            yield Fact(NO_LABEL(key=key), text, True)
        elif no_match_anywhere and matches_all(terms.affinity, context.pod):
            yield Fact(FIRST_OF_GROUP(), text)
        else:
            count, name = int(terms.affinity_counts[key][domain]), f"{key}={node.labels[key]}"
            what = NEAR(count=count, domain=name) if count > 0 else NOBODY_NEAR(domain=name)
            yield Fact(what, text, count <= 0, {"count": count, "domain": node.labels[key]})


def _anti_affinity(terms: RequiredTerms, node: NodeView) -> Iterator[Fact]:
    """Return one fact per topology key, because the engine counts the pods of all terms with a key together."""
    for key, counts in terms.anti_affinity_counts.items():
        domain = domain_of(node, key)
        if domain < 0:
            continue  # without the label the node is in no domain
        own = [term for term in terms.anti_affinity if term.topology_key == key]
        text = " | ".join(wording.format_selector(term.selector) for term in own)
        count, name = int(counts[domain]), f"{key}={node.labels[key]}"
        if count <= 0:
            yield Fact(NOBODY_HATED(domain=name), text)
            continue
        pods = first_pod_keys(_matching(own, terms.everything, key, domain))
        data = {"count": count, "domain": node.labels[key], "pods": pods}
        yield Fact(HATED(count=count, domain=name, pods=", ".join(pods)), text, True, data)


def _matching(own: list[IncomingTerm], all_nodes: Nodes, key: str, domain: int) -> Iterator[Pod]:
    for term in own:
        if term.selector is not None:
            counts = all_nodes.pods_matching(PodSelector(term.namespaces, (term.selector,)))
            yield from _pods_in(all_nodes, key, domain, counts, term.matches)


def _refusals(context: AttemptContext, terms: RequiredTerms, node: NodeView) -> Iterator[Fact]:
    for key, counts in terms.existing_anti_affinity_counts.items():
        domain = domain_of(node, key)
        if domain < 0 or counts[domain] <= 0:
            continue
        pods = first_pod_keys(_refusing(context, terms, key, domain))
        count, name = int(counts[domain]), f"{key}={node.labels[key]}"
        data = {"count": count, "domain": node.labels[key], "pods": pods}
        yield Fact(REFUSED(count=count, domain=name, pods=", ".join(pods)), key, True, data)


def _refusing(context: AttemptContext, terms: RequiredTerms, key: str, domain: int) -> Iterator[Pod]:
    """Return the pods in the domain whose required anti-affinity matches the pod."""

    def refuses(term: AffinityTerm) -> bool:
        return term.topology_key == key and existing_term_matches(term, context.pod, terms.namespace_labels)

    def has_such_a_term(pod: Pod) -> bool:
        return pod.pod_anti_affinity is not None and any(map(refuses, pod.pod_anti_affinity.required))

    all_nodes = terms.everything
    for existing in all_nodes.terms(REQUIRED_ANTI_AFFINITY, context.pod.labels):
        if refuses(existing.term):
            yield from _pods_in(all_nodes, key, domain, all_nodes.term_counts(existing), has_such_a_term)


def _pods_in(
    all_nodes: Nodes, key: str, domain: int, counts: IntColumn, wanted: Callable[[Pod], bool]
) -> Iterator[Pod]:
    """Return the pods that satisfy `wanted`, on the first few nodes of the domain with a positive count."""
    rows = np.flatnonzero((all_nodes.label(key) == domain) & (counts > 0))
    for node in all_nodes.take(rows[:MAX_PODS]):
        yield from filter(wanted, node.pods)
