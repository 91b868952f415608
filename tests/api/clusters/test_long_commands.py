"""Commands that controllers make much of: they are stored in parts, can be paused, and a defect fails one of them."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kube_controllers import api as writes
from kube_controllers.replica_set.replica_set_controller import ReplicaSetController
from playground.clusters import commands, lifecycle
from playground.engine import command_runner, commits, loaded_clusters, session_control, worker_session
from playground.models import BeforeChange, Cluster, Command
from playground.store import quota
from simulator.simulation import Simulation
from tests.core.controllers.chaos import workload
from tests.resilience.command_story import Killed, begin, everything, kill_at
from tests.web import node

BILLION = 10**9
ENDLESS = {"kind": "create", "objects": [workload("Deployment", "web", replicas=BILLION)]}
ON = {"kind": "set_actors", "actors": "all"}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "COMMAND_RECORDS", 2)
    monkeypatch.setattr("kube_controllers.replica_set.replica_set_controller.BURST", 10)


def at_commit(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], Any]) -> None:
    commit, seen = commits.commit_records, iter(range(1, 10**9))

    def acting(*arguments: Any) -> Any:
        result = commit(*arguments)
        if next(seen) == number:
            act()
        return result

    monkeypatch.setattr(commits, "commit_records", acting)


def given(small: Cluster, *payloads: dict[str, Any]) -> Command:
    """Submit these commands, and return the last one."""
    return [commands.submit(small.pk, payload) for payload in payloads][-1]


def test_a_pause_stops_controllers_and_the_change_can_be_undone(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(small, ON)
    command_runner.apply_commands(small.pk)
    create = given(small, ENDLESS)
    at_commit(monkeypatch, 4, lambda: commands.pause(small.pk))
    command_runner.apply_commands(small.pk)
    create.refresh_from_db()
    assert (create.state, create.records) == ("stopped", 8)
    assert BeforeChange.objects.filter(cluster=small, number=create.number).count() == 1
    assert create.what


def test_a_deleted_cluster_ends_its_command(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    given(small, ON)
    command_runner.apply_commands(small.pk)
    given(small, ENDLESS)
    at_commit(monkeypatch, 4, lambda: lifecycle.delete_cluster(Cluster.objects.get(pk=small.pk)))
    command_runner.apply_commands(small.pk)
    assert not Cluster.objects.filter(pk=small.pk).exists()


def test_a_full_quota_ends_it(small: Cluster, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    create = given(small, ON, ENDLESS)
    settings.CLUSTER_QUOTA = quota.stored_bytes(small.pk) + 100_000
    command_runner.apply_commands(small.pk)
    create.refresh_from_db()
    assert create.state == "failed"
    assert "quota" in create.problems[0]["rule"]


def test_killed_at_every_commit(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "MOST_OF_A_KIND", 95)
    story: list[dict[str, Any]] = [
        {"kind": "create", "objects": [node("a")]},
        ON,
        ENDLESS,
        {"kind": "advance_clock", "seconds": 30},
    ]
    calm = begin(story, "")
    command_runner.apply_commands(calm)
    undisturbed = everything(calm)
    cluster, deaths = begin(story, ""), 0
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        assert deaths < 200
        loaded_clusters.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 3, after=bool(deaths % 2))
            try:
                command_runner.apply_commands(cluster)
            except Killed:
                deaths += 1
    assert deaths > 3
    assert everything(cluster) == undisturbed


def test_a_defect_of_a_controller_fails_the_command_and_no_other(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any, obj: Any, view: Any) -> Any:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(ReplicaSetController, "reconcile", broken)
    create = given(small, ON, {"kind": "create", "objects": [workload("ReplicaSet", "web", replicas=1)]})
    later = given(small, {"kind": "create", "objects": [workload("DaemonSet", "agent")]})
    command_runner.apply_commands(small.pk)
    create.refresh_from_db()
    later.refresh_from_db()
    assert (create.state, later.state) == ("failed", "done")
    assert "ZeroDivisionError: oops" in create.problems[0]["rule"]


@pytest.mark.parametrize(("seconds", "paused", "state"), [(0.0, False, "failed"), (60.0, True, "stopped")])
def test_a_step_without_a_record_ends(
    small: Cluster, monkeypatch: pytest.MonkeyPatch, seconds: float, paused: bool, state: str
) -> None:
    def endless(self: Any, until: float) -> Iterator[Any]:
        began = time.monotonic()
        while time.monotonic() - began < 20:
            self.pulse()
            if paused:
                commands.pause(small.pk)
        yield self.record("clock")

    long = given(small, {"kind": "advance_clock", "seconds": 5})
    with monkeypatch.context() as patch:
        patch.setattr(session_control, "QUIET_SECONDS", 0.0)
        patch.setattr(session_control, "STEP_SECONDS", seconds)
        patch.setattr(Simulation, "advance", endless)
        command_runner.apply_commands(small.pk)
    long.refresh_from_db()
    assert (long.state, long.records) == (state, 0)
    after = given(small, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    after.refresh_from_db()
    assert (after.state, after.records) == ("done", 8)
