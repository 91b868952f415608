"""The versions of a CustomResourceDefinition as a server tells them: as its internal type has them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kube_apiserver.validation import go_values

Object = Mapping[str, Any]

_ONE, _MANY = ("items", "not"), ("allOf", "oneOf", "anyOf")
_NAMED = ("properties", "patternProperties", "definitions")


def versions(given: Sequence[Object], shared: Collection[str]) -> list[Any] | None:
    """`shared`: parts that all have alike, which the internal type has above them."""
    return [_version({key: item for key, item in each.items() if key not in shared}) for each in given] or None


def _version(given: Object) -> Any:
    schema = (given.get("schema") or {}).get("openAPIV3Schema")
    if isinstance(schema, Mapping):
        given = {**given, "schema": {"openAPIV3Schema": _wrapped(schema)}}
    return go_values.value("CustomResourceDefinitionVersion", given)


def _wrapped(schema: Object) -> Object:
    """With what may have two forms as the types that have both."""
    found = dict(schema)
    for name in _ONE:
        if isinstance(found.get(name), Mapping):
            found[name] = _wrapped(found[name])
    for name in _MANY:
        if isinstance(found.get(name), list):
            found[name] = [_wrapped(each) for each in found[name] if isinstance(each, Mapping)]
    for name in _NAMED:
        if isinstance(found.get(name), Mapping):
            found[name] = {key: _wrapped(each) for key, each in found[name].items()}
    if found.get("items") is not None:
        found["items"] = {"schema": found["items"]}
    for name in ("additionalProperties", "additionalItems"):
        more = found.get(name)
        if isinstance(more, Mapping):
            found[name] = {"allows": True, "schema": _wrapped(more)}
        elif more is not None:
            found[name] = {"allows": more}
    return found
