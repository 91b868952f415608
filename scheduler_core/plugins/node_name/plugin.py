"""NodeName: a pod whose spec names a node fits on no other."""

from collections.abc import Sequence
from typing import ClassVar

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, Reads
from scheduler_core.framework.verdicts import Verdicts

REASON = "node(s) didn't match the requested node name"


class NodeName(FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/nodename."""

    name = "NodeName"
    reads = Reads.NODE
    reads_metadata = False
    reason: ClassVar[str] = REASON

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        if not pod.node_name:
            return Verdicts.all_pass(len(nodes))
        return Verdicts.reject(~nodes.named({pod.node_name}), self.reason, resolvable=False)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        return [ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD))]
