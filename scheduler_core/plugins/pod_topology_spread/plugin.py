"""The PodTopologySpread plugin at its extension points."""

from collections.abc import Sequence
from typing import Any, Self

from kube_objects.node import Node
from kube_objects.pod import DO_NOT_SCHEDULE, SCHEDULE_ANYWAY, Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    ScorePlugin,
)
from scheduler_core.framework.status import SKIP, SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.pod_topology_spread import args as args_of
from scheduler_core.plugins.pod_topology_spread import hints
from scheduler_core.plugins.pod_topology_spread.args import PodTopologySpreadArgs
from scheduler_core.plugins.pod_topology_spread.constraints import ConstraintSource
from scheduler_core.plugins.pod_topology_spread.default_selector import default_selector
from scheduler_core.plugins.pod_topology_spread.filtering import HardSpread, count_domains
from scheduler_core.plugins.pod_topology_spread.scoring import SoftSpread, weigh_constraints

PRE_FILTER = "PreFilterPodTopologySpread"
PRE_SCORE = "PreScorePodTopologySpread"


class PodTopologySpread(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/podtopologyspread."""

    name = "PodTopologySpread"
    args_rules = args_of.RULES
    normalizes = True
    involved = staticmethod(hints.involved)

    def __init__(self, args: PodTopologySpreadArgs, handle: Handle) -> None:
        self._handle = handle
        self._source = ConstraintSource(args, handle.lister, default_selector)

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args, handle)

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        constraints = self._source.constraints(pod, DO_NOT_SCHEDULE)
        if not constraints:
            return PreFilterResult(SKIP)
        state.write(PRE_FILTER, count_domains(pod, nodes, constraints))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not self._source.may_have(pod, DO_NOT_SCHEDULE)

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        _hard(state).count(pod, added, node, 1)
        return SUCCESS

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        _hard(state).count(pod, removed, node, -1)
        return SUCCESS

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return _hard(state).verdicts(pod, nodes)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        constraints = self._source.constraints(pod, SCHEDULE_ANYWAY)
        if not constraints:
            return SKIP
        # With the system's defaults, nodes without a zone are still scored by hostname.
        all_keys = bool(pod.spread_constraints) or not self._source.system_defaulted
        state.write(PRE_SCORE, ConstantState(weigh_constraints(pod, nodes, self._handle.nodes, constraints, all_keys)))
        return SUCCESS

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        return _soft(state).scores(pod, nodes)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return _soft(state).normalized(nodes, scores)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        pod_actions = (
            ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.UPDATE_POD_TOLERATION | ActionType.DELETE
        )
        node_actions = ActionType.ADD | ActionType.DELETE | ActionType.UPDATE_NODE_LABEL | ActionType.UPDATE_NODE_TAINT
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.POD, pod_actions), self.after_pod_change),
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, node_actions), self.after_node_change),
        ]

    def after_pod_change(self, pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
        return hints.after_pod_change(self._source.constraints(pod, DO_NOT_SCHEDULE), pod, old, new, self.involved)

    def after_node_change(self, pod: Pod, old: Node | None, new: Node | None) -> QueueingHint:
        return hints.after_node_change(self._source.constraints(pod, DO_NOT_SCHEDULE), old, new)


def _hard(state: CycleState) -> HardSpread:
    data: HardSpread | None = state.find(PRE_FILTER)
    if data is None:
        raise PluginError(f'reading "{PRE_FILTER}" from cycleState: not found')
    return data


def _soft(state: CycleState) -> SoftSpread:
    data: ConstantState[SoftSpread] | None = state.find(PRE_SCORE)
    if data is None:
        raise PluginError(f'error reading "{PRE_SCORE}" from cycleState: not found')
    return data.value
