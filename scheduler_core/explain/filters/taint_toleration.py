"""TaintToleration and NodeUnschedulable: the taints that the pod does not tolerate.

Source: pkg/scheduler/framework/plugins/tainttoleration, pkg/scheduler/framework/plugins/nodeunschedulable.
"""

from scheduler_core.cache.nodes import NodeView
from scheduler_core.explain.facts import Fact
from scheduler_core.explain.scene import Scene
from scheduler_core.explain.sentences import Template
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.objects.taints import CORDON_TAINT, NO_EXECUTE, NO_SCHEDULE

UNTOLERATED = Template("the pod does not tolerate this taint")
TOLERATED = Template("the pod tolerates this taint")
SOFT = Template("a soft taint: it costs score, but keeps nobody out")
CORDONED = Template("the node is cordoned (spec.unschedulable), and the pod does not tolerate that")
CORDON_TOLERATED = Template("the node is cordoned (spec.unschedulable), but the pod tolerates that")
OPEN = Template("the node is not cordoned")


def facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    found = []
    for taint in node.node.taints:
        if taint.effect not in (NO_SCHEDULE, NO_EXECUTE):
            found.append(Fact(SOFT(), str(taint)))
        elif scene.pod.tolerates(taint):
            found.append(Fact(TOLERATED(), str(taint)))
        else:
            found.append(Fact(UNTOLERATED(), str(taint), True))
    return found


def cordon_facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    if not node.node.unschedulable:
        return [Fact(OPEN(), str(CORDON_TAINT))]
    tolerated = scene.pod.tolerates(CORDON_TAINT)
    return [Fact(CORDON_TOLERATED() if tolerated else CORDONED(), str(CORDON_TAINT), not tolerated)]
