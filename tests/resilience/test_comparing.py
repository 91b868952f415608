"""Whatever interrupts a worker at a run of a comparison: the result is that of an undisturbed one, once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from playground.clusters import commands
from playground.comparisons import run_attempt as one_attempt
from playground.comparisons import run_worker as comparing
from playground.comparisons import selectors
from playground.comparisons import services as comparisons
from playground.comparisons import stored_runs as comparison_runs
from playground.comparisons.run_attempt import MOST_ATTEMPTS, RunAttempt
from playground.engine import command_runner, loaded_clusters, shutdown
from playground.engine.leases import LeaseLostError
from playground.models import Cluster
from playground.models.comparisons import Comparison, ComparisonRun
from tests.services import wait_for


class Killed(BaseException):
    """The process ends here."""


def begin(cluster: Cluster, seeds: list[int] | None = None) -> Comparison:
    sides: list[dict[str, Any]] = [{"config": "default"}, {"config": "current"}]
    return comparisons.create_comparison(cluster, sides, seeds or [1], "now")


def work() -> None:
    while comparing.do_next_run():
        pass


def results(comparison: Comparison) -> list[Any]:
    runs = ComparisonRun.objects.filter(comparison=comparison).order_by("side", "seed")
    return list(runs.values_list("state", "cycles", "metrics", "body"))


def expire() -> None:
    ComparisonRun.objects.filter(lease_expires__isnull=False).update(
        lease_expires=timezone.now() - timedelta(seconds=1)
    )


@pytest.fixture
def undisturbed(small: Cluster) -> list[Any]:
    comparison = begin(small)
    work()
    found = results(comparison)
    assert [state for state, *_ in found] == ["done", "done"]
    return found


@pytest.mark.parametrize("attempt", [1, 4, 8])
def test_killed_in_the_middle(
    small: Cluster, undisturbed: list[Any], monkeypatch: pytest.MonkeyPatch, attempt: int
) -> None:
    comparison = begin(small)
    with monkeypatch.context() as patch:
        # As SIGKILL does it: nothing is given back.
        patch.setattr(comparison_runs, "requeue", lambda lease: None)
        patch.setattr(RunAttempt, "_check_in", lambda self, compared: die(compared.attempts == attempt))
        with pytest.raises(Killed):
            comparing.do_next_run()
    state = selectors.describe_comparison(comparison)
    lease = state["runs"][0]["lease"]
    assert state["runs"][0]["state"] == "running" and lease and lease["expires_in"] > 0
    # Nobody else touches it before its lease has run out; the other run can be done meanwhile.
    work()
    assert [run["state"] for run in selectors.describe_comparison(comparison)["runs"]] == ["running", "done"]
    assert comparison_runs.count_waiting() == 0
    expire()
    assert comparison_runs.count_waiting() == 1
    work()
    assert results(comparison) == undisturbed


def die(now: bool) -> None:
    if now:
        raise Killed


def test_a_late_worker_changes_nothing(small: Cluster, undisturbed: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was only asleep comes back after another took over and finished."""
    before = Cluster.objects.get(pk=small.pk).stored_bytes
    comparison = begin(small)
    finish = comparison_runs.finish_run

    def fall_asleep(lease: Any, *arguments: Any, **fields: Any) -> None:
        monkeypatch.undo()
        expire()
        work()
        finish(lease, *arguments, **fields)

    monkeypatch.setattr(comparison_runs, "finish_run", fall_asleep)
    work()
    assert results(comparison) == undisturbed
    # Its bytes are counted once, and those of its texts from the beginning.
    comparisons.delete_comparison(comparison)
    assert Cluster.objects.get(pk=small.pk).stored_bytes == before


def test_cancelled_in_the_middle(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = begin(small)
    monkeypatch.setattr(one_attempt, "LOOK_EVERY", 0.0)
    monkeypatch.setattr(one_attempt, "WRITE_EVERY", 0.0)
    write, seen = comparison_runs.write_run, iter(range(100))

    def cancel_at_the_third(lease: Any, **fields: Any) -> None:
        if next(seen) == 2:
            comparisons.cancel_comparison(comparison)
        write(lease, **fields)

    monkeypatch.setattr(comparison_runs, "write_run", cancel_at_the_third)
    assert comparing.do_next_run()
    assert not comparing.do_next_run()
    assert {state for state, *_ in results(comparison)} == {"cancelled"}


def test_a_worker_that_stops_gives_its_run_back(
    small: Cluster, undisturbed: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = begin(small)
    monkeypatch.setattr(one_attempt, "LOOK_EVERY", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(shutdown, "requested", lambda: True)
        comparing.do_next_run()
    run = ComparisonRun.objects.filter(comparison=comparison).order_by("pk").first()
    assert run is not None
    assert (run.state, run.attempts, run.lease_holder) == ("queued", 0, "")
    work()
    assert results(comparison) == undisturbed


def test_a_run_that_kills_its_workers_is_given_up(small: Cluster) -> None:
    comparison = begin(small)
    for _ in range(MOST_ATTEMPTS):
        assert comparison_runs.take_lease("doomed") is not None
        expire()
    ComparisonRun.objects.filter(side=1).update(state="cancelled")
    work()
    (problem,) = selectors.describe_comparison(comparison)["runs"][0]["problems"]
    assert "5 workers ended" in problem["rule"]


def test_the_lease_is_renewed_beside_the_work(small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LEASE_SECONDS = 1.0
    begin(small)
    at = loaded_clusters.load_at

    def slow(cluster: Cluster, seq: int) -> Any:
        first = ComparisonRun.objects.get(state="running").lease_expires
        assert first is not None
        wait_for(lambda: timezone.now() > first + timedelta(seconds=0.5), "the lease's first second, and more")
        assert comparison_runs.count_waiting() == 1  # the other one
        return at(cluster, seq)

    monkeypatch.setattr(loaded_clusters, "load_at", slow)
    comparing.do_next_run()
    assert ComparisonRun.objects.filter(state="done").count() == 1


def test_nobody_writes_without_the_lease(small: Cluster) -> None:
    begin(small)
    late = comparison_runs.take_lease("late")
    assert late is not None
    expire()
    assert comparison_runs.take_lease("next") is not None
    with pytest.raises(LeaseLostError):
        comparison_runs.write_run(late, cycles=3)


def test_a_comparison_is_from_its_moment_whatever_happens_since(small: Cluster, undisturbed: list[Any]) -> None:
    comparison = begin(small)
    commands.submit(small.pk, {"kind": "run", "until": {"cycles": 3}})
    command_runner.apply_commands(small.pk)
    work()
    assert results(comparison) == undisturbed
