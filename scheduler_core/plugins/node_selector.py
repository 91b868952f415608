"""Which nodes a node selector, a pod's node affinity, or a preferred term selects: for one node, and for many.

Source: component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from kube_objects.names import label_value
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
    parse_int64,
)
from kube_objects.text.problems import Problem
from scheduler_core.cache.column_types import BoolColumn, IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.field_errors import aggregate, invalid
from scheduler_core.config.names import label_value_errors
from scheduler_core.framework.status import PluginError
from scheduler_core.plugins.helper import by_code

NAME_FIELD = "metadata.name"


# For one node


def node_fits_pod(pod: Pod, node: Node) -> bool:
    """Whether `pod`'s nodeSelector and required node affinity select `node`. Source: RequiredNodeAffinity.Match."""
    required = required_affinity(pod)
    return node_has_labels(pod, node) and (required is None or node_selected(required, node))


def node_has_labels(pod: Pod, node: Node) -> bool:
    """Whether the node has the labels of `pod`'s nodeSelector."""
    return all(node.labels.get(key) == value for key, value in pod.node_selector.items())


def required_affinity(pod: Pod) -> NodeSelector | None:
    return pod.node_affinity.required if pod.node_affinity else None


def preferred_terms(pod: Pod) -> tuple[PreferredSchedulingTerm, ...]:
    return pod.node_affinity.preferred if pod.node_affinity else ()


def named_nodes(selector: NodeSelector) -> frozenset[str] | None:
    """The nodes that the terms name; None if there is a term that names none, and so leaves all of them."""
    names: set[str] = set()
    for term in selector.terms:
        values = [set(field.values) for field in term.fields if field.key == NAME_FIELD and field.operator == IN]
        if not values:
            return None
        names |= set.intersection(*values)
    return frozenset(names) if selector.terms else None


def node_selected(selector: NodeSelector, node: Node) -> bool:
    """Source: LazyErrorNodeSelector.Match; a term that cannot be read matches nothing."""
    return any(_counts(term) and _term_matches(term, node) for term in selector.terms)


def _term_matches(term: NodeSelectorTerm, node: Node) -> bool:
    fields = {NAME_FIELD: node.name}
    return all(requirement.matches(node.labels) for requirement in term.expressions) and all(
        (fields.get(requirement.key, "") == requirement.values[0]) == (requirement.operator == IN)
        for requirement in term.fields
    )


# For many


def nodes_fit_pod(pod: Pod, nodes: Nodes) -> BoolColumn:
    """`node_fits_pod` for each of `nodes`."""
    fits = np.ones(len(nodes), np.bool_)
    for key, value in pod.node_selector.items():
        fits &= _carries(nodes, key, (value,))
    required = required_affinity(pod)
    if required is not None:
        fits &= nodes_selected(required, nodes)
    return fits


def nodes_selected(selector: NodeSelector, nodes: Nodes) -> BoolColumn:
    """`node_selected` for each of `nodes`."""
    selected = np.zeros(len(nodes), np.bool_)
    for term in selector.terms:
        if _counts(term):
            selected |= _nodes_match(term, nodes)
    return selected


def preference(terms: Sequence[PreferredSchedulingTerm], nodes: Nodes) -> IntColumn:
    """The summed weights of the terms that match each node. Source: PreferredSchedulingTerms.Score.

    Raises PluginError as `check_terms` does.
    """
    check_terms(terms)
    total = np.zeros(len(nodes), np.int64)
    for wanted in terms:
        if wanted.term.expressions or wanted.term.fields:
            total += wanted.weight * _nodes_match(wanted.term, nodes)
    return total


def check_terms(terms: Sequence[PreferredSchedulingTerm]) -> None:
    """Raise PluginError if a term cannot be read; one without weight is not looked at.

    Source: NewPreferredSchedulingTerms.
    """
    problems = [p for i, wanted in enumerate(terms) if wanted.weight for p in _problems(wanted.term, f"[{i}]")]
    if problems:
        raise PluginError(aggregate(problems))


def _nodes_match(term: NodeSelectorTerm, nodes: Nodes) -> BoolColumn:
    match = np.ones(len(nodes), np.bool_)
    for requirement in term.expressions:
        match &= _nodes_meet(requirement, nodes)
    for requirement in term.fields:
        value = requirement.values[0]
        # A node has no other field than its name: all others read as "".
        equal = nodes.named((value,)) if requirement.key == NAME_FIELD else np.full(len(nodes), value == "")
        match &= equal if requirement.operator == IN else ~equal
    return match


def _nodes_meet(requirement: Requirement, nodes: Nodes) -> BoolColumn:
    key = requirement.key
    match requirement.operator:
        case "In":
            return _carries(nodes, key, requirement.values)
        case "NotIn":
            return ~_carries(nodes, key, requirement.values)
        case "Exists":
            return nodes.label(key) >= 0
        case "DoesNotExist":
            return nodes.label(key) < 0
    codes, values = nodes.label(key), nodes.label_values(key)
    return by_code(codes, len(values), np.bool_, lambda code: code >= 0 and requirement.matches({key: values[code]}))


def _carries(nodes: Nodes, key: str, values: Sequence[str]) -> BoolColumn:
    """True for the nodes whose label `key` has one of `values`."""
    codes = nodes.label(key)
    wanted = [code for value in values if (code := nodes.label_code(key, value)) >= 0]
    if len(wanted) == 1:
        equal: BoolColumn = codes == wanted[0]
        return equal
    member = np.zeros(len(nodes.label_values(key)) + 1, np.bool_)  # the last entry is also entry -1: no such label
    member[wanted] = True
    return member[codes]


# Terms that cannot be read


def readable(selector: NodeSelector) -> bool:
    return not any(any(_problems(term, "")) for term in selector.terms)


def _counts(term: NodeSelectorTerm) -> bool:
    """False for a term that selects nothing: an empty one, or one that cannot be read."""
    return bool(term.expressions or term.fields) and not any(_problems(term, ""))


def _problems(term: NodeSelectorTerm, path: str) -> Iterator[Problem]:
    """What the API server lets pass and the scheduler cannot read. Source: labels.NewRequirement."""
    for i, requirement in enumerate(term.expressions):
        for j, value in enumerate(requirement.values):
            where = f"{path}.matchExpressions[{i}].values[{j}]"
            if requirement.operator in (GT, LT) and parse_int64(value) is None:
                yield invalid(where, value, "for 'Gt', 'Lt' operators, the value must be an integer")
            if label_value(value):
                yield invalid(f"{where}[{requirement.key}]", value, "; ".join(label_value_errors(value)))
