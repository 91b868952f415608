"""Numbers of pods per row, and their sums over topology domains: the nodes that share a label's value."""

from collections.abc import Hashable, Sequence

import numpy as np

from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.columns import Column


class DomainCounts:
    """The sums of a count column by label code; `total` is the sum of all. Rows with code −1 are not counted.

    `counts` has one more entry, always 0, at its end: it is read for code −1 (nodes without the label).
    """

    __slots__ = ("_codes", "_present", "counts", "total")

    def __init__(self, codes: CodeColumn, size: int, amounts: IntColumn) -> None:
        self._codes = codes
        self._present: BoolColumn | None = None
        self.counts: IntColumn = np.zeros(size + 1, np.int64)
        # Most columns are nearly empty at first, so only nonzero rows are summed.
        rows = amounts.nonzero()[0]
        if len(rows):
            self.counts[:size] = np.bincount(codes[rows] + 1, amounts[rows], size + 1)[1:]
        self.total = int(self.counts.sum())

    @property
    def present(self) -> BoolColumn:
        """Return True for each code that a counted row has."""
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
    """A count per row. `by_domain` holds sums of this column, updated with it and invalid after a node changes."""

    __slots__ = ("by_domain",)

    def __init__(self, size: int) -> None:
        super().__init__(np.int64, size)
        self.by_domain: dict[Hashable, DomainCounts] = {}

    def copied(self, rows: Sequence[int]) -> "CountColumn":
        """Return an independent column with these rows, without the sums."""
        copy = CountColumn(0)
        copy._buffer = copy.values = self.values[list(rows)]
        return copy

    def add(self, row: int, delta: int) -> None:
        self.values[row] += delta
        for counts in self.by_domain.values():
            counts.add(row, delta)
