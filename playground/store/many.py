"""Rows that hold many records, or matrices, of numbers that follow one another: a row has the number of the last."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db.models import Model, QuerySet

from playground.models import FOREVER, CycleMatrix, Record
from playground.packing.joined import join_plain, join_texts, split_plain, split_texts
from playground.prepared import Select

T = TypeVar("T", str, bytes)


class Many(Generic[T]):
    """What is in the rows of a model; `number` is its column. `join` makes a body of some, `split` is its inverse."""

    def __init__(
        self, model: type[Model], number: str, join: Callable[[Sequence[T]], bytes], split: Callable[[Any], list[T]]
    ) -> None:
        self._model, self._number = model, number
        self.join: Callable[[Sequence[T]], bytes] = join
        self._split: Callable[[Any], list[T]] = split
        self._rows = Select(self._query, int, int, int)
        self._first = Select(lambda cluster_id, first, last: self._query(cluster_id, first, last)[:1], int, int, int)

    def between(self, cluster_id: int, first: int, last: int) -> Iterator[tuple[int, T]]:
        """Those of the numbers `first` to `last` that are stored, in order, a row after the other."""
        behind = first
        for number, one in self._held(self._rows.rows(cluster_id, first, last)):
            behind = number + 1
            if number >= first:
                yield number, one
        if behind <= last:
            yield from ((n, one) for n, one in self._held(self._next(cluster_id, last + 1)) if behind <= n <= last)

    def at(self, cluster_id: int, numbers: Collection[int]) -> dict[int, T]:
        """Those of these numbers that are stored."""
        wanted, found = set(numbers), dict[int, T]()
        if len(wanted) > 1:
            ends = self._of(cluster_id).filter(**{f"{self._number}__in": wanted})
            found |= {n: one for n, one in self._held(ends) if n in wanted}
        left = sorted(wanted - found.keys())
        # The others are in the middle of a row, or gone: then none is stored before the next row.
        while left and (row := dict(self._held(self._next(cluster_id, left[0])))):
            found |= {n: row[n] for n in left if n in row}
            left = [n for n in left if n > max(row)]
        return found

    def cut(self, cluster_id: int, last: int) -> tuple[int, list[T], list[T]] | None:
        """Of the row that holds `last` and some behind it its number, those up to `last`, and those behind; None where
        `last` is the end of a row.
        """
        for number, body in self._next(cluster_id, last + 1):
            held = self._split(body)
            ahead = last - (number - len(held))
            if ahead > 0:
                return number, held[:ahead], held[ahead:]
        return None

    def _next(self, cluster_id: int, first: int) -> Sequence[tuple[Any, ...]]:
        """The row that holds `first`, or else the next; none behind the last."""
        return self._first.rows(cluster_id, first, FOREVER)

    def _query(self, cluster_id: int, first: int, last: int) -> "QuerySet[Any, Any]":
        within = {f"{self._number}__gte": first, f"{self._number}__lte": last}
        return self._of(cluster_id).filter(**within).order_by(self._number)

    def _of(self, cluster_id: int) -> "QuerySet[Any, Any]":
        rows = self._model._default_manager.filter(cluster_id=cluster_id)
        return rows.values_list(self._number, "body")

    def _held(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, T]]:
        for number, body in rows:
            held = self._split(body)
            yield from enumerate(held, number - len(held) + 1)


RECORDS: Many[str] = Many(Record, "seq", join_texts, split_texts)
# By the numbers of their cycles, as `Matrix.to_plain` gives them.
MATRICES: Many[bytes] = Many(CycleMatrix, "number", join_plain, split_plain)
