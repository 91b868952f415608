"""When arrivals come, in seconds since their beginning: each kind of process gives the time of the next one.

Nothing is kept in here: what chance says of arrival n follows from the seed and n, so that one may go on anywhere.
"""

import hashlib
import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Protocol

_FAR = 1e9  # seconds: what comes later than that never comes
_MINUTE = 60.0
DAY = 86400.0


class Process(Protocol):
    def next(self, number: int, last: float, seed: int) -> float | None:
        """The time of arrival `number` (from 0); the one before came at `last`. None if there are no more."""


def part(seed: int, number: int) -> float:
    """From 0 up to 1, each as likely."""
    drawn = hashlib.sha256(f"{seed} {number}".encode()).digest()
    return (int.from_bytes(drawn[:7], "big") >> 3) / 2.0**53


class Curve:
    """A Poisson process whose rate follows a curve that begins again each period.

    The next arrival after t is at the u with ∫ rate from t to u = -ln(1 - part): exact for a curve of straight lines.
    """

    def __init__(self, points: Sequence[tuple[float, float]], period: float = DAY) -> None:
        """`points` are seconds and arrivals a minute, in the order of time, all within the period."""
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
        periods, area = divmod(self._area(within) - math.log(1.0 - part(seed, number)), total)
        at = min(bisect_right(self._before, area), len(self._lines)) - 1
        start, end, rate, slope = self._lines[at]
        area -= self._before[at]
        root = rate + math.sqrt(max(rate * rate + 2 * slope * area, 0.0))
        passed = 2 * area / root if root > 0 else 0.0
        found = (begun + periods) * self._period + min(start + passed, end)
        return max(round(found, 6), last) if found < _FAR else None

    def _area(self, within: float) -> float:
        """How many arrivals one would expect since the period began."""
        at = bisect_right(self._starts, within) - 1
        start, _, rate, slope = self._lines[at]
        passed = within - start
        return self._before[at] + rate * passed + slope * passed * passed / 2


def poisson(a_minute: float) -> Curve:
    return Curve([(0.0, a_minute)])


class Bursts:
    """`count` at once each `every` seconds, or spread over `over` seconds: one in each part, at a drawn moment."""

    def __init__(self, every: float, count: int, over: float) -> None:
        self._every, self._count, self._over = every, count, over

    def next(self, number: int, last: float, seed: int) -> float | None:
        burst, at = divmod(number, self._count)
        moment = self._over * (at + part(seed, number)) / self._count
        return max(round(burst * self._every + moment, 6), last)


class Times:
    """Those of a trace, in the order of time."""

    def __init__(self, moments: Sequence[float]) -> None:
        self._moments = moments

    def next(self, number: int, last: float, seed: int) -> float | None:
        return self._moments[number] if number < len(self._moments) else None
