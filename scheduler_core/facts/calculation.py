"""Calculation: the lines by which a plugin computes an integer, so that readers can check them by hand.

Formulas use `+ − ×`, brackets, `min`, `max`, `| |`, `²`, `√`, `ln`. `/` drops the remainder, as Go's division of
integers does; `÷` keeps it. `round` and `trunc` turn a fraction into an integer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from kube_objects.sentences import Data, Template

MORE = Template("and {count} more of this kind")
# A pod may have thousands of terms; the lines after this many are summed up in one.
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
class CalculationLine:
    """A line of a calculation: `formula` = `value`.

    `of` is its subject, verbatim (a resource, a label key, an image). A line without a value is only a remark, such as
    why a resource doesn't count.
    """

    what: Data
    formula: str = ""
    value: int | float | None = None
    of: str = ""

    def as_dict(self) -> ExplainedLine:
        return {"of": self.of, "what": self.what, "formula": self.formula, "value": self.value}


@dataclass(slots=True, frozen=True)
class Calculation:
    """The lines of a calculation. `value` is that of the last line that has one."""

    lines: Sequence[CalculationLine]
    value: int

    def as_dict(self) -> CalculationAnswer:
        return {"lines": [line.as_dict() for line in self.lines], "value": self.value}


def format_number(value: float) -> str:
    """Return a number as it stands in a formula; negative ones in brackets."""
    text = str(abs(value)) if isinstance(value, int) else f"{abs(value):.6g}"
    return f"(−{text})" if value < 0 else text


def format_sum(values: Sequence[int]) -> str:
    return " + ".join(map(format_number, values)) or "0"


def shorten_lines(lines: Sequence[CalculationLine]) -> list[CalculationLine]:
    """Return at most MAX_LINES lines; the last one is the sum of the rest."""
    if len(lines) <= MAX_LINES:
        return list(lines)
    rest = [int(line.value or 0) for line in lines[MAX_LINES - 1 :]]
    return [*lines[: MAX_LINES - 1], CalculationLine(MORE(count=len(rest)), format_number(sum(rest)), sum(rest))]


def wrap_int64(value: int) -> int:
    """Wrap a value as Go's int64 does."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def divide_like_go(dividend: int, divisor: int) -> int:
    """Divide as Go does, towards zero."""
    result = abs(dividend) // abs(divisor)
    return result if (dividend < 0) == (divisor < 0) else -result


def round_like_go(value: float) -> int:
    """Round halves away from zero, as Go's math.Round."""
    whole = math.trunc(value)
    return whole + (1 if value - whole >= 0.5 else -1 if value - whole <= -0.5 else 0)
