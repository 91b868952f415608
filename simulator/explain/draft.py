"""Effect of a draft (of a configuration or of objects) on one attempt: chosen node, scores and feasible nodes."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from simulator.explain.rerun import Rerun

MOST_NODES = 20
MOST_NAMES = 50
_NONE = -1


class DraftOutcome(TypedDict):
    outcome: str
    node: str | None
    nominated: str | None
    message: str
    evaluated: int
    feasible: int
    total: int | None
    ties: int


class DraftPlugin(TypedDict):
    plugin: str
    before: int | None
    after: int | None
    moved: int


class DraftScores(TypedDict):
    node: str
    before: int | None
    after: int | None
    points: list[list[int | None]]


class DraftNode(TypedDict):
    node: str
    plugin: str
    reasons: list[str]


class DraftNodes(TypedDict):
    count: int
    nodes: list[DraftNode]


class DraftDifference(TypedDict):
    pod: str
    before: DraftOutcome
    after: DraftOutcome
    plugins: list[DraftPlugin]
    moved: int
    nodes: list[DraftScores]
    omitted: int
    passes: DraftNodes
    fails: DraftNodes


def draft_effect(
    before: Rerun, after: Rerun, names: Sequence[str], after_names: Sequence[str] | None = None
) -> DraftDifference:
    """Compare an attempt with the same attempt under a draft.

    `names` are the node names, `after_names` those of the draft. `plugins` are those that scored, with their weights
    (None: does not score) and in `moved` the number of nodes whose points changed. The top-level `moved` counts nodes
    whose total changed. `nodes` are the winners and the leaders, with totals (None: not scored) and `points` in the
    order of `plugins`: `[before, after]`. `passes` and `fails` are nodes that newly pass the filters or newly fail
    them, with the plugin that rejected or rejects them.
    """
    attempts = before, after
    if after_names is not None and list(after_names) != list(names):
        # A node that exists on one side only counts as not evaluated on the other.
        names = list(dict.fromkeys((*names, *after_names)))
        row_of = {name: row for row, name in enumerate(names)}
        rows_after = np.array([row_of[name] for name in after_names], np.int64)
    else:
        rows_after = None
    old, new = _Columns(before, len(names)), _Columns(after, len(names), rows_after)
    plugins = list(dict.fromkeys((*old.weights, *new.weights)))
    winners = [names.index(attempt.cycle["node"]) for attempt in attempts if attempt.cycle["node"] is not None]
    rows = _leaders(old, new, winners)
    both = (old.totals != _NONE) & (new.totals != _NONE)
    return {
        "pod": before.cycle["pod"],
        "before": _outcome(attempts[0], old),
        "after": _outcome(attempts[1], new),
        "plugins": [
            {
                "plugin": plugin,
                "before": old.weights.get(plugin),
                "after": new.weights.get(plugin),
                "moved": int((both & (old.points_of(plugin) != new.points_of(plugin))).sum()),
            }
            for plugin in plugins
        ],
        "moved": int((old.totals != new.totals).sum()),
        "nodes": [
            {
                "node": names[row],
                "before": old.total(row),
                "after": new.total(row),
                "points": [[side.point(plugin, row) for side in (old, new)] for plugin in plugins],
            }
            for row in rows[:MOST_NODES]
        ],
        "omitted": max(0, len(rows) - MOST_NODES),
        "passes": _rejected_nodes(old, np.flatnonzero(new.passed & (old.status != _NONE) & ~old.passed), names),
        "fails": _rejected_nodes(new, np.flatnonzero(old.passed & (new.status != _NONE) & ~new.passed), names),
    }


class _Columns:
    """One attempt's results by node.

    `status` is −1 for nodes that were not evaluated. `passed` marks nodes that pass all filters. `totals` and points
    are −1 for nodes without scores.
    """

    def __init__(self, attempt: Rerun, size: int, row_of: NDArray[np.int64] | None = None) -> None:
        self.status = np.full(size, _NONE, np.int64)
        self.passed = np.zeros(size, bool)
        self.totals = np.full(size, _NONE, np.int64)
        self.weights: dict[str, int] = {}
        self.columns: dict[str, NDArray[np.int64]] = {}
        self.nothing = np.zeros(size, np.int64)
        matrix = attempt.matrix
        self.statuses = [] if matrix is None else list(matrix.statuses)
        if matrix is None:
            return
        rows = matrix.rows if row_of is None else row_of[matrix.rows]
        self.status[rows] = matrix.status
        is_success = np.array([status.is_success for status in self.statuses], bool)
        self.passed[rows] = is_success[matrix.status]
        scored = rows[matrix.feasible]
        self.totals[scored] = matrix.totals
        if len(scored):
            self.weights = dict(zip(matrix.score_plugins, matrix.weights, strict=True))
        for plugin, normalized in zip(self.weights, matrix.normalized, strict=False):
            self.columns[plugin] = np.full(size, _NONE, np.int64)
            self.columns[plugin][scored] = normalized * self.weights[plugin]

    def points_of(self, plugin: str) -> NDArray[np.int64]:
        """Return the plugin's points for all nodes, zeros if it does not score."""
        return self.columns.get(plugin, self.nothing)

    def point(self, plugin: str, row: int) -> int | None:
        return _none_if_missing(self.columns[plugin][row]) if plugin in self.columns else None

    def total(self, row: int) -> int | None:
        return _none_if_missing(self.totals[row])


def _none_if_missing(value: np.int64) -> int | None:
    return None if value == _NONE else int(value)


def _leaders(old: _Columns, new: _Columns, winners: Sequence[int]) -> list[int]:
    """Return the rows scored on either side: the winners, then by total under the draft."""
    scored = np.flatnonzero((old.totals != _NONE) | (new.totals != _NONE))
    rows = scored[np.lexsort((scored, -old.totals[scored], -new.totals[scored]))].tolist()
    first = [row for row in dict.fromkeys(reversed(winners)) if row in rows]
    return [*first, *(row for row in rows if row not in first)]


def _outcome(attempt: Rerun, columns: _Columns) -> DraftOutcome:
    cycle = attempt.cycle
    return {
        "outcome": cycle["outcome"],
        "node": cycle["node"],
        "nominated": cycle.get("nominated"),
        "message": cycle["message"],
        "evaluated": int((columns.status != _NONE).sum()),
        "feasible": int(columns.passed.sum()),
        "total": _none_if_missing(columns.totals.max(initial=_NONE)),
        "ties": len(cycle.get("ties", [])),
    }


def _rejected_nodes(columns: _Columns, rows: NDArray[np.intp], names: Sequence[str]) -> DraftNodes:
    nodes: list[DraftNode] = []
    for row in rows[:MOST_NAMES].tolist():
        status = columns.statuses[columns.status[row]]
        nodes.append({"node": names[row], "plugin": status.plugin, "reasons": list(status.reasons)})
    return {"count": len(rows), "nodes": nodes}
