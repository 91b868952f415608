"""InterPodAffinity: prefer what is demanded, label the node, or let those go that are in the way."""

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
from scheduler_core.edits.edit import Edit, part, put
from scheduler_core.edits.other_edits import brought, label, nodes_own, without_plugin, without_pods
from scheduler_core.edits.pod_edits import pod_edit
from scheduler_core.edits.question import Need, Question
from scheduler_core.plugins.inter_pod_affinity.filtering import RequiredTerms
from scheduler_core.plugins.inter_pod_affinity.plugin import PRE_FILTER
from scheduler_core.plugins.inter_pod_affinity.terms import existing_term_matches, matches_all
from scheduler_core.plugins.topology import domain_of

NEAR = Template("Prefer, not demand, to be near the pods of the affinity term {number} ({key})")
AWAY = Template("Prefer, not demand, to keep away from the pods of the anti-affinity term {number} ({key})")
# Pods in the way that are told to go all at once, values that a node without a label is offered, and nodes that get one
# so that their pods are near.
_MOST_PODS, _MOST_VALUES, _MOST_NODES = 5, 3, 4


def needs(question: Question) -> list[Need]:
    terms: RequiredTerms | None = question.state.find(PRE_FILTER)
    if terms is None:
        return []
    return [*_affinity(question, terms), *_anti_affinity(question, terms), *_refusals(question, terms)]


def _affinity(question: Question, terms: RequiredTerms) -> list[Need]:
    """Pods count as near only where all of the terms match: any of them may be what is in the way."""
    node, view = nodes_own(question), question.node
    assert view is not None
    found = []
    nobody = not any(counts.any() for counts in terms.near.values())
    first = nobody and matches_all(terms.affinity, question.pod)
    whole = [_softened(question, "podAffinity", i, term.topology_key) for i, term in enumerate(terms.affinity)]
    for key in dict.fromkeys(term.topology_key for term in terms.affinity):
        domain = domain_of(view, key)
        if domain >= 0 and (first or terms.near[key][domain] > 0):
            continue
        values = question.nodes.label_values(key)
        near = [values[i] for i in np.flatnonzero(terms.near[key][:-1] > 0).tolist()] if key in terms.near else []
        if first and not near:
            near = [value for value in values if value][:1]
        options: list[Iterable[Edit | None] | Edit | None] = [*whole]
        if len(whole) > 1:
            options.append(whole)
        options += [label(question, node, key, value) for value in near[:_MOST_VALUES]]
        options += _joined(question, terms, key, domain)
        options += _brought(question, terms)
        found.append(question.need(*options, without_plugin(question), about=f"near {key}", evictable=False))
    return found


def _joined(question: Question, terms: RequiredTerms, key: str, domain: int) -> list[list[Edit | None]]:
    """Nodes outside of all domains, of pods that the pod must be near: labelled, they are of this node's domain.

    Where the node has none either, both get the same; where such pods are its own, it alone.
    """
    own, values = nodes_own(question), question.nodes.label_values(key)
    outside = question.once(("outside", key), partial(_outside, question, terms, key))
    if domain >= 0:
        return [[label(question, node, key, values[domain])] for node in outside]
    given = [value for value in values if value][:_MOST_VALUES]
    pairs = [(value, {own.name: own, node.name: node}) for value in given for node in outside]
    return [[label(question, node, key, value) for node in nodes.values()] for value, nodes in pairs]


def _outside(question: Question, terms: RequiredTerms, key: str) -> list[Node]:
    """The first nodes without the label that have a pod which the pod must be near."""
    found: list[Node] = []
    for node in question.nodes.take(np.flatnonzero(question.nodes.label(key) < 0)):
        if any(matches_all(terms.affinity, pod) for pod in node.pods):
            found.append(node.node)
        if len(found) == _MOST_NODES:
            break
    return found


def _brought(question: Question, terms: RequiredTerms) -> list[frozenset[Edit]]:
    """Pods that the pod must be near, moved to this very node."""
    if not question.others:
        return []
    found: list[Edit] = []
    for node in question.nodes:
        for pod in node.pods if node.name != nodes_own(question).name else ():
            if len(found) < _MOST_PODS and matches_all(terms.affinity, pod):
                edit = brought(question, pod)
                found += [edit] if edit is not None else []
    return [frozenset([edit]) for edit in found]


def _anti_affinity(question: Question, terms: RequiredTerms) -> list[Need]:
    view = question.node
    assert view is not None
    found = []
    for i, term in enumerate(terms.anti_affinity):
        domain = domain_of(view, term.topology_key)
        counts = terms.hated.get(term.topology_key)
        if domain < 0 or counts is None or counts[domain] <= 0:
            continue
        key = term.topology_key
        # Most nodes of a domain ask the same.
        hated = question.once(("hated", i, domain), partial(_in_domain, question, key, domain, term.matches))
        if hated:
            softened = question.once(
                ("soften", i), partial(_softened, question, "podAntiAffinity", i, term.topology_key)
            )
            options: list[Iterable[Edit | None] | Edit | None] = [
                softened,
                *_gone(question, hated, term.topology_key, domain),
                without_plugin(question),
            ]
            leave, evictable = _fewest(question, hated)
            found.append(question.need(*options, about=f"away {i}", leave=leave, evictable=evictable))
    return found


def _refusals(question: Question, terms: RequiredTerms) -> list[Need]:
    """Each pod in the domain that keeps this one away has to go; nobody else's terms are weakened."""
    view = question.node
    assert view is not None
    found = []
    for key, counts in terms.haters.items():
        domain = domain_of(view, key)
        if domain < 0 or counts[domain] <= 0:
            continue

        def refuses(term: AffinityTerm, key: str = key) -> bool:
            return term.topology_key == key and existing_term_matches(term, question.pod, terms.namespace_labels)

        def has_one(pod: Pod, refuses: Callable[[AffinityTerm], bool] = refuses) -> bool:
            return pod.pod_anti_affinity is not None and any(map(refuses, pod.pod_anti_affinity.required))

        haters = question.once(("haters", key, domain), partial(_in_domain, question, key, domain, has_one))
        gone = _gone(question, haters, key, domain)
        leave, evictable = _fewest(question, haters)
        options = [*gone, without_plugin(question)]
        found.append(question.need(*options, about=f"refused {key}", leave=leave, evictable=evictable))
    return found


def _gone(question: Question, pods: list[Pod], key: str, domain: int) -> list[frozenset[Edit]]:
    """Out of the whole domain: on another of its nodes they are as much in the way."""
    within = question.nodes.label(key) == domain
    return without_pods(question, [pods], within) if 0 < len(pods) <= _MOST_PODS else []


def _fewest(question: Question, pods: list[Pod]) -> tuple[int, bool]:
    """How many of them somebody has to make leave, and whether all of them may be evicted from the node."""
    here, pod = nodes_own(question).name, question.pod
    staying = [other for other in pods if other.node_name != here or other.priority >= pod.priority]
    return max(len(staying), 1), all(other.node_name == here for other in pods)


def _in_domain(question: Question, key: str, domain: int, wanted: Callable[[Pod], bool]) -> list[Pod]:
    """The pods of a domain that are wanted; a few more than may go, so that too many show."""
    found: list[Pod] = []
    for node in question.nodes.take(np.flatnonzero(question.nodes.label(key) == domain)):
        found += filter(wanted, node.pods)
        if len(found) > _MOST_PODS:
            break
    return found


def _softened(question: Question, field: str, number: int, key: str) -> Edit | None:
    """One required term becomes a preferred one. Terms are told by what they say: those before may go, too."""
    base = ("spec", "affinity", field)
    items = part(manifest_of(question.pod), (*base, REQUIRED)) or ()
    if number >= len(items):
        return None
    item = items[number]

    def change(manifest: dict[str, Any]) -> None:
        left = [one for one in part(manifest, (*base, REQUIRED)) or () if one != item]
        put(*base, REQUIRED, value=left or None)(manifest)
        known = part(manifest, (*base, PREFERRED)) or ()
        put(*base, PREFERRED, value=[*known, {"weight": 100, "podAffinityTerm": item}])(manifest)

    sentence = (NEAR if field == "podAffinity" else AWAY)(number=str(number + 1), key=key)
    path = f"spec.affinity.{field}.{REQUIRED}[]"
    return pod_edit(question, "soften", path, sentence, change, before=item, detail=item)
