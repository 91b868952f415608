"""Integers as Go's strconv reads them: ASCII digits within 64 bits."""

import json

_MOST_DIGITS = 20
_MOST_SHOWN = 60


class GoNumberError(ValueError):
    """A text that is no number. Its message is that of strconv."""


def parse_int(text: str) -> int:
    """Return a signed number of 64 bits; raise GoNumberError. Source: strconv.ParseInt(text, 10, 64)."""
    number = parse_int64(text)
    if number is None:
        raise _error("ParseInt", text, text[1:] if text[:1] in ("+", "-") else text)
    return number


def parse_uint(text: str) -> int:
    """Return an unsigned number of 64 bits; raise GoNumberError. Source: strconv.ParseUint(text, 10, 64)."""
    number = _parse(text)
    if number is None or number >= 1 << 64:
        raise _error("ParseUint", text, text)
    return number


def parse_int64(text: str) -> int | None:
    """Return a signed number of 64 bits, or None where strconv.ParseInt returns an error."""
    number = _parse(text[1:] if text[:1] in ("+", "-") else text)
    if number is None:
        return None
    number = -number if text[0] == "-" else number
    return number if -(1 << 63) <= number < 1 << 63 else None


def _parse(digits: str) -> int | None:
    if not digits.isascii() or not digits.isdigit():
        return None
    if len(digits) > _MOST_DIGITS:
        digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= _MOST_DIGITS else None


def _error(function: str, text: str, digits: str) -> GoNumberError:
    shown = json.dumps(text[:_MOST_SHOWN], ensure_ascii=False)
    is_number = digits.isascii() and digits.isdigit()
    return GoNumberError(
        f"strconv.{function}: parsing {shown}: {'value out of range' if is_number else 'invalid syntax'}"
    )
