"""Branches: forked at any moment, readable and replayable by themselves, compared and deleted."""

import json
from typing import Any

import pytest

from playground import limits
from playground.branches import services as branches
from playground.clusters import commands
from playground.engine import cluster_states, command_runner, history_reads, loaded_clusters, retention, worker_session
from playground.models import Checkpoint, Cluster, Record
from playground.objects import node_reads, queue_reads
from playground.operations import debugger
from tests.resilience.command_story import STORY, begin, bodies, everything
from tests.web import Api, node, pod


@pytest.fixture
def story(web: None) -> Cluster:
    """The story of the runner's tests: bindings that fail, a gang at Permit, preemption, other configurations."""
    cluster = begin()
    command_runner.apply_commands(cluster)
    return Cluster.objects.get(pk=cluster)


def test_a_branch_of_every_record_is_the_engine_as_it_was(story: Cluster) -> None:
    """Objects, nodes and queue are those of the engine at that moment, and what was before reads as in the original."""
    whole = bodies(story.pk)
    for seq in range(0, len(whole) + 1, 3):
        made = branches.fork_cluster(story, {"seq": seq})
        assert (made.revision, made.fork_seq, made.parent_id) == (seq, seq, story.pk)
        assert bodies(made.pk) == whole[:seq]
        agrees = debugger.debug(made)
        assert agrees["agrees"], (seq, agrees)
        simulation = loaded_clusters.load_at(story, seq).simulation
        state = cluster_states.read_state(made.pk)
        assert state is not None
        assert (state["t"], state["cycle"]) == (round(simulation.now, 6), simulation.cycle)
        assert queue_reads.read_lanes(made, 1000) == queue_reads.read_lanes(story, 1000, seq)
        assert node_reads.read_nodes(made.pk) == node_reads.read_nodes(story.pk, seq)
        made.delete()


@pytest.mark.parametrize("seq", [1, 7, 18, 25, 40])
def test_a_branch_goes_on_as_the_original_did(story: Cluster, seq: int) -> None:
    """The same commands from there on give the same bytes, from memory and in a process of its own."""
    made = branches.fork_cluster(story, {"seq": seq})
    number = made.submitted
    first = next(i for i, command in enumerate(STORY, 1) if i >= number)
    rest = loaded_clusters.load(made).simulation
    expected = loaded_clusters.load_at(story, seq).simulation
    assert rest.checkpoint() == expected.checkpoint()
    rest_of_it: list[dict[str, Any]] = [
        {"kind": "run", "until": "idle"},
        {"kind": "advance_clock", "seconds": 60},
        *STORY[first + 1 :],
    ]
    for command in rest_of_it:
        commands.submit(made.pk, command)
    loaded_clusters.forget_all()
    command_runner.apply_commands(made.pk)
    again = branches.fork_cluster(story, {"seq": seq})
    for command in rest_of_it:
        commands.submit(again.pk, command)
        command_runner.apply_commands(again.pk)
        loaded_clusters.forget_all()
    unlike = {"name", "created", "can_undo", "can_redo", "branch"}
    one, other = everything(made.pk), everything(again.pk)
    assert {k: v for k, v in one["state"].items() if k not in unlike} == {
        k: v for k, v in other["state"].items() if k not in unlike
    }
    assert one["records"] == other["records"]
    assert one["versions"] == other["versions"]


def test_the_original_is_not_changed(story: Cluster) -> None:
    before = everything(story.pk)
    made = branches.fork_cluster(story, {"cycle": 4}, "what if")
    commands.submit(made.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(made.pk)
    assert everything(story.pk) == before
    assert bodies(made.pk)[:6] == before["records"][:6]


def test_a_fork_at_a_cycle_and_at_the_beginning(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    made = api.post(f"clusters/{small.pk}/branches/", {"at": {"cycle": 3}, "name": "a"})
    assert (made["cycle"], made["revision"], made["lanes"]) == (3, 4, {"active": 5, "bound": 3})
    assert made["branch"] == {"name": "a", "parent": small.pk, "fork": {"seq": 4, "cycle": 3, "t": 0.003}}
    beginning = api.post(f"clusters/{small.pk}/branches/", {"at": {"cycle": 0}})
    assert (beginning["cycle"], beginning["revision"], beginning["lanes"]) == (0, 1, {"active": 8})
    now = api.post(f"clusters/{small.pk}/branches/", {"at": "now"})
    assert (now["cycle"], now["revision"], now["state"]) == (8, 9, "idle")
    assert now["name"] == "small after cycle 8"
    # The past of a branch reads as the original's does.
    for path in ("cycles/2/", "cycles/2/matrix/", "cycles/", "records/", "nodes/node-1/", "config/"):
        if path not in ("cycles/", "records/", "nodes/node-1/"):
            assert api.get(f"clusters/{made['id']}/{path}") == api.get(f"clusters/{small.pk}/{path}")
    at_2 = {"cycle": 2}
    assert api.get(f"clusters/{made['id']}/nodes/", **at_2) == api.get(f"clusters/{small.pk}/nodes/", **at_2)
    assert api.get(f"clusters/{made['id']}/queue/", **at_2) == api.get(f"clusters/{small.pk}/queue/", **at_2)
    # Another future.
    api.command(made["id"], kind="cordon", node="node-0")
    assert api.command(made["id"], kind="run", until="idle")["state"] == "done"
    line = api.get(f"clusters/{made['id']}/cycles/")
    assert "node-0" not in line["node"][3:]


def test_a_key_makes_one_branch(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="schedule_one")
    wanted = {"at": {"cycle": 1}, "key": "once"}
    first, again = (api.post(f"clusters/{small.pk}/branches/", wanted)["id"] for _ in range(2))
    assert first == again
    other = api.post(f"clusters/{first}/branches/", wanted)["id"]
    assert other != first


BAD = [
    ({}, 400, "at"),
    ({"at": "then"}, 400, "at"),
    ({"at": {"cycle": -1}}, 400, "at"),
    ({"at": {"cycle": 1, "seq": 1}}, 400, "at"),
    ({"at": {"cycle": True}}, 400, "at"),
    ({"at": {"cycle": 99}}, 409, "at.cycle"),
    ({"at": {"seq": 99}}, 409, "at.seq"),
    ({"at": "now", "name": 3}, 400, "name"),
    ({"at": "now", "key": ""}, 400, "key"),
    ({"at": "now", "of": 3}, 400, "of"),
]


@pytest.mark.parametrize(("body", "status", "path"), BAD)
def test_moments_that_there_are_none_of(api: Api, small: Cluster, body: Any, status: int, path: str) -> None:
    problems = api.post(f"clusters/{small.pk}/branches/", body, status)["problems"]
    assert [problem["path"] for problem in problems] == [path]
    assert Cluster.objects.count() == 1


def test_the_tree_names_and_deleting(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    a = api.post(f"clusters/{small.pk}/branches/", {"at": {"cycle": 5}, "name": "a"})["id"]
    b = api.post(f"clusters/{a}/branches/", {"at": {"cycle": 2}, "name": "b"})["id"]
    api.cluster([node("elsewhere")])
    tree = api.get(f"clusters/{b}/branches/")
    assert [(each["id"], each["parent"], each["current"]) for each in tree] == [
        (small.pk, None, False),
        (a, small.pk, False),
        (b, a, True),
    ]
    assert tree[0]["fork"] is None
    assert tree[2]["fork"] == {"seq": 3, "cycle": 2, "t": 0.002}
    refused = api.client.delete(f"/api/v1/clusters/{a}/", headers=api.headers)
    assert refused.status_code == 409
    assert '"b"' in refused.json()["problems"][0]["rule"]
    renamed = api.client.patch(f"/api/v1/clusters/{b}/", {"name": "better"}, "application/json", headers=api.headers)
    assert (renamed.status_code, renamed.json()["branch"]["name"]) == (200, "better")
    api.delete(f"clusters/{b}/")
    api.delete(f"clusters/{a}/")
    assert [each["id"] for each in api.get(f"clusters/{small.pk}/branches/")] == [small.pk]


def test_branches_count_as_clusters(api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLUSTERS_PER_USER", 2)
    api.post(f"clusters/{small.pk}/branches/", {"at": "now"})
    assert "at most 2" in api.post(f"clusters/{small.pk}/branches/", {"at": "now"}, 409)["problems"][0]["rule"]


@pytest.mark.embedded
def test_no_branch_fills_the_disk(api: Api, small: Cluster, settings: Any) -> None:
    settings.MIN_FREE_DISK = 1 << 60
    assert (
        "disk is nearly full" in api.post(f"clusters/{small.pk}/branches/", {"at": "now"}, 409)["problems"][0]["rule"]
    )


def test_two_branches_compared(api: Api, small: Cluster) -> None:
    api.command(small.pk, kind="run", until="idle")
    a = api.post(f"clusters/{small.pk}/branches/", {"at": {"cycle": 4}})["id"]
    b = api.post(f"clusters/{a}/branches/", {"at": {"cycle": 2}})["id"]
    same = api.get(f"clusters/{small.pk}/branches/compare/", **{"with": a})
    assert same["common"] == {"seq": 5, "cycle": 4}
    assert (same["divergence"]["cycle"], same["divergence"]["b"]) == (5, None)
    api.command(a, kind="run", until="idle")
    same = api.get(f"clusters/{small.pk}/branches/compare/", **{"with": a})
    assert (same["divergence"], same["moved"], same["moved_total"]) == (None, [], 0)
    assert same["counts"]["a"] == same["counts"]["b"]
    api.command(b, kind="drain", node="node-1")
    api.command(b, kind="run", until="idle")
    found = api.get(f"clusters/{b}/branches/compare/", **{"with": small.pk})
    assert found["common"] == {"seq": 3, "cycle": 2}
    divergence = found["divergence"]
    assert divergence["cycle"] >= 3
    assert divergence["a"]["pod"] == divergence["b"]["pod"]
    assert divergence["a"] != divergence["b"]
    assert found["moved_total"] == len(found["moved"]) > 0
    gone = [moved for moved in found["moved"] if moved["a"] is None]
    assert gone and gone[0]["b"]["node"] == "node-1"
    stranger = api.cluster([node("x")])
    api.get(f"clusters/{b}/branches/compare/", 404, **{"with": stranger})
    api.get(f"clusters/{b}/branches/compare/", 404, **{"with": 10**9})


def test_thinned_history_can_be_forked(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "CHECKPOINT_RECORDS", 40)
    monkeypatch.setattr(worker_session, "CHECKPOINT_SHARE", 1000.0)
    objects = [node(f"n{i}", cpu="64") for i in range(3)] + [pod(f"p{i}", cpu="100m") for i in range(120)]
    cluster = api.cluster(objects)
    for _ in range(12):
        api.command(cluster, kind="run", until={"cycles": 10})
    original = Cluster.objects.get(pk=cluster)
    whole = history_reads.read_record_bodies(cluster, 0, 1000)
    assert retention.thin_cluster(cluster, 20) > 60
    original.refresh_from_db()
    assert Record.objects.filter(cluster=original, seq=50).count() == 0
    made = branches.fork_cluster(original, {"cycle": 49})
    assert history_reads.read_record_bodies(made.pk, 0, 1000) == whole[:50]
    assert history_reads.read_matrix(made.pk, 49) == history_reads.read_matrix(cluster, 49)
    api.command(made.pk, kind="run", until="idle")
    ours = [json.loads(body)["cycle"]["node"] for body in history_reads.read_record_bodies(made.pk, 50, 1000)]
    assert ours == [json.loads(body)["cycle"]["node"] for body in whole[50:]]
    assert Checkpoint.objects.filter(cluster=made).exists()


def test_nobody_forks_or_compares_what_is_another_users(make_user: Any) -> None:
    mine, theirs = Api(make_user("me")), Api(make_user("them"))
    cluster = mine.cluster([node("a"), pod("p")])
    other = theirs.cluster([node("b")])
    theirs.post(f"clusters/{cluster}/branches/", {"at": "now"}, 404)
    theirs.get(f"clusters/{other}/branches/compare/", 404, **{"with": cluster})
    for path in ("undo/", "redo/"):
        theirs.post(f"clusters/{cluster}/{path}", {}, 404)
    theirs.get(f"clusters/{cluster}/breakpoints/", 404)
    assert [each["id"] for each in theirs.get(f"clusters/{other}/branches/")] == [other]
