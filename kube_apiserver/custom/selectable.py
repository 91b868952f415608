"""The selectable fields of a CRD, which field selectors of its lists can use.

Source: apiextensions-apiserver, ValidateCustomResourceSelectableFields and pkg/apiserver/schema/cel ValidFieldPath.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause

Schema = Mapping[str, Any]

_PART = re.compile(r"[.\[\]]|[^.\[\]]+")
_TYPES = ("string", "boolean", "integer")
_NOT_THERE = "does not refer to a valid field"
_OTHER_TYPE = (
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
)
_MOST = 8


def problems(fields: Sequence[Mapping[str, Any]], schema: Schema, path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, each in enumerate(fields):
        field, text = f"{path}[{number}].jsonPath", str(each.get("jsonPath") or "")
        if not text:
            yield causes.required(field)
            continue
        try:
            names, schema_at_end = walked(text, schema)
        except ValueError as wrong:
            yield causes.invalid(field, text, f"is an invalid path: {wrong}")
            continue
        if names[:1] == ["metadata"]:
            yield causes.invalid(field, text, "must not point to fields in metadata")
        if schema_at_end.get("type") not in _TYPES:
            yield causes.invalid(field, text, _OTHER_TYPE)
        if ".".join(names) in seen:
            yield causes.duplicate(field, text)
        seen.add(".".join(names))
    if len(seen) > _MOST:
        yield causes.too_many(path, len(seen), _MOST)


def walked(given: str, schema: Schema) -> tuple[list[str], Schema]:
    """Return the field names of a path and the schema at its end. Raise ValueError with upstream's message."""
    names: list[str] = []
    parts = iter(_PART.findall(given))
    for sign in parts:
        if sign == "[":
            raise ValueError("array notation is not allowed")
        if sign != ".":
            raise ValueError(f"expected [ or . but got: {sign}")
        name = next(parts, None)
        if name is None:
            raise ValueError("unexpected end of JSON path")
        inner, more = (schema.get("properties") or {}).get(name), schema.get("additionalProperties")
        found = inner if schema.get("properties") else more
        if not isinstance(found, Mapping):
            raise ValueError(_NOT_THERE)
        schema = found
        names.append(name)
    return names, schema
