"""Victims of a node: the fewest, least important pods that must go so that the preemptor fits.

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
    """What versions do differently. Source: pkg/scheduler/framework/preemption (v1.34), defaultpreemption (v1.20)."""

    by_importance: bool = True
    """Victims are listed by importance; otherwise those whose budget is violated come first."""

    may_spare_all: bool = False
    """A node is a candidate even if it turns out that nobody there has to go."""


def start_time(pod: Pod) -> float:
    """A pod that has not started counts as younger than all others."""
    return math.inf if pod.start_time is None else pod.start_time


def by_importance(pods: Sequence[Pod]) -> list[Pod]:
    """Most important first: higher priority, then older."""
    return sorted(pods, key=lambda pod: (-pod.priority, start_time(pod)))


def select_victims(
    filters: FilterRunner,
    state: CycleState,
    pod: Pod,
    nodes: Nodes,
    budgets: Sequence[PodDisruptionBudget],
    rules: DryRunRules,
) -> list[Victims | Status]:
    """For each node the victims, or why evicting pods does not help there. `state` and `nodes` are left as they are.

    What is tried on one node does not depend on the others, so all of them take each step together.
    """
    trial = _Trial(filters, state, pod, nodes)
    potential = [by_importance([other for other in node.pods if other.priority < pod.priority]) for node in nodes]
    for i, others in enumerate(potential):
        for other in others:
            trial.remove(i, other)
    # Affinity of the preemptor to a pod that it would evict ends here too, as it does upstream.
    statuses = trial.filter(range(len(nodes)))
    plans = [_Plan(*split_by_budgets(others, budgets)) for others in potential]
    alive = [i for i, status in enumerate(statuses) if status.is_success and potential[i]]
    for step in range(max((len(plans[i].pods) for i in alive), default=0)):
        alive = [i for i in alive if step < len(plans[i].pods)]
        for i in alive:
            trial.put_back(i, plans[i].pods[step])
        for i, status in zip(alive, trial.filter(alive), strict=True):
            if not status.is_success:
                trial.remove(i, plans[i].pods[step])
                plans[i].condemn(step)
    answers: list[Victims | Status] = []
    for i, (status, plan) in enumerate(zip(statuses, plans, strict=True)):
        if i in trial.errors:
            answers.append(trial.errors[i])
        elif not potential[i]:
            answers.append(NO_VICTIMS)
        elif not status.is_success:
            answers.append(status)
        else:
            condemned = by_importance(plan.condemned) if rules.by_importance else plan.condemned
            answers.append(Victims(condemned, plan.violations))
    return answers


class _Plan:
    """The pods of one node in the order in which they are spared if possible, and those that cannot be."""

    def __init__(self, violating: Sequence[Pod], harmless: Sequence[Pod]) -> None:
        # Those whose budget would be violated are the first to be spared.
        self.pods = [*violating, *harmless]
        self.condemned: list[Pod] = []
        self.violations = 0
        self._violating = len(violating)

    def condemn(self, step: int) -> None:
        self.condemned.append(self.pods[step])
        self.violations += step < self._violating


class _Trial:
    """Nodes, apart from the cluster, on which pods come and go and the profile's filters are asked.

    `errors`: position → status, of the nodes for which a plugin failed.
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
        """Whether the preemptor fits on these nodes as they are now."""
        states = [self._states[i] for i in positions]
        return self._filters.run_filters_with_nominated_pods(states, self._pod, self._nodes.take(list(positions)))


def split_by_budgets(pods: Sequence[Pod], budgets: Sequence[PodDisruptionBudget]) -> tuple[list[Pod], list[Pod]]:
    """(those whose eviction would violate a budget, the others), each in the given order.

    Every pod uses up one allowed disruption of each budget that selects it, unless the budget's status already lists it
    as disrupted. Source: filterPodsWithPDBViolation.
    """
    allowed = [budget.disruptions_allowed for budget in budgets]
    violating: list[Pod] = []
    harmless: list[Pod] = []
    for pod in pods:
        violates = False
        for i, budget in enumerate(budgets):
            if _protects(budget, pod):
                allowed[i] -= 1
                violates = violates or allowed[i] < 0
        (violating if violates else harmless).append(pod)
    return violating, harmless


def _protects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """A budget with an empty selector protects nothing, and pods without labels are protected by none."""
    return (
        bool(pod.labels)
        and budget.namespace == pod.namespace
        and budget.selector is not None
        and bool(budget.selector.requirements)
        and budget.selector.matches(pod.labels)
        and pod.name not in budget.disrupted_pods
    )
