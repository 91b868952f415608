"""Evaluator: preemption, from eligibility to the eviction of the victims.

Source: pkg/scheduler/framework/preemption/preemption.go Evaluator (with SchedulerAsyncPreemption off).
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import Diagnosis, NodeToStatus
from scheduler_core.framework.extender import Victims
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import PostFilterResult
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.preemption.candidates import Candidates, DryRuns, call_extenders, describe_candidates, dry_run
from scheduler_core.preemption.ranking import best_candidates
from scheduler_core.preemption.victims import DryRunRules

NOT_HELPFUL = Status.unresolvable("Preemption is not helpful for scheduling")
NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."
NO_CANDIDATE = "no candidate node for preemption"


class Evaluator:
    """Preemption for one profile. `min_percentage` and `min_absolute` set how many candidates end the search."""

    rules: ClassVar[DryRunRules] = DryRunRules()
    preempted: ClassVar[str] = "Preempted by pod {uid} on node {node}"

    def __init__(self, handle: Handle, min_percentage: int, min_absolute: int) -> None:
        self._handle = handle
        self._min_percentage = min_percentage
        self._min_absolute = min_absolute

    def preempt(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        """Make room for `pod` on one node, and nominate it to that node. Source: Evaluator.Preempt.

        0. Read the current version of the pod.
        1. `_reason_not_eligible`: check that the pod may preempt others.
        2. `_find_candidates`: dry-run evictions on the nodes where they may help; without a candidate, return why.
        3. `call_extenders`: let the extenders filter the candidates.
        4. `_select_candidate`: choose the candidate with the least harm.
        5. `_prepare_candidate`: evict its victims, and clear the nominations of less important pods.
        """
        current = self._handle.lister.get("Pod", pod.key)
        if current is None:
            return PostFilterResult(Status.error(f'pod "{pod.name}" not found'))
        pod = current
        reason = self._reason_not_eligible(pod, statuses)
        if reason:
            return PostFilterResult(Status.unschedulable(reason))
        runs = self._find_candidates(state, pod, statuses)
        if not runs.candidates:
            if runs.errors:
                return PostFilterResult(Status.error(runs.error))
            runs.statuses.absent = NOT_HELPFUL
            message = Diagnosis(runs.statuses, len(self._handle.nodes)).message
            return PostFilterResult(Status.unschedulable(message), "")
        trace = Trace()
        try:
            candidates = call_extenders(self._handle.extenders, pod, runs.candidates, self._handle.nodes, trace)
        except PluginError as error:
            return PostFilterResult(Status.error(str(error)), calls=trace.steps)
        if not candidates:
            return PostFilterResult(Status.unschedulable(NO_CANDIDATE), calls=trace.steps)
        return replace(self._nominate_to_best(pod, candidates), calls=trace.steps)

    def _reason_not_eligible(self, pod: Pod, statuses: NodeToStatus) -> str:
        """Return why the pod may not preempt, "" if it may. Source: PodEligibleToPreemptOthers."""
        if pod.preemption_policy == "Never":
            return NEVER
        nominated = self._handle.nodes.find(pod.nominated_node_name)
        if nominated is None or statuses[nominated.name].code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return ""
        leaving = any(other.priority < pod.priority and self._should_wait_for(other) for other in nominated.pods)
        return TERMINATING if leaving else ""

    def _should_wait_for(self, pod: Pod) -> bool:
        """Return True if the terminating pod makes room that the preemptor should wait for."""
        return _pod_terminating_by_preemption(pod)

    def _nodes_where_preemption_might_help(self, statuses: NodeToStatus) -> Nodes:
        """Return the nodes that evictions may help, in the order of creation. Source: nodesWherePreemptionMightHelp."""
        return self._handle.nodes.take(statuses.rows_with(Code.UNSCHEDULABLE))

    def _find_candidates(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> DryRuns:
        """Run dry runs on the potential nodes, from a random one on if not all are needed. Source: findCandidates."""
        potential = self._nodes_where_preemption_might_help(statuses)
        num_candidates = min(max(len(potential) * self._min_percentage // 100, self._min_absolute), len(potential))
        if num_candidates < len(potential):
            potential = potential.take(np.roll(np.arange(len(potential)), -self._handle.pick(len(potential))))
        pdbs = self._handle.lister.list("PodDisruptionBudget")
        return dry_run(self._handle.filters, state, pod, potential, pdbs, num_candidates, self.rules)

    def _nominate_to_best(self, pod: Pod, candidates: Candidates) -> PostFilterResult:
        """Take steps 4 and 5; return the nomination."""
        name, ties = self._select_candidate(candidates)
        cleared = self._prepare_candidate(pod, name, candidates[name])
        detail: dict[str, Any] = {
            "candidates": describe_candidates(candidates),
            "ties": ties,
            "nominatedNode": name,
            "victims": sorted(victim.key for victim in candidates[name].pods),
            "clearedNominations": sorted(cleared),
        }
        return PostFilterResult(SUCCESS, name, detail)

    def _select_candidate(self, candidates: Candidates) -> tuple[str, list[str]]:
        """Return the chosen node, and the equally good ones among which it was chosen. Source: SelectCandidate."""
        ties = best_candidates(candidates)
        return (self._handle.choose(ties) if len(ties) > 1 else ties[0]), ties

    def _prepare_candidate(self, pod: Pod, node_name: str, victims: Victims) -> list[str]:
        """Evict the victims and clear nominations of less important pods; return their keys.

        Source: prepareCandidate.
        """
        writer = self._handle.writer
        for victim in victims.pods:
            writer.evict(pod, victim, f"{pod.scheduler_name}: preempting to accommodate a higher priority pod")
            if not victim.terminating:  # a terminating pod isn't deleted because of this preemption
                text = self.preempted.format(uid=pod.uid, key=pod.key, node=node_name)
                writer.record(victim, "Normal", "Preempted", text)
        lower = [
            other
            for other in self._handle.nominator.nominated_pods(node_name)
            if other.priority < pod.priority and other.nominated_node_name
        ]
        for other in lower:
            writer.clear_nomination(other)
        return [other.key for other in lower]


def _pod_terminating_by_preemption(pod: Pod) -> bool:
    """Return True if preemption deleted the pod. Source: podTerminatingByPreemption."""
    condition = next((condition for condition in pod.conditions if condition.type == "DisruptionTarget"), None)
    return (
        pod.terminating
        and condition is not None
        and condition.status == "True"
        and condition.reason == "PreemptionByScheduler"
    )
