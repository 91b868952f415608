import pytest

from kube_objects.node import Node
from scheduler_core.cache.node_tree import NodeTree, zone_key
from tests.conformance.testing import NodeBuilder, make_node

BETA = "failure-domain.beta.kubernetes.io/"

ZONES = [
    # name, node, want
    ("none", make_node("n"), ""),
    ("zone", make_node("n").zone("a"), ":\x00:a"),
    ("region and zone", make_node("n").zone("a", "r"), "r:\x00:a"),
    ("region only", make_node("n").label("topology.kubernetes.io/region", "r"), "r:\x00:"),
    ("beta", make_node("n").label(f"{BETA}zone", "a").label(f"{BETA}region", "r"), "r:\x00:a"),
    ("beta wins", make_node("n").zone("a", "r").label(f"{BETA}zone", "b"), "r:\x00:b"),
    ("empty beta wins too", make_node("n").zone("a", "r").label(f"{BETA}zone", ""), "r:\x00:"),
]


@pytest.mark.parametrize(("name", "node", "want"), ZONES)
def test_zone_key(name: str, node: NodeBuilder, want: str) -> None:
    assert zone_key(node.build()) == want


def _tree(*nodes: str) -> NodeTree:
    """Nodes are named by zone and number: `a1`; `-1` has no zone."""
    tree = NodeTree()
    for name in nodes:
        tree.add(_node(name))
    return tree


def _node(name: str, zone: str | None = None) -> Node:
    zone = name[0] if zone is None else zone
    builder = make_node(name.replace("-", "x"))
    return (builder if zone == "-" else builder.zone(zone)).build()


def test_zones_take_turns() -> None:
    tree = _tree("a1", "a2", "a3", "b1", "-1", "-2", "c1", "c2")
    assert tree.names() == ["a1", "b1", "x1", "c1", "a2", "x2", "c2", "a3"]


def test_an_empty_zone_is_forgotten_and_comes_back_last() -> None:
    tree = _tree("a1", "b1", "c1")
    tree.remove(_node("a1"))
    tree.add(_node("a2"))
    assert tree.names() == ["b1", "c1", "a2"]


def test_an_update_moves_only_between_zones() -> None:
    tree = _tree("a1", "a2", "b1")
    tree.update(_node("a1"), _node("a1"))
    assert tree.names() == ["a1", "b1", "a2"]
    tree.update(_node("a1"), _node("a1", zone="b"))
    assert tree.names() == ["a2", "b1", "a1"]


def test_adding_twice_counts_once() -> None:
    assert _tree("a1", "a1", "b1").names() == ["a1", "b1"]


def test_no_nodes() -> None:
    assert NodeTree().names() == []


def test_dump_and_load() -> None:
    tree = _tree("b1", "a1", "b2")
    copy = NodeTree()
    copy.load(tree.dump())
    assert copy.names() == tree.names()
    assert copy.dump() == tree.dump()
