"""Declared types of structural schemas. Source: apiserver/pkg/cel/common/schemas.go (SchemaDeclType)."""

import re
from collections.abc import Mapping
from typing import Any

from kube_apiserver.custom import embedded
from kube_objects.cel import declarations, types
from kube_objects.cel.declarations import MOST_BYTES, Declared

Schema = Mapping[str, Any]

# Source: apiserver/pkg/cel/limits.go.
_DURATION, _DATE, _DATE_TIME = 32, 12, 32
_LEAST_DURATION, _LEAST_DATE_TIME = 3, 21
_FORMATS = {
    "duration": Declared(types.DURATION, _DURATION, _LEAST_DURATION),
    "date": Declared(types.TIMESTAMP, _DATE, _DATE),
    "date-time": Declared(types.TIMESTAMP, _DATE_TIME, _LEAST_DATE_TIME),
}
_NUMBERS = {"boolean": declarations.BOOL, "number": declarations.DOUBLE, "integer": declarations.INT}
# A string in quotes. A character of `maxLength` has up to four bytes in UTF-8.
_LONGEST_TEXT, _BYTES_PER_CHARACTER = MOST_BYTES - 2, 4
_TEXT = {"type": "string"}
_METADATA = {"type": "object", "properties": {"name": _TEXT, "generateName": _TEXT}}

# Source: apiserver/pkg/cel/escaping.go.
RESERVED = frozenset(
    [
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
        *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
    ]
)
_SIGNS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_CAN_BE_ESCAPED = re.compile(r"(?![0-9])[a-zA-Z0-9_./-]+")


def escaped(name: str) -> str:
    """Return a field name in the form that CEL can parse."""
    return f"__{name}__" if name in RESERVED else _SIGN.sub(lambda sign: _SIGNS[sign[0]], name)


def declare(schema: Schema, *, is_root: bool) -> Declared | None:
    """Return the declared type, or None if expressions can't see such values.

    `is_root`: the schema describes a whole object. Raise RecursionError.
    """
    if schema.get("x-kubernetes-int-or-string"):
        return Declared(types.DYN, _text_length(schema))
    kind = schema.get("type")
    if kind == "array":
        return _list(schema)
    if kind == "object":
        return _object(with_head(schema) if is_root else schema)
    if kind == "string":
        return _string(schema)
    return _NUMBERS.get(str(kind))


def with_head(schema: Schema) -> Schema:
    """Return the schema of an object with the fields of its head that expressions can see."""
    head = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": _METADATA}
    return {**schema, "properties": {**(schema.get("properties") or {}), **head}}


def _inner(schema: Schema) -> Declared | None:
    return declare(schema, is_root=bool(schema.get(embedded.MARK)))


def _list(schema: Schema) -> Declared | None:
    items = schema.get("items")
    element = _inner(items) if isinstance(items, Mapping) else None
    if element is None:
        return None
    return declarations.list_of(element, _limit(schema, "maxItems", (MOST_BYTES - 2) // (element.least_bytes + 1)))


def _object(schema: Schema) -> Declared | None:
    more = schema.get("additionalProperties")
    if isinstance(more, Mapping):
        element = _inner(more)
        if element is None:
            return None
        # Besides a value there are two bytes for the key, two quotes, a colon and a comma.
        most = (MOST_BYTES - 2) // (element.least_bytes + 6)
        return declarations.map_of(element, _limit(schema, "maxProperties", most))
    required, fields, least_bytes = set(schema.get("required") or ()), dict[str, Declared](), 2
    for name, inner in (schema.get("properties") or {}).items():
        declared = _inner(inner) if isinstance(inner, Mapping) else None
        if declared is None:
            continue
        if _CAN_BE_ESCAPED.fullmatch(name):
            fields[escaped(name)] = declared
        if name in required and inner.get("default") is None:
            least_bytes += len(name.encode()) + declared.least_bytes + 4
    return declarations.object_of(fields, least_bytes)


def _string(schema: Schema) -> Declared:
    form = schema.get("format")
    if form == "byte":
        return Declared(types.BYTES, _limit(schema, "maxLength", _LONGEST_TEXT), 2)
    if form in _FORMATS:
        return _FORMATS[form]
    enum = schema.get("enum")
    if schema.get("maxLength") is None and enum:
        longest = max((len(each.encode()) for each in enum if isinstance(each, str)), default=0)
        return Declared(types.STRING, longest, 2)
    return Declared(types.STRING, _text_length(schema), 2)


def _text_length(schema: Schema) -> int:
    if schema.get("maxLength") is None:
        return _LONGEST_TEXT
    return _limit(schema, "maxLength", 0) * _BYTES_PER_CHARACTER


def _limit(schema: Schema, name: str, otherwise: int) -> int:
    limit = schema.get(name)
    return otherwise if limit is None else max(int(limit), 0)
