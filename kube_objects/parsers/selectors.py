"""Label selectors and node selectors.

Source: apimachinery/pkg/apis/meta/v1/helpers.go, pkg/apis/core/validation ValidateNodeSelector.
"""

from collections.abc import Callable, Sequence
from typing import Any

from kube_objects import field_errors, names, read
from kube_objects.read import Manifest, Problems
from kube_objects.selectors import (
    DOES_NOT_EXIST,
    EXISTS,
    FIELD_OPERATORS,
    IN,
    LABEL_OPERATORS,
    NODE_OPERATORS,
    NOT_IN,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    PreferredSchedulingTerm,
    Requirement,
)
from kube_objects.sentences import quoted
from kube_objects.text.problems import Problem


def label_selector(parent: Manifest, key: str, path: str, problems: Problems) -> LabelSelector | None:
    """Parse a label selector. Return None if it is absent. None matches nothing, and `{}` matches everything."""
    selector = read.mapping(parent, key, path, problems)
    if selector is None:
        return None
    path = read.child(path, key)
    requirements = list(from_labels(read.label_map(selector, "matchLabels", path, problems)))
    for item_path, expression in read.mappings(selector, "matchExpressions", path, problems):
        requirement = _parse_requirement(expression, item_path, problems, LABEL_OPERATORS, names.qualified_name)
        if requirement is not None:
            _check_values(requirement, item_path, problems)
            requirements.append(
                Requirement(requirement.key, requirement.operator, tuple(sorted(set(requirement.values))))
            )
    requirements.sort(key=_sort_key)
    return LabelSelector(tuple(requirements))


def from_labels(labels: Manifest) -> Sequence[Requirement]:
    """Return `matchLabels` as requirements."""
    return [Requirement(key, IN, (value,)) for key, value in labels.items()]


def with_requirements(selector: LabelSelector, more: Sequence[Requirement]) -> LabelSelector:
    """Return the selector with further requirements, in the same order as `label_selector` returns them."""
    return LabelSelector(tuple(sorted({*selector.requirements, *more}, key=_sort_key))) if more else selector


def node_selector(parent: Manifest, key: str, path: str, problems: Problems) -> NodeSelector | None:
    """Parse a node selector. Return None if it is absent."""
    selector = read.mapping(parent, key, path, problems)
    if selector is None:
        return None
    path = read.child(path, key)
    terms = tuple(
        node_selector_term(term, item_path, problems, check_values=True)
        for item_path, term in read.mappings(selector, "nodeSelectorTerms", path, problems)
    )
    if not terms and not selector.get("nodeSelectorTerms"):
        problems.append(
            field_errors.required(f"{path}.nodeSelectorTerms", quoted("must have at least one node selector term"))
        )
    return NodeSelector(terms)


def preferred_terms(parent: Manifest, key: str, path: str, problems: Problems) -> tuple[PreferredSchedulingTerm, ...]:
    terms = []
    for item_path, item in read.mappings(parent, key, path, problems):
        weight = term_weight(item, item_path, problems)
        preference = read.mapping(item, "preference", item_path, problems) or {}
        # The API server accepts invalid label values here. Later, the plugin rejects the pod.
        term = node_selector_term(preference, f"{item_path}.preference", problems, check_values=False)
        terms.append(PreferredSchedulingTerm(weight, term))
    return tuple(terms)


def term_weight(item: Manifest, path: str, problems: Problems) -> int:
    weight = read.integer(item, "weight", path, problems)
    if weight is None:
        if item.get("weight") is None:
            problems.append(field_errors.required(f"{path}.weight", quoted("must be in the range 1-100")))
        return 1
    if not 1 <= weight <= 100:
        problems.append(Problem(f"{path}.weight", weight, quoted("must be in the range 1-100")))
    return weight


def node_selector_term(term: Manifest, path: str, problems: Problems, check_values: bool) -> NodeSelectorTerm:
    expressions = []
    for item_path, item in read.mappings(term, "matchExpressions", path, problems):
        requirement = _parse_requirement(item, item_path, problems, NODE_OPERATORS, names.qualified_name)
        if requirement is not None:
            if check_values:
                _check_values(requirement, item_path, problems)
            expressions.append(requirement)
    fields = []
    for item_path, item in read.mappings(term, "matchFields", path, problems):
        requirement = _parse_requirement(item, item_path, problems, FIELD_OPERATORS, _check_field_name)
        if requirement is None:
            continue
        if len(requirement.values) != 1:
            problems.append(
                Problem(
                    f"{item_path}.values",
                    requirement.values,
                    quoted("must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
                )
            )
        for index, value in enumerate(requirement.values):
            if rule := names.dns_subdomain(value):
                problems.append(Problem(f"{item_path}.values[{index}]", value, rule))
        fields.append(requirement)
    return NodeSelectorTerm(tuple(expressions), tuple(fields))


def topology_term(term: Manifest, path: str, problems: Problems) -> NodeSelectorTerm:
    """Parse a term of a StorageClass' `allowedTopologies`."""
    expressions: list[Requirement] = []
    for item_path, item in read.mappings(term, "matchLabelExpressions", path, problems):
        key = read.required_text(item, "key", item_path, problems)
        if key and (rule := names.qualified_name(key)):
            problems.append(Problem(f"{item_path}.key", key, rule))
        if any(earlier.key == key for earlier in expressions):
            problems.append(field_errors.duplicate(f"{item_path}.key", key))
        values = read.texts(item, "values", item_path, problems)
        if not item.get("values"):
            problems.append(field_errors.required(f"{item_path}.values"))
        if len(set(values)) < len(values):
            problems.append(field_errors.duplicate(f"{item_path}.values", values))
        expressions.append(Requirement(key, IN, values))
    return NodeSelectorTerm(tuple(expressions))


def _parse_requirement(
    item: Manifest, path: str, problems: Problems, operators: Sequence[str], key_rule: Callable[[str], str]
) -> Requirement | None:
    before = len(problems)
    key = read.required_text(item, "key", path, problems)
    if key and (rule := key_rule(key)):
        problems.append(Problem(f"{path}.key", key, rule))
    operator = read.choice(item, "operator", path, problems, operators)
    if not operator:
        problems.append(field_errors.required(f"{path}.operator", field_errors.one_of(operators)))
    values = read.texts(item, "values", path, problems)
    if len(problems) > before:
        return None
    if rule := _check_value_count(operator, values):
        problems.append(Problem(f"{path}.values", values or None, rule))
    return Requirement(key, operator, values)


def _check_value_count(operator: str, values: Sequence[Any]) -> str:
    """Return the rule that the number of values breaks, or ""."""
    if operator in (IN, NOT_IN):
        return "" if values else quoted("must be specified when `operator` is 'In' or 'NotIn'")
    if operator in (EXISTS, DOES_NOT_EXIST):
        return quoted("may not be specified when `operator` is 'Exists' or 'DoesNotExist'") if values else ""
    return "" if len(values) == 1 else "must be specified single value when `operator` is 'Lt' or 'Gt'"


def _check_values(requirement: Requirement, path: str, problems: Problems) -> None:
    for index, value in enumerate(requirement.values):
        if rule := names.label_value(value):
            problems.append(Problem(f"{path}.values[{index}]", value, rule))


def _check_field_name(key: str) -> str:
    return "" if key == "metadata.name" else "not a valid field selector key"


def _sort_key(requirement: Requirement) -> tuple[str, str, tuple[str, ...]]:
    return requirement.key, requirement.operator, requirement.values
