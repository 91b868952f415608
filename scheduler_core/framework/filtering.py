"""Run the PreFilter and Filter plugins of a profile.

Source: pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import CodeColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.answer_cache import CachedRows, CachedStage
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import ExtensionPoint, FilterPlugin, PreFilterPlugin, PreFilterResult
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.trace import Step, Trace, plugin_step
from scheduler_core.framework.traits import Traits
from scheduler_core.framework.verdicts import Verdicts

# Statuses with these codes need no plugin name.
_UNATTRIBUTED = (Code.SUCCESS, Code.SKIP)


@dataclass(slots=True)
class PreFilterOutcome:
    """The result of PreFilter. `node_names` None means all nodes; `narrowing` are the plugins that restricted them.

    `skipped` are the plugins whose Filter doesn't run. `steps` is for the trace.
    """

    status: Status = SUCCESS
    node_names: frozenset[str] | None = None
    narrowing: list[str] = field(default_factory=list)
    skipped: frozenset[str] = frozenset()
    steps: Sequence[Step] = ()


def call_pre_filter(plugin: PreFilterPlugin, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
    watch = state.watch
    since = 0.0 if watch is None else watch.clock()
    try:
        result = plugin.pre_filter(state, pod, nodes)
    except PluginError as error:
        result = PreFilterResult(Status.error(str(error)))
    if watch is not None:
        watch.note(plugin.name, since)
    if result.status.code in _UNATTRIBUTED:
        return result
    return PreFilterResult(result.status.with_plugin(plugin.name), result.node_names)


def run_pre_filter(
    framework: ProfileFramework,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    trace: Trace | None,
    cached: CachedRows | None = None,
) -> PreFilterOutcome:
    """Run PreFilter.

    An unresolvable rejection stops at once; after an Unschedulable one the later plugins run, for preemption. `cached`:
    reusable answers of plugins are taken from it.
    """
    stage: CachedStage[PreFilterPlugin, PreFilterResult, PreFilterOutcome]
    stage = CachedStage() if cached is None else cached.pre_filter
    outcome = stage.outcome(
        framework.pre_filter,
        state,
        lambda plugin: call_pre_filter(plugin, state, pod, nodes),
        lambda plugin: plugin.pre_filter_is_reusable(pod),
        partial(_pre_filter_outcome, framework.traits),
    )
    if trace is not None:
        trace.add_point(outcome.steps, state.watch)
    state.skip_filter_plugins = outcome.skipped
    return outcome


def _pre_filter_outcome(traits: Traits, answers: Iterable[tuple[PreFilterPlugin, PreFilterResult]]) -> PreFilterOutcome:
    outcome = PreFilterOutcome()
    rejection = SUCCESS
    skipped: set[str] = set()
    steps: list[Step] = []
    for plugin, result in answers:
        status = result.status
        names = None if result.node_names is None else {"nodeNames": sorted(result.node_names)}
        steps.append(plugin_step(ExtensionPoint.PRE_FILTER, plugin.name, traits.as_traced(status), data=names))
        if status.code == Code.SKIP:
            skipped.add(plugin.name)
        elif status.code == Code.SUCCESS:
            if result.node_names is None:
                continue
            outcome.narrowing.append(plugin.name)
            known = outcome.node_names
            outcome.node_names = result.node_names if known is None else known & result.node_names
            if not outcome.node_names:
                outcome.narrowing.sort()
                outcome.status = Status.unresolvable(_no_node_left(outcome.narrowing))
                break
        elif status.code == Code.UNSCHEDULABLE:
            rejection = status
        elif status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            outcome = PreFilterOutcome(status)
            break
        else:
            text = f'running PreFilter plugin "{plugin.name}": {status.message}'
            outcome = PreFilterOutcome(Status(Code.ERROR, (text,), plugin.name))
            break
    else:
        outcome.status = rejection
        outcome.narrowing.sort()
    outcome.skipped, outcome.steps = frozenset(skipped), steps
    return outcome


def _no_node_left(plugins: list[str]) -> str:
    if len(plugins) == 1:
        return f"node(s) didn't satisfy plugin {plugins[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}] simultaneously"


def call_filter(plugin: FilterPlugin, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
    """Return the plugin's verdicts, attributed to it; an internal error counts for every node."""
    verdicts = _verdicts(plugin, state, pod, nodes)
    verdicts.statuses = _attributed(verdicts.statuses, plugin)
    return verdicts


def _attributed(statuses: Sequence[Status], plugin: FilterPlugin) -> list[Status]:
    return [status.with_plugin(plugin.name) if status.code else status for status in statuses]


def _verdicts(plugin: FilterPlugin, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
    watch = state.watch
    since = 0.0 if watch is None else watch.clock()
    try:
        verdicts = plugin.filter(state, pod, nodes)
    except PluginError as error:
        return Verdicts.same(len(nodes), Status(Code.ERROR, (str(error),), plugin.name))
    if watch is not None:
        watch.note(plugin.name, since)
    return verdicts


@dataclass(slots=True)
class FilterOutcome:
    """The verdicts of several plugins: `codes[i]` indexes `statuses` for node i; 0 = passed, else the first failure."""

    codes: CodeColumn
    statuses: Sequence[Status]


def run_filters(framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes) -> FilterOutcome:
    """Run the Filter plugins; each plugin gets only the nodes that passed all before it."""
    if framework.all_filters:
        return _run_all_filters(framework, state, pod, nodes)
    return run_these_filters(framework, framework.filter, state, pod, nodes)


def run_filters_cached(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, cached: CachedRows
) -> FilterOutcome:
    """Run the Filter plugins; plugins that read no more than a row evaluate only changed rows."""

    def ask(plugins: Sequence[FilterPlugin], changed: Nodes) -> tuple[CodeColumn, Sequence[Status]]:
        outcome = run_these_filters(framework, plugins, state, pod, changed)
        return outcome.codes, outcome.statuses

    stages = framework.filter_stages(state.skip_filter_plugins)
    by_node, by_row = partial(ask, stages.node), partial(ask, stages.row)
    rows = cached.rows
    codes = rows.filter(nodes.row_numbers, stages.known, by_node, by_row, stages.row_by_load)
    statuses: Sequence[Status] = rows.statuses
    if not stages.rest:
        return FilterOutcome(codes, statuses)
    if len(statuses) == 1:
        return run_these_filters(framework, stages.rest, state, pod, nodes)
    passed = (codes == 0).nonzero()[0]
    outcome = run_these_filters(framework, stages.rest, state, pod, nodes.take(passed))
    if len(outcome.statuses) > 1:
        failed = outcome.codes.nonzero()[0]
        codes[passed[failed]] = outcome.codes[failed] + (len(statuses) - 1)
        statuses = [*statuses, *outcome.statuses[1:]]
    return FilterOutcome(codes, statuses)


def run_these_filters(
    framework: ProfileFramework, plugins: Sequence[FilterPlugin], state: CycleState, pod: Pod, nodes: Nodes
) -> FilterOutcome:
    """Run these plugins, in this order, as `run_filters` does."""
    codes: CodeColumn | None = None  # None while all pass
    statuses: list[Status] = [SUCCESS]
    for plugin in plugins:
        if plugin.name in state.skip_filter_plugins:
            continue
        remaining = None if codes is None else (codes == 0).nonzero()[0]
        view = nodes if remaining is None else nodes.take(remaining)
        if not len(view):
            break
        verdicts = _verdicts(plugin, state, pod, view)
        if len(verdicts.statuses) == 1:
            continue
        failed = verdicts.codes.nonzero()[0]
        if not len(failed):
            continue
        if codes is None or remaining is None:
            codes = verdicts.codes
        else:
            codes[remaining[failed]] = verdicts.codes[failed] + (len(statuses) - 1)
        answers = _attributed(verdicts.statuses[1:], plugin)
        statuses += [_checked_status(framework, plugin.name, pod, status) for status in answers]
    return FilterOutcome(np.zeros(len(nodes), np.int32) if codes is None else codes, statuses)


def _run_all_filters(framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes) -> FilterOutcome:
    """Run every plugin on every node and merge each node's rejections into one status; an error isn't merged."""
    plugins = [plugin for plugin in framework.filter if plugin.name not in state.skip_filter_plugins]
    answers = [call_filter(plugin, state, pod, nodes) for plugin in plugins]
    codes = np.array([answer.codes for answer in answers], np.int32).reshape(len(plugins), len(nodes))
    combinations, merged_codes = np.unique(codes, axis=1, return_inverse=True)
    statuses: list[Status] = [SUCCESS]
    index: list[int] = []
    for combination in combinations.T.tolist():
        failed = [
            _checked_status(framework, plugin.name, pod, answer.statuses[code])
            for plugin, answer, code in zip(plugins, answers, combination, strict=True)
            if code
        ]
        index.append(len(statuses) if failed else 0)
        if failed:
            statuses.append(_merged(failed))
    return FilterOutcome(np.array(index, np.int32)[merged_codes.reshape(-1)], statuses)


def _merged(failed: Sequence[Status]) -> Status:
    """Return one status for all plugins that rejected a node, in their order. Source (v1.20): PluginToStatus.Merge."""
    first, *others = failed
    error = next((status for status in failed if status.code == Code.ERROR), None)
    if error is not None or not others:
        return error or first
    reasons = tuple(reason for status in failed for reason in status.reasons)
    return Status(max(status.code for status in failed), reasons, first.plugin, tuple(s.plugin for s in others))


def _checked_status(framework: ProfileFramework, plugin: str, pod: Pod, status: Status) -> Status:
    """Return the status, or an Error if a Filter plugin neither passed nor rejected the node."""
    if status.is_success or status.is_rejected:
        return status
    text = framework.traits.filter_error.format(plugin=plugin, pod=pod.name, message=status.message)
    return Status(Code.ERROR, (text,), plugin)


def nominated_ahead(framework: ProfileFramework, pod: Pod, node_name: str) -> list[Pod]:
    """Return the pods nominated to the node that have the pod's priority or a higher one."""
    nominated = framework.handle.nominator.nominated_pods(node_name)
    return [other for other in nominated if other.priority >= pod.priority and other.uid != pod.uid]


def run_add_pod(framework: ProfileFramework, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
    """Call PreFilterExtensions.AddPod of every plugin whose Filter will run."""
    for plugin in framework.pre_filter_extensions:
        if plugin.name not in state.skip_filter_plugins:
            status = plugin.add_pod(state, pod, added, node)
            if not status.is_success:
                return Status.error(f'running AddPod on PreFilter plugin "{plugin.name}": {status.message}')
    return SUCCESS


def run_remove_pod(framework: ProfileFramework, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
    """Call PreFilterExtensions.RemovePod of every plugin whose Filter will run."""
    for plugin in framework.pre_filter_extensions:
        if plugin.name not in state.skip_filter_plugins:
            status = plugin.remove_pod(state, pod, removed, node)
            if not status.is_success:
                return Status.error(f'running RemovePod on PreFilter plugin "{plugin.name}": {status.message}')
    return SUCCESS
