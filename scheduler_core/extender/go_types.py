"""Go types for decoding JSON, with their names in Go's error messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class GoString:
    go: str = "string"


@dataclass(frozen=True, slots=True)
class Bool:
    go: str = "bool"


@dataclass(frozen=True, slots=True)
class Int:
    go: str = "int64"

    @property
    def bits(self) -> int:
        return int(self.go.removeprefix("int"))


@dataclass(frozen=True, slots=True)
class Custom:
    """A type with its own decoder. `read` gets the value, never null, and raises ValueError with Go's message.

    `only_text`: it decodes a string first, and fails as that does. `zero` is the value for null.
    """

    read: Callable[[Any], Any]
    only_text: bool = False
    zero: Any = None
    go: str = ""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A nullable type. Error messages name the type it points to."""

    to: "GoType"

    @property
    def go(self) -> str:
        return f"*{self.to.go}"


@dataclass(frozen=True, slots=True)
class Slice:
    of: "GoType"
    name: str = ""

    @property
    def go(self) -> str:
        return self.name or f"[]{self.of.go}"


@dataclass(frozen=True, slots=True)
class Map:
    """A map from text to `of`."""

    of: "GoType"
    name: str = ""

    @property
    def go(self) -> str:
        return self.name or f"map[string]{self.of.go}"


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct. `fields` are by JSON name; `embedded` maps fields of an embedded struct to its name."""

    name: str
    fields: "Mapping[str, GoType]"
    embedded: Mapping[str, str] = field(default_factory=dict)

    @property
    def go(self) -> str:
        return f"v1.{self.name}"


GoType = GoString | Bool | Int | Custom | Pointer | Slice | Map | Struct

TEXT, BOOL, INT64 = GoString(), Bool(), Int()
TEXTS = Slice(TEXT)
TEXT_MAP = Map(TEXT)
