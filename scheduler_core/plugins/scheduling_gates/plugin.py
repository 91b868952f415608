"""SchedulingGates: a pod with scheduling gates doesn't enter activeQ."""

from collections.abc import Sequence

from kube_objects.pod import Pod
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, PreEnqueuePlugin
from scheduler_core.framework.status import SUCCESS, Status

REASON = "waiting for scheduling gates: [{gates}]"


class SchedulingGates(PreEnqueuePlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/schedulinggates."""

    name = "SchedulingGates"

    def pre_enqueue(self, pod: Pod) -> Status:
        if not pod.scheduling_gates:
            return SUCCESS
        return Status.unresolvable(REASON.format(gates=" ".join(pod.scheduling_gates)))

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        event = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
        return [ClusterEventWithHint(event, after_gates_eliminated)]


def after_gates_eliminated(pod: Pod, old: Pod, new: Pod) -> QueueingHint:
    return QueueingHint.QUEUE if new.uid == pod.uid else QueueingHint.SKIP
