"""Texts that Go reads as something else: times, bytes, quantities; and what it says of one that it cannot read."""

import base64
import json
import re
from typing import Any

from kube_apiserver.writes import go_types
from kube_objects.quantity import QuantityError, parse_quantity

_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
_LAYOUTS = {go_types.TIME: "2006-01-02T15:04:05Z07:00", go_types.MICRO_TIME: "2006-01-02T15:04:05.000000Z07:00"}
_TIME = (
    (r"\d{4}", "2006"),
    ("-", "-"),
    (r"\d{2}", "01"),
    ("-", "-"),
    (r"\d{2}", "02"),
    ("T", "T"),
    (r"\d{2}", "15"),
    (":", ":"),
    (r"\d{2}", "04"),
    (":", ":"),
    (r"\d{2}(?:[.,]\d+)?", "05"),
    (r"Z|[+-]\d{2}:\d{2}", "Z07:00"),
)


_MICRO_TIME = (*_TIME[:-2], (r"\d{2}", "05"), (r"[.]\d{6}", ".000000"), _TIME[-1])


# As many digits as the largest number of 64 bits has.


class UnfitError(ValueError):
    """Its text is Go's; `converted` is that of its converter. `is_own`: a type that reads its own JSON says it."""

    is_own = False

    def __init__(self, text: str, converted: str = "") -> None:
        super().__init__(text)
        self.converted = converted or text


def quantity(value: Any) -> str:
    """In its canonical form."""
    try:
        return str(parse_quantity(value if isinstance(value, str) else json.dumps(value)))
    except QuantityError as wrong:
        raise UnfitError(str(wrong)) from wrong


def time(value: str, full: str) -> str:
    """A time of the type `full`."""
    layout, at = _LAYOUTS[full], 0
    for pattern, element in _MICRO_TIME if full == go_types.MICRO_TIME else _TIME:
        found = re.compile(pattern).match(value, at)
        if found is None:
            rest = f"cannot parse {_quoted(value[at:])} as {_quoted(element)}"
            raise UnfitError(f"parsing time {_quoted(value)} as {_quoted(layout)}: {rest}")
        at = found.end()
    if at < len(value):
        raise UnfitError(f"parsing time {_quoted(value)}: extra text: {_quoted(value[at:])}")
    return value


def coded(value: str) -> str:
    """Base64 as Go writes it again."""
    place = _where_no_base64(value)
    if place is not None:
        text = f"illegal base64 data at input byte {place}"
        raise UnfitError(text, f"error decoding from json: {text}")
    return base64.b64encode(base64.b64decode(value)).decode()


def _quoted(text: str) -> str:
    """Source: time.quote: bytes that are no plain signs by their numbers."""
    signs = ("\\" + sign if sign in '"\\' else sign if " " <= sign < "\x80" else _bytes_of(sign) for sign in text[:300])
    return f'"{"".join(signs)}"'


def _bytes_of(sign: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in sign.encode("utf-8", "replace"))


def _where_no_base64(text: str) -> int | None:
    """The byte that Go's decoder stops at. Source: encoding/base64 decodeQuantum."""
    signs = [(place, sign) for place, sign in enumerate(text) if sign not in "\r\n"]
    for number, (place, sign) in enumerate(signs):
        if sign in _BASE64:
            continue
        if sign != "=" or number % 4 < 2:
            return place
        rest = signs[number + 1 :]
        if number % 4 == 2:
            if not rest:
                return len(text)
            if rest[0][1] != "=":
                return rest[0][0] - 1
            rest = rest[1:]
        return rest[0][0] if rest else None
    left = len(signs) % 4
    return len(text) - left if left else None
