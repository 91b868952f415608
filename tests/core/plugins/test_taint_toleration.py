import pytest

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, EventResource, QueueingHint
from scheduler_core.framework.status import SUCCESS, PluginError, Status
from scheduler_core.plugins.taint_toleration.plugin import TaintToleration
from tests.conformance.testing import make_node, make_pod
from tests.core.plugins.plugin_calls import cluster, filtered, hint, normalized, scored

HARD, SOFT, EVICT = "NoSchedule", "PreferNoSchedule", "NoExecute"


def tainted(*taints: tuple[str, str, str]) -> Nodes:
    node = make_node("n")
    for key, value, effect in taints:
        node.taint(key, value, effect)
    return cluster([make_node("clean"), node])


def tolerating(*tolerations: dict[str, str]) -> Pod:
    pod = make_pod("p").uid("u")
    for toleration in tolerations:
        pod.toleration(**toleration)
    return pod.build()


def rejected(key: str, value: str) -> Status:
    return Status.unresolvable(f"node(s) had untolerated taint {{{key}: {value}}}")


@pytest.mark.parametrize(
    ("name", "taints", "tolerations", "want"),
    [
        ("hard", [("gpu", "a", HARD)], [], rejected("gpu", "a")),
        ("empty value", [("gpu", "", HARD)], [], rejected("gpu", "")),
        ("evicting", [("gpu", "a", EVICT)], [], rejected("gpu", "a")),
        ("soft ones reject nobody", [("gpu", "a", SOFT)], [], SUCCESS),
        ("only the first is named", [("s", "", SOFT), ("b", "1", EVICT), ("a", "2", HARD)], [], rejected("b", "1")),
        ("by key", [("gpu", "a", HARD)], [{"key": "gpu", "operator": "Exists"}], SUCCESS),
        ("by value", [("gpu", "a", HARD)], [{"key": "gpu", "value": "a"}], SUCCESS),
        ("other value", [("gpu", "a", HARD)], [{"key": "gpu", "value": "b"}], rejected("gpu", "a")),
        ("other key", [("gpu", "a", HARD)], [{"key": "cpu", "operator": "Exists"}], rejected("gpu", "a")),
        ("other effect", [("g", "a", HARD)], [{"key": "g", "value": "a", "effect": EVICT}], rejected("g", "a")),
        ("everything", [("gpu", "a", HARD), ("b", "", EVICT)], [{"operator": "Exists"}], SUCCESS),
        ("one of two", [("a", "", HARD), ("b", "", HARD)], [{"key": "a"}], rejected("b", "")),
    ],
)
def test_filter(name: str, taints: list[tuple[str, str, str]], tolerations: list[dict[str, str]], want: Status) -> None:
    assert filtered(TaintToleration(), tolerating(*tolerations), tainted(*taints)) == [SUCCESS, want]


def test_lists_of_taints_that_no_node_has_any_more_do_not_count() -> None:
    nodes = tainted(("gpu", "a", HARD))
    nodes.table.update_node(make_node("n").build())
    assert filtered(TaintToleration(), tolerating(), nodes) == [SUCCESS, SUCCESS]


@pytest.mark.parametrize(
    ("name", "taints", "tolerations", "want"),
    [
        ("two soft, one hard", [("a", "", SOFT), ("b", "", SOFT), ("c", "", HARD)], [], 2),
        ("one tolerated", [("a", "", SOFT), ("b", "", SOFT)], [{"key": "a"}], 1),
        ("any effect", [("a", "", SOFT)], [{"key": "a", "effect": ""}], 0),
        ("for hard ones only", [("a", "", SOFT)], [{"key": "a", "effect": HARD}], 1),
    ],
)
def test_score(name: str, taints: list[tuple[str, str, str]], tolerations: list[dict[str, str]], want: int) -> None:
    assert scored(TaintToleration(), tolerating(*tolerations), tainted(*taints)) == [0, want]


@pytest.mark.parametrize(
    ("raw", "want"), [([0, 0], [100, 100]), ([0, 3], [100, 0]), ([1, 3], [67, 0]), ([2, 3], [34, 0]), ([2, 2], [0, 0])]
)
def test_normalize(raw: list[int], want: list[int]) -> None:
    assert normalized(TaintToleration(), tolerating(), tainted(), raw) == want


def test_score_without_pre_score_is_an_internal_error() -> None:
    with pytest.raises(PluginError, match=r'^failed to read "PreScoreTaintToleration" from cycleState: not found$'):
        TaintToleration().score(CycleState(), tolerating(), tainted())


def node(*taints: tuple[str, str]) -> Node:
    builder = make_node("n")
    for key, effect in taints:
        builder.taint(key, "", effect)
    return builder.build()


@pytest.mark.parametrize(
    ("name", "old", "new", "want"),
    [
        ("added, tolerated", None, node(("t", HARD)), QueueingHint.QUEUE),
        ("added, not tolerated", None, node(("x", HARD)), QueueingHint.SKIP),
        ("taint taken away", node(("x", HARD)), node(), QueueingHint.QUEUE),
        ("one of two taken away", node(("x", HARD), ("y", EVICT)), node(("y", EVICT)), QueueingHint.SKIP),
        ("tolerated before", node(("t", HARD)), node(), QueueingHint.SKIP),
        ("taint added", node(), node(("x", HARD)), QueueingHint.SKIP),
        ("soft instead of hard", node(("x", HARD)), node(("x", SOFT)), QueueingHint.QUEUE),
    ],
)
def test_node_hint(name: str, old: Node | None, new: Node, want: QueueingHint) -> None:
    action = ActionType.ADD if old is None else ActionType.UPDATE_NODE_TAINT
    assert hint(TaintToleration(), EventResource.NODE, action, tolerating({"key": "t"}), old, new) == want


@pytest.mark.parametrize(("uid", "want"), [("u", QueueingHint.QUEUE), ("v", QueueingHint.SKIP)])
def test_toleration_hint(uid: str, want: QueueingHint) -> None:
    new = make_pod("p").uid(uid).build()
    assert (
        hint(TaintToleration(), EventResource.POD, ActionType.UPDATE_POD_TOLERATION, tolerating(), tolerating(), new)
        == want
    )
