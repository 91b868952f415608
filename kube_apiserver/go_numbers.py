"""Integers as Go's strconv reads them: ASCII digits within 64 bits."""

import json
import re

_MOST_DIGITS = 20
_MOST_SHOWN = 60


class GoNumberError(ValueError):
    """A text that is no number. Its message is that of strconv."""


def parse_int(text: str) -> int:
    """Return a signed number of 64 bits; GoNumberError."""
    return _parse("ParseInt", text, "[+-]?[0-9]+", -(2**63), 2**63)


def parse_uint(text: str) -> int:
    """Return an unsigned number of 64 bits; GoNumberError."""
    return _parse("ParseUint", text, "[0-9]+", 0, 2**64)


def _parse(function: str, text: str, pattern: str, least: int, end: int) -> int:
    what = f"strconv.{function}: parsing {json.dumps(text[:_MOST_SHOWN], ensure_ascii=False)}"
    if not re.fullmatch(pattern, text):
        raise GoNumberError(f"{what}: invalid syntax")
    if len(text.lstrip("+-").lstrip("0")) > _MOST_DIGITS or not least <= int(text) < end:
        raise GoNumberError(f"{what}: value out of range")
    return int(text)
