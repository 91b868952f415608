"""A JSON parser that follows RFC 8259 and enforces the limits of the playground."""

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from kube_objects.sentences import say
from kube_objects.text.json_count import has_more_values
from playground import limits
from playground.request_language import in_words

LARGEST = 2**63 - 1


class StrictJSONParser(BaseParser):
    """A parser that rejects NaN, numbers beyond 64 bits, deep nesting and invalid Unicode, unlike Python's parser."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, context: Mapping[str, Any] | None = None) -> Any:
        return parse(stream.read())


def parse(data: bytes) -> Any:
    """Return the value in `data`. Raises ParseError."""
    try:
        text = data.decode("utf-8")
        if "\\u0000" in text or "\0" in text:
            raise ParseError("must have no zero characters")
        if has_more_values(text, limits.JSON_VALUES):
            raise ParseError(f"must have at most {limits.JSON_VALUES} values")
        value = json.loads(text, parse_constant=_reject_constant, parse_float=_parse_float, parse_int=_parse_int)
        _check_depth(value)
        # A lone surrogate is not a character, so it cannot be encoded or stored.
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except (UnicodeDecodeError, UnicodeEncodeError) as error:
        raise ParseError(f"must be UTF-8 text: {error.reason}") from error
    except RecursionError as error:
        raise ParseError(in_words(say("must be nested at most {n} levels deep", n=limits.JSON_DEPTH))) from error
    except ValueError as error:
        raise ParseError(in_words(say("must be JSON: {why}", why=error))) from error
    return value


def _reject_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _parse_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _parse_int(text: str) -> int:
    value = int(text) if len(text) <= 20 else LARGEST + 1
    if not -LARGEST - 1 <= value <= LARGEST:
        raise ValueError("a whole number has more than 64 bits")
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(limits.JSON_DEPTH):
        level = [
            item
            for container in level
            if isinstance(container, dict | list)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return
    raise ParseError(in_words(say("must be nested at most {n} levels deep", n=limits.JSON_DEPTH)))
