"""The Celery tasks. Each may run twice or get lost without harm."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import worker_ready
from django.db import DatabaseError, InterfaceError

from playground import idle as idle  # connects itself to the signals of a pool's processes
from playground.accounts import guests
from playground.capacity import helping
from playground.celery import app
from playground.clusters import deletion
from playground.comparisons import running, runs
from playground.database_errors import refusal_of
from playground.engine import fairness, retention, turns, waiting
from playground.engine import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.engine.wake import HEARD_WITHIN_SECONDS, wake_for_comparisons
from playground.engine.wake import wake as wake_one
from playground.metrics import tallies

logger = logging.getLogger(__name__)


@contextmanager
def _unless_unavailable(task: str) -> Iterator[None]:
    """End a task with one line in the log when the database can't serve; the beat starts it again."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        unavailable = refusal_of(error)
        if unavailable is None:
            raise
        logger.warning("%s is put off: %s: %s", task, unavailable.problems[0]["rule"], error)


@app.task
def drain(cluster_id: int, passed_on: int = 0) -> None:
    """Apply the queued commands of a cluster in order, or of another cluster whose owner had less worker time."""
    if passed_on < turns.MOST_PASSES and turns.may_be_elsewhere(cluster_id):
        time.sleep(turns.NEARLY_DONE_SECONDS * 2**passed_on)
        wake_one(cluster_id, passed_on=passed_on + 1)
        return
    with _unless_unavailable("drain"):
        if not turns.give(cluster_id):
            return
        # This trigger may have served another cluster or come too early, and the next beat is far away.
        following = fairness.next_one()
        if following is not None:
            wake_one(following, within=HEARD_WITHIN_SECONDS)


@app.task
def compare() -> None:
    """Do one waiting run of a comparison, then trigger the next."""
    with _unless_unavailable("compare"):
        if running.do_one():
            wake_for_comparisons(min(runs.waiting(), 1))


@app.task
def break_one(key: str) -> None:
    """Work on the parts of a node failure analysis until none is left."""
    helping.help_with(key)


@app.task
def wake() -> None:
    """Trigger a task for every cluster and comparison with waiting work that no worker processes."""
    for cluster_id in waiting.unattended():
        wake_one(cluster_id)
    wake_for_comparisons(runs.waiting())


@app.task
def retain() -> None:
    """Prune old records and delete expired data, by the policy of docs/how-to/operate.md."""
    with _unless_unavailable("retain"):
        retention.thin_all()
        guests.clear()
        deletion.purge()
        tallies.fold()


@worker_ready.connect
def wake_at_start(**_: Any) -> None:
    """Trigger waiting work when a worker starts, without waiting for the next beat."""
    wake.delay()
