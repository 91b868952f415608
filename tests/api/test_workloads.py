"""The workloads of a cluster: who makes which pods, how far that is, and why it stands still."""

from typing import Any

import pytest
import yaml

from kube_objects.kinds.playground import node_group
from playground.engine import command_runner
from tests.core.controllers.chaos import template, workload
from tests.web import Api, node, pod


def web(cpu: str, image: str) -> dict[str, Any]:
    made = template("web", image)
    made["spec"]["containers"][0]["resources"]["requests"]["cpu"] = cpu
    return workload("Deployment", "web", replicas=4) | {
        "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": made}
    }


@pytest.fixture
def cluster(api: Api) -> int:
    return api.cluster([node("a"), node("b"), web("1500m", "app:1"), workload("DaemonSet", "agent")])


def of(api: Api, cluster: int) -> dict[str, Any]:
    return {one["name"]: one for one in api.get(f"clusters/{cluster}/workloads/")["workloads"]}


def test_without_controllers_nobody_makes_pods(api: Api, cluster: int) -> None:
    found = of(api, cluster)
    assert {one["state"] for one in found.values()} == {"idle"}
    assert found["web"]["says"] == "no controller creates its Pods"
    assert found["web"]["revisions"] == []


def test_owner_revisions_and_pods(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    found = of(api, cluster)
    assert (found["web"]["state"], found["web"]["says"]) == ("complete", "4 of 4 ready")
    (first,) = found["web"]["revisions"]
    assert first["name"] == "v1"
    assert [pod["state"] for pod in first["pods"]] == ["ready"] * 4
    assert found["agent"]["says"] == "2 of 2 ready"
    answer = api.get(f"clusters/{cluster}/workloads/")
    assert answer["steps"][0]["reason"].endswith("is ready")
    assert [one["kind"] for one in answer["workloads"]] == ["Deployment", "DaemonSet"]


def test_a_rollout_says_why_it_stands_still(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="update", objects=[web("3500m", "app:2")])
    api.command(cluster, kind="run", until="idle")
    found = of(api, cluster)["web"]
    assert found["state"] == "stuck"
    assert "No old Pod can be deleted: 3 are ready, and maxUnavailable requires 3" in found["why"]
    assert "Insufficient cpu" in found["why"]
    old, new = found["revisions"]
    assert (old["name"], old["current"], len(old["pods"])) == ("v1", False, 3)
    assert {pod["state"] for pod in new["pods"]} == {"pending"}


def test_in_another_language(api: Api, cluster: int) -> None:
    answer = api.client.get(f"/api/v1/clusters/{cluster}/workloads/", headers={"Accept-Language": "ko"}).json()
    assert answer["workloads"][0]["says"] != "no controller creates its Pods"


def test_what_controllers_did_is_told_in_order(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    told = api.get(f"clusters/{cluster}/reconciles/")
    numbers = [step["seq"] for step in told["steps"]]
    assert numbers == sorted(numbers)
    assert told["whole"]
    assert told["of_nodes"] == ["kubelet"]
    assert {"deployment", "replicaset", "kubelet"} <= {step["actor"] for step in told["steps"]}
    rest = api.get(f"clusters/{cluster}/reconciles/?after={numbers[2]}")["steps"]
    assert [step["seq"] for step in rest] == numbers[3:]


def test_whose_pods_are_where(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    found = api.get(f"clusters/{cluster}/owners/")
    assert (found["owners"], found["counts"]) == (["Deployment default/web", "DaemonSet default/agent"], [4, 2])
    assert {place: sum(node.get(place, 0) for node in found["nodes"].values()) for place in ("0", "1")} == {
        "0": 4,
        "1": 2,
    }
    assert api.get(f"clusters/{cluster}/owners/?cycle=1")["nodes"] == {}
    owners = api.get(f"clusters/{cluster}/pods/?nodes=a")["owners"]
    assert set(owners.values()) == set(found["owners"])


def test_node_groups_as_they_stand(api: Api) -> None:
    cluster = api.cluster()
    assert api.get(f"clusters/{cluster}/workloads/")["groups"] == []
    group = yaml.safe_load(node_group.KIND.example)
    autoscaler = {**group, "kind": "ClusterAutoscaler", "metadata": {"name": "default"}, "spec": {}}
    web = workload("Deployment", "web", replicas=2)
    api.command(cluster, kind="create", objects=[group, autoscaler, web])
    (empty,) = api.get(f"clusters/{cluster}/workloads/")["groups"]
    assert (empty["name"], empty["nodes"], empty["least"], empty["most"], empty["says"]) == ("pool", 0, 0, 10, None)
    assert empty["offers"] == {"cpu": "4", "memory": "16Gi", "pods": "110"}
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    (grown,) = api.get(f"clusters/{cluster}/workloads/")["groups"]
    assert (grown["nodes"], grown["ready"], grown["price"]) == (1, 1, 0.2)
    assert grown["says"] == "Node pool-1 of group pool was added"


def test_a_node_group_that_cannot_be_read_stops_no_worker(api: Api) -> None:
    """Its price goes into the charts, which a worker writes after each command."""
    cluster = api.cluster()
    group = yaml.safe_load(node_group.KIND.example)
    broken = {**group, "spec": {**group["spec"], "price": "cheap"}}
    autoscaler = {**group, "kind": "ClusterAutoscaler", "metadata": {"name": "default"}, "spec": {}}
    api.command(cluster, kind="set_actors", actors="all")
    assert api.command(cluster, kind="create", objects=[broken, autoscaler])["state"] == "done"
    assert api.command(cluster, kind="run", until={"seconds": 60})["state"] == "done"
    (state,) = api.get(f"clusters/{cluster}/workloads/")["groups"]
    assert (state["offers"], state["says"]) == ({}, "spec.price: must be a number")


def rollout(api: Api, cluster: int, kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"clusters/{cluster}/rollout/?kind={kind}&key=default/{name}")
    return found


def test_a_rollout_over_time(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="update", objects=[web("3500m", "app:2")])
    api.command(cluster, kind="run", until="idle")
    found = rollout(api, cluster, "Deployment", "web")
    points = len(found["seq"])
    assert found["now"] >= found["t"][-1]
    assert found["seq"] == sorted(set(found["seq"]))
    assert found["t"] == sorted(found["t"])
    assert {len(found[name]) for name in ("t", "wanted", "least", "most")} == {points}
    assert (found["wanted"][-1], found["least"][-1], found["most"][-1]) == (4, 3, 5)
    old, new = found["revisions"]
    assert (old["name"], old["current"], new["name"], new["current"]) == ("v1", False, "v2", True)
    assert (old["ready"][-1], new["waiting"][-1], max(old["ready"])) == (3, 2, 4)
    # As it stands beside the queues.
    listed = {one["name"]: one for one in of(api, cluster)["web"]["revisions"]}
    for one in (old, new):
        states = [pod["state"] for pod in listed[one["name"]]["pods"]]
        assert (states.count("ready"), states.count("pending")) == (one["ready"][-1], one["waiting"][-1])


def test_a_rollout_of_a_daemon_set_has_the_names_of_its_revisions(api: Api, cluster: int) -> None:
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    changed = workload("DaemonSet", "agent")
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "app:2"
    api.command(cluster, kind="update", objects=[changed])
    api.command(cluster, kind="run", until="idle")
    old, new = rollout(api, cluster, "DaemonSet", "agent")["revisions"]
    assert (old["name"], new["name"], new["current"], new["ready"][-1], old["ready"][-1]) == ("r1", "r2", True, 2, 0)
    assert [one["name"] for one in of(api, cluster)["agent"]["revisions"]] == ["r2"]


def test_a_rollout_begins_anew_with_a_reset_and_a_branch_has_its_past(api: Api, cluster: int) -> None:
    assert rollout(api, cluster, "Deployment", "web")["seq"] == []
    api.command(cluster, kind="set_actors", actors="all")
    api.command(cluster, kind="run", until="idle")
    before = rollout(api, cluster, "Deployment", "web")
    branch = api.post(f"clusters/{cluster}/branches/", {"at": "now", "name": "other"})["id"]
    assert rollout(api, branch, "Deployment", "web")["revisions"] == before["revisions"]
    api.command(cluster, kind="reset")
    after = rollout(api, cluster, "Deployment", "web")
    assert before["seq"][-1] < after["seq"][0]
    assert [one["ready"][-1] for one in after["revisions"]] == [0]


def test_a_rollout_is_that_of_a_workload(api: Api, cluster: int) -> None:
    answer = api.client.get(f"/api/v1/clusters/{cluster}/rollout/?kind=Pod&key=default/web")
    assert answer.status_code == 400
    assert rollout(api, cluster, "Job", "nothing")["seq"] == []


def test_what_controllers_would_collect_is_counted_and_let_go(api: Api) -> None:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "r"}
    made = pod("web-1-a", nodeName="a")
    alone = {**made, "metadata": {**made["metadata"], "ownerReferences": [owner]}}
    cluster = api.cluster([node("a"), alone, pod("other", nodeName="a")])
    path = f"clusters/{cluster}/ownerless/"
    assert api.get(path) == {"counts": {"Pod": 1}}
    assert api.command(cluster, kind="orphan")["state"] == "done"
    assert api.get(path) == {"counts": {}}
    state = api.get(f"clusters/{cluster}/")
    assert (state["counts"]["bound"], state["can_undo"]["what"]) == (2, "remove owner references to missing objects")
    assert api.command(cluster, kind="orphan")["problems"][0]["rule"] == "no object has a missing owner"
    api.post(f"clusters/{cluster}/undo/", {})
    command_runner.apply_commands(cluster)
    assert api.get(path) == {"counts": {"Pod": 1}}
