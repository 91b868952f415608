"""The fields that scheduling reads of each kind, with types and allowed values: what an editor completes.

There is one truth: the names come from the kind's `fields`, and types and values are asked of its parser, by giving it
a value that cannot be right and reading what rule it breaks.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from kube_objects.kinds.kind import Kind
from kube_objects.kinds.table import DESCRIBED
from kube_objects.read_fields import ALL, META_FIELDS, Fields
from kube_objects.text.problems import Problem

# Fields whose parts the reader takes as a whole, but which people write by name.
_REQUIREMENTS: Fields = {"key": ALL, "operator": ALL, "values": ALL}
_NODE_TERM: Fields = {"matchExpressions": _REQUIREMENTS, "matchFields": _REQUIREMENTS}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_LABEL_SELECTOR: Fields = {"matchLabels": ALL, "matchExpressions": _REQUIREMENTS}
_WHOLE: Mapping[str, Fields] = {
    "selector": _LABEL_SELECTOR,
    "nodeTopology": _LABEL_SELECTOR,
    "matchExpressions": _REQUIREMENTS,
    "nodeSelectorTerms": _NODE_TERM,
    f"nodeAffinity.{_REQUIRED}": {"nodeSelectorTerms": _NODE_TERM},
    f"nodeAffinity.{_PREFERRED}": {"weight": ALL, "preference": _NODE_TERM},
    "spec.nodeAffinity": {"required": {"nodeSelectorTerms": _NODE_TERM}},
    "allowedTopologies": {"matchLabelExpressions": {"key": ALL, "values": ALL}},
    "schedulingGates": {"name": ALL},
    "volumes.persistentVolumeClaim": {"claimName": ALL, "readOnly": ALL},
    "images": {"names": ALL, "sizeBytes": ALL},
    "drivers.allocatable": {"count": ALL},
}
_NO_VALUE = 0.5  # neither text nor whole number, neither mapping nor list
_NO_TEXT = "?"  # no name, no quantity, no member of any set
_RULES = {
    "must be a string": "text",
    "must be an integer": "integer",
    "must be true or false": "boolean",
    "must be a mapping": "mapping",
    "must be a list": "list",
}
_QUOTED = re.compile(r'"([^"]*)"')
_INDEX = re.compile(r"\[\d+\]")


@cache
def schema() -> Mapping[str, Any]:
    """`{kind: {apiVersion, plural, shortNames, namespaced, fields: {name: {type, values?, fields?}}, example, form,
    updatable?}}`; `type` may be "any", `form` has the sections of `kinds/form.py`, and is empty where there is none.

    `updatable` are the paths that an API server changes in an object that is there; a kind without them has no rule.
    """
    return {name: _described(kind) for name, kind in DESCRIBED.items()}


def _described(kind: Kind) -> dict[str, Any]:
    root: Fields = {"metadata": META_FIELDS, **kind.fields}
    described: dict[str, Any] = {
        "apiVersion": kind.api_version,
        "plural": kind.names.plural,
        "shortNames": list(kind.names.short_names),
        "namespaced": kind.names.namespaced,
        "fields": {name: _field(kind, (name,), below) for name, below in root.items()},
        "example": kind.example,
        "form": [section.as_dict() for section in kind.form],
    }
    return described if kind.updatable is None else {**described, "updatable": list(kind.updatable)}


def _field(kind: Kind, path: tuple[str, ...], below: Fields | None) -> dict[str, Any]:
    type_, values = _type(kind, path)
    if below is ALL:
        below = _parts(kind, path)
    # Where no parser looks, what is below says that it is a mapping.
    described: dict[str, Any] = {"type": "mapping" if type_ == "any" and below else type_}
    if values:
        described["values"] = values
    if below:
        inner = (*path[:-1], f"{path[-1]}[]") if type_ == "list" else path
        described["fields"] = {name: _field(kind, (*inner, name), parts) for name, parts in below.items()}
    return described


def _parts(kind: Kind, path: tuple[str, ...]) -> Fields | None:
    name = ".".join(path).replace("[]", "")
    if name in kind.label_maps:
        return None
    return next((fields for end, fields in _WHOLE.items() if name == end or name.endswith(f".{end}")), None)


def _type(kind: Kind, path: tuple[str, ...]) -> tuple[str, list[str]]:
    problems = _problems(kind, path, _NO_VALUE)
    type_ = next((_RULES[problem.rule] for problem in problems if problem.rule in _RULES), "any")
    if type_ == "text":
        return type_, _values(_problems(kind, path, _NO_TEXT))
    if type_ == "list":
        return type_, _values(_problems(kind, path, [_NO_TEXT]))
    if type_ == "any" and any("RFC 3339" in problem.rule for problem in problems):
        return "time", []
    if type_ == "any" and _problems(kind, path, _NO_TEXT):
        return "quantity", []
    return type_, []


def _values(problems: list[Problem]) -> list[str]:
    return next(
        (_QUOTED.findall(problem.rule) for problem in problems if problem.rule.startswith("must be one of")), []
    )


def _problems(kind: Kind, path: tuple[str, ...], value: object) -> list[Problem]:
    """Return the problems that the kind's parser reports for a value at a path. List items are written as `name[]`."""
    for name in reversed(path):
        value = {name.removesuffix("[]"): [value] if name.endswith("[]") else value}
    manifest = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "x"}}
    assert isinstance(value, dict)
    for key, inner in value.items():
        is_more = key == "metadata" and isinstance(inner, dict)
        manifest[key] = {**manifest[key], **inner} if is_more else inner  # type: ignore[dict-item]
    problems: list[Problem] = []
    kind.parse(manifest, problems)
    kind.check(manifest, problems)
    wanted = ".".join(path).replace("[]", "")
    return [problem for problem in problems if _INDEX.sub("", problem.path) == wanted]
