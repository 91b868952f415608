"""The Celery tasks. Each may run twice or get lost without harm."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import worker_ready
from django.db import DatabaseError, InterfaceError

from playground import idle_cleanup as idle_cleanup  # connects itself to the signals of a pool's processes
from playground.accounts import guests
from playground.capacity import failure_helper
from playground.celery import app
from playground.clusters import deletion
from playground.comparisons import run_worker, stored_runs
from playground.database_errors import refusal_of
from playground.engine import fairness, retention, waiting_clusters, worker_turns
from playground.engine import heartbeat as heartbeat  # connects itself to the worker's signals
from playground.engine.triggers import EXPIRES_SECONDS, trigger_commands, trigger_comparisons
from playground.metrics import stored_tallies

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
def apply_commands(cluster_id: int, passed_on: int = 0) -> None:
    """Apply the queued commands of a cluster, or of another cluster whose owner had less worker time.

    `passed_on` counts the processes that passed the trigger on. `playground/engine/__init__.py` lists the steps.
    """
    if passed_on < worker_turns.MOST_PASSES and worker_turns.may_be_in_another_process(cluster_id):
        time.sleep(worker_turns.NEARLY_DONE_SECONDS * 2**passed_on)
        trigger_commands(cluster_id, passed_on=passed_on + 1)
        return
    with _unless_unavailable("applying commands"):
        if not worker_turns.serve_cluster(cluster_id):
            return
        # This trigger may have served another cluster or come too early, and the next beat is far away.
        next_cluster = fairness.choose_next_cluster()
        if next_cluster is not None:
            trigger_commands(next_cluster, within=EXPIRES_SECONDS)


@app.task
def do_comparison_run() -> None:
    """Do one waiting run of a comparison, then trigger the next."""
    with _unless_unavailable("compare"):
        if run_worker.do_next_run():
            trigger_comparisons(min(stored_runs.count_waiting(), 1))


@app.task
def analyze_failures(key: str) -> None:
    """Work on the parts of a node failure analysis until none is left."""
    failure_helper.help_with_search(key)


@app.task
def trigger_waiting_work() -> None:
    """Trigger a task for every cluster and comparison with waiting work that no worker processes."""
    for cluster_id in waiting_clusters.list_unattended():
        trigger_commands(cluster_id)
    trigger_comparisons(stored_runs.count_waiting())


@app.task
def retain() -> None:
    """Prune old records and delete expired data, by the policy of docs/how-to/operate.md."""
    with _unless_unavailable("retain"):
        retention.thin_all()
        guests.delete_ended_guests()
        deletion.purge_deleted()
        stored_tallies.fold_tallies()


@worker_ready.connect
def wake_at_start(**_: Any) -> None:
    """Trigger waiting work when a worker starts, without waiting for the next beat."""
    trigger_waiting_work.delay()
