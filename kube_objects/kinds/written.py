"""Fields that the engine writes: how they stand in a manifest."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kube_objects.read import format_time, parse_time


@dataclass(frozen=True)
class Written:
    """A field that the engine writes. `parse` gives the attribute's value for the JSON that stands there (or None),
    `dump` the JSON for a value and what stood there before; None takes the field out."""

    attribute: str
    part: str
    key: str
    parse: Callable[[Any], Any]
    dump: Callable[[Any, Any], Any]

    @cached_property
    def absent(self) -> Any:
        """Return the attribute's value for a missing field."""
        return self.parse(None)


def text(attribute: str, part: str, key: str, default: str = "") -> Written:
    return Written(attribute, part, key, lambda json: json or default, lambda value, _: value or None)


def time(attribute: str, part: str, key: str) -> Written:
    return Written(attribute, part, key, _parse_time, lambda value, _: None if value is None else format_time(value))


def _parse_time(json: str | None) -> float | None:
    return None if json is None else parse_time(json)


OF_ALL_KINDS = (
    Written("annotations", "metadata", "annotations", lambda json: json or {}, lambda value, _: dict(value) or None),
    time("deletion_timestamp", "metadata", "deletionTimestamp"),
)
