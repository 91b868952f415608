"""Label selectors of workloads, and their printed forms. Source: apimachinery/pkg/apis/meta/v1/helpers.go."""

from collections.abc import Mapping
from typing import Any

from kube_objects.selectors import selects

Selector = Mapping[str, Any]
_NOTHING: Mapping[str, Any] = {}
UNSELECTED = "`selector` does not match template `labels`"


def selects_its_own(spec: Mapping[str, Any]) -> bool:
    """Return whether the selector matches the labels of the template. The API server refuses a workload for which it
    doesn't.
    """
    about = (spec.get("template") or _NOTHING).get("metadata") or _NOTHING
    return selects(spec.get("selector"), about.get("labels") or _NOTHING)


def is_empty(selector: Selector | None) -> bool:
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))


def as_go(selector: Selector | None) -> str:
    """Return a LabelSelector as Go prints it."""
    wanted = (selector or {}).get("matchLabels") or {}
    pairs = "".join(f"{label}: {wanted[label]}," for label in sorted(wanted))
    rules = "".join(
        f"LabelSelectorRequirement{{Key:{rule['key']},Operator:{rule['operator']},"
        f"Values:[{' '.join(rule.get('values') or ())}],}},"
        for rule in (selector or {}).get("matchExpressions") or ()
    )
    expressions = f"[]LabelSelectorRequirement{{{rules}}}"
    return f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},MatchExpressions:{expressions},}}"


def as_text(selector: Selector | None) -> str:
    """Return a LabelSelector as labels.Selector prints it: `app=web,tier in (a,b)`."""
    wanted = (selector or {}).get("matchLabels") or {}
    terms = {(label, ""): f"{label}={value}" for label, value in wanted.items()}
    for rule in (selector or {}).get("matchExpressions") or ():
        label, values = rule["key"], ",".join(sorted(rule.get("values") or ()))
        written = {"In": f"{label} in ({values})", "NotIn": f"{label} notin ({values})", "DoesNotExist": f"!{label}"}
        terms[label, str(rule["operator"])] = written.get(rule["operator"], label)
    return ",".join(terms[term] for term in sorted(terms))
