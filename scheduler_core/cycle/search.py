"""The search for feasible nodes: a sample in rotating order, which ends as soon as enough nodes are feasible.

Source: pkg/scheduler/schedule_one.go findNodesThatPassFilters, numFeasibleNodesToFind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import CodeColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.answer_cache import CachedRows
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.filtering import (
    FilterOutcome,
    run_filters,
    run_filters_cached,
)
from scheduler_core.framework.nominated_pods import failures_with_nominated_pods
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import SUCCESS, Code, Status

MIN_FEASIBLE_NODES = 100
MIN_FEASIBLE_PERCENTAGE = 5
# Up to this many statuses, one pass over the codes per status is the fastest way.
FEW_STATUSES = 8
# A chunk holds this many times the nodes that the share of feasible nodes so far predicts.
CHUNK_MARGIN = 2
# The first chunk is longer by 1/n than the previous search for the same signature.
FIRST_CHUNK_MARGIN = 8


def nodes_to_find(total: int, profile_percentage: int | None, global_percentage: int) -> int:
    """Return how many feasible nodes are enough. Source: numFeasibleNodesToFind.

    A percentage of 0 adapts to the cluster: 50 % minus one per 125 nodes, at least 5 %.
    """
    if total < MIN_FEASIBLE_NODES:
        return total
    percentage = global_percentage if profile_percentage is None else profile_percentage
    if percentage == 0:
        percentage = max(50 - total // 125, MIN_FEASIBLE_PERCENTAGE)
    return max(total * percentage // 100, MIN_FEASIBLE_NODES)


@dataclass(slots=True)
class SearchResult:
    """The evaluated nodes, in visiting order: `rows` of the table, `codes[i]` indexing `statuses` (0 = feasible).

    If `error` is set, a plugin failed on the next node, and the attempt ends.
    """

    rows: NDArray[np.int64]
    codes: CodeColumn
    statuses: Sequence[Status]
    error: str | None = None
    _passed: NDArray[np.int64] | None = None
    _feasible: NDArray[np.int64] | None = None

    @property
    def passed(self) -> NDArray[np.int64]:
        """Return the positions of the feasible nodes."""
        if self._passed is None:
            self._passed = (self.codes == 0).nonzero()[0]
        return self._passed

    @property
    def feasible_rows(self) -> NDArray[np.int64]:
        """Return the feasible nodes' rows in the table; the same array each time."""
        if self._feasible is None:
            self._feasible = self.rows if len(self.statuses) == 1 else self.rows.take(self.passed)
        return self._feasible

    @property
    def counts(self) -> list[int]:
        """Return the number of nodes with each of the statuses."""
        if len(self.statuses) == 2:
            failed = int(np.count_nonzero(self.codes))
            return [len(self.codes) - failed, failed]
        return np.bincount(self.codes, minlength=len(self.statuses)).tolist()  # type: ignore[no-any-return]

    def renumbered(self) -> "SearchResult":
        """Return the same result with only the statuses that occur, once each, in visiting order.

        A trace must not depend on chunks or on cached verdicts.
        """
        if len(self.statuses) <= 2:  # nothing to renumber
            occurring = [SUCCESS] if len(self.statuses) == 1 or not self.counts[1] else list(self.statuses)
            return self._with(self.codes, occurring)
        met = _codes_by_first_node(self.codes, len(self.statuses))
        index: dict[Status, int] = {SUCCESS: 0}
        numbers = [index.setdefault(self.statuses[code], len(index)) for code in met]
        if numbers == met:
            return self._with(self.codes, list(index))
        renumber = np.zeros(len(self.statuses), np.int32)
        renumber[met] = numbers
        return self._with(renumber.take(self.codes), list(index))

    def _with(self, codes: CodeColumn, statuses: Sequence[Status]) -> "SearchResult":
        """Return the same nodes with other codes; the same positions are feasible."""
        return SearchResult(self.rows, codes, statuses, self.error, self._passed, self._feasible)


def _codes_by_first_node(codes: CodeColumn, size: int) -> list[int]:
    """Return the failure codes (1 to `size` - 1) that occur, in the order of their first node."""
    if not len(codes):
        return []
    if size <= FEW_STATUSES:
        positions = [(int((codes == code).argmax()), code) for code in range(1, size)]
        return [code for at, code in sorted(positions) if codes.item(at) == code]
    occurring = (np.bincount(codes)[1:].nonzero()[0] + 1).tolist()
    if not occurring:
        return []
    first = np.full(occurring[-1] + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # numpy keeps the last value that is written to a position
    return sorted(occurring, key=first.tolist().__getitem__)


def search(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    start: int,
    to_find: int,
    cached: CachedRows | None = None,
) -> SearchResult:
    """Filter `nodes` in turn from position `start`, until `to_find` are feasible and one more would be.

    Nodes are filtered in chunks, so that a sampled search doesn't filter the whole cluster. The result is that of the
    sequential search. Source: findNodesThatPassFilters.
    """
    order = nodes.row_numbers
    if not framework.filter:
        rows = rows_in_turn(order, start, 0, to_find)
        return SearchResult(rows, np.zeros(len(rows), np.int32), [SUCCESS])
    chunks: list[CodeColumn] = []
    statuses: Sequence[Status] = (SUCCESS,)
    feasible = done = 0
    # Pods with one signature mostly need as many nodes as the pod before.
    previous = 0 if cached is None else cached.visited * (FIRST_CHUNK_MARGIN + 1) // FIRST_CHUNK_MARGIN
    size = max(to_find + 1, previous)
    error: str | None = None
    while done < len(order) and feasible <= to_find and error is None:
        rows = rows_in_turn(order, start, done, size)
        outcome = filter_nodes(framework, state, pod, Nodes(nodes.table, rows), cached)
        codes, answers = outcome.codes, outcome.statuses
        passed = None if len(answers) == 1 else (codes == 0).nonzero()[0]  # None stands for all of them
        passing = len(codes) if passed is None else len(passed)
        if feasible + passing > to_find:
            # Upstream doesn't count the surplus feasible node as evaluated, but all nodes before it.
            codes = codes[: to_find - feasible if passed is None else passed[to_find - feasible]]
        failed = None if passed is None else _first_error(codes, answers)
        if failed is not None:
            error = answers[codes[failed]].message
            codes = codes[:failed]
        if chunks:
            codes = np.where(codes == 0, 0, codes + np.int32(len(statuses) - 1))
            answers = [*statuses, *answers[1:]]
        chunks.append(codes)
        statuses = answers
        feasible, done = feasible + passing, done + len(codes)
        # Predict the next chunk from the share of feasible nodes so far; take all nodes if there was none.
        size = len(order) if not feasible else CHUNK_MARGIN * (to_find + 1 - feasible) * done // feasible + 1
    if cached is not None:
        cached.visited = done
    if len(chunks) == 1:
        positions = None if passed is None or failed is not None else passed[:to_find]
        return SearchResult(rows[:done], codes, statuses, error, positions)
    codes = np.concatenate([np.zeros(0, np.int32), *chunks])
    return SearchResult(rows_in_turn(order, start, 0, done), codes, statuses, error)


def rows_in_turn(rows: NDArray[np.int64], start: int, done: int, size: int) -> NDArray[np.int64]:
    """Return up to `size` of `rows`, going round once from position `start`, after the first `done` of them."""
    if done >= len(rows):
        return rows[:0]
    first, size = (start + done) % len(rows), min(size, len(rows) - done)
    ahead = rows[first : first + size]
    return ahead if len(ahead) == size else np.concatenate([ahead, rows[: size - len(ahead)]])


def filter_nodes(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, cached: CachedRows | None = None
) -> FilterOutcome:
    """Return each node's first failure, with nominated pods of equal or higher priority taken into account."""
    if cached is None:
        outcome = run_filters(framework, state, pod, nodes)
    else:
        outcome = run_filters_cached(framework, state, pod, nodes, cached)
    return filter_with_nominated_pods(framework, state, pod, nodes, outcome)


def filter_with_nominated_pods(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, outcome: FilterOutcome
) -> FilterOutcome:
    """Return `outcome` after filtering again the nodes that have nominated pods of equal or higher priority."""
    if not framework.handle.nominator.nominated_nodes():
        return outcome
    codes, statuses = outcome.codes, list(outcome.statuses)
    for i, status in failures_with_nominated_pods(framework, [state] * len(nodes), pod, nodes).items():
        codes[i] = len(statuses)
        statuses.append(status)
    return FilterOutcome(codes, statuses)


def _first_error(codes: CodeColumn, statuses: Sequence[Status]) -> int | None:
    """Return the position of the first node for which a plugin failed."""
    errors = [i for i, status in enumerate(statuses) if status.code == Code.ERROR]
    hits = np.flatnonzero(np.isin(codes, errors)).tolist() if errors else []
    return hits[0] if hits else None
