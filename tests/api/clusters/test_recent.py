"""What was changed and when: a verdict of an earlier cycle is older than that."""

from typing import Any

import pytest

from tests.web import Api, node, pod

CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a"), node("b"), pod("web"), pod("large", cpu="64")])
    api.command(made, kind="run", until="idle")
    return made


CHANGES: list[tuple[str, dict[str, Any], list[str], list[str], bool]] = [
    ("a node", {"kind": "cordon", "node": "a"}, ["a"], [], False),
    ("a pod that waits", {"kind": "update", "objects": [pod("large", cpu="1")]}, [], ["default/large"], False),
    ("a configuration", {"kind": "set_config", "yaml": CONFIG}, [], [], True),
    (
        "another kind",
        {"kind": "create", "objects": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}]},
        [],
        [],
        True,
    ),
    (
        "what scheduling does not read",
        {"kind": "create", "objects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}]},
        [],
        [],
        False,
    ),
]


@pytest.mark.parametrize(
    ("command", "nodes", "pods", "everything"), [case[1:] for case in CHANGES], ids=[case[0] for case in CHANGES]
)
def test_whom_a_change_concerns(
    api: Api, cluster: int, command: dict[str, Any], nodes: list[str], pods: list[str], everything: bool
) -> None:
    assert api.command(cluster, **command)["state"] == "done"
    change = api.get(f"clusters/{cluster}/changes/")["changes"][0]
    last = api.get(f"clusters/{cluster}/")
    assert (change["seq"], change["cycle"]) == (last["revision"], last["cycle"]) and change["cycle"] >= 2
    assert (change["nodes"], change["pods"], change["everything"]) == (nodes, pods, everything)


def test_a_pod_that_is_placed_concerns_its_node(api: Api, cluster: int) -> None:
    on = api.get(f"clusters/{cluster}/pods/default/web/")["node"]
    api.command(cluster, kind="delete", objects=[{"kind": "Pod", "namespace": "default", "name": "web"}])
    change = api.get(f"clusters/{cluster}/changes/")["changes"][0]
    assert (change["nodes"], change["pods"]) == ([on], ["default/web"])


def test_cycles_are_no_changes_and_the_newest_is_first(api: Api, cluster: int) -> None:
    api.command(cluster, kind="cordon", node="a")
    api.command(cluster, kind="advance_clock", seconds=400)
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="cordon", node="b")
    found = api.get(f"clusters/{cluster}/changes/")["changes"]
    assert [one["what"] for one in found] == ["cordon b", "cordon a", "create 4 objects"]
    assert found[0]["cycle"] > found[1]["cycle"] and found[2]["cycle"] is None
