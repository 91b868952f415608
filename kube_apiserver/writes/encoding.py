"""How Go writes an object: its fields in their order, without those that have no value, with those that always stay."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.writes import go_types
from kube_apiserver.writes.go_types import JSON, LIST, MAP, STRUCT, Shape, Struct

Object = dict[str, Any]


def of_kind(resource: Resource, value: Object, *, keeps_empty: bool = False) -> Object:
    """A new object, as an API server writes it; that of a kind that a client registered stays as it is.

    `keeps_empty`: with the empty lists and maps that an object holds before it is written.
    """
    struct = go_types.of_resource(resource)
    return value if struct is None else encode(value, struct, keeps_empty=keeps_empty)


def with_go_parts(resource: Resource, value: Object) -> Object:
    """Return a stored object with the structs that Go always writes, such as the `spec` of a Node, and no empty lists.

    Lists of structs, and the metadata, stay as they are: every read of a long list comes here.
    """
    struct = go_types.of_resource(resource)
    return value if struct is None else _with_go_parts(value, struct)


def _with_go_parts(value: Mapping[str, Any], struct: Struct) -> Object:
    found: Object = {}
    for name, item in value.items():
        field = struct.fields.get(name)
        if field is None or name == "metadata":
            found[name] = item
            continue
        kind = field.shape.kind
        if kind is STRUCT and isinstance(item, dict):
            found[name] = _with_go_parts(item, field.shape.struct)  # type: ignore[arg-type]
        elif item is not None and (item or field.stays or kind not in (LIST, MAP)):
            found[name] = item
    missing = struct.always - found.keys()
    if not missing:
        return found
    zeros = {name: struct.fields[name].shape.zero() for name in missing}
    return {
        name: found[name] if name in found else zeros[name]
        for name in sorted([*found, *missing], key=struct.rank.__getitem__)
    }


def as_map(value: Any) -> Any:
    """An object of a kind that a client registered: a map to Go, which writes the fields of maps by their names."""
    if isinstance(value, dict):
        return {name: as_map(value[name]) for name in sorted(value)}
    return [as_map(each) for each in value] if isinstance(value, list) else value


def metadata_in_order(metadata: Mapping[str, Any]) -> Object:
    """Names only: what they hold stays as it is."""
    rank = go_types.named(go_types.METADATA).rank
    return {name: metadata[name] for name in sorted(metadata, key=rank.__getitem__)}


def encode(value: Mapping[str, Any], struct: Struct, *, keeps_empty: bool = False) -> Object:
    """What the type does not have comes last, and stays as it is."""
    found: Object = {}
    fields = struct.fields
    for name in sorted([*value, *(struct.always - value.keys())], key=struct.rank.__getitem__):
        item, field = value.get(name), fields.get(name)
        if field is None:
            found[name] = item
            continue
        shape = field.shape
        if item is None:
            if field.stays:
                found[name] = shape.zero()
        elif shape.kind is STRUCT or shape.kind is LIST or shape.kind is MAP:
            if item or shape.kind is STRUCT or keeps_empty:
                found[name] = _encoded(item, shape, keeps_empty)
            elif field.stays:
                found[name] = None
        elif item or field.stays or shape.is_pointer or shape.kind is JSON:
            found[name] = item
    return found


def _encoded(value: Any, shape: Shape, keeps_empty: bool) -> Any:
    kind, item = shape.kind, shape.item
    if kind is STRUCT and isinstance(value, dict):
        return encode(value, shape.struct, keeps_empty=keeps_empty)  # type: ignore[arg-type]
    if value is None:
        return shape.zero()
    if kind is LIST and isinstance(value, list):
        if item.kind in (STRUCT, LIST, MAP):  # type: ignore[union-attr]
            return [_encoded(each, item, keeps_empty) for each in value]  # type: ignore[arg-type]
        return list(value)
    if kind is MAP and isinstance(value, dict):
        if item.kind in (STRUCT, LIST, MAP):  # type: ignore[union-attr]
            return {key: _encoded(value[key], item, keeps_empty) for key in sorted(value)}  # type: ignore[arg-type]
        return {key: value[key] for key in sorted(value)}
    return value
