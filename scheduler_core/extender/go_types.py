"""Types that a JSON text can be decoded into, with the names by which Go's error texts call them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
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
    """A type that reads itself. `read` gets what stands there, never null, and raises ValueError with Go's text.

    `only_text`: it first decodes a string, and fails as that does. `zero` is what null makes of it.
    """

    read: Callable[[Any], Any]
    only_text: bool = False
    zero: Any = None
    go: str = ""


@dataclass(frozen=True, slots=True)
class Pointer:
    """May be null. The texts name what it points to."""

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
    """From text to `of`."""

    of: "GoType"
    name: str = ""

    @property
    def go(self) -> str:
        return self.name or f"map[string]{self.of.go}"


@dataclass(frozen=True, slots=True)
class Struct:
    """`fields` by their names in JSON; `embedded`: those that stand in an embedded struct → its name."""

    name: str
    fields: "Mapping[str, GoType]"
    embedded: Mapping[str, str] = field(default_factory=dict)

    @property
    def go(self) -> str:
        return f"v1.{self.name}"


GoType = Text | Bool | Int | Custom | Pointer | Slice | Map | Struct

TEXT, BOOL, INT64 = Text(), Bool(), Int()
TEXTS = Slice(TEXT)
TEXT_MAP = Map(TEXT)
