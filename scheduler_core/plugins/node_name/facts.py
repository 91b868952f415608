"""NodeName's facts: the node that the pod names.

Source: pkg/scheduler/framework/plugins/nodename.
"""

from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState

NAMED = Template("the pod asks for the node {node} by name")
ANY_NODE = Template("the pod asks for no node by name")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    wanted = context.pod.node_name
    return [Fact(NAMED(node=wanted), wanted, wanted != node.name) if wanted else Fact(ANY_NODE())]
