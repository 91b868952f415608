"""Evaluation of node selectors, pods' node affinity and preferred terms, for one node and for many.

Source: component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
"""

from collections.abc import Sequence

import numpy as np

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.selectors import (
    GT,
    IN,
    LT,
    NodeSelector,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Requirement,
    aggregate,
    has_labels,
    term_errors,
)
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.status import PluginError
from scheduler_core.plugins.helper import column_by_code

NAME_FIELD = "metadata.name"
# No label has this value, so no readable requirement lists it.
_UNLISTED = "\0"


# For one node


def node_fits_pod(pod: Pod, node: Node) -> bool:
    """Return True if the pod's nodeSelector and required affinity select `node`. Source: RequiredNodeAffinity.Match."""
    required = required_affinity(pod)
    return node_has_labels(pod, node) and (required is None or required.matches(node.labels, node.name))


def node_has_labels(pod: Pod, node: Node) -> bool:
    """Return True if the node has the labels of the pod's nodeSelector."""
    return has_labels(pod.node_selector, node.labels)


def required_affinity(pod: Pod) -> NodeSelector | None:
    return pod.node_affinity.required if pod.node_affinity else None


def preferred_terms(pod: Pod) -> tuple[PreferredSchedulingTerm, ...]:
    return pod.node_affinity.preferred if pod.node_affinity else ()


def named_nodes(selector: NodeSelector) -> frozenset[str] | None:
    """Return the nodes that the terms name, or None if a term names none and so allows all nodes."""
    names: set[str] = set()
    for term in selector.terms:
        values = [set(field.values) for field in term.fields if field.key == NAME_FIELD and field.operator == IN]
        if not values:
            return None
        names |= set.intersection(*values)
    return frozenset(names) if selector.terms else None


# For many


def nodes_fit_pod(pod: Pod, nodes: Nodes) -> BoolColumn:
    """Return `node_fits_pod` for each of `nodes`."""
    fits = np.ones(len(nodes), np.bool_)
    for key, value in pod.node_selector.items():
        code = nodes.label_code(key, value)
        if code < 0:
            return np.zeros(len(nodes), np.bool_)
        fits &= nodes.label(key) == code
    required = required_affinity(pod)
    if required is not None:
        fits &= nodes_selected(required, nodes)
    return fits


def nodes_selected(selector: NodeSelector, nodes: Nodes) -> BoolColumn:
    """Return `selector.matches` for each of `nodes`."""
    selected = np.zeros(len(nodes), np.bool_)
    for term in selector.terms:
        if term.is_effective:
            selected |= _nodes_match(term, nodes)
    return selected


def preference_weights(terms: Sequence[PreferredSchedulingTerm], nodes: Nodes) -> IntColumn:
    """Return the summed weights of the terms that match each node. Source: PreferredSchedulingTerms.Score.

    Raises PluginError as `check_terms` does.
    """
    check_terms(terms)
    total = np.zeros(len(nodes), np.int64)
    for weighted in terms:
        if weighted.term.is_effective:
            total += weighted.weight * _nodes_match(weighted.term, nodes)
    return total


def check_terms(terms: Sequence[PreferredSchedulingTerm]) -> None:
    """Raise PluginError if a term is invalid; terms of weight 0 aren't checked.

    Source: NewPreferredSchedulingTerms.
    """
    errors: list[str] = []
    for i, weighted in enumerate(terms):
        if weighted.weight and not weighted.term.is_effective:
            errors += term_errors(weighted.term, f"[{i}]")
    if errors:
        raise PluginError(aggregate(errors))


def _nodes_match(term: NodeSelectorTerm, nodes: Nodes) -> BoolColumn:
    match = np.ones(len(nodes), np.bool_)
    for requirement in term.expressions:
        match &= _nodes_meet(requirement, nodes)
    for requirement in term.fields:
        value = requirement.values[0]
        # The name is a node's only field; any other field is "".
        equal = nodes.named((value,)) if requirement.key == NAME_FIELD else np.full(len(nodes), value == "")
        match &= equal if requirement.matches_field(value) else ~equal
    return match


def _nodes_meet(requirement: Requirement, nodes: Nodes) -> BoolColumn:
    """Return `requirement.matches` for each of `nodes`, evaluated once per group of equal results."""
    key, values = requirement.key, requirement.values
    codes = nodes.label(key)
    if requirement.operator in (GT, LT):
        label_values = nodes.label_values(key)
        return column_by_code(
            codes,
            len(label_values),
            np.bool_,
            lambda code: code >= 0 and requirement.matches({key: label_values[code]}),
        )
    # The other operators depend only on whether the label exists and its value is listed.
    listed = bool(values) and requirement.matches({key: values[0]})
    unlisted, absent = requirement.matches({key: _UNLISTED}), requirement.matches({})
    known = [code for value in values if (code := nodes.label_code(key, value)) >= 0]
    if len(known) == 1 and unlisted == absent:
        return codes == known[0] if listed else codes != known[0]  # type: ignore[no-any-return]
    if not known and unlisted != absent:
        return codes >= 0 if unlisted else codes < 0
    answers = np.full(len(nodes.label_values(key)) + 1, unlisted, np.bool_)
    answers[known], answers[-1] = listed, absent  # code -1 is a node without the label
    return answers[codes]


def check_readable(selector: NodeSelector) -> bool:
    return not any(term_errors(term, "") for term in selector.terms)
