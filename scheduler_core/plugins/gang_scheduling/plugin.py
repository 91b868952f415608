"""GangScheduling: pods of a gang are bound only if minCount of them have a node."""

from collections.abc import Sequence
from typing import Any

from kube_objects.kinds.scheduling.pod_group import PodGroup
from kube_objects.pod import Pod
from scheduler_core.cache.pod_groups import PodGroupState
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    PermitPlugin,
    PermitResult,
    PreEnqueuePlugin,
    WithHandle,
)
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status

NO_GROUP = 'waiting for pods\'s pod group "{name}" to appear in scheduling queue'
TOO_FEW_KNOWN = "waiting for minCount pods from a gang to appear in scheduling queue"
TOO_FEW_PLACED = "waiting for minCount pods from a gang to be scheduled"
# How long a member waits at Permit for the others, in seconds.
PERMIT_TIMEOUT = 300.0


class GangScheduling(WithHandle, PreEnqueuePlugin, PermitPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/gangscheduling (v1.36)."""

    name = "GangScheduling"

    def pre_enqueue(self, pod: Pod) -> Status:
        if not pod.scheduling_group:
            return SUCCESS
        group = self._group_of(pod)
        if group is None:
            return Status.unresolvable(NO_GROUP.format(name=pod.scheduling_group))
        if group.min_count is None:
            return SUCCESS
        try:
            known = self._state_of(pod)
        except PluginError as error:
            return Status.error(str(error))
        return SUCCESS if len(known.pods) >= group.min_count else Status.unresolvable(TOO_FEW_KNOWN)

    def permit(self, state: CycleState, pod: Pod, node_name: str) -> PermitResult:
        """Wait for minCount members; the last one of them allows all waiting members."""
        if not pod.scheduling_group:
            return PermitResult()
        group = self._group_of(pod)
        if group is None:
            name = pod.scheduling_group
            missing = f'podgroup.scheduling.k8s.io "{name}" not found'
            raise PluginError(f"failed to get podGroup {pod.namespace}/{name}: {missing}")
        if group.min_count is None:
            return PermitResult()
        known = self._state_of(pod)
        if known.scheduled_count < group.min_count:
            self._handle.activate_now(known.unscheduled_pods())
            return PermitResult(Status(Code.WAIT, (TOO_FEW_PLACED,)), PERMIT_TIMEOUT)
        for waiting in self._handle.waiting_pods():
            if waiting.pod.uid in known.assumed:
                waiting.allow(self.name)
        return PermitResult()

    def _group_of(self, pod: Pod) -> PodGroup | None:
        group: PodGroup | None = self._handle.lister.get("PodGroup", f"{pod.namespace}/{pod.scheduling_group}")
        return group

    def _state_of(self, pod: Pod) -> PodGroupState:
        state = self._handle.pod_groups.get(pod.namespace, pod.scheduling_group)
        if state is None:
            raise PluginError(f"pod group state not found for pod group {pod.namespace}/{pod.scheduling_group}")
        return state

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        return (
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.ADD), after_pod_added),
            ClusterEventWithHint(ClusterEvent(EventResource.POD_GROUP, ActionType.ADD), after_group_added),
        )


def after_pod_added(pod: Pod, old: Any, new: Pod) -> QueueingHint:
    """Return Queue if the added pod is a member of the same group, which may reach minCount now."""
    same = bool(pod.scheduling_group) and pod.scheduling_group == new.scheduling_group
    return QueueingHint.QUEUE if same and pod.namespace == new.namespace else QueueingHint.SKIP


def after_group_added(pod: Pod, old: Any, new: PodGroup) -> QueueingHint:
    return (
        QueueingHint.QUEUE if (pod.namespace, pod.scheduling_group) == (new.namespace, new.name) else QueueingHint.SKIP
    )
