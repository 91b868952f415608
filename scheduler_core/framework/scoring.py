"""Run the PreScore, Score and NormalizeScore plugins of a profile over the feasible nodes.

Source: pkg/scheduler/framework/runtime/framework.go RunPreScorePlugins, RunScorePlugins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn, highest, lowest
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.answer_cache import CachedRows, CachedStage
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import SchedulingError
from scheduler_core.framework.interface import MAX_NODE_SCORE, ExtensionPoint, PreScorePlugin, ScorePlugin
from scheduler_core.framework.profile import ProfileFramework, Scorers
from scheduler_core.framework.status import PluginError, Status
from scheduler_core.framework.trace import Step, Trace, plugin_step
from scheduler_core.framework.traits import Traits

ScoreTable = NDArray[np.int64]


@dataclass(slots=True, frozen=True)
class Scores:
    """The scores of one attempt. `raw` and `normalized` are int64, (plugins, feasible nodes).

    A weighted score is `normalized` × weight; `totals` are their sums by node.
    """

    plugins: list[str]
    weights: list[int]
    raw: ScoreTable
    normalized: ScoreTable
    totals: IntColumn

    @classmethod
    def without_plugins(cls, nodes: int) -> Self:
        nothing = np.zeros((0, nodes), np.int64)
        return cls([], [], nothing, nothing, np.zeros(nodes, np.int64))


@dataclass(slots=True, frozen=True)
class PreScoreOutcome:
    """The result of PreScore.

    `skipped` plugins don't score; `error` is the message of a failure; `steps` is for the trace.
    """

    skipped: frozenset[str]
    steps: Sequence[Step]
    error: str | None = None


def run_pre_score(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None = None,
) -> None:
    """Run PreScore and note the plugins that skip. Raises SchedulingError if a plugin fails.

    `cached`: reusable answers of plugins are taken from it.
    """
    stage: CachedStage[PreScorePlugin, Status, PreScoreOutcome] = CachedStage() if cached is None else cached.pre_score
    outcome = stage.outcome(
        framework.pre_score,
        state,
        lambda plugin: _call_pre_score(plugin, state, pod, nodes),
        lambda plugin: plugin.pre_score_is_reusable(pod),
        partial(_pre_score_outcome, framework.traits),
    )
    if trace is not None:
        trace.add_point(outcome.steps, state.watch)
    if outcome.error is not None:
        raise SchedulingError(outcome.error)
    state.skip_score_plugins = outcome.skipped


def _pre_score_outcome(traits: Traits, answers: Iterable[tuple[PreScorePlugin, Status]]) -> PreScoreOutcome:
    skipped: set[str] = set()
    steps: list[Step] = []
    error: str | None = None
    for plugin, status in answers:
        steps.append(plugin_step(ExtensionPoint.PRE_SCORE, plugin.name, traits.as_traced(status)))
        if status.is_skip:
            skipped.add(plugin.name)
        elif not status.is_success:
            error = f'running PreScore plugin "{plugin.name}": {status.message}'
            break
    return PreScoreOutcome(frozenset(skipped), steps, error)


def _call_pre_score(plugin: PreScorePlugin, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
    watch = state.watch
    since = 0.0 if watch is None else watch.clock()
    try:
        status = plugin.pre_score(state, pod, nodes)
    except PluginError as error:
        status = Status.error(str(error))
    if watch is not None:
        watch.note(plugin.name, since)
    return status


def run_score(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None = None,
) -> Scores:
    """Return the scores. Raises SchedulingError if a plugin fails or leaves 0…100 after normalizing."""
    scorers, watch = framework.scorers(state.skip_score_plugins), state.watch
    plugins, weights = scorers.plugins, scorers.weights
    raw = _raw_scores(scorers, state, pod, nodes, trace, cached)
    if trace is not None:
        trace.add_point(scorers.steps(ExtensionPoint.SCORE, *_ranges(raw)), watch)
    normalized = raw.copy()
    for i in scorers.normalizing:
        plugin = plugins[i]
        if not _is_zero(plugin, state):
            since = 0.0 if watch is None else watch.clock()
            try:
                normalized[i] = plugin.normalize(state, pod, nodes, raw[i])
            except PluginError as error:
                text = f'running Normalize on Score plugins: plugin "{plugin.name}" failed with: {error}'
                raise SchedulingError(text) from error
            if watch is not None:
                watch.note(plugin.name, since)
    if trace is not None:
        rows = [normalized[i] for i in scorers.normalizing]
        ranges = tuple(map(lowest, rows)), tuple(map(highest, rows))
        trace.add_point(scorers.steps(ExtensionPoint.NORMALIZE_SCORE, *ranges), watch)
    _check_range(plugins, normalized)
    return Scores(scorers.names, weights, raw, normalized, scorers.weight_column @ normalized)


def _raw_scores(
    scorers: Scorers,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None,
) -> ScoreTable:
    """Return the raw scores; with `cached`, plugins that read no more than a row score only changed rows."""

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

    plugins = scorers.plugins
    if cached is not None and not scorers.others:
        return cached.rows.scores(plugins, nodes.row_numbers, ask)
    raw = np.empty((len(plugins), len(nodes)), np.int64)
    remaining: Sequence[int] = range(len(plugins))
    if cached is not None and scorers.cacheable:
        raw[scorers.cacheable] = cached.rows.scores([plugins[i] for i in scorers.cacheable], nodes.row_numbers, ask)
        remaining = scorers.others
    for i in remaining:
        raw[i] = 0 if _is_zero(plugins[i], state) else ask(plugins[i], nodes)
    return raw


def _is_zero(plugin: ScorePlugin, state: CycleState) -> bool:
    return plugin.zero_if_skipped and plugin.name in state.skip_filter_plugins


def _ranges(scores: ScoreTable) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lowest and the highest score of each plugin."""
    # argmin and argmax are faster than min and max, because numpy vectorizes them.
    positions, score = (scores.argmin(1).tolist(), scores.argmax(1).tolist()), scores.item
    low, high = (tuple([score(i, column) for i, column in enumerate(columns)]) for columns in positions)
    return low, high


def _check_range(plugins: Sequence[ScorePlugin], normalized: ScoreTable) -> None:
    unsigned = normalized.view(np.uint64)  # negative scores are huge
    if not unsigned.size or highest(unsigned) <= MAX_NODE_SCORE:
        return
    row, column = np.argwhere(unsigned > MAX_NODE_SCORE)[0]
    raise SchedulingError(
        f'applying score defaultWeights on Score plugins: plugin "{plugins[row].name}" returns an invalid score '
        f"{normalized[row, column]}, it should in the range of [0, {MAX_NODE_SCORE}] after normalizing"
    )
