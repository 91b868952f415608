"""Celery's tasks, thin. All of them are safe to run twice, and safe to lose."""

from typing import Any

from celery.signals import worker_ready

from playground import comparing, runner
from playground.celery import app
from playground.selectors import waiting
from playground.services import guests, retention, tallies
from playground.services import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.services.wake import wake as wake_one
from playground.services.wake import wake_for_comparisons


@app.task
def drain(cluster_id: int) -> None:
    """Apply every queued command of one cluster, in order; nothing if another worker does already."""
    runner.drain(cluster_id)


@app.task
def compare() -> None:
    """Do one waiting run of a comparison, then have somebody do the next."""
    if comparing.do_one():
        wake_for_comparisons(min(waiting.comparison_runs_waiting(), 1))


@app.task
def wake() -> None:
    """Wake a worker for every cluster and comparison that has work waiting and nobody at it."""
    for cluster_id in waiting.unattended():
        wake_one(cluster_id)
    wake_for_comparisons(waiting.comparison_runs_waiting())


@app.task
def retain() -> None:
    """Thin out what is old, by the policy of docs/operations.md."""
    retention.thin_all()
    guests.clear()
    tallies.fold()


@worker_ready.connect
def wake_at_start(**_: Any) -> None:
    """What waited for a worker need not wait for the next beat."""
    wake.delay()
