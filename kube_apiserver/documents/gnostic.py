"""The OpenAPI v2 document as protobuf, the only form that kubectl reads.

Source: gnostic-models/openapiv2/OpenAPIv2.proto, whose field numbers these are. Only the parts that kubectl reads are
encoded.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from kube_apiserver.documents import openapi

CONTENT_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
CONTENT_TYPES = (CONTENT_TYPE, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")


@cache
def document(minor: str) -> bytes:
    found = openapi.v2_document(minor)
    info = _text(1, found["info"]["title"]) + _text(2, found["info"]["version"])
    return _text(1, found["swagger"]) + _part(2, info) + _part(8, b"") + _part(9, _named(found["definitions"]))


def _named(schemas: Mapping[str, Any]) -> bytes:
    return b"".join(_part(1, _text(1, name) + _part(2, _schema(each))) for name, each in schemas.items())


def _schema(schema: Mapping[str, Any]) -> bytes:
    return b"".join(_fields(schema))


def _fields(schema: Mapping[str, Any]) -> Iterator[bytes]:
    for number, name in ((1, "$ref"), (2, "format"), (4, "description")):
        if name in schema:
            yield _text(number, schema[name])
    for name in schema.get("required", ()):
        yield _text(19, name)
    for value in schema.get("enum", ()):
        yield _part(20, _text(2, json.dumps(value)))
    more = schema.get("additionalProperties")
    if isinstance(more, Mapping):
        yield _part(21, _part(1, _schema(more)))
    if "type" in schema:
        yield _part(22, _text(1, schema["type"]))
    if "items" in schema:
        yield _part(23, _part(1, _schema(schema["items"])))
    if "properties" in schema:
        yield _part(25, _named(schema["properties"]))
    for name, value in schema.items():
        if name.startswith("x-kubernetes-"):
            # The value is YAML, which includes JSON.
            yield _part(31, _text(1, name) + _part(2, _text(2, json.dumps(value))))


def _text(number: int, text: str) -> bytes:
    return _part(number, text.encode())


def _part(number: int, written: bytes) -> bytes:
    return bytes((*_varint(number << 3 | 2), *_varint(len(written)))) + written


def _varint(number: int) -> Iterable[int]:
    while number > 127:
        yield number & 127 | 128
        number >>= 7
    yield number
