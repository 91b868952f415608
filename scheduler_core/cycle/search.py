"""The search for feasible nodes: sampled, in rotating order, stopping when enough were found.

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
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trials import failures_with_nominated_pods

MIN_FEASIBLE_NODES = 100
MIN_FEASIBLE_PERCENTAGE = 5
# Of so many statuses each is looked for by itself.
FEW = 8
# How many more nodes are looked at in one go than should be needed.
MARGIN = 2
# The first look goes this part (1/n) further than the search before it.
FURTHER = 8


def nodes_to_find(total: int, profile_percentage: int | None, global_percentage: int) -> int:
    """How many feasible nodes are enough. A percentage of 0 adapts: 50 % less one per 125 nodes, at least 5 %."""
    if total < MIN_FEASIBLE_NODES:
        return total
    percentage = global_percentage if profile_percentage is None else profile_percentage
    if percentage == 0:
        percentage = max(50 - total // 125, MIN_FEASIBLE_PERCENTAGE)
    return max(total * percentage // 100, MIN_FEASIBLE_NODES)


@dataclass(slots=True)
class SearchResult:
    """The nodes looked at, in visiting order: `rows` of the table, `codes[i]` indexing `statuses` (0 = feasible).

    `error` is set when a plugin failed on the node after these: the attempt ends there.
    """

    rows: NDArray[np.int64]
    codes: CodeColumn
    statuses: Sequence[Status]
    error: str | None = None
    _passed: NDArray[np.int64] | None = None
    _feasible: NDArray[np.int64] | None = None

    @property
    def passed(self) -> NDArray[np.int64]:
        """The positions of the feasible nodes."""
        if self._passed is None:
            self._passed = (self.codes == 0).nonzero()[0]
        return self._passed

    @property
    def feasible_rows(self) -> NDArray[np.int64]:
        """The same array each time."""
        if self._feasible is None:
            self._feasible = self.rows if len(self.statuses) == 1 else self.rows.take(self.passed)
        return self._feasible

    @property
    def counts(self) -> list[int]:
        """How many nodes have each of the statuses."""
        if len(self.statuses) == 2:
            failed = int(np.count_nonzero(self.codes))
            return [len(self.codes) - failed, failed]
        return np.bincount(self.codes, minlength=len(self.statuses)).tolist()  # type: ignore[no-any-return]

    def renumbered(self) -> "SearchResult":
        """The same with only the statuses that occur, each once, in the order in which they were met: a trace must not
        depend on chunks, nor on what was kept from earlier attempts."""
        if len(self.statuses) <= 2:  # as they are, if the one that may occur does
            occurring = [SUCCESS] if len(self.statuses) == 1 or not self.counts[1] else list(self.statuses)
            return self._with(self.codes, occurring)
        met = _in_order(self.codes, len(self.statuses))
        index: dict[Status, int] = {SUCCESS: 0}
        numbers = [index.setdefault(self.statuses[code], len(index)) for code in met]
        if numbers == met:
            return self._with(self.codes, list(index))
        renumber = np.zeros(len(self.statuses), np.int32)
        renumber[met] = numbers
        return self._with(renumber.take(self.codes), list(index))

    def _with(self, codes: CodeColumn, statuses: Sequence[Status]) -> "SearchResult":
        """The same nodes passed."""
        return SearchResult(self.rows, codes, statuses, self.error, self._passed, self._feasible)


def _in_order(codes: CodeColumn, size: int) -> list[int]:
    """The codes but 0, which are below `size`, in the order in which they are met."""
    if not len(codes):
        return []
    if size <= FEW:
        places = [(int((codes == code).argmax()), code) for code in range(1, size)]
        return [code for at, code in sorted(places) if codes.item(at) == code]
    found = (np.bincount(codes)[1:].nonzero()[0] + 1).tolist()
    if not found:
        return []
    first = np.full(found[-1] + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several values written to a place the last one stays
    return sorted(found, key=first.tolist().__getitem__)


def search(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    start: int,
    to_find: int,
    cached: CachedRows | None = None,
) -> SearchResult:
    """Filter `nodes` one after the other from position `start` on, until `to_find` are feasible and one more would be.

    The columns are computed in chunks, so that a sampled search does not pay for the whole cluster; the outcome is that
    of the sequential search.
    """
    order = nodes.row_numbers
    if not framework.filter:
        rows = in_turn(order, start, 0, to_find)
        return SearchResult(rows, np.zeros(len(rows), np.int32), [SUCCESS])
    chunks: list[CodeColumn] = []
    statuses: Sequence[Status] = (SUCCESS,)
    found = done = 0
    # Pods of one signature mostly have to look as far as the one before them.
    size = max(to_find + 1, cached.visited * (FURTHER + 1) // FURTHER if cached is not None else 0)
    error: str | None = None
    while done < len(order) and found <= to_find and error is None:
        rows = in_turn(order, start, done, size)
        outcome = filter_nodes(framework, state, pod, Nodes(nodes.table, rows), cached)
        codes, answers = outcome.codes, outcome.statuses
        passed = None if len(answers) == 1 else (codes == 0).nonzero()[0]  # None stands for all of them
        count = len(codes) if passed is None else len(passed)
        if found + count > to_find:
            # The node that would be one too many is not counted as looked at, those before it are.
            codes = codes[: to_find - found if passed is None else passed[to_find - found]]
        failed = None if passed is None else _first_error(codes, answers)
        if failed is not None:
            error = answers[codes[failed]].message
            codes = codes[:failed]
        if chunks:
            codes = np.where(codes == 0, 0, codes + np.int32(len(statuses) - 1))
            answers = [*statuses, *answers[1:]]
        chunks.append(codes)
        statuses = answers
        found, done = found + count, done + len(codes)
        # As many more as should do if as large a share of them passes; all of them if none did.
        size = len(order) if not found else MARGIN * (to_find + 1 - found) * done // found + 1
    if cached is not None:
        cached.visited = done
    if len(chunks) == 1:
        known = None if passed is None or failed is not None else passed[:to_find]
        return SearchResult(rows[:done], codes, statuses, error, known)
    codes = np.concatenate([np.zeros(0, np.int32), *chunks])
    return SearchResult(in_turn(order, start, 0, done), codes, statuses, error)


def in_turn(rows: NDArray[np.int64], start: int, done: int, size: int) -> NDArray[np.int64]:
    """Up to `size` of `rows`, going round once from position `start`, after the first `done` of them."""
    if done >= len(rows):
        return rows[:0]
    first, size = (start + done) % len(rows), min(size, len(rows) - done)
    ahead = rows[first : first + size]
    return ahead if len(ahead) == size else np.concatenate([ahead, rows[: size - len(ahead)]])


def filter_nodes(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, cached: CachedRows | None = None
) -> FilterOutcome:
    """First failing plugin's status per node, with nominated pods of equal or higher priority taken into account."""
    if cached is None:
        outcome = run_filters(framework, state, pod, nodes)
    else:
        outcome = run_filters_cached(framework, state, pod, nodes, cached)
    return with_nominated_pods(framework, state, pod, nodes, outcome)


def with_nominated_pods(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, outcome: FilterOutcome
) -> FilterOutcome:
    """`outcome` with the nodes judged anew that pods of equal or higher priority are nominated to."""
    if not framework.handle.nominator.nominated_nodes():
        return outcome
    codes, statuses = outcome.codes, list(outcome.statuses)
    for i, status in failures_with_nominated_pods(framework, [state] * len(nodes), pod, nodes).items():
        codes[i] = len(statuses)
        statuses.append(status)
    return FilterOutcome(codes, statuses)


def _first_error(codes: CodeColumn, statuses: Sequence[Status]) -> int | None:
    """Position of the first node for which a plugin failed."""
    errors = [i for i, status in enumerate(statuses) if status.code == Code.ERROR]
    hits = np.flatnonzero(np.isin(codes, errors)).tolist() if errors else []
    return hits[0] if hits else None
