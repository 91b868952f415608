"""One step of a path into an object: a field, an item by its keys, a value of a set, an index.

Source: structured-merge-diff/fieldpath/element.go, serialize-pe.go.
"""

import json
from collections.abc import Iterable
from typing import Any

from kube_apiserver.structured_merge.values import Value, order, text

_FIELD, _KEY, _VALUE, _INDEX = "f", "k", "v", "i"
_RANK = {_FIELD: 0, _KEY: 1, _VALUE: 2, _INDEX: 3}


class PathError(ValueError):
    """What stands in fieldsV1 is no path element."""


class UnknownElementError(PathError):
    """Of a kind that a newer version may know; it is dropped, as upstream does."""


class Element:
    """Made by `field`, `key`, `value`, `index`; ordered as upstream orders them."""

    __slots__ = ("content", "kind", "order")

    def __init__(self, kind: str, content: Any, ordered: Any) -> None:
        self.kind = kind
        self.content = content
        self.order = (_RANK[kind], ordered)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self.order == other.order

    def __lt__(self, other: "Element") -> bool:
        return self.order < other.order

    def __hash__(self) -> int:
        return hash(self.order)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        if self.kind == _FIELD:
            return f".{self.content}"
        if self.kind == _KEY:
            return "[" + ",".join(f"{name}={text(item)}" for name, item in self.content) + "]"
        if self.kind == _VALUE:
            return f"[={text(self.content)}]"
        return f"[{self.content}]"

    @property
    def field_name(self) -> str | None:
        return self.content if self.kind == _FIELD else None

    @property
    def is_key(self) -> bool:
        return self.kind == _KEY

    def serialized(self) -> str:
        """As a key of fieldsV1."""
        if self.kind == _KEY:
            return "k:" + _compact(dict(self.content))
        if self.kind == _VALUE:
            return "v:" + _compact(self.content)
        return f"{self.kind}:{self.content}"


Path = tuple[Element, ...]


def field(name: str) -> Element:
    return Element(_FIELD, name, name)


def key(fields: Iterable[tuple[str, Value]]) -> Element:
    content = tuple(sorted(fields, key=lambda pair: pair[0]))
    return Element(_KEY, content, tuple((name, order(item)) for name, item in content))


def value(content: Value) -> Element:
    return Element(_VALUE, content, order(content))


def index(number: int) -> Element:
    return Element(_INDEX, number, number)


def parse(written: str) -> Element:
    """The element that a key of fieldsV1 means; PathError."""
    if len(written) < 2:
        raise PathError("key must be 2 characters long:")
    if written[1] != ":":
        raise PathError(f"missing colon: {written}")
    kind, rest = written[0], written[2:]
    if kind == _FIELD:
        return field(rest)
    if kind not in _RANK:
        raise UnknownElementError("unknown path element type")
    try:
        content = json.loads(rest)
    except (ValueError, RecursionError) as broken:
        raise PathError(f"parsing key as path element: {written}") from broken
    if kind == _VALUE:
        return value(content)
    if kind == _KEY and isinstance(content, dict):
        return key(content.items())
    if kind == _INDEX and isinstance(content, int) and not isinstance(content, bool):
        return index(content)
    raise PathError(f"parsing key as path element: {written}")


def written(path: Iterable[Element]) -> str:
    return "".join(str(element) for element in path)


def _compact(content: Value) -> str:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)
