"""DefaultPreemption in v1.20.2: it returns no message when it fails, and keeps an earlier nomination if possible.

Source (v1.20): pkg/scheduler/framework/plugins/defaultpreemption.
"""

from typing import Any, Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import ABSENT, NodeToStatus
from scheduler_core.framework.extender import Victims
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import ExtensionPoint, PostFilterResult
from scheduler_core.framework.status import Code, PluginError, Status
from scheduler_core.framework.trace import Trace
from scheduler_core.plugins.default_preemption import plugin as default_preemption
from scheduler_core.plugins.default_preemption.args import DefaultPreemptionArgs
from scheduler_core.preemption.candidates import Candidates, call_extenders
from scheduler_core.preemption.evaluator import Evaluator
from scheduler_core.preemption.victims import DryRunRules

FAILED = Status(Code.UNSCHEDULABLE)


class _Evaluator(Evaluator):
    rules = DryRunRules(by_importance=False, may_spare_all=True)
    preempted = "Preempted by {key} on node {node}"

    def preempt(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        current: Pod | None = self._handle.lister.get("Pod", pod.key)
        if current is None:
            return PostFilterResult(Status.error(f'pod "{pod.name}" not found'))
        if self._reason_not_eligible(current, statuses):
            return PostFilterResult(FAILED)
        if not len(self._nodes_where_preemption_might_help(statuses)):
            return PostFilterResult(FAILED, "" if current.nominated_node_name else None)
        candidates = self._find_candidates(state, current, statuses).candidates
        trace = Trace()
        try:
            candidates = call_extenders(self._handle.extenders, current, candidates, self._handle.nodes, trace)
        except PluginError as error:
            return PostFilterResult(Status.error(str(error)), calls=trace.steps)
        return (
            self._nominate_to_best(current, _prefer_without_victims(candidates))
            if candidates
            else PostFilterResult(FAILED)
        )

    def _should_wait_for(self, pod: Pod) -> bool:
        return pod.terminating

    def _nodes_where_preemption_might_help(self, statuses: NodeToStatus) -> Nodes:
        """Return all nodes that evictions may help, also those without a status."""
        hopeless = [status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE for status in statuses.statuses]
        unknown = statuses.absent is not ABSENT and statuses.absent.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        return self._handle.nodes.take(np.flatnonzero(~np.array([*hopeless, unknown])[statuses.codes]))


def _prefer_without_victims(candidates: Candidates) -> Candidates:
    """Return a node without victims at once, because comparing it crashes the real kube-scheduler."""
    free: dict[str, Victims] = {name: victims for name, victims in candidates.items() if not victims.pods}
    return dict([next(iter(free.items()))]) if free else candidates


class DefaultPreemption(default_preemption.DefaultPreemption):
    without = frozenset({ExtensionPoint.PRE_ENQUEUE})

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: DefaultPreemptionArgs = args
        return cls(_Evaluator(handle, typed.min_candidate_nodes_percentage, typed.min_candidate_nodes_absolute))

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        return self._evaluator.preempt(state, pod, statuses)
