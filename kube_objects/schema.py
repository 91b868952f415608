"""The fields of each kind that scheduling reads, with types and allowed values. An editor completes these.

The names come from the kind's `fields`. For the types and values, this module passes an invalid value to the kind's
parser, and reads the reported rule. So there is no second table that could differ from the parser.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from kube_objects.kinds.kind import Kind
from kube_objects.kinds.table import DESCRIBED
from kube_objects.read_fields import ALL, META_FIELDS, Fields
from kube_objects.text.problems import Problem

# The inner fields of fields that a kind's `fields` lists with ALL.
_REQUIREMENTS: Fields = {"key": ALL, "operator": ALL, "values": ALL}
_NODE_TERM: Fields = {"matchExpressions": _REQUIREMENTS, "matchFields": _REQUIREMENTS}
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_LABEL_SELECTOR: Fields = {"matchLabels": ALL, "matchExpressions": _REQUIREMENTS}
_INNER_FIELDS: Mapping[str, Fields] = {
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
_INVALID_VALUE = 0.5  # not a string, integer, boolean, mapping or list
_INVALID_TEXT = "?"  # not a name, a quantity or a member of any set
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
    """Return the schema of each kind.

    It is `{kind: {apiVersion, plural, shortNames, namespaced, fields: {name: {type, values?, fields?}}, example, form,
    updatable?}}`. `type` may be "any". `form` has the sections of `kinds/form.py`, and is empty for a kind without a
    form. `updatable` are the paths that an update may change. Without `updatable`, an update may change every path.
    """
    return {name: _describe_kind(kind) for name, kind in DESCRIBED.items()}


def _describe_kind(kind: Kind) -> dict[str, Any]:
    root: Fields = {"metadata": META_FIELDS, **kind.fields}
    described: dict[str, Any] = {
        "apiVersion": kind.api_version,
        "plural": kind.names.plural,
        "shortNames": list(kind.names.short_names),
        "namespaced": kind.names.namespaced,
        "fields": {name: _describe_field(kind, (name,), inner_fields) for name, inner_fields in root.items()},
        "example": kind.example,
        "form": [section.as_dict() for section in kind.form],
    }
    return described if kind.updatable is None else {**described, "updatable": list(kind.updatable)}


def _describe_field(kind: Kind, path: tuple[str, ...], inner_fields: Fields | None) -> dict[str, Any]:
    type_, values = _find_type(kind, path)
    if inner_fields is ALL:
        inner_fields = _find_inner_fields(kind, path)
    # If no parser checks the field, its inner fields show that it is a mapping.
    described: dict[str, Any] = {"type": "mapping" if type_ == "any" and inner_fields else type_}
    if values:
        described["values"] = values
    if inner_fields:
        inner = (*path[:-1], f"{path[-1]}[]") if type_ == "list" else path
        described["fields"] = {
            name: _describe_field(kind, (*inner, name), parts) for name, parts in inner_fields.items()
        }
    return described


def _find_inner_fields(kind: Kind, path: tuple[str, ...]) -> Fields | None:
    name = ".".join(path).replace("[]", "")
    if name in kind.label_maps:
        return None
    return next((fields for end, fields in _INNER_FIELDS.items() if name == end or name.endswith(f".{end}")), None)


def _find_type(kind: Kind, path: tuple[str, ...]) -> tuple[str, list[str]]:
    problems = _find_problems(kind, path, _INVALID_VALUE)
    type_ = next((_RULES[problem.rule] for problem in problems if problem.rule in _RULES), "any")
    if type_ == "text":
        return type_, _read_allowed_values(_find_problems(kind, path, _INVALID_TEXT))
    if type_ == "list":
        return type_, _read_allowed_values(_find_problems(kind, path, [_INVALID_TEXT]))
    if type_ == "any" and any("RFC 3339" in problem.rule for problem in problems):
        return "time", []
    if type_ == "any" and _find_problems(kind, path, _INVALID_TEXT):
        return "quantity", []
    return type_, []


def _read_allowed_values(problems: list[Problem]) -> list[str]:
    return next(
        (_QUOTED.findall(problem.rule) for problem in problems if problem.rule.startswith("must be one of")), []
    )


def _find_problems(kind: Kind, path: tuple[str, ...], value: object) -> list[Problem]:
    """Return the problems that the kind's parser reports for a value at a path, such as (spec, volumes[], name)."""
    for name in reversed(path):
        value = {name.removesuffix("[]"): [value] if name.endswith("[]") else value}
    manifest = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": "x"}}
    assert isinstance(value, dict)
    for key, inner in value.items():
        adds_metadata = key == "metadata" and isinstance(inner, dict)
        manifest[key] = {**manifest[key], **inner} if adds_metadata else inner  # type: ignore[dict-item]
    problems: list[Problem] = []
    kind.parse(manifest, problems)
    kind.check(manifest, problems)
    wanted = ".".join(path).replace("[]", "")
    return [problem for problem in problems if _INDEX.sub("", problem.path) == wanted]
