"""Types of command fields: each has one check, and the JSON schema with the same meaning."""

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


class Field(Protocol):
    @property
    def notation(self) -> str:
        """What it takes, as a reader's table has it; "" where the name says enough."""
        ...

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        """What is wrong with the value of the field."""
        ...

    def schema(self) -> Schema: ...


class OneRule(ABC):
    """A field with a single rule."""

    __slots__ = ()

    @property
    def notation(self) -> str:
        return ""

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        rule = self.broken_by(value)
        return [Problem(name, value, rule)] if rule else []

    @abstractmethod
    def broken_by(self, value: Any) -> str:
        """The rule that the value breaks, or ""."""

    @abstractmethod
    def schema(self) -> Schema: ...


@dataclass(slots=True, frozen=True)
class Text(OneRule):
    """`is_short`: the schema has the limit, too; who makes examples from the schema would fill a longer one up."""

    most: int = MAX_TEXT
    is_short: bool = True

    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, str) and len(value) <= self.most
        return "" if is_right else say("must be text of at most {n} characters", n=self.most)

    def schema(self) -> Schema:
        return {"type": "string", **({"maxLength": self.most} if self.is_short else {})}


@dataclass(slots=True, frozen=True)
class Choice(OneRule):
    values: Sequence[str]

    @property
    def notation(self) -> str:
        return " | ".join(f'"{one}"' for one in self.values)

    def broken_by(self, value: Any) -> str:
        choices = ", ".join(f'"{one}"' for one in self.values)
        return "" if value in self.values else say("must be one of {choices}", choices=choices)

    def schema(self) -> Schema:
        return {"type": "string", "enum": list(self.values)}


@dataclass(slots=True, frozen=True)
class Choices(OneRule):
    """Any of these, in a list."""

    values: Sequence[str]

    @property
    def notation(self) -> str:
        return "[" + ", ".join(f'"{one}"' for one in self.values) + "]"

    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, list) and all(isinstance(one, str) and one in self.values for one in value)
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
    """Above 0."""

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
class Texts(OneRule):
    """A list of short texts."""

    each: Text
    notation: str = ""

    def broken_by(self, value: Any) -> str:
        if not isinstance(value, list) or len(value) > MAX_OBJECTS:
            return say("must be a list of texts, at most {n}", n=MAX_OBJECTS)
        return next((rule for item in value if (rule := self.each.broken_by(item))), "")

    def schema(self) -> Schema:
        return {"type": "array", "items": self.each.schema(), "maxItems": MAX_OBJECTS}


class Seed(OneRule):
    def broken_by(self, value: Any) -> str:
        is_right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
        return "" if is_right else say("must be a whole number from 0 to 2^63 − 1")

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}


@dataclass(slots=True, frozen=True)
class Objects(OneRule):
    """Manifests, or what names objects; what is in them is looked at when the command is prepared."""

    each: str = "manifest"

    @property
    def notation(self) -> str:
        return f"[{self.each}]"

    def broken_by(self, value: Any) -> str:
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            return say("must be a list of objects")
        return "" if 0 < len(value) <= MAX_OBJECTS else say("must have 1 to {n} objects", n=MAX_OBJECTS)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "object"}, "minItems": 1, "maxItems": MAX_OBJECTS}
