"""The matrix of an attempt: filter statuses and scores of each plugin for each node.

See docs/reference/commands-and-trace.md.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, NotRequired, Self, TypedDict

import numpy as np
from numpy.typing import NDArray

from kube_objects.text.compact import compact
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.schedule_pod import Attempt
from scheduler_core.cycle.search import SearchResult
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import Code, Status

_FORMAT = 2
# Number of bytes → little-endian integer type, and its name.
_TYPES = {np.dtype(name).itemsize: np.dtype(name) for name in ("i1", "<i2", "<i4", "<i8")}
_TYPE_NAMES = {size: dtype.str for size, dtype in _TYPES.items()}


class MatrixJSON(TypedDict):
    """A matrix in the form of the API. Only a complete matrix has the last three fields."""

    epoch: int
    names: list[str]
    status: list[int]
    statuses: list[Any]
    filterPlugins: list[str]
    feasible: list[int]
    scorePlugins: list[str]
    weights: list[int]
    raw: list[list[int]]
    normalized: list[list[int]]
    totals: list[int]
    complete: NotRequired[bool]
    evaluated: NotRequired[int]
    verdicts: NotRequired[list[list[int]]]


@dataclass(slots=True)
class Matrix:
    """Filter statuses and scores of one attempt.

    `rows` (int32) index the epoch's node names. `status` (int32) indexes `statuses` for each row. `feasible` (int32)
    are positions within `rows`. `raw` and `normalized` are int64 with the shape (score plugins, feasible nodes).
    A complete matrix (`simulator.explain.complete`) has a row for each node. It has `verdicts`, one column (int32) for
    each filter plugin, which index `statuses`. `evaluated` is the number of its first rows that the attempt evaluates.
    """

    epoch: int
    rows: NDArray[np.int32]
    status: NDArray[np.int32]
    statuses: Sequence[Status]
    filter_plugins: list[str]
    feasible: NDArray[np.int32]
    score_plugins: list[str]
    weights: list[int]
    raw: NDArray[np.int64]
    normalized: NDArray[np.int64]
    totals: NDArray[np.int64]
    verdicts: list[NDArray[np.int32]] = field(default_factory=list)
    evaluated: int | None = None

    @classmethod
    def of_attempt(cls, attempt: Attempt, framework: ProfileFramework, epoch: int) -> Self | None:
        """Return the matrix of an attempt; None if it filtered no node, as after a rejection by PreFilter."""
        result = attempt.found
        if result is None:
            return None
        if attempt.totals is None or attempt.feasible is None:
            positions, totals = np.zeros(0, np.int32), np.zeros(0, np.int64)
        else:
            positions, totals = _positions(attempt.feasible, attempt.nodes, result), attempt.totals
        raw, normalized = attempt.scores.raw, attempt.scores.normalized
        if attempt.feasible is not None and attempt.feasible.table is not attempt.nodes.table:
            # An extender that returns Node objects may return nodes that don't exist; the matrix has no row for them.
            scored = np.flatnonzero(positions >= 0)
            positions, totals = positions[scored], totals[scored]
            raw, normalized = raw[:, scored], normalized[:, scored]
        return cls(
            epoch=epoch,
            rows=result.rows.astype(np.int32),
            status=result.codes,
            statuses=result.statuses,
            filter_plugins=framework.filter_stages(attempt.state.skip_filter_plugins).names,
            feasible=positions,
            score_plugins=attempt.scores.plugins,
            weights=attempt.scores.weights,
            raw=raw,
            normalized=normalized,
            totals=totals,
        )

    def to_plain(self) -> bytes:
        """Encode the matrix as a JSON header, a newline, and the little-endian arrays without separators.

        Rows and feasible positions are stored as differences, which are mostly 1. Each array, and the raw scores of
        each plugin, have the smallest integer type that holds their values.
        """
        columns: list[NDArray[Any]] = [
            *(_differences(self.rows), _differences(self.feasible), self.status, self.normalized, self.totals),
            *self.raw,
            *self.verdicts,
        ]
        sizes, body = _encode_columns(columns)
        lists = tuple(self.statuses), tuple(self.filter_plugins), tuple(self.score_plugins), tuple(self.weights)
        arrays = ",".join([_array_header(size, column.shape) for size, column in zip(sizes, columns, strict=True)])
        return f'{_header(self.epoch, *lists, self.evaluated)},"arrays":[{arrays}]}}\n'.encode() + body

    @classmethod
    def from_plain(cls, data: bytes) -> Self:
        """Decode the bytes of `to_plain`. Raise ValueError for another format."""
        text, body = data.split(b"\n", 1)
        header = json.loads(text)
        if header["format"] != _FORMAT:
            raise ValueError(f"format {header['format']} of the matrix is not {_FORMAT}")
        arrays: list[NDArray[Any]] = []
        offset = 0
        for dtype, shape in header["arrays"]:
            count = int(np.prod(shape))
            arrays.append(np.frombuffer(body, dtype, count, offset).reshape(shape))
            offset += arrays[-1].nbytes
        rows, feasible, status, normalized, totals, *rest = arrays
        raw, verdicts = rest[: len(header["scorePlugins"])], rest[len(header["scorePlugins"]) :]
        return cls(
            epoch=header["epoch"],
            rows=np.cumsum(rows, dtype=np.int32),
            status=status.astype(np.int32),
            statuses=[Status(Code(code), tuple(reasons), plugin) for code, reasons, plugin in header["statuses"]],
            filter_plugins=header["filterPlugins"],
            feasible=np.cumsum(feasible, dtype=np.int32),
            score_plugins=header["scorePlugins"],
            weights=header["weights"],
            raw=np.array(raw, np.int64).reshape(normalized.shape),
            normalized=normalized.astype(np.int64),
            totals=totals.astype(np.int64),
            verdicts=[verdict.astype(np.int32) for verdict in verdicts],
            evaluated=header.get("evaluated"),
        )

    def to_json(self, names: Sequence[str]) -> MatrixJSON:
        """Return the matrix in the form of the API; `names` are the epoch's node names."""
        result: MatrixJSON = {
            "epoch": self.epoch,
            "names": [names[row] for row in self.rows.tolist()],
            "status": self.status.tolist(),
            "statuses": [
                {"plugin": status.plugin, "code": status.code.upstream_name, "reasons": list(status.reasons)}
                for status in self.statuses
            ],
            "filterPlugins": self.filter_plugins,
            "feasible": self.feasible.tolist(),
            "scorePlugins": self.score_plugins,
            "weights": self.weights,
            "raw": self.raw.tolist(),
            "normalized": self.normalized.tolist(),
            "totals": self.totals.tolist(),
        }
        if self.evaluated is not None:
            verdicts = [verdict.tolist() for verdict in self.verdicts]
            result |= {"complete": True, "evaluated": self.evaluated, "verdicts": verdicts}
        return result


def _positions(feasible: Nodes, snapshot: Nodes, result: SearchResult) -> NDArray[np.int32]:
    """Return the position of each feasible node within the rows of `result`; −1 for nodes without a row."""
    table = snapshot.table
    if feasible.rows is result.feasible_rows:
        all_passed = len(result.statuses) == 1
        return _first_positions(len(result.rows)) if all_passed else result.passed.astype(np.int32)
    by_row = np.full(len(table) + 1, -1, np.int32)  # the index −1 finds the last entry, which stays −1
    by_row[result.rows] = np.arange(len(result.rows), dtype=np.int32)
    if feasible.table is table:
        return by_row[feasible.row_numbers]
    # Nodes that an extender returned have a table of their own.
    return by_row[[table.rows.get(name, -1) for name in feasible.names]]


@lru_cache(maxsize=256)
def _first_positions(count: int) -> NDArray[np.int32]:
    """Return the positions 0 to `count` − 1. Callers must not change the shared array."""
    return np.arange(count, dtype=np.int32)


def _differences(positions: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the difference of each position from the previous one; the first stays as it is."""
    differences = positions.copy()
    differences[1:] -= positions[:-1]
    return differences


def _encode_columns(columns: Sequence[NDArray[Any]]) -> tuple[list[int], bytes]:
    """Return the size in bytes of each column's smallest integer type, and the encoded columns without separators."""
    filled = [column.reshape(-1) for column in columns if column.size]
    if not filled:
        return [1] * len(columns), b""
    # One NumPy call for all columns, and one for each series of columns with the same type, are faster than many.
    numbers = np.concatenate(filled)
    *begins, end = accumulate(map(len, filled), initial=0)
    lowest, highest = np.minimum.reduceat(numbers, begins).tolist(), np.maximum.reduceat(numbers, begins).tolist()
    sizes = list(map(_bytes_for, lowest, highest))
    parts, begin = [], 0
    for size, next_size, column_end in zip(sizes, [*sizes[1:], 0], [*begins[1:], end], strict=True):
        if next_size != size:
            parts.append(numbers[begin:column_end].astype(_TYPES[size]).tobytes())
            begin = column_end
    filled_sizes = iter(sizes)
    return [next(filled_sizes) if column.size else 1 for column in columns], b"".join(parts)


@lru_cache(maxsize=256)
def _header(
    epoch: int,
    statuses: Sequence[Status],
    filter_plugins: Sequence[str],
    score_plugins: Sequence[str],
    weights: Sequence[int],
    evaluated: int | None,
) -> str:
    """Return the JSON header without `arrays` and its closing brace. Cached: many matrices of a run share it."""
    header = {
        "format": _FORMAT,
        "epoch": epoch,
        "statuses": [[int(status.code), list(status.reasons), status.plugin] for status in statuses],
        "filterPlugins": filter_plugins,
        "scorePlugins": score_plugins,
        "weights": weights,
        "evaluated": evaluated,
    }
    return compact(header)[:-1]


@lru_cache(maxsize=1024)
def _array_header(size: int, shape: tuple[int, ...]) -> str:
    """Return the type and shape of an array as the header's JSON."""
    return compact([_TYPE_NAMES[size], shape])


def _bytes_for(low: int, high: int) -> int:
    """Return the size in bytes of the smallest signed integer type for numbers from `low` to `high`."""
    # In two's complement, a negative number needs as many bits as its inverted bits, a non-negative number.
    bits = max(high, ~low).bit_length()
    return 1 if bits < 8 else 2 if bits < 16 else 4 if bits < 32 else 8
