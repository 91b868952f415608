"""Celery's tasks, thin. All of them are safe to run twice, and safe to lose."""

from typing import Any

from celery.signals import worker_ready

from playground import runner
from playground.celery import app
from playground.selectors import waiting
from playground.services import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.services import retention, tallies
from playground.services.wake import wake as wake_one


@app.task
def drain(cluster_id: int) -> None:
    """Apply every queued command of one cluster, in order; nothing if another worker does already."""
    runner.drain(cluster_id)


@app.task
def wake() -> None:
    """Wake a worker for every cluster that has commands waiting and nobody working on them."""
    for cluster_id in waiting.unattended():
        wake_one(cluster_id)


@app.task
def retain() -> None:
    """Thin out what is old, by the policy of docs/operations.md."""
    retention.thin_all()
    tallies.fold()


@worker_ready.connect
def wake_at_start(**_: Any) -> None:
    """What waited for a worker need not wait for the next beat."""
    wake.delay()
