"""Validation of a node affinity: whether it can be compiled into selectors.

Source: component-helpers/scheduling/corev1/nodeaffinity, apimachinery/pkg/labels/selector.go NewRequirement.
"""

import re
from collections.abc import Iterator

from kube_objects.text.go import json_string
from kube_objects.text.hints import did_you_mean
from kube_objects.text.problems import Problem
from scheduler_core.config.core import NodeSelectorRequirement, NodeSelectorTerm, V1NodeAffinity
from scheduler_core.config.field_errors import Shown, distinct, invalid, not_supported
from scheduler_core.config.names import label_value_errors, qualified_name_errors

_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")


def validate_node_affinity(path: str, affinity: V1NodeAffinity) -> Iterator[Problem]:
    """Return the problems of an affinity. Empty terms and preferred terms of weight 0 aren't checked, as upstream."""
    if affinity.required is not None:
        where = f"{path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
        for index, term in enumerate(affinity.required.node_selector_terms or ()):
            yield from _term(f"{where}[{index}]", term)
    where = f"{path}.preferredDuringSchedulingIgnoredDuringExecution"
    for index, preferred in enumerate(affinity.preferred):
        if preferred.weight:
            yield from _term(f"{where}[{index}]", preferred.preference)


def _term(path: str, term: NodeSelectorTerm) -> Iterator[Problem]:
    for index, requirement in enumerate(term.match_expressions):
        yield from _label_requirement(f"{path}.matchExpressions[{index}]", requirement)
    for index, requirement in enumerate(term.match_fields):
        yield from _field_requirement(f"{path}.matchFields[{index}]", requirement)


def _label_requirement(path: str, requirement: NodeSelectorRequirement) -> list[Problem]:
    if requirement.operator not in _LABEL_OPERATORS:
        hint = did_you_mean(requirement.operator, _LABEL_OPERATORS)
        return [not_supported(f"{path}.operator", requirement.operator, _LABEL_OPERATORS, hint)]
    problems = []
    key_errors = qualified_name_errors(requirement.key)
    if key_errors:
        problems.append(invalid(f"{path}.key", requirement.key, "; ".join(key_errors)))
    problems += _operands(f"{path}.values", requirement)
    for index, value in enumerate(requirement.values or ()):
        errors = label_value_errors(value)
        if errors:
            problems.append(invalid(f"{path}.values[{index}][{requirement.key}]", value, "; ".join(errors)))
    return distinct(problems)


def _operands(path: str, requirement: NodeSelectorRequirement) -> Iterator[Problem]:
    values = requirement.values or ()
    match requirement.operator:
        case "In" | "NotIn" if not values:
            yield invalid(path, _values_json(requirement), "for 'in', 'notin' operators, values set can't be empty")
        case "Exists" | "DoesNotExist" if values:
            yield invalid(path, _values_json(requirement), "values set must be empty for exists and does not exist")
        case "Gt" | "Lt":
            if len(values) != 1:
                yield invalid(
                    path, _values_json(requirement), "for 'Gt', 'Lt' operators, exactly one value is required"
                )
            for index, value in enumerate(values):
                if not _is_int64(value):
                    detail = "for 'Gt', 'Lt' operators, the value must be an integer"
                    yield invalid(f"{path}[{index}]", value, detail)


def _field_requirement(path: str, requirement: NodeSelectorRequirement) -> Iterator[Problem]:
    if requirement.operator not in _FIELD_OPERATORS:
        yield not_supported(f"{path}.operator", requirement.operator, _FIELD_OPERATORS)
    elif len(requirement.values or ()) != 1:
        yield invalid(f"{path}.values", _values_json(requirement), "must have one element")


def _values_json(requirement: NodeSelectorRequirement) -> Shown:
    values = requirement.values
    return Shown("null" if values is None else "[" + ",".join(map(json_string, values)) + "]")


def _is_int64(text: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[0-9]{1,100}", text)) and -(1 << 63) <= int(text) < 1 << 63
