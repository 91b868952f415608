"""Calculation: the lines by which a plugin comes to an integer, written so that they can be checked by hand.

Formulas use `+ − ×`, brackets, `min`, `max`, `| |`, `²`, `√`, `ln`; `/` drops the remainder, as Go's division of
integers does, `÷` keeps it; `round` and `trunc` make an integer of a fraction.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from kube_objects.sentences import Data, Template

MORE = Template("and {count} more of this kind")
# A pod with thousands of terms is told about the first ones, and of the rest the sum.
MAX_LINES = 100


class ExplainedLine(TypedDict):
    of: str
    what: Data
    formula: str
    value: float | None


class CalculationAnswer(TypedDict):
    lines: list[ExplainedLine]
    value: int


@dataclass(slots=True, frozen=True)
class Line:
    """`formula` = `value`; `of` is what the line is about, verbatim (a resource, a label key, an image).

    A line without a value only tells something, such as why a resource does not count.
    """

    what: Data
    formula: str = ""
    value: int | float | None = None
    of: str = ""

    def as_dict(self) -> ExplainedLine:
        return {"of": self.of, "what": self.what, "formula": self.formula, "value": self.value}


@dataclass(slots=True, frozen=True)
class Calculation:
    """The value of the last line that has one is `value`."""

    lines: Sequence[Line]
    value: int

    def as_dict(self) -> CalculationAnswer:
        return {"lines": [line.as_dict() for line in self.lines], "value": self.value}


def number(value: float) -> str:
    """A number as it stands in a formula; negative ones in brackets."""
    text = str(abs(value)) if isinstance(value, int) else f"{abs(value):.6g}"
    return f"(−{text})" if value < 0 else text


def summed(values: Sequence[int]) -> str:
    return " + ".join(map(number, values)) or "0"


def shortened(lines: Sequence[Line]) -> list[Line]:
    """At most MAX_LINES; the rest as one line with their sum."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    rest = [int(line.value or 0) for line in lines[MAX_LINES - 1 :]]
    return [*lines[: MAX_LINES - 1], Line(MORE(count=len(rest)), number(sum(rest)), sum(rest))]


def int64(value: int) -> int:
    """The value as Go's int64 holds it: what does not fit wraps round."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def quotient(dividend: int, divisor: int) -> int:
    """Go's division: towards zero."""
    result = abs(dividend) // abs(divisor)
    return result if (dividend < 0) == (divisor < 0) else -result


def rounded(value: float) -> int:
    """Halves away from zero, as Go's math.Round."""
    whole = math.trunc(value)
    return whole + (1 if value - whole >= 0.5 else -1 if value - whole <= -0.5 else 0)
