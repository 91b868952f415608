"""Whatever interrupts a worker: the records are those of an undisturbed run, each of them once."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner, loaded_clusters, session_control, worker_session
from playground.engine.loaded_clusters import LoadedCluster
from playground.models import Checkpoint, Cluster
from playground.outbound.egress import RecordingTransport
from simulator.simulation import Simulation
from tests.resilience.command_story import Killed, begin, bodies, everything, kill_at
from tests.web import Api, node


@pytest.fixture
def undisturbed(web: None) -> dict[str, Any]:
    cluster = begin()
    command_runner.apply_commands(cluster)
    found = everything(cluster)
    assert [command["state"] for command in found["commands"]].count("failed") == 1
    assert any(json.loads(body)["kind"] == "binding" for body in found["records"])
    return found


@pytest.mark.usefixtures("commit_every_record")
@pytest.mark.parametrize("checkpoints", [False, True])
def test_killed_at_every_commit(
    undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, request: Any, checkpoints: bool
) -> None:
    """Every process gets two commits further and dies, every other time with the last one not done."""
    request.getfixturevalue("checkpoint_often" if checkpoints else "checkpoint_never")
    cluster, deaths = begin(), 0
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        assert deaths < 200
        loaded_clusters.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 3, after=bool(deaths % 2))
            try:
                command_runner.apply_commands(cluster)
            except Killed:
                deaths += 1
        assert bodies(cluster) == undisturbed["records"][: len(bodies(cluster))]
    assert deaths > 20
    assert everything(cluster) == undisturbed
    assert Checkpoint.objects.filter(cluster_id=cluster).exists() == checkpoints


@pytest.mark.usefixtures("commit_every_record")
@pytest.mark.parametrize("checkpoints", [False, True])
def test_two_processes_take_turns(
    undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, request: Any, checkpoints: bool
) -> None:
    """Each keeps a simulation in memory that the other leaves behind, and catches up past checkpoints, too."""
    if checkpoints:
        request.getfixturevalue("checkpoint_often")
        monkeypatch.setattr(loaded_clusters, "OBJECTS_PER_RECORD", 0.01)
    memories = [loaded_clusters.LoadedClusterCache(), loaded_clusters.LoadedClusterCache()]
    cluster = begin()
    turns: Iterator[int] = iter(range(10**9))
    monkeypatch.setattr(session_control.SessionControl, "must_end", lambda self: next(turns) % 3 == 2)
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        memories.reverse()
        monkeypatch.setattr(loaded_clusters, "_in_memory", memories[0])
        command_runner.apply_commands(cluster)
    assert everything(cluster) == undisturbed


def test_small_chunks_make_no_difference(undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "CHUNK_RECORDS", 2)
    cluster = begin()
    command_runner.apply_commands(cluster)
    assert everything(cluster) == undisturbed


def test_a_restart_changes_nothing(undisturbed: dict[str, Any]) -> None:
    """What a new process rebuilds goes on as the old one would have."""

    def go_on(restart: bool) -> list[str]:
        cluster = begin()
        command_runner.apply_commands(cluster)
        if restart:
            loaded_clusters.forget_all()
        commands.submit(cluster, {"kind": "run", "until": "idle"})
        command_runner.apply_commands(cluster)
        return bodies(cluster)

    assert go_on(restart=True) == go_on(restart=False)


def test_a_past_moment_can_be_rebuilt(undisturbed: dict[str, Any], checkpoint_often: None) -> None:
    cluster = begin()
    command_runner.apply_commands(cluster)
    row = Cluster.objects.get(pk=cluster)
    for seq in (1, 4, row.revision // 2, row.revision):
        assert loaded_clusters.load_at(row, seq).simulation.seq == seq


def test_who_is_a_few_records_behind_a_checkpoint_of_a_large_cluster_does_not_read_it(
    api: Api, checkpoint_often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = api.cluster([node(f"n-{number}") for number in range(100)])
    # Another process has the next turn.
    behind = dict(loaded_clusters._in_memory)
    loaded_clusters.forget_all()
    commands.submit(cluster, {"kind": "create", "objects": [node("one-more")]})
    command_runner.apply_commands(cluster)
    row = Cluster.objects.get(pk=cluster)
    loaded_clusters._in_memory.update(behind)
    assert Checkpoint.objects.latest("seq").seq == row.revision > behind[cluster].simulation.seq
    monkeypatch.setattr(loaded_clusters, "_restore", None)
    found = loaded_clusters.load(row)
    assert found is behind[cluster] and found.is_at(row)
    assert found.checkpointed == row.revision


def test_a_process_keeps_the_clusters_of_a_class_or_a_few_large_ones() -> None:
    small, large = (LoadedCluster(Simulation.create(), RecordingTransport()) for _ in range(2))
    list(large.apply({"kind": "create", "objects": [node(f"n-{number}") for number in range(8000)]}))
    memory = loaded_clusters.LoadedClusterCache()
    for number in range(110):
        memory[number] = small
    assert list(memory) == list(range(10, 110))
    for number in range(5):
        memory[number] = large
    assert list(memory) == [1, 2, 3, 4]
