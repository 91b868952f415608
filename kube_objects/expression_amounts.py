"""Quantities and versions in CEL. Source: apiserver/pkg/cel/library/{quantity,semverlib}.go.

They travel through the library as texts of a form that no attribute has.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from kube_objects.quantity import QuantityError, parse_quantity

QUANTITY, VERSION = "\x00quantity ", "\x00version "
_SEMVER = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


def _quantity(text: str) -> str:
    try:
        return f"{QUANTITY}{parse_quantity(text).nano}"
    except QuantityError as error:
        raise ValueError(str(error)) from error


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except QuantityError:
        return False
    return True


def _semver(text: str, is_loose: bool = False) -> str:
    if is_loose:
        text = _normalized(text)
    if not _SEMVER.fullmatch(text):
        raise ValueError(f"invalid semantic version {text!r}")
    return f"{VERSION}{text}"


def _is_semver(text: str, is_loose: bool = False) -> bool:
    return _SEMVER.fullmatch(_normalized(text) if is_loose else text) is not None


def _normalized(text: str) -> str:
    """Source: semverlib.go normalizeAndParse."""
    parts = text.removeprefix("v").split(".", 2)
    shorter = [part.lstrip("0") if len(part) > 1 else part for part in parts]
    parts = [part if part[:1].isdigit() else f"0{part}" for part in shorter]
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        return text
    return ".".join([*parts, *["0"] * (3 - len(parts))])


def _order_key(value: Any) -> Any:
    """Return the sort key of a quantity or a version."""
    if isinstance(value, str) and value.startswith(QUANTITY):
        return int(value.removeprefix(QUANTITY))
    if isinstance(value, str) and value.startswith(VERSION):
        found = _SEMVER.fullmatch(value.removeprefix(VERSION))
        if found is None:
            raise ValueError(f"parse semantic version: {value.removeprefix(VERSION)!r}")
        major, minor, patch, rest = found.groups()
        # A pre-release comes before its release; numbers before words, compared as numbers.
        words = [(not part.isdigit(), int(part) if part.isdigit() else part) for part in (rest or "").split(".")]
        return int(major), int(minor), int(patch), rest is None, words
    raise ValueError("no such overload")


def _nano(value: Any) -> int:
    return value * 10**9 if type(value) is int else int(_order_key(value))


def _compare(one: Any, other: Any) -> int:
    a, b = _order_key(one), _order_key(other)
    return int(a > b) - int(a < b)


def _part(index: int) -> Callable[[Any], int]:
    return lambda version: int(_order_key(version)[index])


AMOUNTS: Mapping[str, Callable[..., Any]] = {
    "quantity": _quantity,
    "isQuantity": _is_quantity,
    "semver": _semver,
    "isSemver": _is_semver,
    "compareTo": _compare,
    "isGreaterThan": lambda one, other: _compare(one, other) > 0,
    "isLessThan": lambda one, other: _compare(one, other) < 0,
    "sign": lambda one: (_nano(one) > 0) - (_nano(one) < 0),
    "add": lambda one, other: f"{QUANTITY}{_nano(one) + _nano(other)}",
    "sub": lambda one, other: f"{QUANTITY}{_nano(one) - _nano(other)}",
    "asInteger": lambda one: _nano(one) // 10**9,
    "isInteger": lambda one: _nano(one) % 10**9 == 0,
    "asApproximateFloat": lambda one: _nano(one) / 10**9,
    "major": _part(0),
    "minor": _part(1),
    "patch": _part(2),
}
