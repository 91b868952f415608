"""What the schemas of the served kinds say of merging, patching and unknown fields. From `data/types.json.gz`."""

import copy
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kubernetes_api.custom import schemas
from kubernetes_api.resources import Resource
from structured_merge import paths
from structured_merge.field_set import FieldSet
from structured_merge.managed_fields import FieldManager
from structured_merge.openapi import from_definitions
from structured_merge.schema import DEDUCED, DEDUCED_TYPE, Schema, TypeRef
from structured_merge.strategic import PatchType

_TEMPLATE = {"metadata": {}, "spec": {"containers": None}}
_EMPTY: Mapping[str, Mapping[str, Any]] = {
    "DaemonSet": {"spec": {"selector": None, "template": _TEMPLATE, "updateStrategy": {}}},
    "Deployment": {"spec": {"selector": None, "template": _TEMPLATE, "strategy": {}}},
    "Job": {"spec": {"template": _TEMPLATE}},
    "Pod": {"spec": {"containers": None}},
    "ReplicaSet": {"spec": {"selector": None, "template": _TEMPLATE}},
    "StatefulSet": {"spec": {"selector": None, "serviceName": "", "template": _TEMPLATE, "updateStrategy": {}}},
}
_DATA = Path(__file__).parents[1] / "data" / "types.json.gz"
_METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_ORDER = _DATA.with_name("order.json.gz")


@cache
def _written() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found


@cache
def _order() -> Mapping[str, Sequence[str]]:
    """Of each type: its fields as Go writes them. From `data/order.json.gz`."""
    found: Mapping[str, Sequence[str]] = json.loads(gzip.decompress(_ORDER.read_bytes()))
    return found


@cache
def _schema() -> Schema:
    return from_definitions(_written()["types"])


def name_of(resource: Resource) -> str | None:
    """Of its type; None for a kind whose schema is not kept."""
    found: str | None = _written()["kinds"].get(f"{resource.group}/{resource.version}/{resource.kind}")
    return found


def of_name(name: str) -> Mapping[str, Any]:
    """The schema of a type."""
    found: Mapping[str, Any] = _written()["types"].get(name, {})
    return found


def field_manager(resource: Resource, subresource: str = "") -> FieldManager:
    """Who keeps the managed fields of its objects; a kind without a schema has those that follow from its values.

    An object's own door does not take its status, and that of its status takes nothing else.
    """
    name = name_of(resource)
    schema, ref = (DEDUCED, DEDUCED_TYPE) if name is None else (_schema(), TypeRef(name))
    resets = FieldSet.of((paths.field("spec" if subresource == "status" else "status"),))
    return FieldManager(schema, ref, resets)


def empty(resource: Resource) -> dict[str, Any]:
    """The Go value of the kind with nothing in it, as JSON: parts that are no pointers are there."""
    properties = _written()["types"].get(name_of(resource) or "", {}).get("properties", {})
    found: dict[str, Any] = {part: {} for part in ("spec", "status") if part in properties}
    found |= copy.deepcopy(_EMPTY.get(resource.kind, {}))
    return found


def patch_type(resource: Resource) -> PatchType | None:
    """What strategic merge patches need; None for a kind without a schema, which takes none."""
    name = name_of(resource)
    return None if name is None else PatchType.named(_written()["types"], name)


def metadata_in_order(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Names only: what they hold stays as it is."""
    order = _order()[_METADATA]
    return {name: metadata[name] for name in order if name in metadata} | {
        name: part for name, part in metadata.items() if name not in order
    }


def in_order(resource: Resource, value: dict[str, Any]) -> dict[str, Any]:
    """The object with its fields in the order in which an API server writes them."""
    name = name_of(resource)
    return value if name is None else _in_order(value, {"$ref": name})


def _in_order(value: Any, schema: Mapping[str, Any]) -> Any:
    """What a type does not have comes last; maps go by their keys."""
    order: Sequence[str] = ()
    if "$ref" in schema:
        order = _order().get(schema["$ref"], ())
        schema = _written()["types"].get(schema["$ref"], {})
    if isinstance(value, list) and "items" in schema:
        return [_in_order(item, schema["items"]) for item in value]
    if not isinstance(value, dict):
        return value
    known, values = schema.get("properties"), schema.get("additionalProperties")
    if values is not None:
        return {name: _in_order(value[name], values) for name in sorted(value)}
    if not known:
        return value
    names = [*(name for name in order if name in value), *(name for name in value if name not in order)]
    return {name: _in_order(value[name], known.get(name, {})) for name in names}


def unknown_fields(resource: Resource, value: Mapping[str, Any]) -> list[str]:
    """Paths that the kind's schema does not have, at most 20 of them."""
    name = name_of(resource)
    if name is None and resource.custom is None:
        return []
    found = []
    of_custom = resource.custom and schemas.unknown(value, resource.custom.schema)
    for path in of_custom or _unknown(value, _written()["types"][name], ""):
        found.append(path)
        if len(found) == 20:
            break
    return found


def without_unknown(resource: Resource, value: dict[str, Any]) -> dict[str, Any]:
    """The object without what its schema does not have: what an API server's decoder leaves of it."""
    if resource.custom is not None:
        found: dict[str, Any] = schemas.pruned(value, resource.custom.schema)
        return found
    name = name_of(resource)
    return value if name is None else _pruned(value, _written()["types"][name])


def _pruned(value: Any, schema: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        schema = _written()["types"].get(schema["$ref"], {})
    if isinstance(value, list) and "items" in schema:
        return [_pruned(item, schema["items"]) for item in value]
    if not isinstance(value, dict):
        return value
    known, values = schema.get("properties"), schema.get("additionalProperties")
    if values is not None:
        return {name: _pruned(item, values) for name, item in value.items()}
    if not known or schema.get("x-kubernetes-preserve-unknown-fields"):
        return value
    return {name: _pruned(item, known[name]) for name, item in value.items() if name in known}


def _unknown(value: Any, schema: Mapping[str, Any], path: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = _written()["types"].get(schema["$ref"], {})
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _unknown(item, schema["items"], f"{path}[{number}]")
    elif isinstance(value, dict):
        known = schema.get("properties")
        values = schema.get("additionalProperties")
        for name, item in value.items():
            below = f"{path}.{name}" if path else name
            if known is not None and name in known:
                yield from _unknown(item, known[name], below)
            elif known and values is None and not schema.get("x-kubernetes-preserve-unknown-fields"):
                yield below
            elif values is not None:
                yield from _unknown(item, values, below)
