"""JSON text → plain values, one after the other, within limits."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.document import Document, Part
from kube_objects.text.errors import JSONError, LimitError, too_deep, too_many
from kube_objects.text.json_count import has_more_values
from kube_objects.text.limits import Limits

# Between values, a document separator is passed over, as kubectl does.
_SPACE = re.compile(r"(?:[ \t\r\n]++|---(?=[ \t\r\n]|\Z))*+")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING_OR_NUMBER = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?(?:NaN|Infinity|[0-9][0-9.eE+-]*+)')


def read_json(text: str, limits: Limits) -> Iterator[Document]:
    """Yield the values of a text, which may follow one another, with or without `---` between them.

    Raises JSONError, with the number of documents before it and the position of the value, and LimitError.
    """
    if has_more_values(text, limits.values):
        raise too_many(limits.values)
    duplicated = 0

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal duplicated
        value = dict(pairs)
        duplicated += len(value) < len(pairs)
        return value

    decoder = json.JSONDecoder(object_pairs_hook=mapping, parse_constant=no_constant, parse_float=finite)
    repair = _SURROGATE_ESCAPE.search(text) is not None
    position = _skip_space(text, 0)
    line, number = text.count("\n", 0, position) + 1, 0
    while position < len(text):
        start, before = position, duplicated
        try:
            value, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
            raise JSONError(
                say("is not valid JSON: {why}", why=error.msg), error.lineno, at_end=ends, start=start, documents=number
            ) from None
        except RecursionError:
            raise too_deep(limits.depth) from None
        except JSONError as error:
            raise JSONError(str(error), line_of(error.number, text, position)) from None
        except ValueError:  # Python's own limit for integers
            raise LimitError(say("number with too many digits")) from None
        _check_depth(value, limits)
        number += 1
        part = Part(start, position, line - 1, True, number)
        yield Document(_repaired(value) if repair else value, line, duplicated > before, part)
        position = _skip_space(text, position)
        line += text.count("\n", start, position)


def _skip_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def no_constant(name: str) -> Any:
    """Refuse NaN and Infinity, as a hook of `json`."""
    raise JSONError(say("is not valid JSON: {name} is not a JSON number", name=name), number=name)


def finite(text: str) -> float:
    """Return a finite number, as a hook of `json`. Go's decoder refuses infinity, too."""
    value = float(text)
    if not math.isfinite(value):
        raise JSONError(say("number out of range: {text}", text=text[:40]), number=text)
    return value


def line_of(number: str, text: str, at: int = 0) -> int | None:
    """Return the line of the first number in this spelling, at which a parser stops."""
    found = (match for match in _STRING_OR_NUMBER.finditer(text, at) if match[0] == number)
    first = next(found, None)
    return None if first is None else text.count("\n", 0, first.start()) + 1


def _check_depth(value: Any, limits: Limits) -> None:
    level = [value]
    for _ in range(limits.depth):
        level = [
            child
            for outer in level
            if isinstance(outer, dict | list)
            for child in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise too_deep(limits.depth)


def _repaired(value: Any) -> Any:
    """Half a surrogate pair is no character and could not be stored; as in Go it becomes U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {_repaired(key): _repaired(item) for key, item in value.items()}
    return value
