"""The Go types of the served kinds: fields in Go's order, and which empty ones are left out.

They come from `data/fields.json.gz`, which reflection wrote: type → its fields or its element type. A field has name,
type, `e` for omitempty or `z` for omitzero, and the struct that embeds it.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.writes import types

Object = dict[str, Any]

_DATA = Path(__file__).parents[1] / "data" / "fields.json.gz"
METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_META = METADATA.rpartition(".")[0]
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
TIME: str = f"{_META}.Time"
MICRO_TIME: str = f"{_META}.MicroTime"
STRUCT, LIST, MAP, STRING, BOOL, INTEGER, FLOAT, BYTES, JSON = (
    "struct",
    "list",
    "map",
    "string",
    "bool",
    "integer",
    "float",
    "bytes",
    "json",
)
_SCALARS = {"string": STRING, "bool": BOOL, "float64": FLOAT, "float32": FLOAT}
_ZERO: Mapping[str, Any] = {STRING: "", BOOL: False, INTEGER: 0, FLOAT: 0}
_ZERO_JSON: Mapping[str, Any] = {QUANTITY: "0", INT_OR_STRING: 0}


@dataclass(slots=True)
class Shape:
    """The type of a value.

    `go` is its name in the decoder's errors, `full` that of a type with its own JSON decoder.
    """

    kind: str
    go: str
    full: str = ""
    is_pointer: bool = False
    item: "Shape | None" = None
    struct: "Struct | None" = None

    def zero(self) -> Any:
        """Return the JSON of a Go value that was never set."""
        if self.is_pointer:
            return None
        if self.struct is not None:
            return self.struct.zero()
        return _ZERO_JSON.get(self.full) if self.kind == JSON else _ZERO.get(self.kind)


@dataclass(slots=True)
class Field:
    """A field of a struct. `path` is its name in the decoder's errors; `stays`: it is written even if it is empty."""

    name: str
    path: str
    shape: Shape
    stays: bool


class Rank(dict[str, int]):
    """The position of each field. Unknown fields come last."""

    def __missing__(self, name: str) -> int:
        return len(self)


@dataclass(slots=True)
class Struct:
    """A struct type with its fields in Go's order."""

    name: str
    fields: dict[str, Field] = field(default_factory=dict)
    rank: Rank = field(default_factory=Rank)
    always: frozenset[str] = frozenset()

    def zero(self) -> Object:
        return {name: each.shape.zero() for name, each in self.fields.items() if each.stays}


def struct_of(resource: Resource) -> Struct | None:
    """Return the struct of a resource, or None for a custom resource."""
    if resource.custom is not None:
        return None
    name = types.name_of(resource)
    return None if name is None else named(name)


def empty(resource: Resource) -> Object:
    """Return the JSON of an empty Go value of the kind, which includes its non-pointer structs."""
    struct = struct_of(resource)
    return {} if struct is None else struct.zero()


@cache
def named(name: str) -> Struct:
    """Return the struct of a full type name."""
    # Types can be recursive. A copy of the cache keeps other threads from reading an incomplete type.
    made = dict(_made)
    struct = _shape(name, made).struct
    _made.update(made)
    assert struct is not None
    return struct


@cache
def _types() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found


_made: dict[str, Shape] = {}


def _shape(name_of_type: str, made: dict[str, Shape]) -> Shape:
    shape = made.get(name_of_type)
    if shape is None:
        shape = made[name_of_type] = Shape("", _printed(name_of_type))
        _fill(shape, name_of_type, made)
    return shape


def _fill(shape: Shape, name_of_type: str, made: dict[str, Shape]) -> None:
    if name_of_type.startswith("*"):
        inner = _shape(name_of_type[1:], made)
        shape.kind, shape.full, shape.item, shape.struct = inner.kind, inner.full, inner.item, inner.struct
        shape.go, shape.is_pointer = inner.go, True
    elif name_of_type == "[]uint8":
        shape.kind = BYTES
    elif name_of_type.startswith("[]"):
        shape.kind, shape.item = LIST, _shape(name_of_type[2:], made)
    elif name_of_type.startswith("map["):
        shape.kind, shape.item = MAP, _shape(name_of_type.partition("]")[2], made)
    elif name_of_type not in _types():
        shape.kind = _SCALARS.get(name_of_type, INTEGER)
    else:
        _fill_named(shape, name_of_type, _types()[name_of_type], made)


def _fill_named(shape: Shape, name_of_type: str, made_of: Any, made: dict[str, Shape]) -> None:
    if made_of == "json":
        shape.kind, shape.full = JSON, name_of_type
    elif isinstance(made_of, str):
        inner = _shape(made_of, made)
        shape.kind, shape.item = inner.kind, inner.item
    else:
        shape.kind, shape.struct = STRUCT, Struct(name_of_type.rpartition(".")[2])
        _fill_struct(shape.struct, made_of, made)


def _fill_struct(struct: Struct, rows: Sequence[Sequence[str]], made: dict[str, Shape]) -> None:
    for name, name_of_type, mode, within in rows:
        shape = _shape(name_of_type, made)
        is_struct = not shape.is_pointer and shape.kind in (STRUCT, JSON)
        struct.fields[name] = Field(name, within + name, shape, "z" not in mode and (is_struct or "e" not in mode))
    struct.rank = Rank((name, place) for place, name in enumerate(struct.fields))
    struct.always = frozenset(name for name, each in struct.fields.items() if each.stays)


def _printed(name_of_type: str) -> str:
    """Return a type name as Go prints it: `*io.k8s.api.core.v1.Container` is `v1.Container`."""
    if name_of_type.startswith("*"):
        return _printed(name_of_type[1:])
    if name_of_type.startswith("[]"):
        return f"[]{_printed(name_of_type[2:])}"
    if name_of_type.startswith("map["):
        key, _, item = name_of_type[4:].partition("]")
        return f"map[{_printed(key)}]{_printed(item)}"
    return ".".join(name_of_type.split(".")[-2:])
