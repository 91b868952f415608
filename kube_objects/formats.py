"""Which texts have a format that a schema asks for.

Source: kube-openapi/pkg/validation/strfmt, and pkg/internal/third_party/govalidator.

Formats that are not here are not looked at, as a server does with those that it does not know.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlsplit

_CLOCK = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]{1,100})?(?:z|[+-][0-9]{2}:[0-9]{2})")
_DURATION = re.compile(r"[+-]?(?:0|(?:(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:ns|us|µs|μs|ms|s|m|h)){1,20})")
_SCALA = re.compile(r"[0-9]{1,18}\s{0,9}(?:n|u|µ|mi|ms|s|m|h|d|w)", re.IGNORECASE)
_HEX = "[0-9a-f]"
_COLOUR = re.compile(rf"#?(?:{_HEX}{{3}}|{_HEX}{{6}})", re.IGNORECASE)
_PART_OF_COLOUR = r"\s*(?:0|[1-9][0-9]?|1[0-9]{1,2}|2[0-4][0-9]|25[0-5])\s*"
_RGB = re.compile(rf"rgb\({_PART_OF_COLOUR},{_PART_OF_COLOUR},{_PART_OF_COLOUR}\)", re.ASCII)
_SOCIAL_SECURITY = re.compile(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}")
_CARDS = re.compile(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)
_BETWEEN_DIGITS = re.compile(r"[\s-]+", re.ASCII)
_MAC = re.compile(
    rf"{_HEX}{{2}}(?:(?:[:-]{_HEX}{{2}}){{5}}|(?:[:-]{_HEX}{{2}}){{7}})|{_HEX}{{4}}(?:\.{_HEX}{{4}}){{2,3}}",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W_](?:[^\W_]|-(?=[^\W_])){0,62}")
_SHORT = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_LONGEST_NAME = 253


def _uuid(third: str, fourth: str) -> Callable[[str], bool]:
    parts = [f"{_HEX}{{8}}", f"{_HEX}{{4}}", third, fourth, f"{_HEX}{{12}}"]
    return _whole(re.compile("-?".join(parts), re.IGNORECASE))


def _whole(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _date(text: str) -> bool:
    try:
        return len(text) == len("2006-01-02") and text.isascii() and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _date_time(text: str) -> bool:
    day, _, clock = text.lower().partition("t")
    found = _CLOCK.fullmatch(clock.partition("t")[0])
    return _date(day) and found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _address(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            return ipaddress.ip_address(text).version == version and "%" not in text
        except ValueError:
            return False

    return check


def _range(text: str) -> bool:
    try:
        return "/" in text and bool(ipaddress.ip_interface(text))
    except ValueError:
        return False


def _bytes(text: str) -> bool:
    try:
        return base64.b64decode(text, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


def _uri(text: str) -> bool:
    """Accept an absolute path, or a URI with a scheme."""
    try:
        return bool(text) and (text.startswith("/") or bool(urlsplit(text).scheme))
    except ValueError:
        return False


def _host(text: str) -> bool:
    return len(text) <= _LONGEST_NAME + 2 and all(_LABEL.fullmatch(each) for each in text.split("."))


def _long_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and all(_SHORT.fullmatch(each) for each in text.split("."))


def _duration(text: str) -> bool:
    return _DURATION.fullmatch(text) is not None or _SCALA.search(text) is not None


def _card(text: str) -> bool:
    """Check a card number by its Luhn checksum."""
    digits = re.sub("[^0-9]+", "", text)
    doubled = (int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(digits)))
    return _CARDS.fullmatch(digits) is not None and sum(each // 10 + each % 10 for each in doubled) % 10 == 0


def _book10(text: str) -> bool:
    digits = _BETWEEN_DIGITS.sub("", text)
    if not re.fullmatch("[0-9]{9}[0-9X]", digits):
        return False
    return sum(at * (10 if digit == "X" else int(digit)) for at, digit in enumerate(digits, 1)) % 11 == 0


def _book13(text: str) -> bool:
    digits = _BETWEEN_DIGITS.sub("", text)
    if not re.fullmatch("[0-9]{13}", digits):
        return False
    return sum(int(digit) * (1 + at % 2 * 2) for at, digit in enumerate(digits)) % 10 == 0


_ANY, _VARIANT = f"{_HEX}{{4}}", f"[89ab]{_HEX}{{3}}"
CHECKS: Mapping[str, Callable[[str], bool]] = {
    "byte": _bytes,
    "cidr": _range,
    "creditcard": _card,
    "date": _date,
    "datetime": _date_time,
    "duration": _duration,
    "hexcolor": _whole(_COLOUR),
    "hostname": _host,
    "ipv4": _address(4),
    "ipv6": _address(6),
    "isbn": lambda text: _book10(text) or _book13(text),
    "isbn10": _book10,
    "isbn13": _book13,
    "k8slongname": _long_name,
    "k8sshortname": _whole(_SHORT),
    "mac": _whole(_MAC),
    "rgbcolor": _whole(_RGB),
    "ssn": _whole(_SOCIAL_SECURITY),
    "uri": _uri,
    "uuid": _uuid(_ANY, _ANY),
    "uuid3": _uuid(f"3{_HEX}{{3}}", _ANY),
    "uuid4": _uuid(f"4{_HEX}{{3}}", _VARIANT),
    "uuid5": _uuid(f"5{_HEX}{{3}}", _VARIANT),
}


def known(name: object) -> str:
    """Return the name under which a format is checked; "" for a format that isn't checked."""
    found = str(name or "").replace("-", "")
    return found if found in CHECKS else ""
