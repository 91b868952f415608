"""Go's types of plain YAML scalars, by the rules of the two libraries with which kubectl reads YAML.

Written after go.yaml.in/yaml v2 and v3, resolve.go, with strconv's ParseInt(text, 0, 64), ParseUint and ParseFloat.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

import yaml

_NULL = ("", "~", "null", "Null", "NULL")
_SHORT = ("y", "Y", "n", "N", "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF")
_LONG = ("true", "True", "TRUE", "false", "False", "FALSE")
_BOOLEANS = {2: (*_SHORT, *_LONG), 3: _LONG}
_FLOATS = [".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"]
# A first character that is not here begins a text.
_HINTS = {**dict.fromkeys("+-", "S"), **dict.fromkeys("0123456789", "D"), **dict.fromkeys("yYnNtTfFoO~", "M"), ".": "."}
_STYLE_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DATES = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)?)?"
)


def kind_of(text: str, version: int) -> str:
    """Return the type of a plain scalar in this major version of the library; `str` for a string."""
    hint = _HINTS.get(text[:1], "N" if not text else "")
    if not hint:
        return "merge" if text == "<<" else "str"
    if text in _NULL:
        return "null"
    if text in _BOOLEANS[version]:
        return "bool"
    if text in _FLOATS:
        return "float"
    if hint == ".":
        return "float" if _parses_as_float(text) else "str"
    if hint in "DS":
        return _number(text, version)
    return "str"


def _number(text: str, version: int) -> str:
    if _is_date(text):
        return "timestamp"
    plain = text.replace("_", "")
    if _int(plain, 0) is not None:
        return "int"
    if _STYLE_FLOAT.fullmatch(plain) and _parses_as_float(plain):
        return "float"
    for prefix, base in (("0b", 2), *((("0o", 8),) if version == 3 else ())):
        for sign in ("", "-"):
            if plain.startswith(sign + prefix) and _int(sign + plain[len(sign) + 2 :], base) is not None:
                return "int"
    return "str"


def _int(text: str, base: int) -> int | None:
    """Parse an integer as ParseInt or ParseUint with 64 bits. Base 0 is chosen by the prefix, as in Go's literals."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits = text[len(sign) :]
    if base == 0:
        base, digits = 10, digits
        lower = digits[:2].lower()
        if lower in ("0x", "0b", "0o"):
            base, digits = {"0x": 16, "0b": 2, "0o": 8}[lower], digits[2:]
        elif digits.startswith("0") and len(digits) > 1:
            base, digits = 8, digits[1:]
    allowed = "0123456789abcdef"[:base]
    if not digits or any(digit not in allowed for digit in digits.lower()) or len(digits) > 70:
        return None
    value = int(digits, base) * (-1 if sign == "-" else 1)
    return value if -(1 << 63) <= value < (1 << 63 if sign else 1 << 64) else None


def _parses_as_float(text: str) -> bool:
    return bool(_STYLE_FLOAT.fullmatch(text)) and abs(float(text)) != float("inf")


def _is_date(text: str) -> bool:
    found = _DATES.fullmatch(text)
    if found is None:
        return False
    try:
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return False
    return True


def scalars(text: str, version: int) -> Iterator[tuple[str, str]]:
    """Yield every scalar of a text with Go's type and value. Go's parser is a translation of libyaml's."""
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0] and event.tag is None
            yield (kind_of(event.value, version) if plain else "str"), event.value
