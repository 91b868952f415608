"""Matrix: node × plugin for one attempt, as stored and as shown. See docs/trace_format.md."""

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
# Of each number of bytes the integers, little-endian.
_KINDS = {np.dtype(kind).itemsize: np.dtype(kind) for kind in ("i1", "<i2", "<i4", "<i8")}
_NAMES = {size: kind.str for size, kind in _KINDS.items()}


class MatrixJSON(TypedDict):
    """A matrix in the form of the API; the last three are those of a complete one."""

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
    """`rows` (int32) index the epoch's node names, `status` (int32) and `verdicts` index `statuses`.

    `feasible` (int32) are positions within `rows`; `raw` and `normalized` are int64, (score plugins, feasible nodes).
    A complete matrix (`simulator.explain.complete`) has `verdicts`, one column (int32) for each filter plugin, and
    `evaluated`: how many of its rows, from the first on, an attempt looks at.
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
    def of(cls, attempt: Attempt, framework: ProfileFramework, epoch: int) -> Self | None:
        """None when no node was looked at (PreFilter rejected the pod, or there are no nodes)."""
        found = attempt.found
        if found is None:
            return None
        if attempt.totals is None or attempt.feasible is None:
            positions, totals = np.zeros(0, np.int32), np.zeros(0, np.int64)
        else:
            positions, totals = _positions(attempt.feasible, attempt.nodes, found), attempt.totals
        raw, normalized = attempt.scores.raw, attempt.scores.normalized
        if attempt.feasible is not None and attempt.feasible.table is not attempt.nodes.table:
            # An extender that answers with Node objects may put some there that do not exist: there is no row for them.
            scored = np.flatnonzero(positions >= 0)
            positions, totals = positions[scored], totals[scored]
            raw, normalized = raw[:, scored], normalized[:, scored]
        return cls(
            epoch=epoch,
            rows=found.rows.astype(np.int32),
            status=found.codes,
            statuses=found.statuses,
            filter_plugins=framework.filter_stages(attempt.state.skip_filter_plugins).names,
            feasible=positions,
            score_plugins=attempt.scores.plugins,
            weights=attempt.scores.weights,
            raw=raw,
            normalized=normalized,
            totals=totals,
        )

    def to_plain(self) -> bytes:
        """A JSON header, a newline, and the arrays, little-endian and back to back.

        Rows and feasible nodes follow one another as a rule, so the steps between them are stored. Every array, and
        every plugin's raw scores, take as many bytes a number as they need.
        """
        columns: list[NDArray[Any]] = [
            *(_steps(self.rows), _steps(self.feasible), self.status, self.normalized, self.totals),
            *self.raw,
            *self.verdicts,
        ]
        sizes, body = _narrow(columns)
        lists = tuple(self.statuses), tuple(self.filter_plugins), tuple(self.score_plugins), tuple(self.weights)
        described = ",".join([_described(size, column.shape) for size, column in zip(sizes, columns, strict=True)])
        return f'{_header(self.epoch, *lists, self.evaluated)},"arrays":[{described}]}}\n'.encode() + body

    @classmethod
    def from_plain(cls, data: bytes) -> Self:
        """The inverse of `to_plain`. Raises ValueError for what another version wrote."""
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
        """The form that the API serves; `names` are the epoch's node names."""
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


def _positions(feasible: Nodes, snapshot: Nodes, found: SearchResult) -> NDArray[np.int32]:
    """Where each feasible node is among the nodes found; −1 for one that is not."""
    table = snapshot.table
    if feasible.rows is found.feasible_rows:
        each = len(found.statuses) == 1
        return _first(len(found.rows)) if each else found.passed.astype(np.int32)
    where = np.full(len(table) + 1, -1, np.int32)  # the last entry is also entry −1
    where[found.rows] = np.arange(len(found.rows), dtype=np.int32)
    if feasible.table is table:
        return where[feasible.row_numbers]
    # Nodes that an extender answered with are a table of their own.
    return where[[table.rows.get(name, -1) for name in feasible.names]]


@lru_cache(maxsize=256)
def _first(count: int) -> NDArray[np.int32]:
    """The first so many positions. Nobody changes them."""
    return np.arange(count, dtype=np.int32)


def _steps(positions: NDArray[np.int32]) -> NDArray[np.int32]:
    """How far each is behind the one before it, the first behind 0."""
    found = positions.copy()
    found[1:] -= positions[:-1]
    return found


def _narrow(columns: Sequence[NDArray[Any]]) -> tuple[list[int], bytes]:
    """How many bytes the smallest integers have that hold all numbers of a column; and the columns as these, back to
    back.
    """
    filled = [column.reshape(-1) for column in columns if column.size]
    if not filled:
        return [1] * len(columns), b""
    # As many of them at once as there can be: most of an operation's price is that of asking for it.
    whole = np.concatenate(filled)
    *begins, end = accumulate(map(len, filled), initial=0)
    lowest, highest = np.minimum.reduceat(whole, begins).tolist(), np.maximum.reduceat(whole, begins).tolist()
    found = list(map(_bytes_for, lowest, highest))
    parts, begin = [], 0
    for size, next_size, behind in zip(found, [*found[1:], 0], [*begins[1:], end], strict=True):
        if next_size != size:
            parts.append(whole[begin:behind].astype(_KINDS[size]).tobytes())
            begin = behind
    sizes = iter(found)
    return [next(sizes) if column.size else 1 for column in columns], b"".join(parts)


@lru_cache(maxsize=256)
def _header(
    epoch: int,
    statuses: Sequence[Status],
    filter_plugins: Sequence[str],
    score_plugins: Sequence[str],
    weights: Sequence[int],
    evaluated: int | None,
) -> str:
    """What stands before the arrays, without the closing brace: in a run many matrices begin alike."""
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
def _described(size: int, shape: tuple[int, ...]) -> str:
    """An array, as the header has it."""
    return compact([_NAMES[size], shape])


def _bytes_for(low: int, high: int) -> int:
    """How many bytes a number between these takes. One that is not negative takes as many bits as the one below its
    negative."""
    bits = max(high, ~low).bit_length()
    return 1 if bits < 8 else 2 if bits < 16 else 4 if bits < 32 else 8
