"""How much fits at all, over the API: each question asked again until it is finished."""

from typing import Any

import pytest

from tests.web import Api, node, pod


@pytest.fixture
def cluster(api: Api, questions: None) -> int:
    """Two zones: `a` has two nodes, `b` one, which is full."""
    nodes = [node(name, cpu="2", zone=name[0]) for name in ("a1", "a2", "b1")]
    made: int = api.cluster([*nodes, pod("web", cpu="1500m", nodeName="b1"), pod("big", cpu="3")])
    api.command(made, kind="run", until="idle")
    return made


def asked(api: Api, cluster: int, name: str, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"finished": False}
    while not found["finished"]:
        found = api.get(f"clusters/{cluster}/capacity/{name}/", **query)
    return found


def test_copies(api: Api, cluster: int) -> None:
    found = asked(api, cluster, "copies", pod="default/web")
    assert (found["placed"], found["nodes"]) == (2, {"a1": 1, "a2": 1})
    assert found["stopped"].startswith("0/3 nodes are available: 3 Insufficient cpu")


def test_nodes_to_add(api: Api, cluster: int) -> None:
    found = asked(api, cluster, "nodes", groups="a1=2.5")
    assert found["groups"] == ["a1"]
    assert found["addition"] == {"nodes": {}, "price": 0.0, "placed": 0, "pending": ["default/big"]}
    refused = api.get(f"clusters/{cluster}/capacity/nodes/", status=400, groups="a1=-1")
    assert "a number above 0" in str(refused)


def test_what_can_go(api: Api, cluster: int) -> None:
    found = asked(api, cluster, "drain")
    assert [one["node"] for one in found["drained"]] == ["a1", "a2"] or found["of"] == 3
    assert (found["drained"][0], found["of"]) == ({"node": "a1", "moved": {}, "stays": []}, 3)


def test_what_breaks(api: Api, cluster: int) -> None:
    by_zone = asked(api, cluster, "failures", by="topology.kubernetes.io/zone")
    assert by_zone["keys"] == ["topology.kubernetes.io/zone"]
    assert [(one["what"], one["names"], one["pending"]) for one in by_zone["failures"]] == [
        ("a", ["a1", "a2"], []),
        ("b", ["b1"], []),
    ]
    assert asked(api, cluster, "failures")["of"] == 3
    gone = asked(api, cluster, "failures", by="rack")
    assert (gone["failures"], gone["of"]) == ([], 0)
