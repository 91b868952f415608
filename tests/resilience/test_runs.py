"""Runs that are told something on their way, and what may go wrong with them."""

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from playground.accounts.services import get_local_user
from playground.clusters import commands, lifecycle
from playground.engine import command_runner, commits, loaded_clusters, session_control, shutdown, worker_session
from playground.models import Checkpoint, Cluster, Cycle
from playground.objects import queue_reads
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from tests.resilience.command_story import Killed, bodies, kill_at
from tests.web import node


@pytest.fixture
def at_commit(monkeypatch: pytest.MonkeyPatch, commit_every_record: None) -> Callable[[int, Callable[[], Any]], None]:
    """Do something right after the commit of this number."""

    def plan(number: int, act: Callable[[], Any]) -> None:
        commit, seen = commits.commit_records, iter(range(1, 10**9))

        def acting(*arguments: Any) -> Any:
            result = commit(*arguments)
            if next(seen) == number:
                act()
            return result

        monkeypatch.setattr(commits, "commit_records", acting)

    return plan


def test_pause_stops_after_the_current_cycle(small: Cluster, at_commit: Any) -> None:
    at_commit(3, lambda: commands.pause(small.pk))
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("stopped", 3)
    loaded_clusters.forget_all()
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    assert len(bodies(small.pk)) == 9


def test_pace(small: Cluster) -> None:
    commands.set_pace(small.pk, 20)
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    began = time.monotonic()
    command_runner.apply_commands(small.pk)
    # Eight cycles with seven pauses of 50 ms.
    assert 0.35 <= time.monotonic() - began < 6


def test_a_slow_run_can_be_paused_and_made_fast(small: Cluster, at_commit: Any) -> None:
    commands.set_pace(small.pk, 0.1)
    at_commit(1, lambda: commands.pause(small.pk))
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    began = time.monotonic()
    command_runner.apply_commands(small.pk)
    at_commit(1, lambda: commands.set_pace(small.pk, 0))
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    # A single pause would take 10 s.
    assert time.monotonic() - began < 8
    assert len(bodies(small.pk)) == 9


def test_a_worker_that_stops_gives_the_lease_back(small: Cluster, at_commit: Any) -> None:
    at_commit(4, shutdown._stop)
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    try:
        command_runner.apply_commands(small.pk)
    finally:
        shutdown._begin()
    run.refresh_from_db()
    assert (run.state, run.records, Cluster.objects.get(pk=small.pk).lease_holder) == ("running", 4, "")
    loaded_clusters.forget_all()
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


def test_others_get_their_turn(small: Cluster, monkeypatch: pytest.MonkeyPatch, commit_every_record: None) -> None:
    monkeypatch.setattr(session_control, "TURN_SECONDS", 0.0)
    other = lifecycle.create_cluster(get_local_user(), "other", objects=[node("n")])
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert run.state == "running"
    assert 0 < run.records < 8
    command_runner.apply_commands(other.pk)
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


# What goes wrong


def break_after(monkeypatch: pytest.MonkeyPatch, cycles: int) -> None:
    """An engine with a defect: it breaks in the cycle after these."""
    attempt = loaded_clusters.Simulation.attempt

    def broken(self: Any) -> Any:
        if self.cycle >= cycles:
            self.cluster.queue.pop()
            raise ZeroDivisionError("oops")
        yield from attempt(self)

    monkeypatch.setattr(loaded_clusters.Simulation, "attempt", broken)


def test_an_engine_that_breaks(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        break_after(patch, 3)
        run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
        command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("failed", 3)
    assert "ZeroDivisionError: oops" in run.problems[0]["rule"]
    # What the broken attempt had done to the simulation is gone; nothing else is.
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    assert Cycle.objects.filter(cluster=small).count() == 8
    assert queue_reads.read_lanes(small, 10)["counts"] == {"bound": 7, "unschedulable": 1}


def test_a_defect_in_one_attempt_lets_the_run_go_on(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that makes the records again gets the same ones, so the next run binds the pod."""

    def broken(self: Any, state: Any, pod: Any, nodes: Any) -> Any:
        if pod.name.endswith("1") and not pod.conditions:
            raise ZeroDivisionError("oops")
        return pre_filter(self, state, pod, nodes)

    pre_filter = NodeResourcesFit.pre_filter
    monkeypatch.setattr(NodeResourcesFit, "pre_filter", broken)
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert run.state == "failed"
    assert "ZeroDivisionError: oops" in run.problems[0]["rule"]
    failed = Cycle.objects.filter(cluster=small, outcome="error").values_list("message", flat=True)
    assert list(failed) == ["the engine failed: ZeroDivisionError: oops"]
    loaded_clusters.forget_all()
    later = commands.submit(small.pk, {"kind": "run", "until": {"seconds": 20}})
    command_runner.apply_commands(small.pk)
    later.refresh_from_db()
    assert later.state == "done"
    assert queue_reads.read_lanes(small, 10)["counts"] == {"bound": 7, "unschedulable": 1}


def test_a_command_that_kills_its_workers_is_given_up(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    deadly = commands.submit(small.pk, {"kind": "schedule_one"})
    commands.submit(small.pk, {"kind": "advance_clock", "seconds": 1})
    for _ in range(worker_session.MOST_ATTEMPTS):
        with monkeypatch.context() as patch:
            kill_at(patch, 1, after=False)
            with pytest.raises(Killed):
                command_runner.apply_commands(small.pk)
        loaded_clusters.forget_all()
    command_runner.apply_commands(small.pk)
    deadly.refresh_from_db()
    assert deadly.state == "failed"
    assert "5 workers ended" in deadly.problems[0]["rule"]
    assert Cluster.objects.get(pk=small.pk).applied == 3


def test_leaving_in_good_order_is_no_death(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A very slow run, and others that wait: many turns pass without a cycle."""
    monkeypatch.setattr(session_control, "TURN_SECONDS", 0.0)
    lifecycle.create_cluster(get_local_user(), "other", objects=[node("n")])
    commands.set_pace(small.pk, 0.05)
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    for _ in range(worker_session.MOST_ATTEMPTS + 2):
        command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records, run.attempts) == ("running", 1, 0)


def test_a_run_that_gets_on_is_never_given_up(
    small: Cluster, monkeypatch: pytest.MonkeyPatch, commit_every_record: None
) -> None:
    run = commands.submit(small.pk, {"kind": "run", "until": "idle"})
    for _ in range(worker_session.MOST_ATTEMPTS + 2):
        loaded_clusters.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 1, after=True)
            with pytest.raises(Killed):
                command_runner.apply_commands(small.pk)
    command_runner.apply_commands(small.pk)
    run.refresh_from_db()
    assert (run.state, run.records) == ("done", 8)


@pytest.mark.parametrize("body", [b"nonsense", b"\x02nonsense", b"{nonsense"])
def test_a_checkpoint_that_cannot_be_read_is_done_without(small: Cluster, checkpoint_often: None, body: bytes) -> None:
    commands.submit(small.pk, {"kind": "run", "until": {"cycles": 5}})
    command_runner.apply_commands(small.pk)
    Checkpoint.objects.update(body=body)
    loaded_clusters.forget_all()
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    assert len(bodies(small.pk)) == 9


def test_checkpoints_are_thinned_out() -> None:
    from playground.engine.checkpoints import index_to_drop

    kept: list[int] = []
    for seq in range(1, 2000):
        kept.append(seq)
        while len(kept) > 24:
            del kept[index_to_drop(kept)]
    assert (kept[0], kept[-3:]) == (1, [1997, 1998, 1999])
    # Any moment is near one that was kept.
    assert max(later - earlier for earlier, later in pairwise(kept)) <= 2000 / 8
