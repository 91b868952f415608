"""Values as Go prints and parses them, so that texts and written configurations are upstream's to the letter.

Source: Go's strconv, encoding/json, time.
"""

import re
from decimal import Decimal

NANOSECOND = 1
MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

_MAX_DURATION = 1 << 63
_QUOTE_ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_JSON_ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_JSON_HEX = re.compile("[\x00-\x1f<>&\u2028\u2029]")
# Signs that a page could take for its own, and ends of lines of JavaScript.
_JSON_SIGNS = re.compile("[<>&\u2028\u2029]")
_UNITS = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "\u00b5s": MICROSECOND,
    "\u03bcs": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_DURATION_PART = re.compile(r"(\d*)(?:(\.)(\d*))?", re.ASCII)


def quote(text: str) -> str:
    """Return strconv.Quote, which `%q` prints for a string."""
    return '"' + "".join(_quoted(char) for char in text) + '"'


def _quoted(char: str) -> str:
    if char in _QUOTE_ESCAPES:
        return _QUOTE_ESCAPES[char]
    if char == " " or char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_string(text: str) -> str:
    """Return a string as encoding/json writes it, HTML characters escaped."""
    for char, escaped in (("\\", "\\\\"), ('"', '\\"')):
        text = text.replace(char, escaped)
    return '"' + _JSON_HEX.sub(_json_escape, text) + '"'


def json_text(written: str) -> str:
    """JSON that was written without escapes for what is no ASCII, as encoding/json writes it. Source: HTMLEscape."""
    return _JSON_SIGNS.sub(_json_escape, written)


def _json_escape(match: re.Match[str]) -> str:
    char = match.group()
    return _JSON_ESCAPES.get(char, f"\\u{ord(char):04x}")


def json_float(value: float) -> str:
    """Return a finite float64 as encoding/json writes it: the shortest digits, an exponent below 1e-6 and from 1e21."""
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)  # the caller passes finite values
    number = "".join(map(str, digits))
    if number == "0":
        return "-0" if sign else "0"
    point = len(number) + exponent
    minus = "-" if sign else ""
    if -6 < point <= 21:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{number}"
        if point >= len(number):
            return f"{minus}{number}{'0' * (point - len(number))}"
        return f"{minus}{number[:point]}.{number[point:]}"
    mantissa = number[0] + ("." + number[1:] if len(number) > 1 else "")
    power = point - 1
    if power >= 0:
        return f"{minus}{mantissa}e+{power:02d}"
    return f"{minus}{mantissa}e{power}" if power > -10 else f"{minus}{mantissa}e-{-power:02d}"


def _time_quote(text: str) -> str:
    """Return the time package's own quoting: bytes of anything but printable ASCII as \\x.."""
    return '"' + "".join(_time_quoted(char) for char in text) + '"'


def _time_quoted(char: str) -> str:
    if " " <= char <= "\x7f":
        return f"\\{char}" if char in '"\\' else char
    return "".join(f"\\x{byte:02x}" for byte in char.encode())


class DurationError(ValueError):
    """A duration that time.ParseDuration refuses; the text is Go's."""


def parse_duration(text: str) -> int:
    """Nanoseconds of a Go duration such as `1h30m`, `1.5s`, `-10ms`. Source: time.ParseDuration."""
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    invalid = DurationError(f"time: invalid duration {_time_quote(text)}")
    if not rest:
        raise invalid
    total = 0
    while rest:
        match = _DURATION_PART.match(rest)
        assert match is not None  # every part is optional
        whole, _, fraction = match.groups()
        if not whole and not fraction:
            raise invalid
        rest = rest[match.end() :]
        unit = re.match(r"[^.\d]*", rest, re.ASCII)
        name = unit.group() if unit else ""
        if not name:
            raise DurationError(f"time: missing unit in duration {_time_quote(text)}")
        if name not in _UNITS:
            raise DurationError(f"time: unknown unit {_time_quote(name)} in duration {_time_quote(text)}")
        rest = rest[len(name) :]
        total += int(whole or "0") * _UNITS[name]
        total += int(int(fraction or "0") * (_UNITS[name] / 10 ** len(fraction or "")))
        if total > _MAX_DURATION:
            raise invalid
    if text.startswith("-"):
        return -total
    if total > _MAX_DURATION - 1:
        raise invalid
    return total


def format_duration(nanoseconds: int) -> str:
    """Return a duration as Go prints it: `1m30s`, `1.5s`, `100ms`. Source: time.Duration.String."""
    if nanoseconds == 0:
        return "0s"
    sign = "-" if nanoseconds < 0 else ""
    rest = abs(nanoseconds)
    if rest < SECOND:
        for unit, name in ((MILLISECOND, "ms"), (MICROSECOND, "\u00b5s"), (NANOSECOND, "ns")):
            if rest >= unit:
                return f"{sign}{_decimal(rest, unit)}{name}"
    minutes, seconds = divmod(rest, MINUTE)
    text = f"{_decimal(seconds, SECOND)}s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = f"{hours}h{minutes}m{text}" if hours else f"{minutes}m{text}"
    return sign + text


def _decimal(value: int, unit: int) -> str:
    whole, fraction = divmod(value, unit)
    if not fraction:
        return str(whole)
    return f"{whole}.{str(fraction).rjust(len(str(unit)) - 1, '0').rstrip('0')}"
