"""NodePorts: the pod's host ports must be free on the node."""

from collections.abc import Sequence

import numpy as np

from kube_objects.pod import HostPort, Pod
from scheduler_core.cache.node_table import ANY_ADDRESS
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, PreFilterPlugin, PreFilterResult, Reads
from scheduler_core.framework.status import SKIP, PluginError
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState

REASON = "node(s) didn't have free ports for the requested pod ports"
PRE_FILTER = "PreFilterNodePorts"


class NodePorts(PreFilterPlugin, FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/nodeports."""

    name = "NodePorts"
    reads = Reads.ROW
    reads_metadata = False

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        if not pod.host_ports:
            return PreFilterResult(SKIP)
        state.write(PRE_FILTER, ConstantState(pod.host_ports))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return True

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: ConstantState[tuple[HostPort, ...]] | None = state.find(PRE_FILTER)
        if data is None:
            raise PluginError(f'reading "{PRE_FILTER}" from cycleState: not found')
        taken = np.zeros(len(nodes), np.bool_)
        for port in data.value:
            taken |= nodes.with_port(port)
        return Verdicts.reject(taken, REASON)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.DELETE), after_pod_deleted),
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD)),
        ]


def after_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Return Queue if the deleted pod was assigned or nominated, and used a host port that the pod needs."""
    if not old.node_name and not old.nominated_node_name:
        return QueueingHint.SKIP
    freed = any(_collide(wanted, held) for wanted in pod.host_ports for held in old.host_ports)
    return QueueingHint.QUEUE if freed else QueueingHint.SKIP


def _collide(wanted: HostPort, held: HostPort) -> bool:
    """Return True if two host ports conflict. Source: kube-scheduler/framework/types.go HostPortInfo.CheckConflict."""
    return (wanted.protocol, wanted.port) == (held.protocol, held.port) and (
        wanted.ip == held.ip or ANY_ADDRESS in (wanted.ip, held.ip)
    )
