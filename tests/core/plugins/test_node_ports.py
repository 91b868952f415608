import pytest

from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.plugins.node_ports.plugin import NodePorts
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint

TAKEN = Status.unschedulable("node(s) didn't have free ports for the requested pod ports")
Port = tuple[int, str, str]


def pod(*ports: Port, name: str = "p") -> PodBuilder:
    builder = make_pod(name).uid(name)
    for port in ports:
        builder.host_port(*port)
    return builder


CASES: list[tuple[str, list[Port], list[Port], bool]] = [
    ("another port", [(80, "TCP", "")], [(81, "TCP", "")], False),
    ("the same port", [(80, "TCP", "")], [(80, "TCP", "")], True),
    ("another protocol", [(80, "TCP", "")], [(80, "UDP", "")], False),
    ("the same address", [(80, "TCP", "10.0.0.1")], [(80, "TCP", "10.0.0.1")], True),
    ("another address", [(80, "TCP", "10.0.0.1")], [(80, "TCP", "10.0.0.2")], False),
    ("all addresses are wanted", [(80, "TCP", "10.0.0.1")], [(80, "TCP", "0.0.0.0")], True),
    ("all addresses are held", [(80, "TCP", "0.0.0.0")], [(80, "TCP", "::1")], True),
    ("one of two", [(80, "TCP", "")], [(81, "TCP", ""), (80, "TCP", "")], True),
]


@pytest.mark.parametrize(("name", "held", "wanted", "collide"), CASES)
def test_filter(name: str, held: list[Port], wanted: list[Port], collide: bool) -> None:
    nodes = cluster([make_node("free"), make_node("n")], [pod(*held, name="holder").node("n")])
    assert filtered(NodePorts(), pod(*wanted).build(), nodes) == [SUCCESS, TAKEN if collide else SUCCESS]


@pytest.mark.parametrize(("name", "held", "wanted", "collide"), CASES)
def test_pod_hint(name: str, held: list[Port], wanted: list[Port], collide: bool) -> None:
    """The rule for a deleted pod is the one for a node."""
    waiting = pod(*wanted).build()
    for holder, holds in (
        (pod(*held).node("n"), collide),
        (pod(*held).status(nominatedNodeName="n"), collide),
        (pod(*held), False),
    ):
        want = QueueingHint.QUEUE if holds else QueueingHint.SKIP
        assert hint(NodePorts(), EventResource.POD, ActionType.DELETE, waiting, holder.build(), None) == want


def test_a_pod_without_host_ports_skips() -> None:
    assert NodePorts().pre_filter(CycleState(), pod().build(), cluster([])).status.is_skip


def test_sidecars_hold_ports_and_other_init_containers_do_not() -> None:
    ports = [{"containerPort": 80, "hostPort": 80}]
    init = {"name": "i", "image": "x", "ports": ports}
    wanted = pod((80, "TCP", "")).build()
    for restart, want in (("Always", TAKEN), (None, SUCCESS)):
        holder = pod(name="holder").spec(initContainers=[{**init, "restartPolicy": restart}]).node("n")
        assert filtered(NodePorts(), wanted, cluster([make_node("n")], [holder])) == [want]


def test_a_port_held_twice_is_free_once_one_holder_is_gone() -> None:
    """Upstream's quirk: it keeps a set of ports, not counts. A what-if copy must not count again either."""
    holders = [pod((80, "TCP", ""), name=name).node("n") for name in ("one", "two")]
    nodes = cluster([make_node("n")], holders)
    assert filtered(NodePorts(), pod((80, "TCP", "")).build(), nodes) == [TAKEN]
    nodes.table.remove_pod(holders[0].build(), "n")
    assert filtered(NodePorts(), pod((80, "TCP", "")).build(), nodes) == [SUCCESS]


def test_filter_without_pre_filter_is_an_internal_error() -> None:
    with pytest.raises(PluginError, match=r'^reading "PreFilterNodePorts" from cycleState: not found$'):
        NodePorts().filter(CycleState(), pod((80, "TCP", "")).build(), cluster([make_node("n")]))


def test_every_new_node_helps() -> None:
    assert (
        hint(NodePorts(), EventResource.NODE, ActionType.ADD, pod().build(), None, make_node("n").build())
        == QueueingHint.QUEUE
    )
