"""TaintToleration: hard taints reject pods that don't tolerate them, PreferNoSchedule taints lower the score."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.taints import PREFER_NO_SCHEDULE, Toleration, tolerates
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import EnqueueExtensions, FilterPlugin, PreScorePlugin, Reads, ScorePlugin
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState, column_by_code, default_normalize, untolerated_taint

REASON = "node(s) had untolerated taint {{{key}: {value}}}"
PRE_SCORE = "PreScoreTaintToleration"


class TaintToleration(FilterPlugin, PreScorePlugin, ScorePlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/tainttoleration."""

    name = "TaintToleration"
    reads = Reads.NODE
    reads_metadata = False
    normalizes = True
    reason: ClassVar[str] = REASON

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        lists = nodes.taint_lists
        codes: dict[Status, int] = {SUCCESS: 0}

        def verdict(code: int) -> int:
            taint = untolerated_taint(pod, lists[code])
            if taint is None:
                return 0
            status = Status.unresolvable(self.reason.format(key=taint.key, value=taint.value))
            return codes.setdefault(status, len(codes))

        return Verdicts(column_by_code(nodes.taints, len(lists), np.int32, verdict), list(codes))

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        soft = tuple(t for t in pod.tolerations if t.effect in ("", PREFER_NO_SCHEDULE))
        state.write(PRE_SCORE, ConstantState(soft))
        return SUCCESS

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        return True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return how many PreferNoSchedule taints the pod doesn't tolerate; fewer is better."""
        data: ConstantState[tuple[Toleration, ...]] | None = state.find(PRE_SCORE)
        if data is None:
            raise PluginError(f'failed to read "{PRE_SCORE}" from cycleState: not found')
        tolerations, lists = data.value, nodes.taint_lists

        def untolerated(code: int) -> int:
            return sum(
                taint.effect == PREFER_NO_SCHEDULE and not any(tolerates(t, taint) for t in tolerations)
                for taint in lists[code]
            )

        return column_by_code(nodes.taints, len(lists), np.int64, untolerated)

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        return default_normalize(scores, reverse=True)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        node_event = ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_TAINT)
        toleration_event = ClusterEvent(EventResource.POD, ActionType.UPDATE_POD_TOLERATION)
        return [
            ClusterEventWithHint(node_event, after_node_change),
            ClusterEventWithHint(toleration_event, after_toleration_change),
        ]


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Return Queue if the pod tolerates the node's taints now and didn't before."""
    was_untolerated = old is None or untolerated_taint(pod, old.taints) is not None
    return QueueingHint.QUEUE if was_untolerated and untolerated_taint(pod, new.taints) is None else QueueingHint.SKIP


def after_toleration_change(pod: Pod, old: Pod, new: Pod) -> QueueingHint:
    return QueueingHint.QUEUE if new.uid == pod.uid else QueueingHint.SKIP
