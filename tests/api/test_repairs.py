"""What would make a pod fit, over the API: a search that goes on as it is asked about, and costs that stay."""

from typing import Any

import pytest

from playground import limits
from playground.models import Cluster
from tests.web import Api, node, pod

TAINT: dict[str, Any] = {"taints": [{"key": "db", "value": "x", "effect": "NoSchedule"}]}


@pytest.fixture
def waiting(api: Api, questions: None) -> int:
    """A cluster in which `p` waits for a node: one is tainted, the other too small."""
    tainted = node("tainted", cpu="4", **TAINT)
    cluster: int = api.cluster([tainted, node("small", cpu="1"), pod("p", cpu="2")])
    api.command(cluster, kind="run", until="idle")
    return cluster


def searched(api: Api, cluster: int, **query: Any) -> dict[str, Any]:
    """Asked again until it is finished."""
    found: dict[str, Any] = {"finished": False}
    seen = 0
    while not found["finished"]:
        found = api.get(f"clusters/{cluster}/repairs/", pod="default/p", **query)
        assert len(found["repairs"]) >= seen, "what was found is forgotten"
        seen = len(found["repairs"])
    return found


def put_costs(api: Api, cluster: int, given: dict[str, Any], status: int = 200) -> Any:
    path = f"/api/v1/clusters/{cluster}/repairs/costs/"
    answer = api.client.put(path, given, "application/json", headers=api.headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def sentences(found: dict[str, Any]) -> list[list[str]]:
    return [[edit["sentence"]["text"] for edit in repair["edits"]] for repair in found["repairs"]]


def test_each_look_tells_one_more(api: Api, waiting: int) -> None:
    first = api.get(f"clusters/{waiting}/repairs/", pod="default/p")
    assert sentences(first) == [["Tolerate db=x:NoSchedule"]]
    assert (first["repairs"][0]["claim"], first["repairs"][0]["node"]) == ("minimum", "tainted")
    whole = searched(api, waiting)
    assert sentences(whole)[:3] == [
        ["Tolerate db=x:NoSchedule"],
        ["Remove the taint db=x:NoSchedule from tainted"],
        ["Ask for 1 of cpu instead of 2"],
    ]


def test_what_it_proposes_can_be_carried_out_and_undone(api: Api, waiting: int) -> None:
    repair = searched(api, waiting)["repairs"][1]
    for command in repair["commands"]:
        api.command(waiting, **command)
    api.command(waiting, kind="run", until="idle")
    assert api.get(f"clusters/{waiting}/pods/default/p/")["node"] == repair["node"]
    for command in repair["inverse"]:
        api.command(waiting, **command)
    assert api.get(f"clusters/{waiting}/objects/Node/tainted/")["spec"] == TAINT


def test_before_a_cycle_the_cluster_is_as_it_was_then(api: Api, waiting: int) -> None:
    api.command(waiting, kind="update", objects=[node("small", cpu="8")])
    api.command(waiting, kind="run", until="idle")
    now = searched(api, waiting)
    assert now["why"]["text"] == "default/p runs on small already"
    then = searched(api, waiting, cycle=1)
    assert sentences(then)[0] == ["Tolerate db=x:NoSchedule"]


def test_costs_and_locks_stay_with_the_cluster(api: Api, waiting: int) -> None:
    rows = api.get(f"clusters/{waiting}/repairs/costs/")["costs"]
    assert {row["kind"]: row["cost"] for row in rows}["tolerate"] == 10
    given = {"costs": {"tolerate": None, "lower_request": 5}, "locks": ["Taint/db"]}
    kept = put_costs(api, waiting, given)
    costs = {row["kind"]: (row["default"], row["cost"]) for row in kept["costs"]}
    assert (costs["tolerate"], costs["lower_request"], kept["locks"]) == ((10, None), (12, 5), ["Taint/db"])
    assert sentences(searched(api, waiting))[0] == ["Ask for 1 of cpu instead of 2"]
    branch = api.post(f"clusters/{waiting}/branches/", {"at": "now"}, 201)["id"]
    assert Cluster.objects.get(pk=branch).repair_prices == given


def test_costs_that_cannot_be_are_refused(api: Api, waiting: int) -> None:
    given = {"costs": {"tolerat": 1}, "locks": ["node-1"]}
    problems = put_costs(api, waiting, given, 400)["problems"]
    assert [problem["path"] for problem in problems] == ["costs.tolerat", "locks[0]"]


def test_a_look_takes_no_longer_than_it_may(api: Api, waiting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playground.repairs.repair_questions.REPAIR_SECONDS", 0.0)
    found = searched(api, waiting)
    assert not found["exhaustive"]
    assert limits.REPAIR_SLICE_SECONDS < limits.ANSWER_SECONDS


def test_one_change_for_many(api: Api, questions: None) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}
    pods = [pod(f"web-{i}", cpu="1") for i in range(3)]
    for one in pods:
        one["metadata"]["ownerReferences"] = [owner]
    cluster = api.cluster([node("tainted", cpu="8", **TAINT), *pods, pod("huge", cpu="99")])
    api.command(cluster, kind="run", until="idle")
    found: dict[str, Any] = {"finished": False}
    while not found["finished"]:
        found = api.get(f"clusters/{cluster}/repairs/many/", owner="ReplicaSet default/web")
    assert (len(found["pods"]), found["waiting"]) == (3, 4)
    assert found["owners"] == [{"owner": "ReplicaSet default/web", "pods": 3}]
    assert sentences(found)[0] == ["Tolerate db=x:NoSchedule"]
    assert (found["repairs"][0]["claim"], set(found["repairs"][0]["placed"].values())) == ("minimum", {"tainted"})


def test_there_is_no_such_pod(api: Api, waiting: int) -> None:
    found = api.get(f"clusters/{waiting}/repairs/", pod="default/nobody")
    assert found["why"]["text"] == "there is no pod default/nobody"
    assert found["finished"] and not found["repairs"]
