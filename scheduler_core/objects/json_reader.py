"""JSON text → plain values, one after the other, within limits."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler_core.objects.limits import LimitError, Limits

_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class JSONError(ValueError):
    """A text that is no JSON; `line` counts from 1."""

    def __init__(self, rule: str, line: int | None) -> None:
        super().__init__(rule)
        self.line = line


@dataclass(slots=True)
class JSONDocument:
    """`has_duplicates`: somewhere in it a key is given twice (the last one was kept)."""

    value: Any
    line: int
    has_duplicates: bool


def read_json(text: str, limits: Limits) -> Iterator[JSONDocument]:
    """The values of a text, which may stand one after the other. Raises JSONError, LimitError."""
    duplicated = 0

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal duplicated
        value = dict(pairs)
        duplicated += len(value) < len(pairs)
        return value

    decoder = json.JSONDecoder(object_pairs_hook=mapping, parse_constant=_no_constant)
    repair = _SURROGATE_ESCAPE.search(text) is not None
    at, line, counted = _skip_space(text, 0), 1, 0
    while at < len(text):
        start, before = at, duplicated
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise JSONError(f"is no JSON: {error.msg}", error.lineno) from None
        except RecursionError:
            raise LimitError(f"nested more than {limits.depth} levels deep") from None
        except JSONError:
            raise
        except ValueError:  # Python's own limit for integers
            raise LimitError("holds a number of thousands of digits") from None
        counted += _count(value, limits)
        if counted > limits.values:
            raise LimitError(f"more than {limits.values} values")
        yield JSONDocument(_repaired(value) if repair else value, line, duplicated > before)
        at = _skip_space(text, at)
        line += text.count("\n", start, at)


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _no_constant(name: str) -> Any:
    raise JSONError(f"is no JSON: {name} is not a JSON number", None)


def _count(value: Any, limits: Limits) -> int:
    """How many values there are in a value, itself included."""
    count = 1
    level = [value] if isinstance(value, dict | list) else []
    depth = 0
    while level:
        depth += 1
        if depth > limits.depth:
            raise LimitError(f"nested more than {limits.depth} levels deep")
        inner: list[Any] = []
        for outer in level:
            count += len(outer)
            inner += [
                child
                for child in (outer.values() if isinstance(outer, dict) else outer)
                if isinstance(child, dict | list)
            ]
        level = inner
    return count


def _repaired(value: Any) -> Any:
    """Half a surrogate pair is no character and could not be stored; as in Go it becomes U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in value.items()}
    return value
