"""SelectorSpread: spread the pods that Services and workloads select over nodes and, with twice the weight, over
zones.

Source (v1.20): pkg/scheduler/framework/plugins/selectorspread.
"""

from typing import Any, Self

import numpy as np

from kube_objects.pod import Pod
from kube_objects.selectors import LabelSelector
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.node_tree import zone_key
from scheduler_core.cache.nodes import Nodes
from scheduler_core.cache.pod_index import PodSelector
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import MAX_NODE_SCORE, PreScorePlugin, ScorePlugin
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.pod_topology_spread.default_selector import selector_by_match

PRE_SCORE = "PreScoreSelectorSpread"
ZONE_WEIGHT = 2.0 / 3.0


class SelectorSpread(PreScorePlugin, ScorePlugin):
    """The plugin; it ignores pods with spread constraints of their own."""

    name = "SelectorSpread"
    normalizes = True

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(handle)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        if not pod.spread_constraints:
            state.write(PRE_SCORE, ConstantState(selector_by_match(pod, self._handle.lister)))
        return SUCCESS

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        """Return how many of the pods run on the node; fewer are better."""
        if pod.spread_constraints:
            return np.zeros(len(nodes), np.int64)
        data: ConstantState[LabelSelector] | None = state.find(PRE_SCORE)
        if data is None:
            raise PluginError(f'reading "{PRE_SCORE}" from cycleState: not found')
        if not data.value.requirements:
            return np.zeros(len(nodes), np.int64)
        return nodes.pods_matching(PodSelector(frozenset((pod.namespace,)), (data.value,), terminating=False))

    def normalize(self, state: CycleState, pod: Pod, nodes: Nodes, scores: IntColumn) -> IntColumn:
        if pod.spread_constraints:
            return scores
        shares = _invert_counts(scores)
        zones = [zone_key(node.node) for node in nodes]
        if any(zones):
            codes = np.unique(zones, return_inverse=True)[1]
            zoned = np.array([bool(zone) for zone in zones])
            counts = np.bincount(codes, scores * zoned).astype(np.int64)
            in_zones = shares * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * _invert_counts(counts)[codes]
            shares = np.where(zoned, in_zones, shares)
        return shares.astype(np.int64)


def _invert_counts(counts: IntColumn) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return 100 for a count of 0, and 0 for the highest count."""
    most = int(counts.max())
    if not most:
        return np.full(len(counts), float(MAX_NODE_SCORE))
    return float(MAX_NODE_SCORE) * ((most - counts) / float(most))
