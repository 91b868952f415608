"""Selectors and terms in kubectl's syntax: `app=web,tier in (a,b),!gpu`."""

from collections.abc import Iterable

from kube_objects.selectors import LabelSelector, NodeSelectorTerm, Requirement

# Longer texts are cut.
MAX_TEXT = 300


def format_requirement(wanted: Requirement) -> str:
    key, values = wanted.key, wanted.values
    match wanted.operator:
        case "In":
            return f"{key}={values[0]}" if len(values) == 1 else f"{key} in ({','.join(values)})"
        case "NotIn":
            return f"{key}!={values[0]}" if len(values) == 1 else f"{key} notin ({','.join(values)})"
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case "Gt":
            return f"{key}>{','.join(values)}"
        case "Lt":
            return f"{key}<{','.join(values)}"
    return f"{key} {wanted.operator} ({','.join(values)})"


def format_requirements(wanted: Iterable[Requirement]) -> str:
    return shorten_text(",".join(map(format_requirement, wanted)))


def format_selector(wanted: LabelSelector | None) -> str:
    """Return the selector as text: `<none>` if it selects nothing, `<all>` if it selects everything."""
    if wanted is None:
        return "<none>"
    return format_requirements(wanted.requirements) or "<all>"


def format_node_term(term: NodeSelectorTerm) -> str:
    return format_requirements((*term.expressions, *term.fields)) or "<none>"


def shorten_text(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
