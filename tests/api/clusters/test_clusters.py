"""Clusters: made, listed, looked at, deleted."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from playground.accounts.services import get_local_user
from playground.clusters import deletion, lifecycle
from playground.engine.cluster_states import read_states
from playground.models import Checkpoint, Cluster, ClusterObject, Record
from tests.web import Api, node, pod

BROKEN_CONFIG = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: -1\n"
REFUSED = [
    # name                 body                                            path of the problem
    ("no name", {}, "name"),
    ("an empty name", {"name": ""}, "name"),
    ("a long name", {"name": "x" * 101}, "name"),
    ("a name that is no text", {"name": ["x"]}, "name"),
    ("an unknown field", {"name": "x", "colour": "red"}, "colour"),
    ("a negative seed", {"name": "x", "seed": -1}, "seed"),
    ("a seed of more than 63 bits", {"name": "x", "seed": 2**63}, ""),
    ("a broken configuration", {"name": "x", "config": BROKEN_CONFIG}, "config: parallelism"),
    ("a gate that is not there", {"name": "x", "featureGates": "Foo=true"}, "featureGates"),
    ("gates that are too long", {"name": "x", "featureGates": "x" * 10_001}, "featureGates"),
    ("no object", ["name"], ""),
]


def test_a_new_cluster_is_empty_and_idle(api: Api) -> None:
    made = api.post("clusters/", {"name": "first", "seed": 5}, status=201)
    assert made == {
        "id": made["id"],
        "name": "first",
        "created": made["created"],
        "example": None,
        "lesson": None,
        "owner": "local",
        "emulates": "v1.36.3",
        "seed": 5,
        "revision": 0,
        "t": 0.0,
        "cycle": 0,
        "first_cycle": 1,
        "counts": {"nodes": 0, "pods": 0, "bound": 0, "pending": 0},
        "lanes": {},
        "state": "idle",
        "running": None,
        "lease": None,
        "config_version": 1,
        "actors": [],
        "live": False,
        "pace": 0.0,
        "speed": 0.0,
        "branch": {"name": "first", "parent": None, "fork": None},
        "breakpoints": 0,
        "stopped_by": None,
        "can_undo": None,
        "can_redo": None,
    }
    assert api.get("clusters/") == [made]


@pytest.mark.parametrize(("name", "body", "path"), REFUSED, ids=[case[0] for case in REFUSED])
def test_refused(api: Api, name: str, body: Any, path: str) -> None:
    problems = api.post("clusters/", body, status=400)["problems"]
    assert [problem["path"] for problem in problems] == [path]
    assert all(problem["rule"] for problem in problems)
    assert not Cluster.objects.exists()


def test_an_example_that_there_is_not(api: Api) -> None:
    problems = api.post("clusters/", {"name": "x", "example": "nope"}, status=404)["problems"]
    assert problems == [{"path": "example", "value": "nope", "rule": "no such example"}]


def test_every_problem_is_named_at_once(api: Api) -> None:
    problems = api.post("clusters/", {"name": "", "seed": -1, "colour": "red"}, status=400)["problems"]
    assert {problem["path"] for problem in problems} >= {"colour"}


def test_counts_follow_the_objects(api: Api) -> None:
    cluster = api.cluster([node("n"), pod("a"), pod("b", cpu="99"), pod("c", schedulingGates=[{"name": "g"}])])
    api.command(cluster, kind="run", until="idle")
    state = api.get(f"clusters/{cluster}/")
    assert state["counts"] == {"nodes": 1, "pods": 3, "bound": 1, "pending": 2}
    assert state["lanes"] == {"bound": 1, "unschedulable": 1, "gated": 1}
    assert (state["cycle"], state["revision"], state["state"]) == (2, 3, "idle")


def test_other_kinds_are_counted_by_name(api: Api) -> None:
    priority_class = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "p"},
        "value": 7,
    }
    cluster = api.cluster([node("n"), priority_class])
    assert api.get(f"clusters/{cluster}/")["counts"] == {
        "nodes": 1,
        "pods": 0,
        "bound": 0,
        "pending": 0,
        "PriorityClass": 1,
    }


def test_the_seed_breaks_ties(api: Api) -> None:
    def nodes_of(seed: int) -> list[str]:
        cluster = api.cluster([node(f"n{i}") for i in range(6)] + [pod(f"p{i}") for i in range(6)], seed=seed)
        api.command(cluster, kind="run", until="idle")
        return api.get(f"clusters/{cluster}/cycles/")["node"]

    assert nodes_of(1) == nodes_of(1)
    assert len({tuple(nodes_of(seed)) for seed in range(5)}) > 1


def test_a_configuration_from_the_beginning(api: Api) -> None:
    config = (
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- schedulerName: mine\n"
    )
    cluster = api.cluster([node("n"), pod("a", schedulerName="mine"), pod("b")], config=config)
    api.command(cluster, kind="run", until="idle")
    assert api.get(f"clusters/{cluster}/")["lanes"] == {"bound": 1, "ignored": 1}
    assert list(api.get(f"clusters/{cluster}/config/")["effective"]) == ["mine"]


def test_deleted_with_everything(api: Api) -> None:
    cluster, other = api.cluster([node("n"), pod("a")]), api.cluster([node("n")])
    api.command(cluster, kind="run", until="idle")
    api.delete(f"clusters/{cluster}/")
    api.get(f"clusters/{cluster}/", 404)
    # For a while it could come back; then nothing is left.
    Cluster.everything.filter(pk=cluster).update(deleted=timezone.now() - timedelta(days=1))
    assert deletion.purge_deleted() == 1
    for model in (Record, ClusterObject, Checkpoint):
        assert not model.objects.filter(cluster_id=cluster).exists()
    assert api.get(f"clusters/{other}/")["counts"]["nodes"] == 1


def test_only_so_many(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle.limits, "CLUSTERS_PER_USER", 2)
    api.cluster()
    api.cluster()
    problems = api.post("clusters/", {"name": "third"}, status=409)["problems"]
    assert problems[0]["hint"] == "delete one"


def test_the_list_tells_what_each_cluster_tells_in_as_many_questions_as_one(api: Api, small: Cluster) -> None:
    changed = api.cluster([node("a"), pod("p")])
    for command in ({"kind": "cordon", "node": "a"}, {"kind": "uncordon", "node": "a"}, {"kind": "schedule_one"}):
        api.command(changed, **command)
    stopped = api.cluster([node("a"), pod("p"), pod("q")])
    breakpoints = [{"kind": "pod", "pod": "default/p"}]
    api.command(stopped, kind="run", until={"breakpoint": True}, breakpoints=breakpoints)
    waiting = api.cluster()
    api.post(f"clusters/{waiting}/commands/", {"kind": "run", "until": "idle"})
    ids = [small.pk, changed, stopped, waiting]
    listed = {each["id"]: each for each in api.get("clusters/")}
    assert listed == {each: api.get(f"clusters/{each}/") for each in ids}
    assert listed[changed]["can_undo"]["what"] == "uncordon a" and listed[small.pk]["can_undo"] is None
    assert listed[stopped]["stopped_by"] == breakpoints[0] and listed[waiting]["state"] == "queued"
    with CaptureQueriesContext(connection) as one:
        read_states(Cluster.objects.filter(pk=changed))
    with CaptureQueriesContext(connection) as all_idle:
        read_states(Cluster.objects.exclude(pk=waiting))
    assert len(all_idle) == len(one) < 8


@pytest.mark.parametrize("letter", ["\u202e", "\u2066", "\u200f", "\u061c", "\n", "\x1b", "\x7f"])
def test_a_name_turns_nothing_around_it(api: Api, letter: str) -> None:
    name = f"web{letter}gnp.exe"
    for path, body in (
        ("clusters/", {"name": name}),
        (f"clusters/{api.cluster()}/branches/", {"name": name, "at": {"seq": 0}}),
    ):
        (problem,) = api.post(path, body, 400)["problems"]
        assert (problem["path"], "control characters" in problem["rule"]) == ("name", True)
    cluster = api.cluster()
    url = f"/api/v1/clusters/{cluster}/"
    answer = api.client.patch(url, {"name": name}, "application/json", headers=api.headers)
    assert (answer.status_code, answer.json()["problems"][0]["path"]) == (400, "name")
    # What languages are written with stays: joiners, right-to-left letters, pictures.
    for fine in (
        "\u05e9\u05dc\u05d5\u05dd",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\U0001f469\u200d\U0001f4bb",
    ):
        assert api.post("clusters/", {"name": fine})["name"] == fine


def test_a_links_title_leaves_them_out(api: Api) -> None:
    made = lifecycle.create_cluster(get_local_user(), "a\u202eb\nc")
    assert made.name == "abc"


def test_a_cluster_has_its_feature_gates(api: Api) -> None:
    wanted = {"name": "x", "emulates": "v1.36.3", "featureGates": "GangScheduling=true,GenericWorkload=true"}
    made = api.post("clusters/", wanted, status=201)
    assert made["emulates"] == "v1.36.3 GangScheduling=true,GenericWorkload=true"
    told = api.get(f"clusters/{made['id']}/gates/")
    assert (told["version"], told["text"]) == ("v1.36.3", "GangScheduling=true,GenericWorkload=true")
    rows = {row["name"]: row for row in told["gates"]}
    assert rows["GangScheduling"] == {
        "name": "GangScheduling",
        "stage": "Alpha",
        "default": False,
        "locked": False,
        "needs": ["GenericWorkload"],
        "on": True,
        "effect": "changes",
        "text": rows["GangScheduling"]["text"],
    }
    assert rows["SchedulerAsyncPreemption"]["effect"] == "nothing"


def test_a_gang_is_scheduled_as_one(api: Api) -> None:
    """Its members' cycles are stored before it is known how they end; the last words are those that stay."""
    wanted = {"name": "x", "emulates": "v1.36.3", "featureGates": "GangScheduling=true,GenericWorkload=true"}
    number = api.post("clusters/", wanted, status=201)["id"]
    group = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "g", "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
    }
    members = [pod(f"g-{i}") for i in range(2)]
    for member in members:
        member["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    api.command(number, kind="create", objects=[node("n"), group, *members])
    api.command(number, kind="run", until="idle")
    told = [api.get(f"clusters/{number}/cycles/{cycle}/")["cycle"] for cycle in (1, 2)]
    assert {cycle["group"] for cycle in told} == {"default/g"}
    assert {one["pod"] for one in told} == {"default/g-0", "default/g-1"}
    assert api.get(f"clusters/{number}/")["lanes"].get("bound") == 2
    assert Cluster.objects.get(pk=number).cycle == 2
