"""Whatever interrupts a worker: the records are those of an undisturbed run, each of them once."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from playground import pacing, runner, shutdown, simulations
from playground.models import Checkpoint, Cluster, ClusterObject, Command, Cycle, PodState, Record
from playground.realtime.publisher import PATIENCE_SECONDS
from playground.selectors import clusters as selectors
from playground.selectors import nodes, queue
from playground.services import clusters, commands, history, leases
from playground.services.accounts import local_user
from playground.services.leases import LeaseLostError
from playground.services.renewal import Renewal
from tests.web import node, pod

GANG = (
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
    "- plugins:\n    multiPoint:\n      enabled:\n      - name: Gang\n"
)


def member(gang: str, name: str, **options: Any) -> dict[str, Any]:
    made = pod(name, **options)
    made["metadata"]["labels"] = {"gang.example.com/name": gang, "gang.example.com/size": "3"}
    return made


OBJECTS = [node(f"node-{i}", zone=f"z{i % 2}") for i in range(4)]
OBJECTS += [pod(f"low-{i}", cpu="900m") for i in range(14)]
OBJECTS += [pod(f"high-{i}", cpu="2", priority=1000) for i in range(3)] + [pod("large", cpu="64")]
OBJECTS += [member("first", f"first-{i}", cpu="100m", priority=2000) for i in range(3)]
OBJECTS += [member("lonely", "lonely-0", cpu="100m", priority=3000)]
STORY: list[dict[str, Any]] = [
    {"kind": "create", "objects": OBJECTS},
    {"kind": "schedule_one"},
    {"kind": "run", "until": {"cycles": 5}},
    {"kind": "fail_binding", "message": "no luck"},
    {"kind": "run", "until": {"pod": "default/low-3"}},
    {"kind": "create", "objects": [node("node-4")]},
    {"kind": "create", "objects": [node("node-4")]},  # fails: it exists
    {"kind": "run", "until": "idle"},
    {"kind": "advance_clock", "seconds": 12},
    {"kind": "run", "until": "idle"},
    {"kind": "advance_clock", "seconds": 40},  # the lonely gang gives up
    {"kind": "seed", "seed": 3},
    {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "low-1"}]},
    {"kind": "set_config", "yaml": GANG + "podInitialBackoffSeconds: 3\n"},
    {"kind": "run", "until": {"cycles": 4}},
    {"kind": "reset"},
    {"kind": "run", "until": {"cycles": 9}},
]


class Killed(BaseException):
    """The process ends here."""


def begin() -> int:
    """A cluster with the whole story queued."""
    cluster = clusters.create(local_user(), "story", seed=11, config=GANG)
    for command in STORY:
        commands.submit(cluster.pk, command)
    return cluster.pk


def bodies(cluster_id: int) -> list[str]:
    return list(Record.objects.filter(cluster_id=cluster_id).order_by("seq").values_list("body", flat=True))


def everything(cluster_id: int) -> dict[str, Any]:
    """All that can be read of a cluster."""
    state = selectors.state(cluster_id)
    assert state is not None
    commands_given = Command.objects.filter(cluster_id=cluster_id).order_by("number")
    cycles = Cycle.objects.filter(cluster_id=cluster_id).order_by("number")
    versions = PodState.objects.filter(cluster_id=cluster_id).order_by("pod", "since")
    return {
        "records": bodies(cluster_id),
        "state": {name: value for name, value in state.items() if name != "id"},
        "nodes": nodes.columns(cluster_id),
        "queue": queue.lanes(cluster_id, 1000),
        "commands": list(commands_given.values("number", "state", "records", "cycles", "problems")),
        "cycles": list(cycles.values("number", "seq", "pod", "outcome", "node")),
        "versions": list(versions.values("pod", "since", "until", "lane", "node", "requests")),
        "objects": {
            (found.kind, found.key): found.manifest for found in ClusterObject.objects.filter(cluster_id=cluster_id)
        },
    }


@pytest.fixture
def undisturbed(web: None) -> dict[str, Any]:
    cluster = begin()
    runner.drain(cluster)
    found = everything(cluster)
    assert [command["state"] for command in found["commands"]].count("failed") == 1
    assert any(json.loads(body)["kind"] == "binding" for body in found["records"])
    return found


@pytest.fixture
def checkpoint_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CHECKPOINT_RECORDS", 1)
    monkeypatch.setattr(runner, "CHECKPOINT_SHARE", 1000.0)


@pytest.fixture
def commit_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CHUNK_RECORDS", 1)


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int, *, after: bool) -> None:
    """Die at the commit of this number, just before it or just after it."""
    commit, seen = history.commit, iter(range(1, 10**9))

    def deadly(*arguments: Any) -> Any:
        if next(seen) < number:
            return commit(*arguments)
        if after:
            commit(*arguments)
        raise Killed

    monkeypatch.setattr(history, "commit", deadly)


@pytest.mark.usefixtures("commit_every_record")
@pytest.mark.parametrize("checkpoints", [False, True])
def test_killed_at_every_commit(
    undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch, request: Any, checkpoints: bool
) -> None:
    """Every process gets two commits further and dies, every other time with the last one not done."""
    if checkpoints:
        request.getfixturevalue("checkpoint_often")
    cluster, deaths = begin(), 0
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        assert deaths < 200
        simulations.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 3, after=bool(deaths % 2))
            try:
                runner.drain(cluster)
            except Killed:
                deaths += 1
        assert bodies(cluster) == undisturbed["records"][: len(bodies(cluster))]
    assert deaths > 20
    assert everything(cluster) == undisturbed
    assert Checkpoint.objects.filter(cluster_id=cluster).exists() == checkpoints


@pytest.mark.usefixtures("commit_every_record")
def test_two_processes_take_turns(undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each keeps a simulation in memory that the other leaves behind."""
    memories: list[Any] = [type(simulations._kept)(), type(simulations._kept)()]
    cluster = begin()
    turns: Iterator[int] = iter(range(10**9))
    monkeypatch.setattr(pacing.Control, "must_leave", lambda self: next(turns) % 3 == 2)
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        memories.reverse()
        monkeypatch.setattr(simulations, "_kept", memories[0])
        runner.drain(cluster)
    assert everything(cluster) == undisturbed


def test_small_chunks_make_no_difference(undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CHUNK_RECORDS", 2)
    cluster = begin()
    runner.drain(cluster)
    assert everything(cluster) == undisturbed


def test_a_restart_changes_nothing(undisturbed: dict[str, Any]) -> None:
    """What a new process rebuilds goes on as the old one would have."""

    def go_on(restart: bool) -> list[str]:
        cluster = begin()
        runner.drain(cluster)
        if restart:
            simulations.forget_all()
        commands.submit(cluster, {"kind": "run", "until": "idle"})
        runner.drain(cluster)
        return bodies(cluster)

    assert go_on(restart=True) == go_on(restart=False)


def test_a_past_moment_can_be_rebuilt(undisturbed: dict[str, Any], checkpoint_often: None) -> None:
    cluster = begin()
    runner.drain(cluster)
    row = Cluster.objects.get(pk=cluster)
    for seq in (1, 4, row.revision // 2, row.revision):
        assert simulations.at(row, seq).simulation.seq == seq


# The lease


def test_nobody_else_works_on_a_cluster_with_a_live_lease(small: Cluster) -> None:
    commands.submit(small.pk, {"kind": "schedule_one"})
    assert leases.acquire(small.pk, "other") is not None
    runner.drain(small.pk)
    assert Cluster.objects.get(pk=small.pk).applied == 1


def test_a_lease_that_ran_out_is_taken_over(small: Cluster) -> None:
    commands.submit(small.pk, {"kind": "schedule_one"})
    first = leases.acquire(small.pk, "dead")
    assert first is not None
    Cluster.objects.filter(pk=small.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))
    runner.drain(small.pk)
    row = Cluster.objects.get(pk=small.pk)
    assert (row.applied, row.lease_holder, row.lease_fencing) == (2, "", first.fencing + 1)


def test_a_late_writer_fails_and_stores_nothing(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was only asleep comes back after another took over, with records of its own."""
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    commit = history.commit

    def fall_asleep(lease: Any, *arguments: Any) -> Any:
        monkeypatch.undo()
        Cluster.objects.filter(pk=small.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))
        runner.drain(small.pk)
        return commit(lease, *arguments)

    monkeypatch.setattr(history, "commit", fall_asleep)
    runner.drain(small.pk)
    assert [json.loads(body)["seq"] for body in bodies(small.pk)] == list(range(1, 10))
    assert Command.objects.get(cluster=small, number=2).state == "done"
    assert Cluster.objects.get(pk=small.pk).lease_holder == ""


def test_a_late_writer_cannot_even_begin(small: Cluster) -> None:
    command = commands.submit(small.pk, {"kind": "schedule_one"})
    late = leases.acquire(small.pk, "late")
    assert late is not None
    leases.release(late)
    runner.drain(small.pk)
    with pytest.raises(LeaseLostError):
        history.begin(late, command, 0)
    command.refresh_from_db()
    assert command.state == "done"


def test_the_lease_is_renewed_beside_the_work(small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LEASE_SECONDS = 1.0
    take = runner.simulations.take
    left: list[float] = []

    def slow_take(cluster: Cluster) -> Any:
        time.sleep(1.6)
        expires = Cluster.objects.get(pk=cluster.pk).lease_expires
        assert expires is not None
        left.append((expires - timezone.now()).total_seconds())
        return take(cluster)

    monkeypatch.setattr(runner.simulations, "take", slow_take)
    commands.submit(small.pk, {"kind": "schedule_one"})
    runner.drain(small.pk)
    assert left[0] > 0.5
    assert Cluster.objects.get(pk=small.pk).applied == 2


def test_a_renewal_gets_over_a_broken_connection(
    small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LEASE_SECONDS = 1.0
    lease = leases.acquire(small.pk, "somebody")
    assert lease is not None
    write, renewed = leases.write, threading.Event()

    def first_without_connection(lease: leases.Lease) -> None:
        if not failed.is_set():
            failed.set()
            connection.ensure_connection()
            connection.connection.close()
        write(lease)
        renewed.set()

    failed = threading.Event()
    monkeypatch.setattr(leases, "write", first_without_connection)
    with Renewal(lease, leases.write) as renewal:
        assert renewed.wait(10)
    assert failed.is_set()
    assert not renewal.lost


def test_a_broker_that_does_not_answer_holds_up_no_run(small: Cluster, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        layer = settings.CHANNEL_LAYERS["default"]
        hosts = {"hosts": [f"redis://127.0.0.1:{silent.getsockname()[1]}/0"]}
        settings.CHANNEL_LAYERS = {"default": {**layer, "CONFIG": {**layer["CONFIG"], **hosts}}}
        commands.submit(small.pk, {"kind": "run", "until": "idle"})
        began = time.monotonic()
        runner.drain(small.pk)
        assert time.monotonic() - began < 2 * PATIENCE_SECONDS + 1
    assert len(bodies(small.pk)) == 9


def test_a_command_posted_while_the_lease_is_given_back_is_not_forgotten(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = leases.release_when_done
    posted: list[Command] = []

    def just_then(lease: Any) -> bool:
        if not posted:
            posted.append(commands.submit(small.pk, {"kind": "schedule_one"}))
        return release(lease)

    monkeypatch.setattr(leases, "release_when_done", just_then)
    commands.submit(small.pk, {"kind": "schedule_one"})
    runner.drain(small.pk)
    assert Cluster.objects.get(pk=small.pk).applied == 3


def test_a_cluster_deleted_in_the_middle(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = history.commit

    def delete_first(*arguments: Any) -> Any:
        clusters.delete(Cluster.objects.get(pk=small.pk))
        return commit(*arguments)

    monkeypatch.setattr(history, "commit", delete_first)
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    assert not Record.objects.exists()
    runner.drain(small.pk)


# Runs that are told something on their way


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch, commit_every_record: None) -> Callable[[int, Callable[[], Any]], None]:
    """Do something right after the commit of this number."""

    def plan(number: int, act: Callable[[], Any]) -> None:
        commit, seen = history.commit, iter(range(1, 10**9))

        def acting(*arguments: Any) -> Any:
            result = commit(*arguments)
            if next(seen) == number:
                act()
            return result

        monkeypatch.setattr(history, "commit", acting)

    return plan


def test_pause_stops_after_the_current_cycle(small: Cluster, at_commit: Any) -> None:
    at_commit(3, lambda: commands.pause(small.pk))
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("stopped", 3)
    simulations.forget_all()
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    assert len(bodies(small.pk)) == 9


def test_pace(small: Cluster) -> None:
    commands.set_pace(small.pk, 20)
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    began = time.monotonic()
    runner.drain(small.pk)
    # Eight cycles with seven pauses of 50 ms.
    assert 0.35 <= time.monotonic() - began < 6


def test_a_slow_run_can_be_paused_and_made_fast(small: Cluster, at_commit: Any) -> None:
    commands.set_pace(small.pk, 0.1)
    at_commit(1, lambda: commands.pause(small.pk))
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    began = time.monotonic()
    runner.drain(small.pk)
    at_commit(1, lambda: commands.set_pace(small.pk, 0))
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    # A single pause would take 10 s.
    assert time.monotonic() - began < 8
    assert len(bodies(small.pk)) == 9


def test_a_worker_that_stops_gives_the_lease_back(small: Cluster, at_commit: Any) -> None:
    at_commit(4, shutdown._stop)
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    try:
        runner.drain(small.pk)
    finally:
        shutdown._begin()
    run.refresh_from_db()
    assert (run.state, run.records, Cluster.objects.get(pk=small.pk).lease_holder) == ("running", 4, "")
    simulations.forget_all()
    runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


def test_others_get_their_turn(small: Cluster, monkeypatch: pytest.MonkeyPatch, commit_every_record: None) -> None:
    monkeypatch.setattr(pacing, "TURN_SECONDS", 0.0)
    other = clusters.create(local_user(), "other", objects=[node("n")])
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    run.refresh_from_db()
    assert run.state == "running"
    assert 0 < run.records < 8
    runner.drain(other.pk)
    runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


# What goes wrong


def break_after(monkeypatch: pytest.MonkeyPatch, cycles: int) -> None:
    """An engine with a defect: it breaks in the cycle after these."""
    attempt = simulations.Simulation._attempt

    def broken(self: Any) -> Any:
        if self.cycle >= cycles:
            self.cluster.queue.pop()
            raise ZeroDivisionError("oops")
        yield from attempt(self)

    monkeypatch.setattr(simulations.Simulation, "_attempt", broken)


def test_an_engine_that_breaks(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        break_after(patch, 3)
        run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
        runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("failed", 3)
    assert "ZeroDivisionError: oops" in run.problems[0]["rule"]
    # What the broken attempt had done to the simulation is gone; nothing else is.
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    assert Cycle.objects.filter(cluster=small).count() == 8
    assert queue.lanes(small.pk, 10)["counts"] == {"bound": 7, "unschedulable": 1}


def test_a_command_that_kills_its_workers_is_given_up(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    deadly = commands.submit(small.pk, {"kind": "schedule_one"})
    commands.submit(small.pk, {"kind": "advance_clock", "seconds": 1})
    for _ in range(runner.MOST_ATTEMPTS):
        with monkeypatch.context() as patch:
            kill_at(patch, 1, after=False)
            with pytest.raises(Killed):
                runner.drain(small.pk)
        simulations.forget_all()
    runner.drain(small.pk)
    deadly.refresh_from_db()
    assert deadly.state == "failed"
    assert "5 workers ended" in deadly.problems[0]["rule"]
    assert Cluster.objects.get(pk=small.pk).applied == 3


def test_leaving_in_good_order_is_no_death(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A very slow run, and others that wait: many turns pass without a cycle."""
    monkeypatch.setattr(pacing, "TURN_SECONDS", 0.0)
    clusters.create(local_user(), "other", objects=[node("n")])
    commands.set_pace(small.pk, 0.05)
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    for _ in range(runner.MOST_ATTEMPTS + 2):
        runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records, run.attempts) == ("running", 1, 0)


def test_a_run_that_gets_on_is_never_given_up(
    small: Cluster, monkeypatch: pytest.MonkeyPatch, commit_every_record: None
) -> None:
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    for _ in range(runner.MOST_ATTEMPTS + 2):
        simulations.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 1, after=True)
            with pytest.raises(Killed):
                runner.drain(small.pk)
    runner.drain(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


def test_a_checkpoint_that_cannot_be_read_is_done_without(small: Cluster, checkpoint_often: None) -> None:
    commands.submit(small.pk, {"kind": "run", "until": {"cycles": 5}})
    runner.drain(small.pk)
    Checkpoint.objects.update(body=b"nonsense")
    simulations.forget_all()
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    runner.drain(small.pk)
    assert len(bodies(small.pk)) == 9


def test_checkpoints_are_thinned_out() -> None:
    from playground.services.checkpoints import superfluous

    kept: list[int] = []
    for seq in range(1, 2000):
        kept.append(seq)
        while len(kept) > 24:
            del kept[superfluous(kept)]
    assert (kept[0], kept[-3:]) == (1, [1997, 1998, 1999])
    # Any moment is near one that was kept.
    assert max(later - earlier for earlier, later in pairwise(kept)) <= 2000 / 8
