"""Complete matrix of an attempt: the result of every plugin on every node.

The scheduler stops at a node's first failing plugin, and stops searching when it has enough nodes. A complete matrix
continues, and `evaluated` marks where the scheduler would have stopped.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import CodeColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.schedule_pod import PodScheduler, restrict_nodes
from scheduler_core.cycle.search import filter_with_nominated_pods, rows_in_turn
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import SchedulingError
from scheduler_core.framework.filtering import FilterOutcome, call_filter, call_pre_filter
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.scoring import Scores, run_pre_score, run_score
from scheduler_core.framework.status import SUCCESS, Code, Status
from simulator.simulation.matrix import Matrix
from simulator.simulation.simulation import Simulation


def complete(scheduler: PodScheduler, framework: ProfileFramework, pod: Pod, snapshot: Nodes, epoch: int) -> Matrix:
    """Return the results of all plugins on all nodes for an attempt that starts now; nothing is written.

    1. Ask all PreFilter plugins, also after one that rejects the pod.
    2. Put the nodes in visiting order: the nominated node, then the attempt's order, then nodes it would never visit.
    3. Ask all Filter plugins about all nodes, and again with the pods nominated to them.
    4. Score all nodes that pass, as if percentageOfNodesToScore were 100. Extenders are not called.
    5. Count the nodes up to which the attempt would have searched.

    `snapshot` is in visiting order. `status` is each node's first failing plugin; `verdicts` has those of all plugins.
    """
    state = CycleState()
    pre_filter = _run_pre_filters(framework, state, pod, Nodes(snapshot.table))
    candidates = snapshot if pre_filter.node_names is None else restrict_nodes(snapshot, pre_filter.node_names)
    nominated = snapshot.table.rows.get(pod.nominated_node_name)
    visited = rows_in_turn(candidates.row_numbers, scheduler.next_start_node_index, 0, len(candidates))
    if nominated is not None:
        visited = _followed_by(np.array([nominated]), visited)
    nodes = Nodes(snapshot.table, _followed_by(visited, snapshot.row_numbers))
    verdicts, statuses = _run_filters(framework, state, pod, nodes, pre_filter.silent)
    outcome = filter_with_nominated_pods(
        framework, state, pod, nodes, FilterOutcome(_first_failure(verdicts, nodes), statuses)
    )
    passed = np.flatnonzero(outcome.codes[: len(visited)] == 0) if pre_filter.accepted else np.zeros(0, np.int64)
    scores = _score(framework, state, pod, nodes.take(passed))
    if nominated is not None and outcome.codes[0] == 0:
        evaluated = 1
    else:
        evaluated = _count_evaluated(outcome, passed, len(visited), scheduler.nodes_to_find(framework, len(candidates)))
    return Matrix(
        epoch=epoch,
        rows=nodes.row_numbers.astype(np.int32),
        status=outcome.codes,
        statuses=outcome.statuses,
        filter_plugins=list(verdicts),
        feasible=passed.astype(np.int32),
        score_plugins=scores.plugins,
        weights=scores.weights,
        raw=scores.raw,
        normalized=scores.normalized,
        totals=scores.totals,
        verdicts=list(verdicts.values()),
        evaluated=evaluated if pre_filter.accepted else 0,
    )


def complete_matrix_now(simulation: Simulation, pod_key: str) -> Matrix | None:
    """Return the complete matrix for a pod in the current state, or None if no profile schedules the pod."""
    cluster = simulation.cluster
    pod = cluster.find_pod(pod_key)
    framework = None if pod is None else cluster.scheduler.frameworks.get(pod.scheduler_name)
    if pod is None or framework is None:
        return None
    return complete(cluster.scheduler.pods, framework, pod, cluster.scheduler.snapshot(), simulation.epoch)


@dataclass(slots=True)
class _PreFilterResults:
    """Combined results of all PreFilter plugins.

    `silent` are plugins whose Filter does not run. `accepted` is false if the attempt would end in PreFilter.
    """

    accepted: bool = True
    node_names: frozenset[str] | None = None
    silent: set[str] = field(default_factory=set)


def _run_pre_filters(framework: ProfileFramework, state: CycleState, pod: Pod, all_nodes: Nodes) -> _PreFilterResults:
    """Run all PreFilter plugins, also those after one that rejects the pod."""
    results = _PreFilterResults()
    skipped: set[str] = set()
    for plugin in framework.pre_filter:
        result = call_pre_filter(plugin, state, pod, all_nodes)
        if result.status.is_skip:
            skipped.add(plugin.name)
        elif not result.status.is_success:
            results.accepted = False
            results.silent.add(plugin.name)
        elif result.node_names is not None:
            allowed = results.node_names
            results.node_names = result.node_names if allowed is None else allowed & result.node_names
    if results.node_names is not None and not results.node_names:
        results.accepted = False
    results.silent |= skipped
    state.skip_filter_plugins = frozenset(results.silent)
    return results


def _run_filters(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, silent: set[str]
) -> tuple[dict[str, CodeColumn], list[Status]]:
    """Return each plugin's verdicts on all nodes, as indexes into the returned list of statuses."""
    statuses = [SUCCESS]
    verdicts: dict[str, CodeColumn] = {}
    for plugin in framework.filter:
        if plugin.name not in silent:
            answer = call_filter(plugin, state, pod, nodes)
            verdicts[plugin.name] = np.where(answer.codes == 0, 0, answer.codes + np.int32(len(statuses) - 1))
            statuses += answer.statuses[1:]
    return verdicts, statuses


def _followed_by(first: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `first` and the members of `others` that are not in it."""
    return np.concatenate([first, others[~np.isin(others, first)]])


def _first_failure(verdicts: dict[str, CodeColumn], nodes: Nodes) -> CodeColumn:
    first = np.zeros(len(nodes), np.int32)
    for codes in reversed(verdicts.values()):
        first = np.where(codes == 0, first, codes)
    return first


def _score(framework: ProfileFramework, state: CycleState, pod: Pod, feasible: Nodes) -> Scores:
    """Score the feasible nodes; return no scores if there are none or a plugin fails."""
    if not len(feasible):
        return Scores.without_plugins(0)
    try:
        run_pre_score(framework, state, pod, feasible, None)
        return run_score(framework, state, pod, feasible, None)
    except SchedulingError:
        return Scores.without_plugins(len(feasible))


def _count_evaluated(outcome: FilterOutcome, passed: NDArray[np.int64], visited: int, to_find: int) -> int:
    """Return the number of nodes that the search evaluates: up to the first surplus feasible node or plugin error."""
    errors = [code for code, status in enumerate(outcome.statuses) if status.code == Code.ERROR]
    failed = np.flatnonzero(np.isin(outcome.codes[:visited], errors))
    ends: list[int] = [visited, *passed[to_find : to_find + 1].tolist(), *failed[:1].tolist()]
    return min(ends)
