"""Rows that hold several records, or matrices, with consecutive numbers. A row has the number of its last one."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from playground.models import CycleMatrix, Record
from playground.models.history import BatchManager
from playground.packing.packed_batches import join_plain, join_texts, split_plain, split_texts

T = TypeVar("T", str, bytes)


class BatchedRows(Generic[T]):
    """Values in rows that hold several values each. `join` makes the body of a row, and `split` is its inverse."""

    def __init__(
        self, rows: BatchManager[Any], join: Callable[[Sequence[T]], bytes], split: Callable[[Any], list[T]]
    ) -> None:
        self._rows = rows
        self.join: Callable[[Sequence[T]], bytes] = join
        self._split: Callable[[Any], list[T]] = split

    def iterate_range(self, cluster_id: int, first: int, last: int) -> Iterator[tuple[int, T]]:
        """Yield the stored values with the numbers `first` to `last`, in order, one row after the other."""
        behind = first
        for number, value in self._held(self._rows.select_range(cluster_id=cluster_id, first=first, last=last)):
            behind = number + 1
            if number >= first:
                yield number, value
        if behind <= last:
            yield from ((n, value) for n, value in self._held(self._next(cluster_id, last + 1)) if behind <= n <= last)

    def get_many(self, cluster_id: int, numbers: Collection[int]) -> dict[int, T]:
        """Return the stored values with these numbers."""
        wanted, values = set(numbers), dict[int, T]()
        if len(wanted) > 1:
            ends = self._rows.select_numbers(cluster_id, wanted)
            values |= {n: one for n, one in self._held(ends) if n in wanted}
        left = sorted(wanted - values.keys())
        # The rest is in the middle of rows or deleted. In the latter case there is none before the next row.
        while left and (row := dict(self._held(self._next(cluster_id, left[0])))):
            values |= {n: row[n] for n in left if n in row}
            left = [n for n in left if n > max(row)]
        return values

    def split_after(self, cluster_id: int, last: int) -> tuple[int, list[T], list[T]] | None:
        """Return the number of the row that continues after `last`, its values up to `last`, and those after it.

        Return None if `last` is the end of a row.
        """
        for number, body in self._next(cluster_id, last + 1):
            held = self._split(body)
            ahead = last - (number - len(held))
            if ahead > 0:
                return number, held[:ahead], held[ahead:]
        return None

    def _next(self, cluster_id: int, first: int) -> Sequence[tuple[Any, ...]]:
        """Return the row that holds `first` or else the next row, in a list, which is empty after the last row."""
        row = self._rows.find_from(cluster_id=cluster_id, first=first)
        return [row] if row else []

    def _held(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        for number, body in rows:
            held = self._split(body)
            yield from enumerate(held, number - len(held) + 1)


RECORDS: BatchedRows[str] = BatchedRows(Record.objects, join_texts, split_texts)
# The numbers are those of cycles, the values those of `Matrix.to_plain`.
MATRICES: BatchedRows[bytes] = BatchedRows(CycleMatrix.objects, join_plain, split_plain)
