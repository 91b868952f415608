"""SignatureCache: verdicts and scores by pod signature, reused until they may change.

Pods of one template ask the same of thousands of nodes, of which few changed since the previous pod. Only those nodes
are evaluated again. Tests compare the results with `enabled` off.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.node_table import MAX_RECENT_CHANGES, NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState, StateData
from scheduler_core.framework.interface import (
    FilterPlugin,
    Plugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    Reads,
    ScorePlugin,
)
from scheduler_core.framework.status import SUCCESS, Status

# Cached signatures per profile; each has one column for every cached plugin.
MAX_SIGNATURES = 64
# Cached loads (see `NodeTable.load`) per signature.
MAX_LOADS = 128
_NEVER = -1

A = TypeVar("A")
Outcome = TypeVar("Outcome")
P = TypeVar("P", bound=Plugin)
RowNumbers = NDArray[np.int64]
AskFilters = Callable[[Nodes], tuple[CodeColumn, Sequence[Status]]]
AskScore = Callable[[ScorePlugin, Nodes], IntColumn]


class _Columns:
    """Cached columns, (answers, rows), and the rows that must be evaluated again.

    A row becomes stale when a pod is added to it or removed from it. `fixed` rows and columns that are not in
    `following` don't become stale. With `by_load` an answer depends only on the row's load, so rows of equal load share
    it.
    """

    def __init__(self, table: NodeTable, columns: NDArray[Any], following: Sequence[int], by_load: bool) -> None:
        self.columns = columns
        self.fixed: BoolColumn | None = None
        self._table = table
        self._following = following
        self._by_load: dict[Hashable, list[Any]] | None = {} if by_load else None
        self._stale = np.ones(len(table), np.bool_)
        self._is_stale = True  # at least one row is stale
        self._seen = table.version

    def stale(self, rows: RowNumbers) -> RowNumbers | None:
        """Return None if the answers for `rows` are valid, else all stale rows, also those outside of `rows`.

        Evaluating many rows costs little more than one, and a search visits all of them in turn.
        """
        table = self._table
        behind, since, self._seen = table.version - self._seen, self._seen, table.version
        if behind > MAX_RECENT_CHANGES:
            self._stale |= np.greater(table.row_versions.values, since)
            self._is_stale = True
        elif behind:
            for row in table.changed_since(since):
                self._mark(row)
        return self._stale.nonzero()[0] if self._is_stale and np.count_nonzero(self._stale[rows]) else None

    def _mark(self, row: int) -> None:
        """Mark a row whose pods changed as stale, or copy the answers of another row with its load."""
        if self.fixed is not None and self.fixed[row]:
            return
        known = None if self._by_load is None else self._by_load.get(self._table.load(row))
        self._stale[row] = known is None
        if known is None:
            self._is_stale = True
        else:
            # A loop is faster than fancy indexing for two or three values.
            for i, answer in zip(self._following, known, strict=True):
                self.columns[i, row] = answer

    def renew(self, stale: RowNumbers) -> None:
        """Note that all `stale` rows have been evaluated again."""
        self._stale[stale] = self._is_stale = False
        if self._by_load is None or len(stale) > MAX_RECENT_CHANGES:
            return
        for row in stale.tolist():
            if self.fixed is None or not self.fixed[row]:
                if len(self._by_load) >= MAX_LOADS:
                    self._by_load.clear()
                self._by_load[self._table.load(row)] = self.columns[self._following, row].tolist()


class CachedStage(Generic[P, A, Outcome]):
    """The answers of one extension point for the first pod of a template, valid for all pods of it.

    It holds what each plugin answered and wrote to the CycleState, and the outcome of them all. Its values must not be
    modified.
    """

    def __init__(self) -> None:
        self._answers: dict[str, tuple[A, Mapping[str, StateData]]] = {}  # plugin → (answer, state that it wrote)
        self._outcome: Outcome | None = None
        self._state: dict[str, StateData] = {}  # written by the plugins of `_answers` that led to `_outcome`
        self._per_pod: dict[P, A] = {}  # previous answers of plugins that are called for each pod

    def outcome(
        self,
        plugins: Iterable[P],
        state: CycleState,
        ask: Callable[[P], A],
        is_reusable: Callable[[P], bool],
        make: Callable[[Iterator[tuple[P, A]]], Outcome],
    ) -> Outcome:
        """Return `make` of the plugins' answers, or the previous outcome if all answers are the same.

        `make` gets the answers one by one; a plugin is called when its answer is needed.
        """
        if self._outcome is not None and self._per_pod_answers_repeat(ask):
            state.adopt(self._state)
            return self._outcome
        self._outcome, self._state, self._per_pod = None, {}, {}
        self._outcome = make(self._answers_in_order(plugins, state, ask, is_reusable))
        return self._outcome

    def _per_pod_answers_repeat(self, ask: Callable[[P], A]) -> bool:
        for plugin, answer in self._per_pod.items():
            again = ask(plugin)
            if again is not answer and again != answer:
                return False
        return True

    def _answers_in_order(
        self, plugins: Iterable[P], state: CycleState, ask: Callable[[P], A], is_reusable: Callable[[P], bool]
    ) -> Iterator[tuple[P, A]]:
        for plugin in plugins:
            known = self._answers.get(plugin.name)
            if known is None and is_reusable(plugin):
                before = state.keys
                answer = ask(plugin)
                known = self._answers[plugin.name] = answer, {k: state.read(k) for k in state.keys if k not in before}
            if known is None:
                answer = self._per_pod[plugin] = ask(plugin)
            else:
                answer, written = known
                state.adopt(written)
                self._state |= written
            yield plugin, answer


class RowAnswers:
    """Cached verdicts and raw scores for the rows of one table, valid for all pods of one shape until a node
    changes.
    """

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._filter_plugins: Sequence[FilterPlugin] = ()
        self._by_node: CodeColumn | None = None  # verdicts of the filters that read the node object alone
        self._filtered: _Columns | None = None
        self._score_plugins: Sequence[ScorePlugin] = ()
        self._scored: _Columns | None = None
        self._index: dict[Status, int] = {SUCCESS: 0}
        self.statuses: list[Status] = [SUCCESS]

    def filter(
        self,
        rows: RowNumbers,
        plugins: Sequence[FilterPlugin],
        ask_by_node: AskFilters,
        ask_by_row: AskFilters,
        by_load: bool = False,
    ) -> CodeColumn:
        """Return int32 codes into `statuses`, one for each of `rows`.

        Both functions are called for unknown rows only. `by_load`: `ask_by_row` reads nothing but a row's load.
        `plugins` are those that both functions call.
        """
        if self._by_node is None or self._filtered is None or plugins != self._filter_plugins:
            self._filter_plugins = plugins
            self._by_node = self._renumbered(*ask_by_node(Nodes(self._table)))
            self._filtered = _Columns(self._table, np.zeros((1, len(self._table)), np.int32), [0], by_load)
            self._filtered.fixed = self._by_node != 0
        all_codes: CodeColumn = self._filtered.columns[0]
        stale = self._filtered.stale(rows)
        if stale is not None:
            codes = self._by_node[stale]
            passed = (codes == 0).nonzero()[0]
            codes[passed] = self._renumbered(*ask_by_row(Nodes(self._table, stale[passed])))
            all_codes[stale] = codes
            self._filtered.renew(stale)
        return all_codes[rows]

    def _renumbered(self, codes: CodeColumn, statuses: Sequence[Status]) -> CodeColumn:
        return np.array([self._code(status) for status in statuses], np.int32)[codes]

    def _code(self, status: Status) -> int:
        code = self._index.setdefault(status, len(self.statuses))
        if code == len(self.statuses):
            self.statuses.append(status)
        return code

    def scores(self, plugins: Sequence[ScorePlugin], rows: RowNumbers, ask: AskScore) -> NDArray[np.int64]:
        """Return int64 raw scores, (plugins, rows); `ask` is called for unknown rows only."""
        answers = self._scored if plugins == self._score_plugins else None
        is_new = answers is None
        if answers is None:
            following = [i for i, plugin in enumerate(plugins) if plugin.reads > Reads.NODE]
            by_load = all(plugin.reads <= Reads.LOAD for plugin in plugins)
            answers = _Columns(self._table, np.zeros((len(plugins), len(self._table)), np.int64), following, by_load)
        stale = answers.stale(rows)
        if stale is not None:
            nodes = Nodes(self._table, stale)
            for plugin, raw in zip(plugins, answers.columns, strict=True):
                if is_new or plugin.reads > Reads.NODE:
                    raw[stale] = ask(plugin, nodes)
            answers.renew(stale)
        self._scored, self._score_plugins = answers, plugins
        return answers.columns.take(rows, axis=1)


class CachedRows:
    """The cache entry of one signature; `rows` is shared with other signatures of the same shape."""

    def __init__(self, rows: RowAnswers) -> None:
        self.pre_filter: CachedStage[PreFilterPlugin, PreFilterResult, Any] = CachedStage()
        self.pre_score: CachedStage[PreScorePlugin, Status, Any] = CachedStage()
        self.rows = rows
        self.visited = 0  # how many nodes the last search evaluated


class SignatureCache:
    """Cache entries by pod signature, for one profile. An entry is created for the second pod of a signature.

    `by_shape`: no plugin reads the pods' metadata, so pods that differ in nothing else share their rows.
    """

    def __init__(self, by_shape: bool = False) -> None:
        self.enabled = True
        self._by_shape = by_shape
        self._table: NodeTable | None = None
        self._generation = _NEVER
        self._rows: dict[Hashable, CachedRows] = {}
        self._answers: dict[Hashable, RowAnswers | None] = {}  # None: one pod was seen

    def rows_for(self, pod: Pod, table: NodeTable) -> CachedRows | None:
        """Return the entry for pods like this one, or None for the first of them."""
        if not self.enabled:
            return None
        if table is not self._table or table.generation != self._generation:
            self._table, self._generation = table, table.generation
            self._rows.clear()
            self._answers.clear()
        signature = signature_of(pod)
        rows = self._rows.pop(signature, None)
        if rows is None:
            shared = signature[1] if self._by_shape else signature
            is_first = shared not in self._answers
            answers = self._answers.pop(shared, None) or (None if is_first else RowAnswers(table))
            _put(self._answers, shared, answers)
            if answers is None:
                return None
            rows = CachedRows(answers)
        _put(self._rows, signature, rows)
        return rows


def _put(entries: dict[Hashable, A], signature: Hashable, entry: A) -> None:
    """Store an entry as the most recently used one; drop the least recently used one if the cache is full."""
    if len(entries) >= MAX_SIGNATURES:
        del entries[next(iter(entries))]
    entries[signature] = entry


def signature_of(pod: Pod) -> tuple[Hashable, Hashable]:
    """Return (metadata, shape): all of a pod that a cached answer may depend on.

    Replicas of a template have equal ones.
    """
    requests = pod.requests
    metadata = (
        pod.namespace,
        frozenset(pod.labels.items()),
        frozenset(pod.annotations.items()) if pod.annotations else None,
    )
    return metadata, (
        pod.node_name,
        frozenset(pod.node_selector.items()) if pod.node_selector else None,
        pod.node_affinity,
        pod.tolerations,
        pod.host_ports,
        tuple([container.image for container in (*pod.init_containers, *pod.containers)]),
        len(pod.init_containers),
        tuple([str(v.spec.get("reference")) for v in pod.volumes if v.source == "image"]) if pod.volumes else (),
        (bool(pod.volumes), bool(pod.resource_claims), bool(pod.spread_constraints)),
        pod.required_features,
        frozenset(requests.items()),
        None if pod.nonzero_requests is requests else frozenset(pod.nonzero_requests.items()),
        None if pod.filter_requests is requests else frozenset(pod.filter_requests.items()),
        None if pod.scoring_requests is requests else frozenset(pod.scoring_requests.items()),
    )
