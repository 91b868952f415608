"""Paths into an object, and sets of paths as managed fields store them.

A set is a tree. `members` are the elements owned at this level, `children` lead further down. Operations return new
sets; only `insert` changes its set, while one is being built.

Source: structured-merge-diff/fieldpath/{element,serialize-pe,set,serialize}.go.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_apiserver.structured_merge.schema import Schema, TypeRef
from kube_apiserver.structured_merge.values import Value, format_value, get_sort_key

_FIELD, _KEY, _VALUE, _INDEX = "f", "k", "v", "i"
_RANK = {_FIELD: 0, _KEY: 1, _VALUE: 2, _INDEX: 3}


class PathError(ValueError):
    """A key of fieldsV1 that is no path element."""


class UnknownElementError(PathError):
    """A path element of an unknown type. It is dropped, as upstream does, because a newer version may know it."""


class Element:
    """A path element, created by `field`, `key`, `value` or `index`, and ordered as upstream orders elements."""

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
            return "[" + ",".join(f"{name}={format_value(item)}" for name, item in self.content) + "]"
        if self.kind == _VALUE:
            return f"[={format_value(self.content)}]"
        return f"[{self.content}]"

    @property
    def field_name(self) -> str | None:
        return self.content if self.kind == _FIELD else None

    @property
    def is_key(self) -> bool:
        return self.kind == _KEY

    def serialize(self) -> str:
        """Return the element as a key of fieldsV1."""
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
    return Element(_KEY, content, tuple((name, get_sort_key(item)) for name, item in content))


def value(content: Value) -> Element:
    return Element(_VALUE, content, get_sort_key(content))


def index(number: int) -> Element:
    return Element(_INDEX, number, number)


def parse_element(written: str) -> Element:
    """Return the element of a key of fieldsV1. Raise PathError if it is invalid."""
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


def format_path(path: Iterable[Element]) -> str:
    return "".join(str(element) for element in path)


def _compact(content: Value) -> str:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


class FieldSet:
    __slots__ = ("children", "members")

    def __init__(self, members: Iterable[Element] = (), children: Mapping[Element, "FieldSet"] | None = None) -> None:
        self.members: set[Element] = set(members)
        self.children: dict[Element, FieldSet] = dict(children or {})

    @classmethod
    def from_paths(cls, *paths: Path) -> "FieldSet":
        fields = cls()
        for path in paths:
            fields.insert(path)
        return fields

    def insert(self, path: Path) -> None:
        """Add a path. The empty path is the whole object, which has no owner, so it is ignored."""
        if not path:
            return
        node = self
        for element in path[:-1]:
            node = node.children.setdefault(element, FieldSet())
        node.members.add(path[-1])

    def __bool__(self) -> bool:
        return bool(self.members) or any(self.children.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSet) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __len__(self) -> int:
        return len(self.members) + sum(len(child) for child in self.children.values())

    def __iter__(self) -> Iterator[Path]:
        """Yield every path. The members of a level come before the paths below it."""
        for element in sorted(self.members):
            yield (element,)
        for element in sorted(self.children):
            for rest in self.children[element]:
                yield (element, *rest)

    def __repr__(self) -> str:
        return "\n".join(format_path(path) for path in self)

    def has(self, path: Path) -> bool:
        if not path:
            return False
        node = self
        for element in path[:-1]:
            child = node.children.get(element)
            if child is None:
                return False
            node = child
        return path[-1] in node.members

    def below(self, element: Element) -> "FieldSet":
        return self.children.get(element) or FieldSet()

    def union(self, other: "FieldSet") -> "FieldSet":
        children = dict(self.children)
        for element, child in other.children.items():
            mine = children.get(element)
            children[element] = child if mine is None else mine.union(child)
        return FieldSet(self.members | other.members, children)

    def intersection(self, other: "FieldSet") -> "FieldSet":
        both = {e: c.intersection(other.children[e]) for e, c in self.children.items() if e in other.children}
        return FieldSet(self.members & other.members, {e: c for e, c in both.items() if c})

    def difference(self, other: "FieldSet") -> "FieldSet":
        """Return the set without the members of `other`. Paths below such a member stay."""
        left = {e: c.difference(other.children[e]) if e in other.children else c for e, c in self.children.items()}
        return FieldSet(self.members - other.members, {e: c for e, c in left.items() if c})

    def recursive_difference(self, other: "FieldSet") -> "FieldSet":
        """Return the set without the members of `other` and without all paths below them."""
        left = {
            e: c.recursive_difference(other.children[e]) if e in other.children else c
            for e, c in self.children.items()
            if e not in other.members
        }
        return FieldSet(self.members - other.members, {e: c for e, c in left.items() if c})

    def leaves(self) -> "FieldSet":
        children = {element: child.leaves() for element, child in self.children.items()}
        return FieldSet(self.members - children.keys(), children)

    def with_named_fields(self, schema: Schema, ref: TypeRef | None) -> "FieldSet":
        """Return the set with every struct field on the way to a member.

        If the schema names `a`, `a.b` then also owns `a`.
        """
        atom = schema.resolve(ref)
        mapping, items = (atom.map, atom.list) if atom else (None, None)
        members = set(self.members)
        children = {}
        for element, child in self.children.items():
            below = None
            if element.field_name is not None and mapping:
                if element.field_name in mapping.fields:
                    members.add(element)
                below = mapping.type_of(element.field_name)
            elif element.is_key and items:
                below = items.element
            children[element] = child.with_named_fields(schema, below)
        return FieldSet(members, children)

    def to_json(self) -> dict[str, Any]:
        """Return the set as fieldsV1."""
        written: dict[str, Any] = {}
        for element in sorted(self.members | self.children.keys()):
            child = self.children.get(element)
            below = child.to_json() if child else {}
            if below and element in self.members:
                below = {".": {}, **below}
            written[element.serialize()] = below
        return written

    @classmethod
    def from_json(cls, written: Any) -> "FieldSet":
        """Return the set of fieldsV1. Raise PathError if it contains an invalid path."""
        fields, _ = cls._read(written)
        return fields or cls()

    @classmethod
    def _read(cls, written: Any) -> tuple["FieldSet | None", bool]:
        """Return the set below an element, or None, and whether the element itself is a member."""
        if not isinstance(written, dict):
            raise PathError("managedFields parsing: expected an object")
        fields: FieldSet | None = None
        is_member = False
        for name, content in written.items():
            if name == ".":
                is_member = True
                continue
            try:
                element = parse_element(name)
            except UnknownElementError:
                continue
            below, owned = cls._read(content)
            fields = fields or cls()
            if owned:
                fields.members.add(element)
            if below is not None:
                fields.children[element] = below
        return fields, is_member or fields is None
