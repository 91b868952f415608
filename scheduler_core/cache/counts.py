"""Numbers of pods per row, and their sums over topology domains: the nodes that share the value of a label."""

from collections.abc import Hashable, Sequence

import numpy as np

from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.columns import Column


class DomainCounts:
    """`counts` by label code, over the rows whose entry in `codes` is that code; rows with −1 are not counted.
    `total` is their sum.

    One entry more, always 0, stands last: it answers for code −1, nodes without the label.
    """

    __slots__ = ("_codes", "_present", "counts", "total")

    def __init__(self, codes: CodeColumn, size: int, amounts: IntColumn) -> None:
        self._codes = codes
        self._present: BoolColumn | None = None
        self.counts: IntColumn = np.zeros(size + 1, np.int64)
        # Most begin with next to nothing: a selector is new when the first pod that it selects is.
        rows = amounts.nonzero()[0]
        if len(rows):
            self.counts[:size] = np.bincount(codes[rows] + 1, amounts[rows], size + 1)[1:]
        self.total = int(self.counts.sum())

    @property
    def present(self) -> BoolColumn:
        """The codes that a counted row has."""
        if self._present is None:
            self._present = np.zeros(len(self.counts), np.bool_)
            self._present[self._codes] = True
            self._present[-1] = False
        return self._present

    def add(self, row: int, delta: int) -> None:
        code = self._codes[row]
        if code >= 0:
            self.counts[code] += delta
            self.total += delta


class CountColumn(Column):
    """`by_domain`: sums of this column, kept in step with it; of no use any more when a node changes."""

    __slots__ = ("by_domain",)

    def __init__(self, size: int) -> None:
        super().__init__(np.int64, size)
        self.by_domain: dict[Hashable, DomainCounts] = {}

    def copied(self, rows: Sequence[int]) -> "CountColumn":
        """A column of its own with these rows; without the sums, which follow their own column."""
        copy = CountColumn(0)
        copy._buffer = copy.values = self.values[list(rows)]
        return copy

    def add(self, row: int, delta: int) -> None:
        self.values[row] += delta
        for counts in self.by_domain.values():
            counts.add(row, delta)
