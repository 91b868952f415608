"""Label selectors and node selectors: which labels, which nodes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kube_objects import names
from kube_objects.node import Node
from kube_objects.sentences import quoted

IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT = "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"


@dataclass(slots=True, frozen=True)
class Requirement:
    """One `key operator values` line. Source: apimachinery/pkg/labels Requirement."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
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
                return value is not None and _compare(self.operator, value, self.values)
        return False


def _compare(operator: str, value: str, values: tuple[str, ...]) -> bool:
    """Gt and Lt: both sides must be base-10 int64, else there is no match."""
    left, right = parse_int64(value), parse_int64(values[0]) if len(values) == 1 else None
    if left is None or right is None:
        return False
    return left > right if operator == GT else left < right


def parse_int64(text: str) -> int | None:
    """Go's strconv.ParseInt(text, 10, 64); None where it returns an error."""
    sign, digits = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    if not digits.isascii() or not digits.isdigit():
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > 19:
        return None
    value = int(sign + digits)
    return value if -(1 << 63) <= value < (1 << 63) else None


@dataclass(slots=True, frozen=True)
class LabelSelector:
    """All requirements must hold; none means everything. A nil selector is `None` and matches nothing."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


@dataclass(slots=True, frozen=True)
class NodeSelectorTerm:
    """Expressions over labels and fields (`metadata.name`), all of which must hold; an empty term matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


@dataclass(slots=True, frozen=True)
class NodeSelector:
    """Terms, one of which must hold. Source: component-helpers/scheduling/corev1/nodeaffinity."""

    terms: tuple[NodeSelectorTerm, ...] = ()


@dataclass(slots=True, frozen=True)
class PreferredSchedulingTerm:
    weight: int
    term: NodeSelectorTerm


def matches_node(selector: NodeSelector | NodeSelectorTerm, node: Node) -> bool:
    """Whether the node is selected. Empty terms, and terms that do not parse, match nothing.

    Source: component-helpers/scheduling/corev1/nodeaffinity LazyErrorNodeSelector.Match.
    """
    if isinstance(selector, NodeSelector):
        return any(matches_node(term, node) for term in selector.terms)
    return (
        bool(selector.expressions or selector.fields)
        and _parses(selector)
        and all(requirement.matches(node.labels) for requirement in selector.expressions)
        and all(_matches_field(requirement, node.name) for requirement in selector.fields)
    )


def _matches_field(requirement: Requirement, node_name: str) -> bool:
    equal = requirement.values == (node_name if requirement.key == "metadata.name" else "",)
    return equal if requirement.operator == IN else not equal


@lru_cache(maxsize=1024)
def _parses(term: NodeSelectorTerm) -> bool:
    return not term_errors(term, "")


def term_errors(term: NodeSelectorTerm, path: str) -> tuple[str, ...]:
    """Upstream's errors for a term that validation lets through but that makes no selector (a `Gt` of a word).

    `path` names the term in the messages: upstream numbers preferred terms `[0]`, `[1]`, …
    Source: nodeSelectorRequirementsAsSelector, nodeSelectorRequirementsAsFieldSelector, labels.NewRequirement.
    """
    errors: list[str] = []
    for index, requirement in enumerate(term.expressions):
        errors += _expression_errors(requirement, f"{path}.matchExpressions[{index}]")
    for index, requirement in enumerate(term.fields):
        errors += _field_errors(requirement, f"{path}.matchFields[{index}]")
    return tuple(errors)


def aggregate(errors: Sequence[str]) -> str:
    """Several messages as one, each once. Source: apimachinery/pkg/util/errors aggregate.Error."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def _expression_errors(requirement: Requirement, path: str) -> Iterator[str]:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if operator not in (IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT):
        yield _unsupported(path, operator, (IN, NOT_IN, EXISTS, DOES_NOT_EXIST, GT, LT))
        return
    if rule := names.qualified_name(key):
        yield f"{path}.key: Invalid value: {_quoted(key)}: {rule}"
    given = _quoted(list(values)) if values else "null"
    if operator in (IN, NOT_IN) and not values:
        yield f"{path}.values: Invalid value: {given}: for 'in', 'notin' operators, values set can't be empty"
    if operator in (EXISTS, DOES_NOT_EXIST) and values:
        yield f"{path}.values: Invalid value: {given}: values set must be empty for exists and does not exist"
    if operator in (GT, LT):
        if len(values) != 1:
            yield f"{path}.values: Invalid value: {given}: for 'Gt', 'Lt' operators, exactly one value is required"
        for index, value in enumerate(values):
            if parse_int64(value) is None:
                rule = quoted("for 'Gt', 'Lt' operators, the value must be an integer")
                yield f"{path}.values[{index}]: Invalid value: {_quoted(value)}: {rule}"
    for index, value in enumerate(values):
        if rule := names.label_value(value):
            yield f"{path}.values[{index}][{key}]: Invalid value: {_quoted(value)}: {rule}"


def _field_errors(requirement: Requirement, path: str) -> Iterator[str]:
    if requirement.operator not in (IN, NOT_IN):
        yield _unsupported(path, requirement.operator, (IN, NOT_IN))
    elif len(requirement.values) != 1:
        given = _quoted(list(requirement.values)) if requirement.values else "null"
        yield f"{path}.values: Invalid value: {given}: must have one element"


def _unsupported(path: str, operator: str, supported: Sequence[str]) -> str:
    listed = ", ".join(f'"{name}"' for name in supported)
    return f"{path}.operator: Unsupported value: {_quoted(operator)}: supported values: {listed}"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def node_selector_json(selector: NodeSelector) -> dict[str, Any]:
    """As `spec` has it; absent parts are left out."""
    terms = []
    for term in selector.terms:
        parts = (("matchExpressions", term.expressions), ("matchFields", term.fields))
        terms.append({name: [_requirement(one) for one in required] for name, required in parts if required})
    return {"nodeSelectorTerms": terms}


def _requirement(one: Requirement) -> dict[str, Any]:
    values = {"values": list(one.values)} if one.values else {}
    return {"key": one.key, "operator": one.operator, **values}
