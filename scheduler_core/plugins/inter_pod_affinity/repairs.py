"""Repairs for InterPodAffinity: prefer a required term, label the node, or move the pods that conflict."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from kube_objects.affinity import AffinityTerm
from kube_objects.node import Node
from kube_objects.parsers.affinity import PREFERRED, REQUIRED
from kube_objects.pod import Pod
from kube_objects.sentences import Template
from kube_objects.serialize import manifest_of
from scheduler_core.edits.edit import Edit, set_value, value_at
from scheduler_core.edits.object_edits import disable_plugin, label_node, move_pod_here, remove_pods, require_node
from scheduler_core.edits.pod_edits import make_pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.inter_pod_affinity.filtering import RequiredTerms
from scheduler_core.plugins.inter_pod_affinity.plugin import PRE_FILTER
from scheduler_core.plugins.inter_pod_affinity.terms import existing_term_matches, matches_all
from scheduler_core.plugins.topology import domain_of

NEAR = Template("Prefer, not demand, to be near the pods of the affinity term {number} ({key})")
AWAY = Template("Prefer, not demand, to keep away from the pods of the anti-affinity term {number} ({key})")
# The limits: conflicting pods that leave together, values for a node without the label, and other nodes that get the
# label.
_MOST_PODS, _MOST_VALUES, _MOST_NODES = 5, 3, 4


def needs(question: Question) -> list[Need]:
    terms: RequiredTerms | None = question.state.find(PRE_FILTER)
    if terms is None:
        return []
    return [
        *_affinity_needs(question, terms),
        *_anti_affinity_needs(question, terms),
        *_existing_anti_affinity_needs(question, terms),
    ]


def _affinity_needs(question: Question, terms: RequiredTerms) -> list[Need]:
    """Return a need per unmet topology key. Pods must match all terms, so any term may be the reason."""
    node, view = require_node(question), question.node
    assert view is not None
    needs = []
    no_match_anywhere = not any(counts.any() for counts in terms.affinity_counts.values())
    first = no_match_anywhere and matches_all(terms.affinity, question.pod)
    softened = [_soften_term(question, "podAffinity", i, term.topology_key) for i, term in enumerate(terms.affinity)]
    for key in dict.fromkeys(term.topology_key for term in terms.affinity):
        domain = domain_of(view, key)
        if domain >= 0 and (first or terms.affinity_counts[key][domain] > 0):
            continue
        values = question.nodes.label_values(key)
        near = (
            [values[i] for i in np.flatnonzero(terms.affinity_counts[key][:-1] > 0).tolist()]
            if key in terms.affinity_counts
            else []
        )
        if first and not near:
            near = [value for value in values if value][:1]
        options: list[Iterable[Edit | None] | Edit | None] = [*softened]
        if len(softened) > 1:
            options.append(softened)
        options += [label_node(question, node, key, value) for value in near[:_MOST_VALUES]]
        options += _join_domain(question, terms, key, domain)
        options += _move_matching_pods_here(question, terms)
        needs.append(question.need(*options, disable_plugin(question), about=f"near {key}", evictable=False))
    return needs


def _join_domain(question: Question, terms: RequiredTerms, key: str, domain: int) -> list[list[Edit | None]]:
    """Return edits that label nodes outside of all domains, so that their pods are in this node's domain.

    If this node has no domain either, both nodes get the same value.
    """
    own, values = require_node(question), question.nodes.label_values(key)
    outside = question.once(("outside", key), partial(_nodes_outside_domains, question, terms, key))
    if domain >= 0:
        return [[label_node(question, node, key, values[domain])] for node in outside]
    candidates = [value for value in values if value][:_MOST_VALUES]
    pairs = [(value, {own.name: own, node.name: node}) for value in candidates for node in outside]
    return [[label_node(question, node, key, value) for node in nodes.values()] for value, nodes in pairs]


def _nodes_outside_domains(question: Question, terms: RequiredTerms, key: str) -> list[Node]:
    """Return the first nodes without the label that run a pod which the pod must be near."""
    nodes: list[Node] = []
    for node in question.nodes.take(np.flatnonzero(question.nodes.label(key) < 0)):
        if any(matches_all(terms.affinity, pod) for pod in node.pods):
            nodes.append(node.node)
        if len(nodes) == _MOST_NODES:
            break
    return nodes


def _move_matching_pods_here(question: Question, terms: RequiredTerms) -> list[frozenset[Edit]]:
    """Return edits that move pods that the pod must be near to this node."""
    if not question.others:
        return []
    edits: list[Edit] = []
    for node in question.nodes:
        for pod in node.pods if node.name != require_node(question).name else ():
            if len(edits) < _MOST_PODS and matches_all(terms.affinity, pod):
                edit = move_pod_here(question, pod)
                edits += [edit] if edit is not None else []
    return [frozenset([edit]) for edit in edits]


def _anti_affinity_needs(question: Question, terms: RequiredTerms) -> list[Need]:
    view = question.node
    assert view is not None
    needs = []
    for i, term in enumerate(terms.anti_affinity):
        domain = domain_of(view, term.topology_key)
        counts = terms.anti_affinity_counts.get(term.topology_key)
        if domain < 0 or counts is None or counts[domain] <= 0:
            continue
        key = term.topology_key
        # The result is shared by all nodes of a domain.
        hated = question.once(("hated", i, domain), partial(_in_domain, question, key, domain, term.matches))
        if hated:
            softened = question.once(
                ("soften", i), partial(_soften_term, question, "podAntiAffinity", i, term.topology_key)
            )
            options: list[Iterable[Edit | None] | Edit | None] = [
                softened,
                *_move_out_of_domain(question, hated, term.topology_key, domain),
                disable_plugin(question),
            ]
            leave, evictable = _count_conflicts(question, hated)
            needs.append(question.need(*options, about=f"away {i}", leave=leave, evictable=evictable))
    return needs


def _existing_anti_affinity_needs(question: Question, terms: RequiredTerms) -> list[Need]:
    """Return a need per topology key: each pod in the domain that refuses this one has to leave."""
    view = question.node
    assert view is not None
    needs = []
    for key, counts in terms.existing_anti_affinity_counts.items():
        domain = domain_of(view, key)
        if domain < 0 or counts[domain] <= 0:
            continue

        def refuses(term: AffinityTerm, key: str = key) -> bool:
            return term.topology_key == key and existing_term_matches(term, question.pod, terms.namespace_labels)

        def has_one(pod: Pod, refuses: Callable[[AffinityTerm], bool] = refuses) -> bool:
            return pod.pod_anti_affinity is not None and any(map(refuses, pod.pod_anti_affinity.required))

        haters = question.once(("haters", key, domain), partial(_in_domain, question, key, domain, has_one))
        gone = _move_out_of_domain(question, haters, key, domain)
        leave, evictable = _count_conflicts(question, haters)
        options = [*gone, disable_plugin(question)]
        needs.append(question.need(*options, about=f"refused {key}", leave=leave, evictable=evictable))
    return needs


def _move_out_of_domain(question: Question, pods: list[Pod], key: str, domain: int) -> list[frozenset[Edit]]:
    """Return edits that move the pods out of the whole domain, because they conflict on all its nodes."""
    within = question.nodes.label(key) == domain
    return remove_pods(question, [pods], within) if 0 < len(pods) <= _MOST_PODS else []


def _count_conflicts(question: Question, pods: list[Pod]) -> tuple[int, bool]:
    """Return how many of the pods other edits must move, and whether all of them may be evicted from the node."""
    here, pod = require_node(question).name, question.pod
    staying = [other for other in pods if other.node_name != here or other.priority >= pod.priority]
    return max(len(staying), 1), all(other.node_name == here for other in pods)


def _in_domain(question: Question, key: str, domain: int, wanted: Callable[[Pod], bool]) -> list[Pod]:
    """Return the pods of a domain that satisfy `wanted`, at most a few more than `_MOST_PODS`."""
    pods: list[Pod] = []
    for node in question.nodes.take(np.flatnonzero(question.nodes.label(key) == domain)):
        pods += filter(wanted, node.pods)
        if len(pods) > _MOST_PODS:
            break
    return pods


def _soften_term(question: Question, field: str, number: int, key: str) -> Edit | None:
    """Turn one required term into a preferred one. The term is found by its content, because others may change, too."""
    base = ("spec", "affinity", field)
    items = value_at(manifest_of(question.pod), (*base, REQUIRED)) or ()
    if number >= len(items):
        return None
    item = items[number]

    def change(manifest: dict[str, Any]) -> None:
        remaining = [term for term in value_at(manifest, (*base, REQUIRED)) or () if term != item]
        set_value(*base, REQUIRED, value=remaining or None)(manifest)
        known = value_at(manifest, (*base, PREFERRED)) or ()
        set_value(*base, PREFERRED, value=[*known, {"weight": 100, "podAffinityTerm": item}])(manifest)

    sentence = (NEAR if field == "podAffinity" else AWAY)(number=str(number + 1), key=key)
    path = f"spec.affinity.{field}.{REQUIRED}[]"
    return make_pod_edit(question, "soften", path, sentence, change, before=item, detail=item)
