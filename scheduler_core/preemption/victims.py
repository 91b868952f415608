"""The victims on a node: the fewest and least important pods whose eviction makes room for the preemptor.

Source: pkg/scheduler/framework/plugins/defaultpreemption SelectVictimsOnNode, pkg/scheduler/util MoreImportantPod.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kube_objects.kinds.policy.pod_disruption_budget import PodDisruptionBudget
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.extender import Victims
from scheduler_core.framework.handle import FilterRunner
from scheduler_core.framework.status import Status

NO_VICTIMS = Status.unresolvable("No preemption victims found for incoming pod")


@dataclass(frozen=True, slots=True)
class DryRunRules:
    """Differences between versions. Source: pkg/scheduler/framework/preemption (v1.34), defaultpreemption (v1.20)."""

    by_importance: bool = True
    """The resulting victims are ordered by importance; otherwise those with a PDB violation come first."""

    may_spare_all: bool = False
    """A node is a candidate even if no pod on it has to be evicted."""


def start_time(pod: Pod) -> float:
    """Return the pod's start time; a pod that hasn't started counts as younger than all others."""
    return math.inf if pod.start_time is None else pod.start_time


def by_importance(pods: Sequence[Pod]) -> list[Pod]:
    """Return the most important pods first: higher priority, then older. Source: MoreImportantPod."""
    return sorted(pods, key=lambda pod: (-pod.priority, start_time(pod)))


def select_victims(
    filters: FilterRunner,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    budgets: Sequence[PodDisruptionBudget],
    rules: DryRunRules,
) -> list[Victims | Status]:
    """Return for each node its victims, or why evictions don't help there. `state` and `nodes` aren't modified.

    1. Remove all pods of lower priority, and filter.
    2. Add them back one by one: first those whose eviction violates a PDB, then the others, each most important first.
    3. A pod with which the preemptor doesn't fit becomes a victim.

    All nodes take each step together, because they are independent. Source: SelectVictimsOnNode.
    """
    trial = _Trial(filters, state, pod, nodes)
    potential = [by_importance([other for other in node.pods if other.priority < pod.priority]) for node in nodes]
    for i, others in enumerate(potential):
        for other in others:
            trial.remove(i, other)
    # As upstream, a preemptor with affinity to a pod that it would evict fails here.
    statuses = trial.filter(range(len(nodes)))
    plans = [_Plan(*split_by_pdb_violation(others, budgets)) for others in potential]
    alive = [i for i, status in enumerate(statuses) if status.is_success and potential[i]]
    for step in range(max((len(plans[i].pods) for i in alive), default=0)):
        alive = [i for i in alive if step < len(plans[i].pods)]
        for i in alive:
            trial.put_back(i, plans[i].pods[step])
        for i, status in zip(alive, trial.filter(alive), strict=True):
            if not status.is_success:
                trial.remove(i, plans[i].pods[step])
                plans[i].add_victim(step)
    answers: list[Victims | Status] = []
    for i, (status, plan) in enumerate(zip(statuses, plans, strict=True)):
        if i in trial.errors:
            answers.append(trial.errors[i])
        elif not potential[i]:
            answers.append(NO_VICTIMS)
        elif not status.is_success:
            answers.append(status)
        else:
            victims = by_importance(plan.victims) if rules.by_importance else plan.victims
            answers.append(Victims(victims, plan.violations))
    return answers


class _Plan:
    """The pods of one node in the order in which they are reprieved if possible, and the victims."""

    def __init__(self, violating: Sequence[Pod], harmless: Sequence[Pod]) -> None:
        # Upstream reprieves pods with a PDB violation first.
        self.pods = [*violating, *harmless]
        self.victims: list[Pod] = []
        self.violations = 0
        self._violating = len(violating)

    def add_victim(self, step: int) -> None:
        self.victims.append(self.pods[step])
        self.violations += step < self._violating


class _Trial:
    """Copies of nodes on which pods are removed and added, and the profile's filters on them.

    `errors`: position → status, of nodes for which a plugin failed.
    """

    def __init__(self, filters: FilterRunner, state: CycleState, pod: Pod, nodes: Nodes) -> None:
        self.errors: dict[int, Status] = {}
        self._filters = filters
        self._pod = pod
        self._nodes = nodes.what_if()
        self._views = list(self._nodes)
        self._states = filters.own_states(state, len(nodes))

    def remove(self, i: int, other: Pod) -> None:
        node = self._views[i]
        node.table.remove_pod(other, node.name)
        self._note(i, self._filters.run_pre_filter_remove_pod(self._states[i], self._pod, other, node))

    def put_back(self, i: int, other: Pod) -> None:
        node = self._views[i]
        node.table.add_pod(other, node.name)
        self._note(i, self._filters.run_pre_filter_add_pod(self._states[i], self._pod, other, node))

    def _note(self, i: int, status: Status) -> None:
        if not status.is_success:
            self.errors.setdefault(i, Status.error(status.message))

    def filter(self, positions: Sequence[int]) -> Sequence[Status]:
        """Return whether the preemptor fits on these nodes as they are now."""
        states = [self._states[i] for i in positions]
        return self._filters.run_filters_with_nominated_pods(states, self._pod, self._nodes.take(list(positions)))


def split_by_pdb_violation(pods: Sequence[Pod], pdbs: Sequence[PodDisruptionBudget]) -> tuple[list[Pod], list[Pod]]:
    """Return (pods whose eviction would violate a PDB, other pods), each in the original order.

    Each pod uses up one allowed disruption of every PDB that selects it, unless the PDB's status lists it as disrupted.
    Source: filterPodsWithPDBViolation.
    """
    allowed = [pdb.disruptions_allowed for pdb in pdbs]
    violating: list[Pod] = []
    non_violating: list[Pod] = []
    for pod in pods:
        violates = False
        for i, pdb in enumerate(pdbs):
            if _protects(pdb, pod):
                allowed[i] -= 1
                violates = violates or allowed[i] < 0
        (violating if violates else non_violating).append(pod)
    return violating, non_violating


def _protects(pdb: PodDisruptionBudget, pod: Pod) -> bool:
    """Return True if the PDB selects the pod.

    An empty selector selects nothing, and pods without labels aren't selected.
    """
    return (
        bool(pod.labels)
        and pdb.namespace == pod.namespace
        and pdb.selector is not None
        and bool(pdb.selector.requirements)
        and pdb.selector.matches(pod.labels)
        and pod.name not in pdb.disrupted_pods
    )
