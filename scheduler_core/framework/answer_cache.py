"""What plugins said about each node for pods of one signature, kept for as long as it must stay the same.

Replicas of one template ask the same question of thousands of nodes of which one has changed since the last pod; only
that one is worth asking again. The answers are those of asking every time: tests compare with `enabled` off.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn, CodeColumn, IntColumn
from scheduler_core.cache.node_table import MOST_RECENT, NodeTable
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

# Signatures remembered per profile; a column of each plugin that is kept is there for each.
MAX_SIGNATURES = 64
# Fullnesses of rows remembered per signature.
MAX_LOADS = 128
_NEVER = -1

A = TypeVar("A")
Outcome = TypeVar("Outcome")
P = TypeVar("P", bound=Plugin)
RowNumbers = NDArray[np.int64]
AskFilters = Callable[[Nodes], tuple[CodeColumn, Sequence[Status]]]
AskScore = Callable[[ScorePlugin, Nodes], IntColumn]


class _Columns:
    """Columns of answers, (answers, rows), and which rows have to be asked about again.

    A row's answers stand until a pod comes to it or leaves it; those of `fixed` rows stand longer, and so does every
    answer that is not among the `following`. With `by_load` these depend on nothing of the row but how full it is: what
    was answered about another row that was just as full is taken then.
    """

    def __init__(self, table: NodeTable, columns: NDArray[Any], following: Sequence[int], by_load: bool) -> None:
        self.columns = columns
        self.fixed: BoolColumn | None = None
        self._table = table
        self._following = following
        self._by_load: dict[Hashable, list[Any]] | None = {} if by_load else None
        self._stale = np.ones(len(table), np.bool_)
        self._is_stale = True  # some row
        self._seen = table.version

    def stale(self, rows: RowNumbers) -> RowNumbers | None:
        """None if the answers for `rows` stand. Otherwise every row to ask about again, also outside of `rows`.

        Asking about many rows costs little more than about one, and searches pass over all of them in turn.
        """
        table = self._table
        behind, since, self._seen = table.version - self._seen, self._seen, table.version
        if behind > MOST_RECENT:
            self._stale |= np.greater(table.row_versions.values, since)
            self._is_stale = True
        elif behind:
            for row in table.changed_since(since):
                self._note(row)
        return self._stale.nonzero()[0] if self._is_stale and np.count_nonzero(self._stale[rows]) else None

    def _note(self, row: int) -> None:
        """A pod came to the row, or left it."""
        if self.fixed is not None and self.fixed[row]:
            return
        known = None if self._by_load is None else self._by_load.get(self._table.load(row))
        self._stale[row] = known is None
        if known is None:
            self._is_stale = True
        else:
            # Of two or three numbers each by itself is less than the two lookups of a column of them.
            for i, answer in zip(self._following, known, strict=True):
                self.columns[i, row] = answer

    def renew(self, stale: RowNumbers) -> None:
        """Every row that was stale has been asked about."""
        self._stale[stale] = self._is_stale = False
        if self._by_load is None or len(stale) > MOST_RECENT:
            return
        for row in stale.tolist():
            if self.fixed is None or not self.fixed[row]:
                if len(self._by_load) >= MAX_LOADS:
                    self._by_load.clear()
                self._by_load[self._table.load(row)] = self.columns[self._following, row].tolist()


class Standing(Generic[P, A, Outcome]):
    """What plugins answered at one extension point about the first pod of a template, what they left in its state, and
    what came of it all.

    It stands for all of them: nobody changes it.
    """

    def __init__(self) -> None:
        self._answers: dict[str, tuple[A, Mapping[str, StateData]]] = {}  # by plugin: its answer, what it left
        self._outcome: Outcome | None = None
        self._left: dict[str, StateData] = {}  # by those of `_answers` whose turn came before that outcome
        self._others: dict[P, A] = {}  # what those answered then that are asked for each pod

    def outcome(
        self,
        plugins: Iterable[P],
        state: CycleState,
        ask: Callable[[P], A],
        stands: Callable[[P], bool],
        make: Callable[[Iterator[tuple[P, A]]], Outcome],
    ) -> Outcome:
        """What `make` makes of the plugins' answers: what it made before, if those that are asked again say the same.

        It takes them one by one; a plugin is asked when its turn comes.
        """
        if self._outcome is not None and self._is_said_again(ask):
            state.adopt(self._left)
            return self._outcome
        self._outcome, self._left, self._others = None, {}, {}
        self._outcome = make(self._each(plugins, state, ask, stands))
        return self._outcome

    def _is_said_again(self, ask: Callable[[P], A]) -> bool:
        for plugin, answer in self._others.items():
            again = ask(plugin)
            if again is not answer and again != answer:
                return False
        return True

    def _each(
        self, plugins: Iterable[P], state: CycleState, ask: Callable[[P], A], stands: Callable[[P], bool]
    ) -> Iterator[tuple[P, A]]:
        for plugin in plugins:
            known = self._answers.get(plugin.name)
            if known is None and stands(plugin):
                before = state.keys
                answer = ask(plugin)
                known = self._answers[plugin.name] = answer, {k: state.read(k) for k in state.keys if k not in before}
            if known is None:
                answer = self._others[plugin] = ask(plugin)
            else:
                answer, left = known
                state.adopt(left)
                self._left |= left
            yield plugin, answer


class RowAnswers:
    """What is known over all rows of one table, whose nodes have not changed since: for all pods of one shape."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._filter_plugins: Sequence[FilterPlugin] = ()
        self._by_node: CodeColumn | None = None  # what the filters say that look at the node object alone
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
        """int32 codes into `statuses`, one for each of `rows`; the two are called for the rows that are not known.

        `by_load`: the second looks at nothing of a row but how full it is. `plugins` are those that both ask.
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
        """int64 raw scores, (plugins, rows); `ask` is called for what is not known."""
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
    """What is known of pods of one template: answers that stand, and, along with others of its shape, `rows`."""

    def __init__(self, rows: RowAnswers) -> None:
        self.pre_filter: Standing[PreFilterPlugin, PreFilterResult, Any] = Standing()
        self.pre_score: Standing[PreScorePlugin, Status, Any] = Standing()
        self.rows = rows
        self.visited = 0  # how many nodes the last search went over


class SignatureCache:
    """CachedRows by pod signature, for one profile. Something is remembered from the second pod on that it serves.

    With `by_shape` what is known by row serves all pods of a shape, whatever their metadata: no plugin looks at it.
    """

    def __init__(self, by_shape: bool = False) -> None:
        self.enabled = True
        self._by_shape = by_shape
        self._table: NodeTable | None = None
        self._generation = _NEVER
        self._rows: dict[Hashable, CachedRows] = {}
        self._answers: dict[Hashable, RowAnswers | None] = {}  # None: one pod came

    def rows_for(self, pod: Pod, table: NodeTable) -> CachedRows | None:
        """What is kept for pods like this one; None if this is the first of its kind."""
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


def _put(known: dict[Hashable, A], signature: Hashable, one: A) -> None:
    """Last = most recently used; the one that was not used for longest makes room."""
    if len(known) >= MAX_SIGNATURES:
        del known[next(iter(known))]
    known[signature] = one


def signature_of(pod: Pod) -> tuple[Hashable, Hashable]:
    """Everything of a pod that a kept answer may depend on, its metadata and its shape; equal for the replicas of one
    template.
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
