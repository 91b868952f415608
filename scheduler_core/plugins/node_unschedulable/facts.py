"""NodeUnschedulable's facts: whether the node is cordoned.

Source: pkg/scheduler/framework/plugins/nodeunschedulable.
"""

from kube_objects.sentences import Template
from kube_objects.taints import CORDON_TAINT
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState

CORDONED = Template("the node is cordoned (spec.unschedulable), and the pod does not tolerate that")
CORDON_TOLERATED = Template("the node is cordoned (spec.unschedulable), but the pod tolerates that")
OPEN = Template("the node is not cordoned")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    if not node.node.unschedulable:
        return [Fact(OPEN(), str(CORDON_TAINT))]
    tolerated = context.pod.tolerates(CORDON_TAINT)
    return [Fact(CORDON_TOLERATED() if tolerated else CORDONED(), str(CORDON_TAINT), not tolerated)]
