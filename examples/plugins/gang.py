"""Gang: pods of a gang wait at Permit until enough of them have a node, then all of them are bound; or none is.

A pod says which gang it belongs to and how large it is: labels `gang.example.com/name: train`,
`gang.example.com/size: "3"`.
"""

from typing import Any, Self

from kube_objects.pod import Pod
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import EnqueueExtensions, PermitPlugin, PermitResult, ReservePlugin
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.waiting import WaitingPod

NAME_LABEL, SIZE_LABEL = "gang.example.com/name", "gang.example.com/size"
DEFAULT_TIMEOUT = 30.0


class Gang(PermitPlugin, ReservePlugin, EnqueueExtensions):
    """Args: `timeoutSeconds`, how long a member waits for the others (virtual time, default 30)."""

    name = "Gang"

    def __init__(self, handle: Handle, timeout: float) -> None:
        self.handle = handle
        self.timeout = timeout

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        given = {} if args is None else args.value
        return cls(handle, float(given.get("timeoutSeconds", DEFAULT_TIMEOUT)))

    def permit(self, state: CycleState, pod: Pod, node_name: str) -> PermitResult:
        size = gang_size(pod)
        if size < 2:
            return PermitResult()
        others = self._waiting_members(pod)
        running = [p for p in self.handle.lister.list("Pod", pod.namespace) if p.node_name and same_gang(p, pod)]
        if len(others) + len(running) + 1 < size:
            return PermitResult(Status(Code.WAIT), self.timeout)
        for member in others:
            member.allow(self.name)
        return PermitResult()

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        """One member gave up: the rest need not wait any longer."""
        for member in self._waiting_members(pod):
            member.reject(self.name, f"{pod.key} of the same gang was not bound")

    def _waiting_members(self, pod: Pod) -> list[WaitingPod]:
        waiting = self.handle.waiting_pods()
        return [member for member in waiting if member.pod.uid != pod.uid and same_gang(member.pod, pod)]

    def events_to_register(self) -> list[ClusterEventWithHint]:
        return [ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.ADD), is_new_member)]


def is_new_member(pod: Pod, old: Pod | None, new: Pod) -> QueueingHint:
    return QueueingHint.QUEUE if same_gang(pod, new) else QueueingHint.SKIP


def gang_size(pod: Pod) -> int:
    """0 for a pod that is in no gang, or does not say how large it is."""
    size = pod.labels.get(SIZE_LABEL, "")
    return int(size) if NAME_LABEL in pod.labels and size.isdecimal() else 0


def same_gang(a: Pod, b: Pod) -> bool:
    name = a.labels.get(NAME_LABEL)
    return name is not None and (a.namespace, name) == (b.namespace, b.labels.get(NAME_LABEL))
