"""SchedulingGates, PrioritySort, NodeName, NodeUnschedulable, DefaultBinder."""

from typing import Any

import pytest

from kube_objects.pod import Pod
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.queued_pod import QueuedPodInfo
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.node_name.plugin import NodeName
from scheduler_core.plugins.node_unschedulable.plugin import NodeUnschedulable
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.plugins.scheduling_gates.plugin import SchedulingGates
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint

CORDONED = Status.unresolvable("node(s) were unschedulable")
OTHER_NODE = Status.unresolvable("node(s) didn't match the requested node name")


def gated(*gates: str) -> Pod:
    return make_pod("p").uid("u").spec(schedulingGates=[{"name": gate} for gate in gates]).build()


@pytest.mark.parametrize(
    ("gates", "want"),
    [
        ([], SUCCESS),
        (["a"], Status.unresolvable("waiting for scheduling gates: [a]")),
        (["b.io/x", "a"], Status.unresolvable("waiting for scheduling gates: [b.io/x a]")),
    ],
)
def test_scheduling_gates(gates: list[str], want: Status) -> None:
    assert SchedulingGates().pre_enqueue(gated(*gates)) == want


@pytest.mark.parametrize(("uid", "want"), [("u", QueueingHint.QUEUE), ("other", QueueingHint.SKIP)])
def test_scheduling_gates_hint(uid: str, want: QueueingHint) -> None:
    new = make_pod("p").uid(uid).build()
    action = ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED
    assert hint(SchedulingGates(), EventResource.POD, action, gated("a"), gated("a"), new) == want


def test_priority_sort_takes_priority_before_time() -> None:
    waiting = {"late": (0, 9.0), "early": (0, 1.0), "urgent": (7, 5.0), "negative": (-1, 0.0)}
    pods = [
        QueuedPodInfo(make_pod(name).spec(priority=priority).build(), since)
        for name, (priority, since) in waiting.items()
    ]
    assert [q.pod.name for q in sorted(pods, key=PrioritySort().sort_key)] == ["urgent", "early", "late", "negative"]


@pytest.mark.parametrize(
    ("node_name", "want"),
    [
        ("", [SUCCESS, SUCCESS]),
        ("b", [OTHER_NODE, SUCCESS]),
        ("gone", [OTHER_NODE, OTHER_NODE]),
    ],
)
def test_node_name(node_name: str, want: list[Status]) -> None:
    nodes = cluster([make_node("a"), make_node("b")])
    pod = make_pod("p").spec(nodeName=node_name).build()
    assert filtered(NodeName(), pod, nodes) == want


def test_node_name_is_helped_by_every_new_node() -> None:
    pod, node = make_pod("p").spec(nodeName="a").build(), make_node("a").build()
    assert hint(NodeName(), EventResource.NODE, ActionType.ADD, pod, None, node) == QueueingHint.QUEUE
    assert hint(NodeName(), EventResource.NODE, ActionType.UPDATE_NODE_LABEL, pod, node, node) is None


CORDON_KEY = "node.kubernetes.io/unschedulable"


@pytest.mark.parametrize(
    ("name", "toleration", "want"),
    [
        ("none", None, CORDONED),
        ("of the cordon taint", {"key": CORDON_KEY, "operator": "Exists"}, SUCCESS),
        ("with its effect", {"key": CORDON_KEY, "operator": "Exists", "effect": "NoSchedule"}, SUCCESS),
        ("with another effect", {"key": CORDON_KEY, "operator": "Exists", "effect": "NoExecute"}, CORDONED),
        ("of everything", {"operator": "Exists"}, SUCCESS),
        ("of another value", {"key": CORDON_KEY, "value": "x"}, CORDONED),
        ("of the empty value", {"key": CORDON_KEY, "operator": "Equal"}, SUCCESS),
    ],
)
def test_node_unschedulable(name: str, toleration: dict[str, str] | None, want: Status) -> None:
    nodes = cluster([make_node("open"), make_node("cordoned").cordoned()])
    pod = make_pod("p")
    if toleration is not None:
        pod.toleration(**toleration)
    assert filtered(NodeUnschedulable(), pod.build(), nodes) == [SUCCESS, want]


@pytest.mark.parametrize(
    ("name", "was_cordoned", "is_cordoned", "want"),
    [
        ("added open", None, False, QueueingHint.QUEUE),
        ("added cordoned", None, True, QueueingHint.SKIP),
        ("uncordoned", True, False, QueueingHint.QUEUE),
        ("cordoned", False, True, QueueingHint.SKIP),
        ("open before and after", False, False, QueueingHint.SKIP),
        ("cordoned before and after", True, True, QueueingHint.SKIP),
    ],
)
def test_node_unschedulable_node_hint(
    name: str, was_cordoned: bool | None, is_cordoned: bool, want: QueueingHint
) -> None:
    old = None if was_cordoned is None else make_node("n").spec(unschedulable=was_cordoned).build()
    new = make_node("n").spec(unschedulable=is_cordoned).build()
    action = ActionType.ADD if old is None else ActionType.UPDATE_NODE_TAINT
    assert hint(NodeUnschedulable(), EventResource.NODE, action, make_pod("p").build(), old, new) == want


@pytest.mark.parametrize(
    ("name", "uid", "key", "want"),
    [
        ("its own, the right one", "u", CORDON_KEY, QueueingHint.QUEUE),
        ("its own, another one", "u", "gpu", QueueingHint.SKIP),
        ("of another pod", "v", CORDON_KEY, QueueingHint.SKIP),
    ],
)
def test_node_unschedulable_toleration_hint(name: str, uid: str, key: str, want: QueueingHint) -> None:
    pod = make_pod("p").uid("u").build()
    new = make_pod("p").uid(uid).toleration(key, operator="Exists").build()
    assert hint(NodeUnschedulable(), EventResource.POD, ActionType.UPDATE_POD_TOLERATION, pod, pod, new) == want


class RecordingWriter:
    def __init__(self, answer: Status) -> None:
        self.answer = answer
        self.bound: list[tuple[str, str]] = []

    def bind(self, pod: Pod, node_name: str) -> Status:
        self.bound.append((pod.key, node_name))
        return self.answer


class WriterHandle:
    def __init__(self, writer: RecordingWriter) -> None:
        self.writer = writer


@pytest.mark.parametrize("answer", [SUCCESS, Status.error("the API server said no")])
def test_default_binder_passes_on_what_the_api_server_says(answer: Status) -> None:
    writer = RecordingWriter(answer)
    handle: Any = WriterHandle(writer)
    assert DefaultBinder.create(None, handle).bind(CycleState(), make_pod("p").build(), "n") == answer
    assert writer.bound == [("default/p", "n")]
