"""The InterPodAffinity plugin at its extension points."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from kube_objects.pod import Pod
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
from scheduler_core.plugins.inter_pod_affinity import args as args_of
from scheduler_core.plugins.inter_pod_affinity.args import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.filtering import RequiredTerms, count_required, statuses
from scheduler_core.plugins.inter_pod_affinity.hints import after_node_change, after_pod_change
from scheduler_core.plugins.inter_pod_affinity.scoring import (
    DomainWeights,
    has_preferences,
    normalize_scores,
    sum_weights,
    weigh_domains,
)

PRE_FILTER = "PreFilterInterPodAffinity"
PRE_SCORE = "PreScoreInterPodAffinity"
SKIPPED = PreFilterResult(SKIP)


class InterPodAffinity(PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/interpodaffinity."""

    name = "InterPodAffinity"
    args_rules = args_of.RULES
    normalizes = True
    skips: ClassVar[bool] = True
    statuses: ClassVar[tuple[Status, ...]] = statuses()

    def __init__(self, args: InterPodAffinityArgs, handle: Handle) -> None:
        self._args = args
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(args, handle)

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        if self.skips and not _has_terms(pod, nodes):
            return SKIPPED
        required = count_required(pod, nodes, self._handle.lister)
        if self.skips and not required.has_terms_to_check:
            return SKIPPED
        state.write(PRE_FILTER, required)
        return PreFilterResult()

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        _required(state).add(added, node, 1)
        return SUCCESS

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        _required(state).add(removed, node, -1)
        return SUCCESS

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return _required(state).verdicts(nodes, self.statuses)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        # Upstream ignores this arg for a pod with preferred terms of its own.
        if self._args.ignore_preferred_terms_of_existing_pods and not has_preferences(pod):
            return SKIP
        if self.skips and not _has_terms(pod, self._handle.nodes):
            return SKIP
        weights = weigh_domains(pod, self._handle.nodes, self._handle.lister, self._args.hard_pod_affinity_weight)
        if self.skips and not weights:
            return SKIP
        state.write(PRE_SCORE, ConstantState(weights))
        return SUCCESS

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        data: ConstantState[DomainWeights] | None = state.find(PRE_SCORE)
        if data is None:
            raise PluginError(f'failed to read "{PRE_SCORE}" from cycleState: not found')
        return sum_weights(data.value, nodes)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return normalize_scores(scores)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        pod_actions = ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.POD, pod_actions), self.after_pod_change),
            ClusterEventWithHint(
                ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL), after_node_change
            ),
        ]

    def after_pod_change(self, pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
        return after_pod_change(pod, old, new)


def _has_terms(pod: Pod, nodes: Nodes) -> bool:
    """Return True if the pod or any pod on a node has an affinity term."""
    return pod.pod_affinity is not None or pod.pod_anti_affinity is not None or nodes.has_terms


def _required(state: CycleState) -> RequiredTerms:
    data: RequiredTerms | None = state.find(PRE_FILTER)
    if data is None:
        raise PluginError(f'error reading "{PRE_FILTER}" from cycleState: not found')
    return data
