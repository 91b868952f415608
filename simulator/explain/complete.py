"""Complete: what every plugin says of every node, for one pod at one moment.

The scheduler itself drops a node at its first failing plugin, and stops looking when it has found enough. A complete
matrix goes on, and marks where the scheduler would have stopped.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import CodeColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.schedule_pod import PodScheduler, narrowed
from scheduler_core.cycle.search import in_turn, with_nominated_pods
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import SchedulingError
from scheduler_core.framework.filtering import FilterOutcome, call_filter, call_pre_filter
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.scoring import Scores, run_pre_score, run_score
from scheduler_core.framework.status import SUCCESS, Code, Status
from simulator.simulation.matrix import Matrix
from simulator.simulation.simulation import Simulation


def complete(scheduler: PodScheduler, framework: ProfileFramework, pod: Pod, snapshot: Nodes, epoch: int) -> Matrix:
    """What an attempt for `pod` that starts now would meet on all nodes; nothing is written.

    `snapshot` is in visiting order; so are the rows of the matrix, from the pod's nominated node on, or from where the
    attempt would start. The nodes that it would never visit come last. `status` is each node's first failing plugin,
    `verdicts` are those of all plugins. Scores are those of all nodes that pass, as if percentageOfNodesToScore were
    100. Extenders are not asked.
    """
    state = CycleState()
    answers = _ask_pre_filter(framework, state, pod, Nodes(snapshot.table))
    candidates = snapshot if answers.node_names is None else narrowed(snapshot, answers.node_names)
    nominated = snapshot.table.rows.get(pod.nominated_node_name)
    visited = in_turn(candidates.row_numbers, scheduler.next_start_node_index, 0, len(candidates))
    if nominated is not None:
        visited = _then(np.array([nominated]), visited)
    nodes = Nodes(snapshot.table, _then(visited, snapshot.row_numbers))
    verdicts, statuses = _ask_filter(framework, state, pod, nodes, answers.silent)
    outcome = with_nominated_pods(
        framework, state, pod, nodes, FilterOutcome(_first_failure(verdicts, nodes), statuses)
    )
    passed = np.flatnonzero(outcome.codes[: len(visited)] == 0) if answers.accepted else np.zeros(0, np.int64)
    scores = _score(framework, state, pod, nodes.take(passed))
    if nominated is not None and outcome.codes[0] == 0:
        evaluated = 1
    else:
        evaluated = _stop(outcome, passed, len(visited), scheduler.nodes_to_find(framework, len(candidates)))
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
        evaluated=evaluated if answers.accepted else 0,
    )


def complete_now(simulation: Simulation, pod_key: str) -> Matrix | None:
    """The same for the moment that a simulation is at. None if no profile schedules such a pod."""
    cluster = simulation.cluster
    pod = cluster.find_pod(pod_key)
    framework = None if pod is None else cluster.scheduler.frameworks.get(pod.scheduler_name)
    if pod is None or framework is None:
        return None
    return complete(cluster.scheduler.pods, framework, pod, cluster.scheduler.snapshot(), simulation.epoch)


@dataclass(slots=True)
class _Answers:
    """`silent`: plugins whose Filter does not run. `accepted` is false when the attempt would end in PreFilter."""

    accepted: bool = True
    node_names: frozenset[str] | None = None
    silent: set[str] = field(default_factory=set)


def _ask_pre_filter(framework: ProfileFramework, state: CycleState, pod: Pod, everything: Nodes) -> _Answers:
    """All plugins, also those after one that rejects the pod."""
    answers = _Answers()
    skipped: set[str] = set()
    for plugin in framework.pre_filter:
        result = call_pre_filter(plugin, state, pod, everything)
        if result.status.is_skip:
            skipped.add(plugin.name)
        elif not result.status.is_success:
            answers.accepted = False
            answers.silent.add(plugin.name)
        elif result.node_names is not None:
            known = answers.node_names
            answers.node_names = result.node_names if known is None else known & result.node_names
    if answers.node_names is not None and not answers.node_names:
        answers.accepted = False
    answers.silent |= skipped
    state.skip_filter_plugins = frozenset(answers.silent)
    return answers


def _ask_filter(
    framework: ProfileFramework, state: CycleState, pod: Pod, nodes: Nodes, silent: set[str]
) -> tuple[dict[str, CodeColumn], list[Status]]:
    """Plugin → its verdicts as indexes into one list of statuses."""
    statuses = [SUCCESS]
    verdicts: dict[str, CodeColumn] = {}
    for plugin in framework.filter:
        if plugin.name not in silent:
            answer = call_filter(plugin, state, pod, nodes)
            verdicts[plugin.name] = np.where(answer.codes == 0, 0, answer.codes + np.int32(len(statuses) - 1))
            statuses += answer.statuses[1:]
    return verdicts, statuses


def _then(first: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """`first`, and those of `others` that are not among them."""
    return np.concatenate([first, others[~np.isin(others, first)]])


def _first_failure(verdicts: dict[str, CodeColumn], nodes: Nodes) -> CodeColumn:
    first = np.zeros(len(nodes), np.int32)
    for codes in reversed(verdicts.values()):
        first = np.where(codes == 0, first, codes)
    return first


def _score(framework: ProfileFramework, state: CycleState, pod: Pod, feasible: Nodes) -> Scores:
    """No scores where there is nothing to score, or a plugin fails."""
    if not len(feasible):
        return Scores.without_plugins(0)
    try:
        run_pre_score(framework, state, pod, feasible, None)
        return run_score(framework, state, pod, feasible, None)
    except SchedulingError:
        return Scores.without_plugins(len(feasible))


def _stop(outcome: FilterOutcome, passed: NDArray[np.int64], visited: int, to_find: int) -> int:
    """How many nodes the search looks at: up to the feasible one that would be too many, or a plugin's error."""
    errors = [code for code, status in enumerate(outcome.statuses) if status.code == Code.ERROR]
    failed = np.flatnonzero(np.isin(outcome.codes[:visited], errors))
    ends: list[int] = [visited, *passed[to_find : to_find + 1].tolist(), *failed[:1].tolist()]
    return min(ends)
