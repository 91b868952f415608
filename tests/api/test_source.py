"""The cluster as it is written, a window of it; and a cycle run again with objects that are written otherwise."""

import copy
from typing import Any

import pytest

from tests.web import Api, node, pod


def test_a_window_of_the_objects(api: Api) -> None:
    nodes, pods = [node(f"node-{i:02}") for i in range(30)], [pod(f"web-{i:02}") for i in range(60)]
    cluster = api.cluster([*nodes, *pods])
    path = f"clusters/{cluster}/source/"
    first = api.get(path)
    assert (first["total"], first["offset"], len(first["objects"])) == (90, 0, 40)
    assert [one["key"] for one in first["objects"][:2]] == ["node-00", "node-01"]
    assert first["objects"][0]["manifest"]["status"]["allocatable"] == nodes[0]["status"]["allocatable"]
    around = api.get(f"{path}?kind=Pod&key=default/web-40&limit=12")
    keys = [one["key"] for one in around["objects"]]
    assert around["offset"] == 66 and keys[4] == "default/web-40" and len(keys) == 12
    found = api.get(f"{path}?search=web-5")
    assert (found["total"], found["objects"][0]["key"]) == (10, "default/web-50")
    # What is not there does not empty the window.
    assert api.get(f"{path}?kind=Pod&key=default/none")["objects"] == first["objects"]
    assert api.get(f"{path}?offset=5000")["offset"] == 89
    api.get(f"{path}?limit=41", status=400)
    api.get(f"{path}?kind=Pod", status=400)


@pytest.fixture
def decided(api: Api) -> int:
    """Three pods, of which the last finds no node: it is too large for both."""
    cluster = api.cluster([node("node-0"), node("node-1"), pod("web-0", cpu="1"), pod("web-1", cpu="9")])
    api.command(cluster, kind="run", until="idle")
    return cluster


def written(api: Api, cluster: int, kind: str, key: str, change: Any) -> dict[str, Any]:
    manifest = copy.deepcopy(api.get(f"clusters/{cluster}/objects/{kind}/{key}/"))
    change(manifest)
    return manifest


def test_a_cycle_runs_again_with_other_objects(api: Api, decided: int, questions: None) -> None:
    path = f"clusters/{decided}/cycles/2/again/"
    as_it_was = api.post(path, {})
    assert as_it_was["before"] == as_it_was["after"] and as_it_was["before"]["outcome"] == "unschedulable"

    larger = written(api, decided, "Node", "node-1", lambda one: one["status"]["allocatable"].update(cpu="16"))
    fits = api.post(path, {"objects": [larger]})
    assert (fits["before"]["node"], fits["after"]["node"]) == (None, "node-1")
    assert [one["node"] for one in fits["passes"]["nodes"]] == ["node-1"]

    # A node that was not there then, and one that is gone.
    back = api.get(f"clusters/{decided}/objects/Node/node-1/")
    new = node("node-2", cpu="32")
    other = api.post(path, {"objects": [back, new], "delete": [{"kind": "Node", "name": "node-0"}]})
    assert other["after"]["node"] == "node-2" and other["before"]["evaluated"] == 2
    # As it was, once all of that is named again.
    gone = [{"kind": "Node", "name": "node-2"}]
    again = api.post(path, {"objects": [back, api.get(f"clusters/{decided}/objects/Node/node-0/")], "delete": gone})
    assert again["after"]["outcome"] == "unschedulable" and again["after"]["evaluated"] == 2

    # The pod itself, and one that has its node since: then it had none.
    smaller = written(api, decided, "Pod", "default/web-1", lambda one: one["spec"].update(pod("x", cpu="1")["spec"]))
    assert api.post(path, {"objects": [smaller]})["after"]["node"] in ("node-0", "node-1")
    placed = written(api, decided, "Pod", "default/web-0", lambda one: one["metadata"].update(labels={"app": "web"}))
    assert placed["spec"]["nodeName"]
    first = api.post(f"clusters/{decided}/cycles/1/again/", {"objects": [placed]})
    assert first["after"]["node"] == first["before"]["node"] == placed["spec"]["nodeName"]
    state = api.get(f"clusters/{decided}/")
    assert state["cycle"] == 2 and state["counts"]["pending"] == 1  # nothing was changed


def test_a_trial_refuses_what_cannot_be(api: Api, decided: int, questions: None) -> None:
    path = f"clusters/{decided}/cycles/2/again/"
    wrong = written(api, decided, "Node", "node-1", lambda one: one["status"]["allocatable"].update(cpu="lots"))
    refused = api.post(path, {"objects": [wrong]}, status=400)
    assert "cpu" in refused["problems"][0]["path"]
    gone = api.post(path, {"delete": [{"kind": "Pod", "namespace": "default", "name": "web-1"}]}, status=409)
    assert "there is no pod default/web-1" in gone["problems"][0]["rule"]
    api.post(f"clusters/{decided}/cycles/9/again/", {}, status=404)
    api.post(path, {"objects": ["no object"]}, status=400)
    api.post(path, {"objects": [{}] * 501}, status=400)
