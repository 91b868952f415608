"""Kubernetes quantities: `500m`, `1.5Gi`, `12e6`; exact, never a float.

What an int64 cannot hold is read as Go reads it, where overflow is ignored: some amounts wrap around, others become 0.
Source: apimachinery/pkg/api/resource/quantity.go, amount.go, math.go, suffix.go.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

DECIMAL_SI, BINARY_SI, DECIMAL_EXPONENT = "DecimalSI", "BinarySI", "DecimalExponent"

FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
NUMERIC_WRONG = "unable to parse numeric part of quantity"
SUFFIX_WRONG = "unable to parse quantity's suffix"

MAX_INT64 = (1 << 63) - 1
_INT64 = 1 << 64
_NANO = 10**9
_MILLI = 10**6
# Go scales an int64 by these powers of ten in one multiplication, which wraps; by any other step by step, giving up.
_WRAPPING = frozenset({0, 1, 2, 3, 6, 9})
# As many decimal digits as Go surely fits into an int64; longer numbers get arbitrary precision, which wraps.
_INT64_DIGITS = 18
# Longer texts, and exponents beyond this, say nothing that an int64 could hold; they would only cost time.
_MAX_LENGTH, _MAX_EXPONENT = 256, 64

_PATTERN = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES = {exponent: name for name, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_NAMES = {exponent: name for name, exponent in _BINARY_SUFFIXES.items()}


class QuantityError(ValueError):
    """The text is no quantity; the message is upstream's."""


class Amount(int):
    """Thousandths of something that Go keeps as an int64 times 10^`scale`, above 0: beyond int64 it may become 0.

    Amounts without a scale wrap around there, which is why plain ints do for them.
    """

    scale: int

    @classmethod
    def of(cls, milli: int, scale: int) -> Self:
        amount = cls(milli)
        amount.scale = scale
        return amount


@dataclass(slots=True, frozen=True)
class Quantity:
    """An amount in units of 10⁻⁹, the family of suffixes that it is written with, and its scale (see `Amount`) or 0."""

    nano: int
    format: str = DECIMAL_SI
    scale: int = 0

    @property
    def value(self) -> int:
        """Whole units, rounded up (away from zero), as an int64."""
        return _int64(_round_up(self.nano, _NANO), self.scale, self.scale)

    @property
    def milli_value(self) -> int:
        """Thousandths, rounded up (away from zero), as an int64."""
        return _int64(_round_up(self.nano, _MILLI), self.scale, self.scale + 3)

    def __str__(self) -> str:
        """Return the canonical form: no fraction, the largest suffix that is exact."""
        if self.nano == 0:
            return "0"
        if self.format == BINARY_SI and self.nano % _NANO == 0 and abs(self.nano) >= 1024 * _NANO:
            return _canonical_binary(self.nano // _NANO)
        return _canonical_decimal(self.nano, DECIMAL_SI if self.format == BINARY_SI else self.format)


def parse_quantity(text: str) -> Quantity:
    """Read a quantity; raises `QuantityError` with upstream's message.

    Digits below 10⁻⁹ are rounded up (away from zero), amounts with a binary suffix are capped at int64's largest.
    """
    if len(text) > _MAX_LENGTH:
        raise QuantityError(NUMERIC_WRONG)
    return _parse(text)


@lru_cache(maxsize=8192)
def _parse(text: str) -> Quantity:
    match = _PATTERN.fullmatch(text)
    if not text or match is None:
        raise QuantityError(FORMAT_WRONG)
    sign, whole, fraction, suffix = match.groups(default="")
    digits = int((whole + fraction) or "0")
    scale, decimals = -len(fraction), 0
    if suffix in _BINARY_SUFFIXES:
        quantity_format = BINARY_SI
        digits <<= _BINARY_SUFFIXES[suffix]
    else:
        exponent, quantity_format = _decimal_exponent(suffix)
        scale += exponent
        if len(whole.lstrip("0") or "0") + len(fraction) <= _INT64_DIGITS:
            decimals = max(scale, 0)
    nano = digits * 10 ** (scale + 9) if scale >= -9 else -(-digits // 10 ** -(scale + 9))
    if quantity_format == BINARY_SI:
        nano = min(nano, MAX_INT64 * _NANO)
        if 0 < nano < _NANO:
            quantity_format = DECIMAL_SI
    return Quantity(-nano if sign == "-" else nano, quantity_format, decimals)


def parse_milli(text: str) -> int:
    """Return the quantity in thousandths, rounded up, as the API server stores every resource amount."""
    if len(text) > _MAX_LENGTH:
        raise QuantityError(NUMERIC_WRONG)
    return _parse_milli(text)


@lru_cache(maxsize=8192)
def _parse_milli(text: str) -> int:
    quantity = _parse(text)
    milli = _round_up(quantity.nano, _MILLI)
    return Amount.of(milli, quantity.scale) if quantity.scale else milli


def whole_units(milli: int) -> int:
    """Thousandths as whole units, rounded up, as an int64."""
    scale = milli.scale if isinstance(milli, Amount) else 0
    return _int64(-(-milli // 1000), scale, scale)


def thousandths(milli: int) -> int:
    """Thousandths as an int64."""
    scale = milli.scale if isinstance(milli, Amount) else 0
    return _int64(milli, scale, scale + 3)


def add(one: int, other: int) -> int:
    """Return the sum of two amounts in thousandths. Source: Quantity.Add."""
    total = int.__add__(one, other)
    if not one or not other:
        return one if one else other
    if not isinstance(one, Amount) or not isinstance(other, Amount):
        return total
    scale = min(one.scale, other.scale)
    return Amount.of(total, scale) if abs(total) // 10 ** (scale + 3) <= MAX_INT64 else total


def _int64(exact: int, scale: int, power: int) -> int:
    """Return `exact` as Go computes it: with a `scale`, an int64 scaled by 10^`power`."""
    if -MAX_INT64 <= exact <= MAX_INT64:
        return int(exact)
    if scale and power not in _WRAPPING:
        return 0
    return (exact + _INT64 // 2) % _INT64 - _INT64 // 2


def _decimal_exponent(suffix: str) -> tuple[int, str]:
    exponent = _DECIMAL_SUFFIXES.get(suffix)
    if exponent is not None:
        return exponent, DECIMAL_SI
    if len(suffix) > 1 and suffix[0] in "eE":
        try:
            exponent = int(suffix[1:])
        except ValueError:
            raise QuantityError(SUFFIX_WRONG) from None
        return max(-_MAX_EXPONENT, min(exponent, _MAX_EXPONENT)), DECIMAL_EXPONENT
    raise QuantityError(SUFFIX_WRONG)


def _round_up(nano: int, unit: int) -> int:
    """Away from zero."""
    return -(-nano // unit) if nano >= 0 else nano // unit


def _canonical_decimal(nano: int, quantity_format: str) -> str:
    exponent = -9
    while nano % 1000 == 0 and (exponent < 18 or quantity_format == DECIMAL_EXPONENT):
        nano //= 1000
        exponent += 3
    if quantity_format == DECIMAL_EXPONENT:
        return f"{nano}e{exponent}" if exponent else str(nano)
    return f"{nano}{_DECIMAL_NAMES[exponent]}"


def _canonical_binary(amount: int) -> str:
    exponent = 0
    while amount % 1024 == 0 and exponent < 60:
        amount //= 1024
        exponent += 10
    return f"{amount}{_BINARY_NAMES[exponent]}" if exponent else str(amount)
