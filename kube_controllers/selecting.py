"""Label selectors over manifests. Source: apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector."""

from collections.abc import Mapping, Sequence
from typing import Any

Selector = Mapping[str, Any]
Group = frozenset[tuple[str, str]]  # labels
_NOTHING: Mapping[str, Any] = {}
UNSELECTED = "`selector` does not match template `labels`"


def matches(selector: Selector | None, labels: Mapping[str, str]) -> bool:
    """No selector selects nothing, an empty one everything."""
    if selector is None:
        return False
    for name, value in (selector.get("matchLabels") or _NOTHING).items():
        if labels.get(name) != value:
            return False
    rules = selector.get("matchExpressions")
    return not rules or all(_meets(rule, labels) for rule in rules)


def matches_group(selector: Selector | None, group: Group) -> bool:
    """As `matches`, for labels as pairs."""
    if selector is None or not (selector.get("matchLabels") or _NOTHING).items() <= group:
        return False
    rules = selector.get("matchExpressions")
    return not rules or matches(selector, dict(group))


def selects_its_own(spec: Mapping[str, Any]) -> bool:
    """Whether the pods that it makes would be its own. An API server takes no other."""
    about = (spec.get("template") or _NOTHING).get("metadata") or _NOTHING
    return matches(spec.get("selector"), about.get("labels") or _NOTHING)


def is_empty(selector: Selector | None) -> bool:
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))


def _meets(rule: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = rule["key"], rule.get("values") or ()
    match rule["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False


def meets_node_terms(terms: Sequence[Mapping[str, Any]], labels: Mapping[str, str], name: str) -> bool:
    """Node selector terms, one of which is enough. Source: component-helpers/scheduling/corev1/nodeaffinity."""
    return any(_meets_term(term, labels, name) for term in terms)


def _meets_term(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    expressions, fields = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not expressions and not fields:
        return False
    if not all(_meets_node(rule, labels) for rule in expressions):
        return False
    return all(_meets_node(rule, {"metadata.name": name}) for rule in fields)


def _meets_node(rule: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if rule["operator"] not in ("Gt", "Lt"):
        return _meets(rule, labels)
    try:
        given, bound = int(labels[rule["key"]]), int((rule.get("values") or ("",))[0])
    except (KeyError, ValueError):
        return False
    return given > bound if rule["operator"] == "Gt" else given < bound


def as_go(selector: Selector | None) -> str:
    """As Go prints a LabelSelector."""
    wanted = (selector or {}).get("matchLabels") or {}
    pairs = "".join(f"{label}: {wanted[label]}," for label in sorted(wanted))
    rules = "".join(
        f"LabelSelectorRequirement{{Key:{one['key']},Operator:{one['operator']},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in (selector or {}).get("matchExpressions") or ()
    )
    expressions = f"[]LabelSelectorRequirement{{{rules}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},MatchExpressions:{expressions},}}"


def as_text(selector: Selector | None) -> str:
    """As labels.Selector writes it: `app=web,tier in (a,b)`."""
    wanted = (selector or {}).get("matchLabels") or {}
    terms = {(label, ""): f"{label}={value}" for label, value in wanted.items()}
    for one in (selector or {}).get("matchExpressions") or ():
        label, values = one["key"], ",".join(sorted(one.get("values") or ()))
        written = {"In": f"{label} in ({values})", "NotIn": f"{label} notin ({values})", "DoesNotExist": f"!{label}"}
        terms[label, str(one["operator"])] = written.get(one["operator"], label)
    return ",".join(terms[at] for at in sorted(terms))
