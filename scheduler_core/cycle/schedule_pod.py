"""PodScheduler: find a node for one pod, or raise FitError.

Source: pkg/scheduler/schedule_one.go schedulePod, findNodesThatFitPod, prioritizeNodes, selectHost.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn, highest
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cycle.extend import (
    ExtenderScores,
    add_extender_scores,
    run_extender_filters,
    run_extender_scores,
)
from scheduler_core.cycle.search import SearchResult, nodes_to_find, search
from scheduler_core.framework.answer_cache import CachedRows
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import Diagnosis, FitError, NodeToStatus, NoNodesError, SchedulingError
from scheduler_core.framework.extender import Extender
from scheduler_core.framework.filtering import PreFilterOutcome, run_pre_filter
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.profile import ProfileFramework
from scheduler_core.framework.scoring import Scores, run_pre_score, run_score
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.trace import Step, Trace, plain_step

# Upstream's plugin name for rejections by extenders (pkg/scheduler/framework ExtenderName).
EXTENDER_NAME = "Extender"


NO_SCORES = Scores.without_plugins(0)
NOT_RUN = PreFilterOutcome()
NO_PLUGINS: frozenset[str] = frozenset()


@dataclass(slots=True)
class Attempt:
    """The working data of schedulePod, filled in step by step, so that it can be read after a failure too.

    `nodes` is the snapshot in visiting order. `scores`, `totals` (extenders included) and `best_total` are set only if
    two or more nodes are feasible.
    """

    pod: Pod
    nodes: Nodes
    state: CycleState
    diagnosis: Diagnosis
    start: int
    next_start: int
    pre_filter: PreFilterOutcome = field(default_factory=lambda: NOT_RUN)
    to_find: int | None = None
    nominated_status: Status | None = None
    cached: CachedRows | None = None
    found: SearchResult | None = None
    feasible: Nodes | None = None
    scores: Scores = NO_SCORES
    extender_scores: list[ExtenderScores] = field(default_factory=list)
    totals: IntColumn | None = None
    best_total: int = 0
    best: Nodes | None = None
    selected: str | None = None
    _ties: list[str] | None = None

    @property
    def ties(self) -> list[str]:
        """Return the names of the nodes with the best total, in the order of their creation."""
        if self._ties is None:
            best = self.best
            # Nodes in an extender's own table have already been ordered by creation.
            is_in_order = best is not None and best.table is self.nodes.table
            self._ties = [] if best is None else best.names_in_order if is_in_order else best.names
        return self._ties

    @property
    def nominated_node_used(self) -> bool:
        return self.nominated_status is not None and self.nominated_status.is_success

    @property
    def processed(self) -> int:
        """Return how many nodes were evaluated: the feasible ones and those with a failure status."""
        return 0 if self.feasible is None else len(self.feasible) + self.diagnosis.statuses.explicit


class PodScheduler:
    """The scheduling algorithm, with the settings and the start index that all profiles share.

    `pick(n)` returns the position of one of n equally good nodes.
    """

    def __init__(
        self, percentage_of_nodes_to_score: int, extenders: Sequence[Extender], pick: Callable[[int], int]
    ) -> None:
        self.percentage_of_nodes_to_score = percentage_of_nodes_to_score
        self.extenders = extenders
        self.pick = pick
        self.next_start_node_index = 0

    def schedule_pod(self, framework: ProfileFramework, trace: Trace | None, attempt: Attempt) -> str:
        """Return the name of the chosen node. Raises FitError or SchedulingError. Source: schedulePod.

        1. PreFilter narrows the nodes, or rejects the pod.
        2. Filter: the nominated node by itself, then a sample of the nodes, then the extenders.
        3. Score, if several nodes are feasible; one of those with the best total is selected.
        """
        pod = attempt.pod
        if not len(attempt.nodes):
            raise NoNodesError
        if trace is not None:
            attempt.state.watch = trace.stopwatch()
        feasible = self._find_nodes_that_fit(framework, pod, attempt.nodes, trace, attempt)
        attempt.feasible = feasible
        if not len(feasible):
            attempt.diagnosis.add_all_plugin_statuses()
            raise FitError(attempt.diagnosis)
        if len(feasible) == 1:
            attempt.selected = feasible.names[0]
        else:
            self._prioritize_and_select(framework, pod, feasible, trace, attempt)
        if trace is not None:
            data: dict[str, object] = {"node": attempt.selected}
            if attempt.totals is not None:
                data |= {"total": attempt.best_total, "ties": attempt.ties}
            trace.add("SelectHost", data=data)
        assert attempt.selected is not None
        return attempt.selected

    def _find_nodes_that_fit(
        self, framework: ProfileFramework, pod: Pod, order: Nodes, trace: Trace | None, attempt: Attempt
    ) -> Nodes:
        """Return the feasible nodes. Source: findNodesThatFitPod."""
        diagnosis = attempt.diagnosis
        cached = attempt.cached = framework.signature_cache.rows_for(pod, order.table)
        all_nodes = Nodes(order.table)
        outcome = attempt.pre_filter = run_pre_filter(framework, attempt.state, pod, all_nodes, trace, cached)
        if not outcome.status.is_success:
            if not outcome.status.is_rejected:
                raise SchedulingError(outcome.status.message)
            diagnosis.statuses.absent = outcome.status
            if framework.traits.failure_text_by_phase:
                diagnosis.pre_filter_message = outcome.status.message
            diagnosis.unschedulable_plugins.update(outcome.narrowing if outcome.node_names is not None else ())
            diagnosis.add_plugin_status(outcome.status)
            return order.take(np.zeros(0, np.int64))
        if pod.nominated_node_name and framework.traits.nominated_node_first:
            nominated = self._evaluate_nominated_node(framework, pod, order, trace, attempt)
            if len(nominated):
                return nominated
        nodes = order
        if outcome.node_names is not None:
            nodes = restrict_nodes(order, outcome.node_names)
            # The plugins that rejected the nominated node are named as well: upstream has one set for both.
            diagnosis.unschedulable_plugins.update(outcome.narrowing)
            names = " ".join(sorted(diagnosis.unschedulable_plugins))
            diagnosis.statuses.absent = Status.unresolvable(f"node(s) didn't satisfy plugin(s) [{names}]")
        attempt.to_find = self.nodes_to_find(framework, len(nodes))
        result = attempt.found = search(
            framework, attempt.state, pod, nodes, self.next_start_node_index, attempt.to_find, cached
        )
        diagnosis.statuses.set_rows(result.rows, result.codes, result.statuses)
        feasible = Nodes(order.table, result.feasible_rows)
        processed = len(feasible) + diagnosis.statuses.explicit
        self.next_start_node_index = attempt.next_start = (self.next_start_node_index + processed) % len(order)
        if trace is not None:
            attempt.found = result.renumbered()
            trace_filters(framework, attempt.state, attempt.found, trace)
        if result.error is not None:
            raise SchedulingError(result.error)
        passed = run_extender_filters(self.extenders, pod, feasible, diagnosis.statuses, trace)
        if len(passed) != len(feasible):
            diagnosis.unschedulable_plugins.add(EXTENDER_NAME)
        return passed

    def _evaluate_nominated_node(
        self, framework: ProfileFramework, pod: Pod, order: Nodes, trace: Trace | None, attempt: Attempt
    ) -> Nodes:
        """Return the nominated node if it is feasible, else no node. Source: evaluateNominatedNode."""
        row = order.table.rows.get(pod.nominated_node_name)
        nodes = Nodes(order.table, np.array([] if row is None else [row], np.int64))
        if row is None:
            return nodes
        result = search(framework, attempt.state, pod, nodes, self.next_start_node_index, 1)
        attempt.diagnosis.statuses.set_rows(result.rows, result.codes, result.statuses)
        attempt.diagnosis.add_all_plugin_statuses()
        feasible = Nodes(order.table, result.feasible_rows)
        try:
            if result.error is not None:
                raise SchedulingError(result.error)
            passed = run_extender_filters(self.extenders, pod, feasible, attempt.diagnosis.statuses, trace)
        except SchedulingError as error:
            attempt.nominated_status = Status.error(str(error))
            return nodes.take(np.zeros(0, np.int64))
        attempt.nominated_status = SUCCESS if len(passed) else attempt.diagnosis.statuses[pod.nominated_node_name]
        if len(passed):
            attempt.found = result.renumbered()
            if trace is not None:
                trace_filters(framework, attempt.state, attempt.found, trace)
        return passed

    def nodes_to_find(self, framework: ProfileFramework, total: int) -> int:
        """Return how many feasible nodes end the search; 1 if nothing scores or filters them further."""
        prioritized = framework.score or any(extender.is_prioritizer for extender in self.extenders)
        filtered = any(extender.is_filter for extender in self.extenders)
        if not prioritized and not filtered and framework.traits.one_node_without_scores:
            return 1
        return nodes_to_find(total, framework.percentage_of_nodes_to_score, self.percentage_of_nodes_to_score)

    def _prioritize_and_select(
        self, framework: ProfileFramework, pod: Pod, feasible: Nodes, trace: Trace | None, attempt: Attempt
    ) -> None:
        """Score the feasible nodes and select one with the best total. Source: prioritizeNodes, selectHost."""
        if not self.extenders and not framework.score:
            attempt.scores = Scores.without_plugins(len(feasible))
            totals = np.ones(len(feasible), np.int64)
        else:
            cached = attempt.cached if feasible.table is attempt.nodes.table else None
            run_pre_score(framework, attempt.state, pod, feasible, trace, cached)
            attempt.scores = run_score(framework, attempt.state, pod, feasible, trace, cached)
            totals = attempt.scores.totals
            if self.extenders:
                attempt.extender_scores = run_extender_scores(self.extenders, pod, feasible, trace)
                totals = add_extender_scores(totals, feasible, attempt.extender_scores)
        attempt.totals, attempt.best_total = totals, highest(totals)
        at_best = (totals == attempt.best_total).nonzero()[0]
        best = _by_creation(feasible, at_best, attempt.nodes)
        attempt.best = best
        attempt.selected = best.name(self.pick(len(best)) if len(best) > 1 else 0)


def restrict_nodes(everything: Nodes, names: Collection[str]) -> Nodes:
    """Return the nodes with these names in the order of creation. Upstream walks a map here, in random order."""
    rows = everything.table.rows
    return Nodes(everything.table, np.array(sorted(rows[name] for name in names if name in rows), np.int64))


def _by_creation(feasible: Nodes, positions: NDArray[np.int64], everything: Nodes) -> Nodes:
    """Return the nodes at `positions` by creation, so that ties don't depend on where the search started."""
    if feasible.table is everything.table:
        rows = feasible.row_numbers.take(positions)
        rows.sort()
        return Nodes(feasible.table, rows)
    # An extender may return nodes that don't exist; they come last.
    best, known = feasible.take(positions), everything.table.rows
    rows = np.array([known.get(name, len(known)) for name in best.names], np.int64)
    return best.take(np.argsort(rows, kind="stable"))


def new_attempt(pod: Pod, order: Nodes, start: int) -> Attempt:
    """Return an empty attempt for a pod, over the nodes in visiting order."""
    return Attempt(pod, order, CycleState(), Diagnosis(NodeToStatus(order.table.rows), len(order)), start, start)


def trace_filters(framework: ProfileFramework, state: CycleState, found: SearchResult, trace: Trace) -> None:
    """Add one trace step for each filter plugin: nodes in, nodes out, and the reasons for the rejected ones."""
    left = len(found.rows)
    skipped = state.skip_filter_plugins if framework.traits.plugins_skip else NO_PLUGINS
    if left and len(found.statuses) == 1:
        trace.add_point(framework.passing_steps(skipped, left), state.watch)
        return
    rejected: dict[int, list[tuple[Status, int]]] = {}
    for status, count in zip(found.statuses[1:], found.counts[1:], strict=True):
        if count and status.plugin not in skipped:
            rejected.setdefault(framework.filter_positions[status.plugin], []).append((status, count))
    steps: list[Step] = []
    behind = 0
    for i, answers in sorted(rejected.items()):
        # All remaining nodes pass the plugins between two that reject.
        steps += framework.passing_steps(skipped, left)[behind:i]
        out = left - sum([count for _, count in answers])
        step = plain_step(ExtensionPoint.FILTER, framework.filter[i].name, Code.SUCCESS, left, out)
        rows = [[status.code.upstream_name, list(status.reasons), count] for status, count in answers]
        steps.append(step | {"data": {"rejected": rows}})
        left, behind = out, i + 1
    rest = framework.passing_steps(skipped, left)[behind:]
    # Without nodes, upstream calls no further plugin.
    steps += rest if left else [step for step in rest if step["code"] == Code.SKIP.upstream_name]
    trace.add_point(steps, state.watch)
