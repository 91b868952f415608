"""Conversion of OpenAPI schemas to merge schemas. Source: kube-openapi/pkg/schemaconv/openapi.go."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.structured_merge.schema import (
    ASSOCIATIVE,
    ATOMIC,
    BOOLEAN,
    DEDUCED_TYPE,
    NUMERIC,
    SEPARABLE,
    STRING,
    UNTYPED,
    Atom,
    List,
    Map,
    Schema,
    StructField,
    TypeRef,
)

_ATOMIC_TYPE = TypeRef(named="__untyped_atomic_")
_MAP_TYPES = {"atomic": ATOMIC, "granular": SEPARABLE}
_SCALARS = {"string": STRING, "boolean": BOOLEAN, "integer": NUMERIC, "number": NUMERIC}
_UNTYPED_FORMATS = {"int-or-string"}
_UNTYPED_NAMES = ("resource.Quantity", "meta.v1.Time", "meta.v1.MicroTime", "util.intstr.IntOrString")
"""Types that some documents declare as strings, although clients also send numbers or null."""


def from_definitions(definitions: Mapping[str, Any]) -> Schema:
    """Return the schema of a document's definitions: `components.schemas` in v3, `definitions` in v2."""
    types = {name: _convert_named_type(name, definition) for name, definition in definitions.items()}
    types["__untyped_atomic_"] = Atom(
        UNTYPED, List(_ATOMIC_TYPE, ATOMIC), Map(element=_ATOMIC_TYPE, relationship=ATOMIC)
    )
    types["__untyped_deduced_"] = Atom(
        UNTYPED, List(_ATOMIC_TYPE, ATOMIC), Map(element=DEDUCED_TYPE, relationship=SEPARABLE)
    )
    return Schema(types)


def _convert_named_type(name: str, definition: Mapping[str, Any]) -> Atom:
    if name.endswith(_UNTYPED_NAMES):
        return Atom(scalar=UNTYPED)
    if name.endswith("runtime.RawExtension"):
        return Atom(UNTYPED, List(_ATOMIC_TYPE, ATOMIC), Map(element=_ATOMIC_TYPE, relationship=ATOMIC))
    return _convert_atom(definition)


def _convert_ref(schema: Mapping[str, Any]) -> TypeRef:
    target = schema
    if "$ref" not in schema and len(schema.get("allOf") or ()) == 1:
        target = schema["allOf"][0]
    if "$ref" in target:
        relationship = _MAP_TYPES.get(str(schema.get("x-kubernetes-map-type")))
        if schema.get("x-kubernetes-list-type") == "atomic":
            relationship = ATOMIC
        return TypeRef(named=str(target["$ref"]).rpartition("/")[2], relationship=relationship)
    if _is_untyped(schema):
        return DEDUCED_TYPE
    return TypeRef(inlined=_convert_atom(schema))


def _convert_atom(schema: Mapping[str, Any]) -> Atom:
    kind = _get_kind(schema)
    if kind == "array":
        return Atom(list=_convert_list(schema))
    if kind in _SCALARS:
        return Atom(scalar=UNTYPED if schema.get("format") in _UNTYPED_FORMATS else _SCALARS[kind])
    if kind == "object" or "properties" in schema or "additionalProperties" in schema:
        return Atom(map=_convert_map(schema))
    if schema.get("x-kubernetes-int-or-string") or "oneOf" in schema:
        return Atom(scalar=UNTYPED)
    return Atom(UNTYPED, List(_ATOMIC_TYPE, ATOMIC), Map(element=DEDUCED_TYPE, relationship=SEPARABLE))


def _get_kind(schema: Mapping[str, Any]) -> str:
    written = schema.get("type") or ""
    kinds = [written] if isinstance(written, str) else [each for each in written if each != "null"]
    return kinds[0] if len(kinds) == 1 else ""


def _is_untyped(schema: Mapping[str, Any]) -> bool:
    named = ("properties", "additionalProperties", "items", "oneOf", "x-kubernetes-int-or-string")
    return not _get_kind(schema) and not any(name in schema for name in named)


def _convert_map(schema: Mapping[str, Any]) -> Map:
    fields = {
        name: StructField(_convert_ref(each), _get_default(each))
        for name, each in (schema.get("properties") or {}).items()
    }
    values = schema.get("additionalProperties")
    element = None
    if isinstance(values, Mapping):
        element = _convert_ref(values)
    elif schema.get("x-kubernetes-preserve-unknown-fields") or values is True or not fields:
        element = DEDUCED_TYPE
    return Map(fields, element, _MAP_TYPES.get(str(schema.get("x-kubernetes-map-type")), ""))


def _get_default(schema: Mapping[str, Any]) -> Any:
    default = schema.get("default")
    return None if default == {} else default


def _convert_list(schema: Mapping[str, Any]) -> List:
    relationship, keys = _find_relationship(schema)
    return List(_convert_ref(schema.get("items") or {}), relationship, keys)


def _find_relationship(schema: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    match schema.get("x-kubernetes-list-type"):
        case "set":
            return ASSOCIATIVE, ()
        case "map":
            return ASSOCIATIVE, tuple(schema.get("x-kubernetes-list-map-keys") or ())
        case None if "merge" in str(schema.get("x-kubernetes-patch-strategy") or "").split(","):
            merge_key = schema.get("x-kubernetes-patch-merge-key")
            return ASSOCIATIVE, (str(merge_key),) if merge_key else ()
    return ATOMIC, ()
