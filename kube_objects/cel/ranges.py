"""Ranges of unsigned 64-bit numbers that don't overflow. Source: cel-go checker/cost.go."""

import math
from typing import NamedTuple

MOST = (1 << 64) - 1


class Range(NamedTuple):
    """The least and the most that a size or a cost can be."""

    least: int
    most: int

    def plus(self, other: "Range") -> "Range":
        return Range(_bounded(self.least + other.least), _bounded(self.most + other.most))

    def times(self, other: "Range") -> "Range":
        return Range(_bounded(self.least * other.least), _bounded(self.most * other.most))

    def scaled(self, factor: float) -> "Range":
        """Return the product with a factor, rounded up."""
        return Range(_scaled(self.least, factor), _scaled(self.most, factor))

    def union(self, other: "Range") -> "Range":
        return Range(min(self.least, other.least), max(self.most, other.most))


def fixed(number: int) -> Range:
    """Return the range of one number."""
    return Range(number, number)


UNKNOWN = Range(0, MOST)
ZERO, ONE = fixed(0), fixed(1)


def _bounded(number: int) -> int:
    return min(number, MOST)


def _scaled(number: int, factor: float) -> int:
    """Return the product as upstream's floating-point arithmetic rounds it."""
    if number > 0 and factor > 0 and float(number) > MOST / factor:
        return MOST
    return _bounded(math.ceil(float(number) * factor))
