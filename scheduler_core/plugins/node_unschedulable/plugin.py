"""NodeUnschedulable: only pods that tolerate the cordon taint fit on a cordoned node."""

from collections.abc import Sequence

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.taints import CORDON_TAINT
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, Reads
from scheduler_core.framework.verdicts import Verdicts

REASON = "node(s) were unschedulable"


class NodeUnschedulable(FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/nodeunschedulable."""

    name = "NodeUnschedulable"
    reads = Reads.NODE
    reads_metadata = False

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        if pod.tolerates(CORDON_TAINT):
            return Verdicts.all_pass(len(nodes))
        # Evicting pods doesn't uncordon a node, so preemption must not try.
        return Verdicts.reject(nodes.unschedulable, REASON, resolvable=False)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        node_event = ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT)
        toleration_event = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_TOLERATION)
        return [
            ClusterEventWithHint(node_event, after_node_change),
            ClusterEventWithHint(toleration_event, after_toleration_change),
        ]


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Return Queue for a new node that isn't cordoned, and for a node that was uncordoned."""
    was_closed = old is None or old.unschedulable
    return QueueingHint.QUEUE if was_closed and not new.unschedulable else QueueingHint.SKIP


def after_toleration_change(pod: Pod, old: Pod, new: Pod) -> QueueingHint:
    return QueueingHint.QUEUE if new.uid == pod.uid and new.tolerates(CORDON_TAINT) else QueueingHint.SKIP
