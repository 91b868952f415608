"""DynamicResources: in the default order, and without effect on pods that have no resource claims.

Dynamic resource allocation is not modelled: a pod with claims is told so instead of being scheduled wrongly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.diagnosis import NodeStatuses
from scheduler_core.framework.events import Action, ClusterEvent, EventWithHint, Hint, Resource
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PostFilterPlugin,
    PostFilterResult,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreFilterResult,
    ReservePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.objects.pod import Pod

STATE_KEY = "DynamicResources"
NOT_MODELLED = "resource claims are not modelled yet: the playground cannot say where this pod would run"
NO_CLAIMS = "no new claims to deallocate"


@dataclass(slots=True)
class State:
    """Only its presence matters: PostFilter fails where PreFilter was never reached, as upstream's does."""

    def clone(self) -> Self:
        return self


class DynamicResources(
    PreEnqueuePlugin, PreFilterPlugin, FilterPlugin, PostFilterPlugin, ReservePlugin, PreBindPlugin, EnqueueExtensions
):
    """Source: pkg/scheduler/framework/plugins/dynamicresources."""

    name = "DynamicResources"

    def pre_enqueue(self, pod: Pod) -> Status:
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        state.write(STATE_KEY, State())
        if pod.resource_claims:
            return PreFilterResult(Status.unresolvable(NOT_MODELLED))
        return PreFilterResult(SKIP)

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return Verdicts.all_pass(len(nodes))

    def post_filter(self, state: CycleState, pod: Pod, statuses: NodeStatuses) -> PostFilterResult:
        state.read(STATE_KEY)
        return PostFilterResult(Status.unschedulable(NO_CLAIMS))

    def reserve(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node_name: str) -> None:
        """Nothing was reserved."""

    def pre_bind(self, state: CycleState, pod: Pod, node_name: str) -> Status:
        return SUCCESS

    def events_to_register(self) -> Sequence[EventWithHint]:
        changed = Action.ADD | Action.UPDATE
        node = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        return [
            EventWithHint(ClusterEvent(Resource.NODE, node)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_CLAIM, changed), _skip),
            EventWithHint(ClusterEvent(Resource.POD, Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM), _skip),
            EventWithHint(ClusterEvent(Resource.DEVICE_CLASS, changed)),
            EventWithHint(ClusterEvent(Resource.RESOURCE_SLICE, changed)),
        ]


def _skip(pod: Pod, old: object, new: object) -> Hint:
    """Claims are not modelled, so no change of one can make a pod schedulable."""
    return Hint.SKIP
