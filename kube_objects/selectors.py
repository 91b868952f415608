"""Label, node and field selectors: one evaluator for scheduler, controllers and API server.

Source: apimachinery/pkg/labels, apimachinery/pkg/fields, component-helpers/scheduling/corev1/nodeaffinity.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kube_objects import names
from kube_objects.go_numbers import parse_int64
from kube_objects.sentences import quoted
from kube_objects.text.go import quote

IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT = "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"
LABEL_OPERATORS = (IN, NOT_IN, EXISTS, DOES_NOT_EXIST)
NODE_OPERATORS = (*LABEL_OPERATORS, GT, LT)
FIELD_OPERATORS = (IN, NOT_IN)


@dataclass(slots=True, frozen=True)
class Requirement:
    """One `key operator values` line. Source: apimachinery/pkg/labels Requirement."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels meet the requirement. Source: labels.Requirement.Matches."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case "Gt" | "Lt":
                return value is not None and len(self.values) == 1 and compare(self.operator, value, self.values[0])
        return False

    def matches_field(self, value: str) -> bool:
        """Return whether a field with this value meets the requirement. The value of an absent field is "".

        Only In and NotIn with one value make a field selector. Source: fields.hasTerm, fields.notHasTerm.
        """
        return (value == self.values[0]) == (self.operator == IN)


def compare(operator: str, value: str, bound: str) -> bool:
    """Return whether `value` is greater (Gt) or less (Lt) than `bound`; False if one of them is no int64."""
    number, limit = parse_int64(value), parse_int64(bound)
    if number is None or limit is None:
        return False
    return number > limit if operator == GT else number < limit


@dataclass(slots=True, frozen=True)
class LabelSelector:
    """All requirements must hold; none means everything. A nil selector is `None` and matches nothing."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the labels meet all requirements."""
        for requirement in self.requirements:  # noqa: SIM110 - a generator takes twice the time
            if not requirement.matches(labels):
                return False
        return True


def as_label_selector(manifest: Any) -> LabelSelector | None:
    """Return the selector of a valid LabelSelector manifest; None, which selects nothing, if there is none.

    A selector with an operator that label selectors don't have selects nothing either.
    Source: apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector.
    """
    if not isinstance(manifest, Mapping):
        return None
    requirements = [Requirement(key, IN, (value,)) for key, value in (manifest.get("matchLabels") or {}).items()]
    requirements += map(_as_requirement, manifest.get("matchExpressions") or ())
    selector = LabelSelector(tuple(requirements))
    return selector if all(one.operator in LABEL_OPERATORS for one in selector.requirements) else None


def selects(manifest: Any, labels: Mapping[str, str]) -> bool:
    """Return whether a LabelSelector manifest selects an object with these labels.

    Callers that ask for many objects call `as_label_selector` once.
    """
    selector = as_label_selector(manifest)
    return selector is not None and selector.matches(labels)


def has_labels(wanted: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    """Return whether `labels` has all pairs of `wanted`. Source: labels.SelectorFromSet."""
    return wanted.items() <= labels.items()


@dataclass(slots=True, frozen=True)
class NodeSelectorTerm:
    """Expressions over labels and fields (`metadata.name`), all of which must hold.

    `is_effective` is False for a term that selects no node: an empty one, and one with an error of `term_errors`.
    """

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()
    is_effective: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        is_effective = bool(self.expressions or self.fields) and not term_errors(self, "")
        object.__setattr__(self, "is_effective", is_effective)

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether the term selects the node with these labels and this name."""
        return (
            self.is_effective
            and all(requirement.matches(labels) for requirement in self.expressions)
            and all(requirement.matches_field(_node_field(requirement.key, name)) for requirement in self.fields)
        )


@dataclass(slots=True, frozen=True)
class NodeSelector:
    """Terms, one of which must hold. Source: component-helpers/scheduling/corev1/nodeaffinity."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether one of the terms selects the node. Source: LazyErrorNodeSelector.Match."""
        return any(term.matches(labels, name) for term in self.terms)


@dataclass(slots=True, frozen=True)
class PreferredSchedulingTerm:
    weight: int
    term: NodeSelectorTerm


def as_node_selector(manifest: Mapping[str, Any]) -> NodeSelector:
    """Return the selector of a NodeSelector manifest. Source: NewLazyErrorNodeSelector."""
    terms = []
    for term in manifest.get("nodeSelectorTerms") or ():
        expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
        terms.append(NodeSelectorTerm(tuple(map(_as_requirement, expressions)), tuple(map(_as_requirement, fields))))
    return NodeSelector(tuple(terms))


@dataclass(slots=True, frozen=True)
class RequiredNodeAffinity:
    """The nodeSelector and the required node affinity of a pod. Source: nodeaffinity.RequiredNodeAffinity."""

    labels: Mapping[str, str]
    selector: NodeSelector | None

    def matches(self, labels: Mapping[str, str], name: str) -> bool:
        """Return whether the pod may run on the node with these labels and this name."""
        return has_labels(self.labels, labels) and (self.selector is None or self.selector.matches(labels, name))


def required_node_affinity(pod_spec: Mapping[str, Any]) -> RequiredNodeAffinity:
    """Return what a pod's spec requires of its node. Source: nodeaffinity.GetRequiredNodeAffinity."""
    affinity = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return RequiredNodeAffinity(
        pod_spec.get("nodeSelector") or {}, None if required is None else as_node_selector(required)
    )


def _as_requirement(manifest: Mapping[str, Any]) -> Requirement:
    return Requirement(str(manifest.get("key")), str(manifest.get("operator")), tuple(manifest.get("values") or ()))


def _node_field(key: str, name: str) -> str:
    """Return the value of a node's field. A node has one field only. Source: nodeaffinity.extractNodeFields."""
    return name if key == "metadata.name" else ""


def term_errors(term: NodeSelectorTerm, path: str) -> tuple[str, ...]:
    """Upstream's errors for a term that validation lets through but that makes no selector (a `Gt` of a word).

    `path` names the term in the messages: upstream numbers preferred terms `[0]`, `[1]`, …
    Source: nodeSelectorRequirementsAsSelector, nodeSelectorRequirementsAsFieldSelector, labels.NewRequirement.
    """
    errors: list[str] = []
    for index, requirement in enumerate(term.expressions):
        errors += requirement_errors(requirement, f"{path}.matchExpressions[{index}]")
    for index, requirement in enumerate(term.fields):
        errors += _field_errors(requirement, f"{path}.matchFields[{index}]")
    return tuple(errors)


def aggregate(errors: Sequence[str]) -> str:
    """Several messages as one, each once. Source: apimachinery/pkg/util/errors aggregate.Error."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def requirement_errors(requirement: Requirement, path: str = "") -> Iterator[str]:
    """Yield upstream's errors for a requirement over labels; none if it is valid. Source: labels.NewRequirement."""
    key, operator, values = requirement.key, requirement.operator, requirement.values
    inside = f"{path}." if path else ""
    if operator not in NODE_OPERATORS:
        yield _unsupported(inside, operator, NODE_OPERATORS)
        return
    if rule := names.qualified_name(key):
        yield f"{inside}key: Invalid value: {quote(key)}: {rule}"
    if operator in (IN, NOT_IN) and not values:
        yield _wrong_count(inside, values, "for 'in', 'notin' operators, values set can't be empty")
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        yield _wrong_count(inside, values, "values set must be empty for exists and does not exist")
    if operator in (GT, LT):
        if len(values) != 1:
            yield _wrong_count(inside, values, "for 'Gt', 'Lt' operators, exactly one value is required")
        for index, value in enumerate(values):
            if parse_int64(value) is None:
                rule = quoted("for 'Gt', 'Lt' operators, the value must be an integer")
                yield f"{inside}values[{index}]: Invalid value: {quote(value)}: {rule}"
    for index, value in enumerate(values):
        if rule := names.label_value(value):
            yield f"{inside}values[{index}][{key}]: Invalid value: {quote(value)}: {rule}"


def _field_errors(requirement: Requirement, path: str) -> Iterator[str]:
    if requirement.operator not in FIELD_OPERATORS:
        yield _unsupported(f"{path}.", requirement.operator, FIELD_OPERATORS)
    elif len(requirement.values) != 1:
        yield _wrong_count(f"{path}.", requirement.values, "must have one element")


def _unsupported(inside: str, operator: str, supported: Sequence[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in supported)
    return f"{inside}operator: Unsupported value: {_as_json(operator)}: supported values: {listed}"


def _wrong_count(inside: str, values: Sequence[str], rule: str) -> str:
    shown = _as_json(list(values)) if values else "null"
    return f"{inside}values: Invalid value: {shown}: {rule}"


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def node_selector_json(selector: NodeSelector) -> dict[str, Any]:
    """Return the selector as JSON for a spec, without absent parts."""
    terms = []
    for term in selector.terms:
        parts = (("matchExpressions", term.expressions), ("matchFields", term.fields))
        terms.append({name: [_requirement(one) for one in required] for name, required in parts if required})
    return {"nodeSelectorTerms": terms}


def _requirement(one: Requirement) -> dict[str, Any]:
    values = {"values": list(one.values)} if one.values else {}
    return {"key": one.key, "operator": one.operator, **values}
