"""Validation of the pointer's position ("moment") as a page sends it, before other pages receive it."""

from collections.abc import Callable, Mapping
from typing import Any

Move = dict[str, Any]
LARGEST = 10**15
LONGEST = 400

SIDES = ("why", "scores", "spread", "preemption", "time", "pod", "node", "events", "profile")
MAPS = ("map", "table")
LEVELS = ("groups", "cells", "nodes")


class MoveError(ValueError):
    """An invalid move; the message names the field and the rule."""


def read_move(message: Mapping[str, Any]) -> Move:
    """Return the moment of a `move` message. Raises MoveError for an unknown field or an invalid value."""
    moment = message.get("moment")
    if not isinstance(moment, dict):
        raise MoveError("moment: must be an object")
    unknown = sorted(str(name) for name in moment if name not in FIELDS)
    if unknown:
        raise MoveError(f"moment.{unknown[0][:40]}: unknown field; the fields are: {', '.join(FIELDS)}")
    return {name: check(f"moment.{name}", moment.get(name)) for name, check in FIELDS.items()}


def _number(path: str, value: Any) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < LARGEST):
        return value
    raise MoveError(f"{path}: must be a number from 0 on, or null")


def _text(path: str, value: Any) -> str | None:
    if value is None or (isinstance(value, str) and len(value) <= LONGEST and value.isprintable()):
        return value
    raise MoveError(f"{path}: must be a string of at most {LONGEST} characters, or null")


def _one_of(*words: str) -> Callable[[str, Any], str | None]:
    def check(path: str, value: Any) -> str | None:
        if value is None or value in words:
            return str(value) if value is not None else None
        raise MoveError(f"{path}: must be one of {', '.join(words)}, or null")

    return check


def _texts(*names: str) -> Callable[[str, Any], dict[str, str | None]]:
    def check(path: str, value: Any) -> dict[str, str | None]:
        if value is None:
            value = {}
        if not isinstance(value, dict) or not set(value) <= set(names):
            raise MoveError(f"{path}: must be an object with {', '.join(names)}")
        return {name: _text(f"{path}.{name}", value.get(name)) for name in names}

    return check


FIELDS: Mapping[str, Callable[[str, Any], Any]] = {
    "cluster": _number,
    "cycle": _number,
    "step": _number,
    "pinned": _texts("pod", "node", "plugin"),
    "hovered": _texts("node", "plugin"),
    "view": _one_of(*SIDES),
    "map": _one_of(*MAPS),
    "level": _one_of(*LEVELS),
    "filter": _text,
}
