"""Validation of the defaults in a schema. Source: apiextensions-apiserver/pkg/apiserver/schema/defaulting."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.custom import schemas

Schema = Mapping[str, Any]

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_MAX_DEPTH = 100


def validate_defaults(schema: Schema, path: str, depth: int = 0) -> Iterator[Cause]:
    """Yield the problems of defaults in a structural schema, which has no defaults below `additionalProperties`."""
    if depth > _MAX_DEPTH:
        return
    if schema.get("default") is not None:
        yield from _validate_default(schema, f"{path}.default")
    if isinstance(schema.get("items"), Mapping):
        yield from validate_defaults(schema["items"], f"{path}.items", depth + 1)
    for name, inner in sorted((schema.get("properties") or {}).items()):
        yield from validate_defaults(inner, f"{path}.properties[{name}]", depth + 1)


def _validate_default(schema: Schema, path: str) -> Iterator[Cause]:
    default, kind = schema["default"], schema.get("type")
    if schemas.pruned(default, schema, is_root=False) != default:
        yield causes.invalid(path, default, "must not have unknown fields")
    if kind and kind not in TYPES:
        default_kind = schemas.kind_of(default)
        yield causes.wrong_type(path, default_kind, f' in body must be of type {kind}: "{default_kind}"')
        return
    if _has_unknown_types(schema, 0):
        # The check of the schema's types reports these.
        return
    for cause in schemas.problems(default, schemas.Structural(schema)):
        field = cause["field"]
        message = cause["message"] if field else cause["message"].replace("object in body", " in body", 1)
        yield {**cause, "field": f"{path}.{field}" if field else path, "message": message}


def _has_unknown_types(schema: Schema, depth: int) -> bool:
    if depth > _MAX_DEPTH or schema.get("type") not in (None, "", *TYPES):
        return True
    inner = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(_has_unknown_types(each, depth + 1) for each in inner if isinstance(each, Mapping))
