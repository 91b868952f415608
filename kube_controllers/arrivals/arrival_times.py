"""The times of arrivals, in seconds since their start. Each process returns the time of its next arrival.

Processes have no state: the random part of arrival n follows from the seed and n, so a caller can continue anywhere.
"""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol

_FAR = 1e9  # seconds; later arrivals don't happen
_MINUTE = 60.0
DAY = 86400.0


class Process(Protocol):
    """A process of arrivals."""

    def next(self, number: int, last: float, seed: int) -> float | None:
        """Return the time of arrival `number` (from 0), after the one at `last`; None if there are no more."""


def draw_part(seed: int, number: int) -> float:
    """Return a number from 0 up to 1, uniformly distributed."""
    drawn = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return (int.from_bytes(drawn[:7], "big") >> 3) / 2.0**53


class Curve:
    """A Poisson process whose rate follows a curve that repeats each period.

    The next arrival after t is at the u for which the integral of the rate from t to u is -ln(1 - part). This is exact
    for a piecewise linear curve.
    """

    def __init__(self, points: Sequence[tuple[float, float]], period: float = DAY) -> None:
        """Take points of seconds and arrivals per minute, in the order of time, all within the period."""
        first, last = points[0], points[-1]
        whole = [(0.0, first[1]), *points, (period, last[1])]
        self._lines = [
            (start, end, before / _MINUTE, (after - before) / _MINUTE / (end - start))
            for (start, before), (end, after) in pairwise(whole)
            if end > start
        ]
        self._starts = [line[0] for line in self._lines]
        areas = (rate * (end - start) + slope * (end - start) ** 2 / 2 for start, end, rate, slope in self._lines)
        self._before = list(accumulate(areas, initial=0.0))
        self._period = period

    def next(self, number: int, last: float, seed: int) -> float | None:
        total = self._before[-1]
        if total <= 0:
            return None
        begun, within = divmod(last, self._period)
        periods, area = divmod(self._area(within) - math.log(1.0 - draw_part(seed, number)), total)
        line = min(bisect_right(self._before, area), len(self._lines)) - 1
        start, end, rate, slope = self._lines[line]
        area -= self._before[line]
        root = rate + math.sqrt(max(rate * rate + 2 * slope * area, 0.0))
        passed = 2 * area / root if root > 0 else 0.0
        time = (begun + periods) * self._period + min(start + passed, end)
        return max(round(time, 6), last) if time < _FAR else None

    def _area(self, within: float) -> float:
        """Return the expected number of arrivals since the start of the period."""
        line = bisect_right(self._starts, within) - 1
        start, _, rate, slope = self._lines[line]
        passed = within - start
        return self._before[line] + rate * passed + slope * passed * passed / 2


def poisson(a_minute: float) -> Curve:
    return Curve([(0.0, a_minute)])


class Bursts:
    """Bursts of `count` arrivals each `every` seconds, at once or spread over `over` seconds at random times."""

    def __init__(self, every: float, count: int, over: float) -> None:
        self._every, self._count, self._over = every, count, over

    def next(self, number: int, last: float, seed: int) -> float | None:
        burst, index = divmod(number, self._count)
        moment = self._over * (index + draw_part(seed, number)) / self._count
        return max(round(burst * self._every + moment, 6), last)


class Times:
    """The times of a trace, in order."""

    def __init__(self, moments: Sequence[float]) -> None:
        self._moments = moments

    def next(self, number: int, last: float, seed: int) -> float | None:
        return self._moments[number] if number < len(self._moments) else None
