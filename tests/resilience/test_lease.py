"""One worker at a cluster: the lease, its renewal, and writers that come too late."""

import json
import socket
import threading
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from playground.clusters import commands, lifecycle
from playground.engine import command_runner, commits, leases, loaded_clusters
from playground.engine.lease_renewal import LeaseRenewal
from playground.engine.leases import LeaseLostError
from playground.models import Cluster, Command, Record
from playground.news.publisher import PATIENCE_SECONDS
from tests.resilience.command_story import bodies
from tests.services import wait_for


def test_nobody_else_works_on_a_cluster_with_a_live_lease(small: Cluster) -> None:
    commands.submit(small.pk, {"kind": "schedule_one"})
    assert leases.acquire(small.pk, "other") is not None
    command_runner.apply_commands(small.pk)
    assert Cluster.objects.get(pk=small.pk).applied == 1


def test_a_lease_that_ran_out_is_taken_over(small: Cluster) -> None:
    commands.submit(small.pk, {"kind": "schedule_one"})
    first = leases.acquire(small.pk, "dead")
    assert first is not None
    Cluster.objects.filter(pk=small.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))
    command_runner.apply_commands(small.pk)
    row = Cluster.objects.get(pk=small.pk)
    assert (row.applied, row.lease_holder, row.lease_fencing) == (2, "", first.fencing + 1)


def test_who_leaves_late_changes_nothing_and_says_so(small: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    """One that was asleep, and then has nothing to write, is told of as any other."""
    late = leases.acquire(small.pk, "late")
    Cluster.objects.filter(pk=small.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))
    other = leases.acquire(small.pk, "other")
    assert late is not None and other is not None
    leases.release(late)
    assert caplog.messages == [f"cluster {small.pk}: another worker holds the lease"]
    assert Cluster.objects.get(pk=small.pk).lease_holder == "other"
    leases.release(other)
    assert len(caplog.messages) == 1


def test_a_late_writer_fails_and_stores_nothing(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was only asleep comes back after another took over, with records of its own."""
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    commit = commits.commit_records

    def fall_asleep(lease: Any, *arguments: Any) -> Any:
        monkeypatch.undo()
        Cluster.objects.filter(pk=small.pk).update(lease_expires=timezone.now() - timedelta(seconds=1))
        command_runner.apply_commands(small.pk)
        return commit(lease, *arguments)

    monkeypatch.setattr(commits, "commit_records", fall_asleep)
    command_runner.apply_commands(small.pk)
    assert [json.loads(body)["seq"] for body in bodies(small.pk)] == list(range(1, 10))
    assert Command.objects.get(cluster=small, number=2).state == "done"
    assert Cluster.objects.get(pk=small.pk).lease_holder == ""


def test_a_late_writer_cannot_even_begin(small: Cluster) -> None:
    command = commands.submit(small.pk, {"kind": "schedule_one"})
    late = leases.acquire(small.pk, "late")
    assert late is not None
    leases.release(late)
    command_runner.apply_commands(small.pk)
    with pytest.raises(LeaseLostError):
        commits.mark_running(late, command, 0)
    command.refresh_from_db()
    assert command.state == "done"


def test_the_lease_is_renewed_beside_the_work(small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LEASE_SECONDS = 1.0
    take = loaded_clusters.load
    left: list[float] = []

    def expires() -> datetime:
        found = Cluster.objects.get(pk=small.pk).lease_expires
        assert found is not None
        return found

    def slow_take(cluster: Cluster) -> Any:
        first = expires()
        wait_for(lambda: timezone.now() > first + timedelta(seconds=0.5), "the lease's first second, and more")
        left.append((expires() - timezone.now()).total_seconds())
        return take(cluster)

    monkeypatch.setattr(loaded_clusters, "load", slow_take)
    commands.submit(small.pk, {"kind": "schedule_one"})
    command_runner.apply_commands(small.pk)
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
    with LeaseRenewal(lease, leases.write) as renewal:
        assert renewed.wait(10)
    assert failed.is_set()
    assert not renewal.lost


def test_one_thread_renews_all_that_are_held_and_nothing_else(small: Cluster, settings: Any) -> None:
    """Also once leases last less long than when it went to sleep."""
    lease = leases.acquire(small.pk, "somebody")
    assert lease is not None
    renewed: list[tuple[str, int]] = []
    both = threading.Event()

    def note(name: str) -> Any:
        def write(_: leases.Lease) -> None:
            renewed.append((name, threading.get_ident()))
            if {name for name, _ in renewed} == {"first", "second"}:
                both.set()

        return write

    with LeaseRenewal(lease, note("first")):
        settings.LEASE_SECONDS = 1.0
        with LeaseRenewal(lease, note("second")):
            assert both.wait(10)
    so_far = len(renewed)
    third = threading.Event()
    with LeaseRenewal(lease, lambda _: third.set()):
        assert third.wait(10)
    assert len(renewed) == so_far
    assert len({thread for _, thread in renewed}) == 1


def test_a_broker_that_does_not_answer_holds_up_no_run(small: Cluster, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        layer = settings.CHANNEL_LAYERS["default"]
        hosts = {"hosts": [f"redis://127.0.0.1:{silent.getsockname()[1]}/0"]}
        settings.CHANNEL_LAYERS = {"default": {**layer, "CONFIG": {**layer["CONFIG"], **hosts}}}
        commands.submit(small.pk, {"kind": "run", "until": "idle"})
        began = time.monotonic()
        command_runner.apply_commands(small.pk)
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
    command_runner.apply_commands(small.pk)
    assert Cluster.objects.get(pk=small.pk).applied == 3


def test_a_cluster_deleted_in_the_middle(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = commits.commit_records

    def delete_first(*arguments: Any) -> Any:
        lifecycle.delete_cluster(Cluster.objects.get(pk=small.pk))
        return commit(*arguments)

    monkeypatch.setattr(commits, "commit_records", delete_first)
    commands.submit(small.pk, {"kind": "run", "until": "idle"})
    command_runner.apply_commands(small.pk)
    assert not Record.objects.exists()
    command_runner.apply_commands(small.pk)
