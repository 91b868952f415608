"""What plugins said about each node for pods of one signature, kept for as long as it must stay the same.

Replicas of one template ask the same question of thousands of nodes of which one has changed since the last pod; only
that one is worth asking again. The answers are those of asking every time: tests compare with `enabled` off.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.cache.column_types import CodeColumn, IntColumn
from scheduler_core.cache.node_table import NodeTable
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.interface import Reads, ScorePlugin
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.objects.pod import Pod

# Signatures remembered per profile; a column of each plugin that is kept is there for each.
MAX_SIGNATURES = 64
_NEVER = -1

RowNumbers = NDArray[np.int64]
AskFilters = Callable[[Nodes], tuple[CodeColumn, Sequence[Status]]]
AskScore = Callable[[ScorePlugin, Nodes], IntColumn]


class _Freshness:
    """The row versions that answers are for."""

    def __init__(self, table: NodeTable) -> None:
        self._versions = table.row_versions.values
        self._seen = np.full(len(table), _NEVER, np.int64)

    def stale(self, rows: RowNumbers) -> RowNumbers | None:
        """None if the answers for `rows` stand. Otherwise every row to ask about again, also outside of `rows`.

        Asking about many rows costs little more than about one, and searches pass over all of them in turn.
        """
        stale = self._seen != self._versions
        return stale.nonzero()[0] if np.count_nonzero(stale[rows]) else None

    def renew(self, rows: RowNumbers) -> None:
        self._seen[rows] = self._versions[rows]


class CachedRows:
    """Answers over all rows of one table, whose nodes have not changed since."""

    def __init__(self, table: NodeTable) -> None:
        self._table = table
        self._by_node: CodeColumn | None = None  # what the filters say that look at the node object alone
        self._codes = np.zeros(len(table), np.int32)
        self._filtered = _Freshness(table)
        self._score_plugins: Sequence[ScorePlugin] = ()
        self._raw = np.zeros((0, len(table)), np.int64)
        self._scored = _Freshness(table)
        self._index: dict[Status, int] = {SUCCESS: 0}
        self.statuses: list[Status] = [SUCCESS]
        self.visited = 0  # how many nodes the last search went over

    def filter(self, rows: RowNumbers, ask_by_node: AskFilters, ask_by_row: AskFilters) -> CodeColumn:
        """int32 codes into `statuses`, one for each of `rows`; the two are called for the rows that are not known."""
        stale = self._filtered.stale(rows)
        if stale is not None:
            if self._by_node is None:
                self._by_node = self._renumbered(*ask_by_node(Nodes(self._table)))
            codes = self._by_node[stale]
            passed = (codes == 0).nonzero()[0]
            codes[passed] = self._renumbered(*ask_by_row(Nodes(self._table, stale[passed])))
            self._codes[stale] = codes
            self._filtered.renew(stale)
        return self._codes[rows]

    def _renumbered(self, codes: CodeColumn, statuses: Sequence[Status]) -> CodeColumn:
        return np.array([self._code(status) for status in statuses], np.int32)[codes]

    def _code(self, status: Status) -> int:
        code = self._index.setdefault(status, len(self.statuses))
        if code == len(self.statuses):
            self.statuses.append(status)
        return code

    def scores(self, plugins: Sequence[ScorePlugin], rows: RowNumbers, ask: AskScore) -> NDArray[np.int64]:
        """int64 raw scores, (plugins, rows); `ask` is called for what is not known."""
        stale = self._scored.stale(rows)
        if stale is not None or plugins != self._score_plugins:
            known = plugins == self._score_plugins
            if not known:
                stale = np.arange(len(self._table))
                self._raw = np.zeros((len(plugins), len(self._table)), np.int64)
            assert stale is not None
            nodes = Nodes(self._table, stale)
            for plugin, raw in zip(plugins, self._raw, strict=True):
                if plugin.reads is Reads.ROW or not known:
                    raw[stale] = ask(plugin, nodes)
            self._score_plugins = plugins
            self._scored.renew(stale)
        return self._raw.take(rows, axis=1)


class SignatureCache:
    """CachedRows by pod signature, for one profile. A signature is remembered from the second pod on that has it."""

    def __init__(self) -> None:
        self.enabled = True
        self._table: NodeTable | None = None
        self._generation = _NEVER
        self._rows: dict[Hashable, CachedRows | None] = {}  # None: seen once

    def rows_for(self, pod: Pod, table: NodeTable) -> CachedRows | None:
        """What is kept for pods like this one; None if this is the first of its kind."""
        if not self.enabled:
            return None
        if table is not self._table or table.generation != self._generation:
            self._table, self._generation = table, table.generation
            self._rows.clear()
        signature = signature_of(pod)
        if signature not in self._rows:
            if len(self._rows) >= MAX_SIGNATURES:
                del self._rows[next(iter(self._rows))]
            self._rows[signature] = None
            return None
        rows = self._rows.pop(signature) or CachedRows(table)
        self._rows[signature] = rows  # last = most recently used
        return rows


def signature_of(pod: Pod) -> Hashable:
    """Everything of a pod that a kept answer may depend on; equal for the replicas of one template."""
    return (
        pod.namespace,
        pod.node_name,
        frozenset(pod.labels.items()),
        frozenset(pod.annotations.items()),
        frozenset(pod.node_selector.items()),
        pod.node_affinity,
        pod.tolerations,
        pod.host_ports,
        tuple([container.image for container in (*pod.init_containers, *pod.containers)]),
        len(pod.init_containers),
        tuple([str(v.spec.get("reference")) for v in pod.volumes if v.source == "image"]) if pod.volumes else (),
        *(
            None if amounts is pod.requests else frozenset(amounts.items())
            for amounts in (pod.nonzero_requests, pod.filter_requests, pod.scoring_requests)
        ),
        frozenset(pod.requests.items()),
    )
