"""Run PreScore, Score and NormalizeScore plugins of a profile over the feasible nodes.

Source: pkg/scheduler/framework/runtime/framework.go RunPreScorePlugins, RunScorePlugins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.answer_cache import CachedRows
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import SchedulingError
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExtensionPoint, Reads, ScorePlugin
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.objects.pod import Pod

ScoreTable = NDArray[np.int64]


@dataclass(slots=True, frozen=True)
class Scores:
    """`raw` and `normalized` are int64, (plugins, feasible nodes); the weighted score is `normalized` × weight."""

    plugins: list[str]
    weights: list[int]
    raw: ScoreTable
    normalized: ScoreTable

    @classmethod
    def of_no_plugin(cls, nodes: int) -> Self:
        nothing = np.zeros((0, nodes), np.int64)
        return cls([], [], nothing, nothing)

    @property
    def totals(self) -> IntColumn:
        """The sum of the weighted scores of each node."""
        totals: IntColumn = np.array(self.weights, np.int64) @ self.normalized
        return totals


def run_pre_score(framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, trace: Trace | None) -> None:
    """Raises SchedulingError when a plugin fails; notes the plugins that skip."""
    skipped: set[str] = set()
    for plugin in framework.pre_score:
        try:
            status = plugin.pre_score(state, pod, nodes)
        except PluginError as error:
            status = Status.error(str(error))
        if trace is not None:
            trace.add(ExtensionPoint.PRE_SCORE, plugin.name, framework.traits.shown(status))
        if status.is_skip:
            skipped.add(plugin.name)
        elif not status.is_success:
            raise SchedulingError(f'running PreScore plugin "{plugin.name}": {status.message}')
    state.skip_score_plugins = frozenset(skipped)


def run_score(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None = None,
) -> Scores:
    """Raises SchedulingError when a plugin fails or leaves 0…100 after normalising."""
    plugins = [plugin for plugin in framework.score if plugin.name not in state.skip_score_plugins]
    weights = [framework.weights[plugin.name] for plugin in plugins]
    watch = state.watch
    raw = _raw_scores(plugins, state, pod, nodes, trace, cached)
    if trace is not None:
        first = len(trace.steps)
        for plugin, data in zip(plugins, _ranges(raw, weights), strict=True):
            trace.add(ExtensionPoint.SCORE, plugin.name, data=data)
        trace.share_out(first, watch)
    normalized = raw.copy()
    for i, plugin in enumerate(plugins):
        if plugin.normalizes and not _is_zero(plugin, state):
            since = 0.0 if watch is None else watch.clock()
            try:
                normalized[i] = plugin.normalize(state, pod, nodes, raw[i])
            except PluginError as error:
                text = f'running Normalize on Score plugins: plugin "{plugin.name}" failed with: {error}'
                raise SchedulingError(text) from error
            if watch is not None:
                watch.note(plugin.name, since)
    if trace is not None:
        first = len(trace.steps)
        for plugin, data in zip(plugins, _ranges(normalized, weights), strict=True):
            if plugin.normalizes:
                trace.add(ExtensionPoint.NORMALIZE_SCORE, plugin.name, data=data)
        trace.share_out(first, watch)
    _check_range(plugins, normalized)
    return Scores([plugin.name for plugin in plugins], weights, raw, normalized)


def _raw_scores(
    plugins: Sequence[ScorePlugin],
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None,
) -> ScoreTable:
    """With `cached`, plugins that read no more than their row are asked only about rows that have changed."""

    watch = state.watch

    def ask(plugin: ScorePlugin, nodes: Nodes) -> IntColumn:
        since = 0.0 if watch is None else watch.clock()
        try:
            scores = plugin.score(state, pod, nodes)
        except PluginError as error:
            if trace is not None:
                trace.add(ExtensionPoint.SCORE, plugin.name, Status.error(str(error)))
            text = f'running Score plugins: plugin "{plugin.name}" failed with: {error}'
            raise SchedulingError(text) from error
        if watch is not None:
            watch.note(plugin.name, since)
        return scores

    raw = np.empty((len(plugins), len(nodes)), np.int64)
    known = [] if cached is None else [i for i, plugin in enumerate(plugins) if plugin.reads <= Reads.ROW]
    if cached is not None and known:
        raw[known] = cached.scores([plugins[i] for i in known], nodes.row_numbers, ask)
    for i, plugin in enumerate(plugins):
        if i not in known:
            raw[i] = 0 if _is_zero(plugin, state) else ask(plugin, nodes)
    return raw


def _is_zero(plugin: ScorePlugin, state: CycleState) -> bool:
    return plugin.zero_if_skipped and plugin.name in state.skip_filter_plugins


def _ranges(scores: ScoreTable, weights: Sequence[int]) -> Iterator[dict[str, int]]:
    """What a trace tells of each plugin's scores."""
    for lowest, highest, weight in zip(scores.min(axis=1).tolist(), scores.max(axis=1).tolist(), weights, strict=True):
        yield {"min": lowest, "max": highest, "weight": weight}


def _check_range(plugins: Sequence[ScorePlugin], normalized: ScoreTable) -> None:
    outside = normalized.view(np.uint64) > MAX_NODE_SCORE  # taken as unsigned, negative scores are huge
    if not np.count_nonzero(outside):
        return
    row, column = np.argwhere(outside)[0]
    raise SchedulingError(
        f'applying score defaultWeights on Score plugins: plugin "{plugins[row].name}" returns an invalid score '
        f"{normalized[row, column]}, it should in the range of [0, {MAX_NODE_SCORE}] after normalizing"
    )
