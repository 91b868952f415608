"""The versions of a CRD in error messages: upstream prints its internal type."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from kube_apiserver.validation import go_values

Object = Mapping[str, Any]

_ONE, _MANY = ("items", "not"), ("allOf", "oneOf", "anyOf")
_NAMED = ("properties", "patternProperties", "definitions")


def versions(given: Sequence[Object], shared: Collection[str]) -> list[Any] | None:
    """Return the versions as the internal type has them. `shared` has the parts that all versions have alike."""
    return [_version({key: item for key, item in each.items() if key not in shared}) for each in given] or None


def _version(given: Object) -> Any:
    schema = (given.get("schema") or {}).get("openAPIV3Schema")
    if isinstance(schema, Mapping):
        given = {**given, "schema": {"openAPIV3Schema": _wrapped(schema)}}
    return go_values.to_go_value("CustomResourceDefinitionVersion", given)


def _wrapped(schema: Object) -> Object:
    """Return a schema in upstream's internal form, where types such as JSONSchemaPropsOrBool are structs."""
    internal = dict(schema)
    for name in _ONE:
        if isinstance(internal.get(name), Mapping):
            internal[name] = _wrapped(internal[name])
    for name in _MANY:
        if isinstance(internal.get(name), list):
            internal[name] = [_wrapped(each) for each in internal[name] if isinstance(each, Mapping)]
    for name in _NAMED:
        if isinstance(internal.get(name), Mapping):
            internal[name] = {key: _wrapped(each) for key, each in internal[name].items()}
    if internal.get("items") is not None:
        internal["items"] = {"schema": internal["items"]}
    for name in ("additionalProperties", "additionalItems"):
        more = internal.get(name)
        if isinstance(more, Mapping):
            internal[name] = {"allows": True, "schema": _wrapped(more)}
        elif more is not None:
            internal[name] = {"allows": more}
    return internal
