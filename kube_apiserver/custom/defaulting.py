"""Validation of the defaults in a schema. Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import schemas

Schema = Mapping[str, Any]

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_DEEPEST = 100


def problems(schema: Schema, path: str, depth: int = 0) -> Iterator[Cause]:
    """Yield the problems of defaults in a structural schema. Below `additionalProperties` there are none."""
    if depth > _DEEPEST:
        return
    if schema.get("default") is not None:
        yield from _of_one(schema, f"{path}.default")
    if isinstance(schema.get("items"), Mapping):
        yield from problems(schema["items"], f"{path}.items", depth + 1)
    for name, inner in sorted((schema.get("properties") or {}).items()):
        yield from problems(inner, f"{path}.properties[{name}]", depth + 1)


def _of_one(schema: Schema, path: str) -> Iterator[Cause]:
    default, kind = schema["default"], schema.get("type")
    if schemas.pruned(default, schema, is_root=False) != default:
        yield causes.invalid(path, default, "must not have unknown fields")
    if kind and kind not in TYPES:
        found = schemas.kind_of(default)
        yield causes.wrong_type(path, found, f' in body must be of type {kind}: "{found}"')
        return
    if _has_odd_types(schema, 0):
        # Another check reports these.
        return
    for each in schemas.problems(default, schemas.Structural(schema)):
        at = each["field"]
        message = each["message"] if at else each["message"].replace("object in body", " in body", 1)
        yield {**each, "field": f"{path}.{at}" if at else path, "message": message}


def _has_odd_types(schema: Schema, depth: int) -> bool:
    if depth > _DEEPEST or schema.get("type") not in (None, "", *TYPES):
        return True
    inner = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(_has_odd_types(each, depth + 1) for each in inner if isinstance(each, Mapping))
