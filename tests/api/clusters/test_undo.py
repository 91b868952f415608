"""Undo and redo: a change and its inverse are both commands, and the history keeps both."""

from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from playground.models import Cluster
from tests.web import Api, node, pod

BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"selector": {}},
    "status": {"disruptionsAllowed": 2},
}
CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 50\n"


def take_back(api: Api, cluster: int, what: str = "undo", status: int = 202, **body: Any) -> Any:
    answer = api.post(f"clusters/{cluster}/{what}/", body, status)
    command_runner.apply_commands(cluster)
    if status != 202:
        return answer
    done = api.get(f"clusters/{cluster}/commands/{answer['number']}/")
    assert done["state"] == "done", done
    return done


def objects_of(api: Api, cluster: int) -> dict[tuple[str, str], Any]:
    exported = api.get(f"clusters/{cluster}/export/cluster/", format="json")["items"]
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in exported}


@pytest.fixture
def cluster(api: Api) -> int:
    made = api.cluster([node("a"), node("b"), BUDGET, *(pod(f"p{i}") for i in range(4)), pod("late", cpu="64")])
    api.command(made, kind="run", until="idle")
    return made


def node_of(api: Api, cluster: int, name: str) -> str:
    return str(api.get(f"clusters/{cluster}/pods/default/{name}/")["node"])


CHANGES: list[tuple[str, dict[str, Any]]] = [
    # what it is called              the change
    ("create Node c", {"kind": "create", "objects": [node("c")]}),
    ("create 2 objects", {"kind": "create", "objects": [node("c"), pod("new")]}),
    ("update Node a", {"kind": "update", "objects": [node("a", cpu="16")]}),
    ("update Pod default/late", {"kind": "update", "objects": [pod("late", cpu="2")]}),
    ("delete Pod default/p0", {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "p0"}]}),
    ("delete Node b", {"kind": "delete", "objects": [{"kind": "Node", "name": "b"}]}),
    ("cordon a", {"kind": "cordon", "node": "a"}),
    ("drain a", {"kind": "drain", "node": "a"}),
    ("fail node b", {"kind": "fail_node", "node": "b"}),
    ("evict default/p1", {"kind": "evict", "pod": "default/p1"}),
    ("finish pod default/p1", {"kind": "finish_pod", "pod": "default/p1", "phase": "Failed"}),
]


@pytest.mark.parametrize(("what", "change"), CHANGES, ids=[case[0] for case in CHANGES])
def test_a_change_is_taken_back_and_made_again(api: Api, cluster: int, what: str, change: dict[str, Any]) -> None:
    before, columns = objects_of(api, cluster), api.get(f"clusters/{cluster}/nodes/")
    number = api.command(cluster, **change)["number"]
    changed = objects_of(api, cluster)
    assert changed != before
    state = api.get(f"clusters/{cluster}/")
    assert (state["can_undo"], state["can_redo"]) == ({"number": number, "what": what}, None)
    undone = take_back(api, cluster)
    assert undone["undoes"] == number
    assert objects_of(api, cluster) == before
    unlike = {"revision"}
    now = api.get(f"clusters/{cluster}/nodes/")
    assert {k: v for k, v in now.items() if k not in unlike} == {k: v for k, v in columns.items() if k not in unlike}
    state = api.get(f"clusters/{cluster}/")
    assert state["can_redo"] == {"number": undone["number"], "what": what}
    redone = take_back(api, cluster, "redo")
    assert redone["undoes"] == undone["number"]
    assert objects_of(api, cluster) == changed
    state = api.get(f"clusters/{cluster}/")
    assert (state["can_undo"], state["can_redo"]) == ({"number": redone["number"], "what": what}, None)


def test_a_configuration_is_taken_back(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_config", yaml=CONFIG)
    take_back(api, cluster)
    config = api.get(f"clusters/{cluster}/config/")
    assert "percentageOfNodesToScore: 50" not in config["yaml"]
    assert config["version"] == 3
    take_back(api, cluster, "redo")
    assert "percentageOfNodesToScore: 50" in api.get(f"clusters/{cluster}/config/")["yaml"]


def test_twice_takes_back_two_and_a_change_ends_redoing(api: Api, cluster: int) -> None:
    for name in ("c", "d"):
        api.command(cluster, kind="create", objects=[node(name)])
    take_back(api, cluster)
    api.command(cluster, kind="schedule_one")
    take_back(api, cluster)
    assert {name for kind, name in objects_of(api, cluster) if kind == "Node"} == {"a", "b"}
    take_back(api, cluster, "redo")
    assert {name for kind, name in objects_of(api, cluster) if kind == "Node"} == {"a", "b", "c"}
    api.command(cluster, kind="cordon", node="a")
    assert "nothing to redo" in take_back(api, cluster, "redo", 409)["problems"][0]["rule"]


def test_everything_taken_back_leaves_an_empty_cluster(api: Api, cluster: int) -> None:
    take_back(api, cluster)
    assert objects_of(api, cluster) == {}
    assert "nothing to undo" in take_back(api, cluster, "undo", 409)["problems"][0]["rule"]


def test_a_pod_that_was_bound_since_stays_where_it_is(api: Api, cluster: int) -> None:
    labelled = pod("late", cpu="1")
    api.command(cluster, kind="update", objects=[labelled])
    api.command(cluster, kind="advance_clock", seconds=30)
    api.command(cluster, kind="run", until="idle")
    there = node_of(api, cluster, "late")
    assert there in ("a", "b")
    take_back(api, cluster)
    found = objects_of(api, cluster)["Pod", "late"]
    assert found["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "64"
    assert (found["spec"]["nodeName"], found["status"]["phase"]) == (there, "Running")


def test_a_pod_brought_back_waits_again_after_a_reset(api: Api, cluster: int) -> None:
    api.command(cluster, kind="delete", objects=[{"kind": "Pod", "namespace": "default", "name": "p0"}])
    take_back(api, cluster)
    assert node_of(api, cluster, "p0") in ("a", "b")
    api.command(cluster, kind="reset")
    assert api.get(f"clusters/{cluster}/")["lanes"] == {"active": 5}


def test_what_changed_nothing_or_failed_is_not_taken_back(api: Api, cluster: int) -> None:
    number = api.command(cluster, kind="cordon", node="a")["number"]
    api.command(cluster, kind="cordon", node="a")
    assert api.command(cluster, kind="create", objects=[node("a")])["state"] == "failed"
    assert api.get(f"clusters/{cluster}/")["can_undo"] == {"number": number, "what": "cordon a"}


def test_a_key_takes_back_once(api: Api, cluster: int) -> None:
    for name in ("c", "d"):
        api.command(cluster, kind="create", objects=[node(name)])
    first, again = (take_back(api, cluster, key="once")["number"] for _ in range(2))
    assert first == again
    assert ("Node", "c") in objects_of(api, cluster)
    api.command(cluster, kind="schedule_one", key="other")
    assert take_back(api, cluster, "undo", 409, key="other")["problems"][0]["path"] == "key"
    take_back(api, cluster, "undo", 400, key=7)


def test_what_is_not_applied_yet_cannot_be_taken_back(api: Api, small: Cluster) -> None:
    commands.submit(small.pk, {"kind": "create", "objects": [node("later")]}, author="local")
    assert "is not applied yet" in api.post(f"clusters/{small.pk}/undo/", {}, 409)["problems"][0]["rule"]


def test_a_failed_node_taken_back_keeps_its_pods(api: Api, cluster: int) -> None:
    here = [name for name in (f"p{i}" for i in range(4)) if node_of(api, cluster, name) == "a"]
    api.command(cluster, kind="fail_node", node="a")
    take_back(api, cluster)
    api.command(cluster, kind="advance_clock", seconds=900)
    assert [name for name in (f"p{i}" for i in range(4)) if node_of(api, cluster, name) == "a"] == here
