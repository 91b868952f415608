"""NodePorts' facts: the pods that use the host ports which the pod requests.

Source: pkg/scheduler/framework/plugins/nodeports.
"""

from kube_objects.pod import HostPort, Pod
from kube_objects.sentences import Template
from scheduler_core.cache.node_table import ANY_ADDRESS
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact, first_pod_keys
from scheduler_core.framework.cycle_state import CycleState

FREE = Template("this host port is free")
TAKEN = Template("this host port is taken by {pods}")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    return [_fact(port, node) for port in context.pod.host_ports]


def _fact(port: HostPort, node: NodeView) -> Fact:
    text = f"{port.ip}:{port.port}/{port.protocol}"
    if not node.as_nodes.with_port(port)[0]:
        return Fact(FREE(), text)
    holders = first_pod_keys(pod for pod in node.pods if _holds(pod, port))
    return Fact(TAKEN(pods=", ".join(holders)), text, True, {"pods": holders})


def _holds(pod: Pod, wanted: HostPort) -> bool:
    return any(
        (held.protocol, held.port) == (wanted.protocol, wanted.port)
        and (held.ip == wanted.ip or ANY_ADDRESS in (held.ip, wanted.ip))
        for held in pod.host_ports
    )
