"""NodeResourcesBalancedAllocation's differences in v1.36.

Source (v1.36.3): pkg/scheduler/framework/plugins.
"""

from kube_objects.pod import Pod
from scheduler_core.cache.column_types import IntColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.node_resources import balanced_allocation
from scheduler_core.plugins.node_resources.resource_allocation import resource_loads, score_balance

HALF = MAX_NODE_SCORE // 2


class NodeResourcesBalancedAllocation(balanced_allocation.NodeResourcesBalancedAllocation):
    """The plugin in v1.36, which scores how the pod changes a node's balance; 75 means no change."""

    scores_change = True

    def _balance(self, nodes: Nodes, pod: Pod) -> IntColumn:
        # Both states are computed together, one row each, because each numpy call has a fixed cost.
        both = resource_loads(nodes, self._resources, pod.requests, nonzero=False, compared=True)
        with_pod, without = score_balance(both, (2, len(nodes)))
        change: IntColumn = HALF + with_pod - without
        # Go's division rounds towards zero.
        return HALF + ((change + (change < 0)) >> 1)
