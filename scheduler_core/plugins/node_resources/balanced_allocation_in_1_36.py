"""NodeResourcesBalancedAllocation as v1.36.3 has it: only what is different.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.node_resources import balanced_allocation
from scheduler_core.plugins.node_resources.resource_allocation import balanced, loads

HALF = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocation(balanced_allocation.NodeResourcesBalancedAllocation):
    """How much better or worse the pod would make a node's balance, instead of how good it would be: 75 is neither."""

    scores_change = True

    def _balance(self, nodes: Nodes, pod: Pod) -> IntColumn:
        # Both states in one go, a row each: most of the time goes into the number of operations, not their length.
        both = loads(nodes, self._resources, pod.requests, nonzero=False, compared=True)
        with_pod, without = balanced(both, (2, len(nodes)))
        change: IntColumn = HALF + with_pod - without
        # Half of it, towards zero as Go divides.
        return HALF + ((change + (change < 0)) >> 1)
