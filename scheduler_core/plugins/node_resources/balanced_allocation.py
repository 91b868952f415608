"""NodeResourcesBalancedAllocation: prefer nodes whose resources would have similar shares in use."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.config.args.resources import ResourceSpec
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import PreScorePlugin, Reads, ScorePlugin
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.plugins.node_resources import balanced_allocation_args
from scheduler_core.plugins.node_resources.balanced_allocation_args import NodeResourcesBalancedAllocationArgs
from scheduler_core.plugins.node_resources.resource_allocation import resource_loads, score_balance


class NodeResourcesBalancedAllocation(PreScorePlugin, ScorePlugin):
    """Source: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go."""

    name = "NodeResourcesBalancedAllocation"
    args_rules = balanced_allocation_args.RULES
    reads = Reads.LOAD
    reads_metadata = False
    scores_change: ClassVar[bool] = False

    def __init__(self, resources: Sequence[ResourceSpec]) -> None:
        self._resources = resources

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        typed: NodeResourcesBalancedAllocationArgs = args
        return cls(typed.resources)

    def pre_score(self, state: CycleState, pod: Pod, nodes: Nodes) -> Status:
        # Pods without requests don't change the balance; scoring them would send all to the same node.
        return SUCCESS if self._asks(pod) else SKIP

    def pre_score_is_reusable(self, pod: Pod) -> bool:
        return True

    def score(self, state: CycleState, pod: Pod, nodes: Nodes) -> IntColumn:
        # PreScore doesn't filter such pods out in a profile that disables it.
        if not self._asks(pod):
            return np.zeros(len(nodes), np.int64)
        return self._balance(nodes, pod)

    def _balance(self, nodes: Nodes, pod: Pod) -> IntColumn:
        return score_balance(resource_loads(nodes, self._resources, pod.requests, nonzero=False), len(nodes))

    def _asks(self, pod: Pod) -> bool:
        return any(pod.requests.get(spec.name) for spec in self._resources)
