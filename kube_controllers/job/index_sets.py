"""Sets of completion indexes as intervals, because a Job may have more indexes than fit in memory.

Source: pkg/controller/job/indexed_job_utils.go orderedIntervals.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Self

Interval = tuple[int, int]  # the first index and the last one


class IndexSet:
    """An immutable set of indexes. Its cost depends on the number of intervals, not of indexes."""

    __slots__ = ("_firsts", "_size", "intervals")

    def __init__(self, intervals: Iterable[Interval] = ()) -> None:
        """Store intervals in any order, which may overlap; those that end before they begin are left out."""
        self.intervals: list[Interval] = []
        for first, last in sorted(intervals):
            if last < first:
                continue
            if self.intervals and first <= self.intervals[-1][1] + 1:
                start, end = self.intervals[-1]
                self.intervals[-1] = (start, max(end, last))
            else:
                self.intervals.append((first, last))
        self._firsts = [first for first, _ in self.intervals]
        self._size = sum(last - first + 1 for first, last in self.intervals)

    @classmethod
    def of(cls, indexes: Iterable[int]) -> Self:
        """Return the set of these single indexes."""
        return cls((index, index) for index in indexes)

    @classmethod
    def parse(cls, text: str, completions: int) -> Self:
        """Read `0,3-5,7`; parts that are no numbers and indexes from `completions` on are left out.

        Source: parseIndexesFromString.
        """
        intervals: list[Interval] = []
        for part in text.split(",") if text else ():
            limits = part.split("-")
            try:
                intervals.append((int(limits[0]), min(int(limits[-1]), completions - 1)))
            except ValueError:
                continue
        return cls(intervals)

    def __len__(self) -> int:
        return self._size

    def __contains__(self, index: object) -> bool:
        if not isinstance(index, int):
            return False
        position = bisect_right(self._firsts, index) - 1
        return position >= 0 and index <= self.intervals[position][1]

    def __or__(self, other: "IndexSet") -> "IndexSet":
        return IndexSet([*self.intervals, *other.intervals])

    def count_common(self, other: "IndexSet") -> int:
        """Return how many indexes are in both sets."""
        return len(self) + len(other) - len(self | other)

    def missing(self, below: int) -> Iterator[int]:
        """Return the indexes from 0 up to `below` that are not in the set, in order."""
        following = 0
        for first, last in self.intervals:
            yield from range(following, min(first, below))
            following = last + 1
        yield from range(max(following, 0), below)

    def __str__(self) -> str:
        """Source: orderedIntervals.String."""
        return ",".join(
            str(first) if first == last else f"{first},{last}" if last == first + 1 else f"{first}-{last}"
            for first, last in self.intervals
        )
