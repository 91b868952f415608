"""The types of command fields. Each has a check, and a JSON schema with the same meaning."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kube_objects.sentences import say
from kube_objects.text.problems import Problem

Schema = dict[str, Any]

MAX_OBJECTS = 200_000
MAX_TEXT = 1024


class FieldType(Protocol):
    """The type of a command field."""

    @property
    def notation(self) -> str:
        """The accepted values as docs/reference/commands-and-trace.md shows them; "" if the field name is enough."""
        ...

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        """Return the problems of the field `name` with this value."""
        ...

    def schema(self) -> Schema: ...


class OneRule(ABC):
    """A field type whose values must meet a single rule."""

    __slots__ = ()

    @property
    def notation(self) -> str:
        return ""

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        rule = self.broken_by(value)
        return [Problem(name, value, rule)] if rule else []

    @abstractmethod
    def broken_by(self, value: Any) -> str:
        """Return the rule that the value breaks, or ""."""

    @abstractmethod
    def schema(self) -> Schema: ...


@dataclass(slots=True, frozen=True)
class Text(OneRule):
    """Text of at most `most` characters.

    `is_short` adds the limit to the schema. Large limits stay out, because generated examples would be that long.
    """

    most: int = MAX_TEXT
    is_short: bool = True

    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, str) and len(value) <= self.most
        return "" if is_right else say("must be a string of at most {n} characters", n=self.most)

    def schema(self) -> Schema:
        return {"type": "string", **({"maxLength": self.most} if self.is_short else {})}


@dataclass(slots=True, frozen=True)
class Choice(OneRule):
    """One of `values`."""

    values: Sequence[str]

    @property
    def notation(self) -> str:
        return " | ".join(f'"{value}"' for value in self.values)

    def broken_by(self, value: Any) -> str:
        choices = ", ".join(f'"{choice}"' for choice in self.values)
        return "" if value in self.values else say("must be one of {choices}", choices=choices)

    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.values)}


@dataclass(slots=True, frozen=True)
class Choices(OneRule):
    """A list of any of `values`."""

    values: Sequence[str]

    @property
    def notation(self) -> str:
        return "[" + ", ".join(f'"{value}"' for value in self.values) + "]"

    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, list) and all(isinstance(item, str) and item in self.values for item in value)
        return "" if is_right else say("must be a list of {names}", names=", ".join(self.values))

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string", "enum": list(self.values)}}


class Flag(OneRule):
    def broken_by(self, value: Any) -> str:
        return "" if isinstance(value, bool) else say("must be true or false")

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(slots=True, frozen=True)
class Seconds(OneRule):
    """A number of seconds above 0 and at most `most`."""

    most: int

    def broken_by(self, value: Any) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return (
            ""
            if is_number and 0 < value <= self.most
            else say("must be a number above 0 and at most {most}", most=self.most)
        )

    def schema(self) -> Schema:
        return {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": self.most}


@dataclass(slots=True, frozen=True)
class TextList(OneRule):
    """A list of short texts."""

    text: Text
    notation: str = ""

    def broken_by(self, value: Any) -> str:
        if not isinstance(value, list) or len(value) > MAX_OBJECTS:
            return say("must be a list of at most {n} strings", n=MAX_OBJECTS)
        return next((rule for item in value if (rule := self.text.broken_by(item))), "")

    def schema(self) -> Schema:
        return {"type": "array", "items": self.text.schema(), "maxItems": MAX_OBJECTS}


class Seed(OneRule):
    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
        return "" if is_right else say("must be a whole number from 0 to 2^63 − 1")

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}


@dataclass(slots=True, frozen=True)
class ObjectList(OneRule):
    """A list of manifests, or of references to objects. `prepare` of the command checks their content."""

    item: str = "manifest"

    @property
    def notation(self) -> str:
        return f"[{self.item}]"

    def broken_by(self, value: Any) -> str:
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            return say("must be a list of objects")
        return "" if 0 < len(value) <= MAX_OBJECTS else say("must have 1 to {n} objects", n=MAX_OBJECTS)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": MAX_OBJECTS}
