"""DynamicResources with its feature gate off: it is registered, and does nothing."""

from collections.abc import Sequence

from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeToStatus
from scheduler_core.framework.events import ClusterEventWithHint
from scheduler_core.framework.interface import PostFilterResult, PreFilterResult
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.plugins.dynamic_resources import plugin


class DynamicResources(plugin.DynamicResources):
    """The disabled plugin. Source: pkg/scheduler/framework/plugins/dynamicresources New, `enabled`."""

    def pre_enqueue(self, pod: Pod) -> Status:
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        return PreFilterResult(SKIP)

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeToStatus) -> PostFilterResult:
        return PostFilterResult(Status.unschedulable("plugin disabled"))

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        """Do nothing, because nothing was reserved."""

    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        return ()
