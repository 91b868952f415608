"""DefaultPreemption: if no node fits, evict pods of lower priority."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from kube_objects.pod import Pod
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.events import ClusterEventWithHint
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import EnqueueExtensions, PostFilterPlugin, PostFilterResult, PreEnqueuePlugin
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.default_preemption import args as args_of
from scheduler_core.plugins.default_preemption.args import DefaultPreemptionArgs
from scheduler_core.preemption.evaluator import Evaluator


class DefaultPreemption(PreEnqueuePlugin, PostFilterPlugin, EnqueueExtensions):
    """The preemption plugin. Victims are deleted at once here, so PreEnqueue never waits for a running preemption.

    Source: pkg/scheduler/framework/plugins/defaultpreemption.
    """

    name = "DefaultPreemption"
    args_rules = args_of.RULES

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: DefaultPreemptionArgs = args
        return cls(Evaluator(handle, typed.min_candidate_nodes_percentage, typed.min_candidate_nodes_absolute))

    def pre_enqueue(self, pod: Pod) -> Status:
        return SUCCESS

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        result = self._evaluator.preempt(state, pod, statuses)
        message = result.status.message
        return replace(result, status=Status(result.status.code, (f"preemption: {message}",))) if message else result

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        return ()
