"""Growable columns over the rows of a NodeTable, and vocabularies that encode values as ints."""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

V = TypeVar("V", bound=Hashable)


class Column:
    """One value per row. `values` is a view that is valid until rows are added or removed."""

    __slots__ = ("_buffer", "_fill", "values")

    def __init__(self, dtype: DTypeLike, size: int, fill: int = 0) -> None:
        self._fill = fill
        self._buffer: NDArray[np.generic] = np.full(max(size, 16), fill, dtype)
        self.values = self._buffer[:size]

    def append(self) -> None:
        """Add a row with the fill value. The buffer doubles, so that many appends take linear time."""
        size = len(self.values)
        if size == len(self._buffer):
            grown = np.full(max(2 * size, 16), self._fill, self._buffer.dtype)
            grown[:size] = self._buffer
            self._buffer = grown
        self._buffer[size] = self._fill
        self.values = self._buffer[: size + 1]

    def remove(self, row: int) -> None:
        """Remove a row; later rows move up, so that rows stay in the order of creation."""
        size = len(self.values)
        self._buffer[row : size - 1] = self._buffer[row + 1 : size]
        self.values = self._buffer[: size - 1]

    def take(self, rows: Sequence[int]) -> "Column":
        """Return an independent column with these rows."""
        copy = Column(self._buffer.dtype, 0, self._fill)
        copy._buffer = copy.values = self.values[list(rows)]
        return copy


class Vocabulary(Generic[V]):
    """Values numbered in the order in which they were first seen; numbers never change and are not reused."""

    __slots__ = ("_codes", "values")

    def __init__(self) -> None:
        self.values: list[V] = []
        self._codes: dict[V, int] = {}

    def code(self, value: V) -> int:
        """Return the value's code; a new value gets the next one."""
        code = self._codes.setdefault(value, len(self.values))
        if code == len(self.values):
            self.values.append(value)
        return code

    def copied(self) -> "Vocabulary[V]":
        """Return an independent copy with the same codes."""
        copy: Vocabulary[V] = Vocabulary()
        copy.values, copy._codes = list(self.values), dict(self._codes)
        return copy

    def find(self, value: V) -> int:
        """Return the value's code, or −1 if it was never seen."""
        return self._codes.get(value, -1)

    def __len__(self) -> int:
        return len(self.values)
