"""Triggers: messages that wake workers for a cluster, a run of a comparison, or a failure analysis.

The work itself is in the database. A trigger may get lost, because beat sends another one within seconds.
"""

import logging

import kombu.exceptions
import redis

from playground.celery import app

logger = logging.getLogger(__name__)


# Triggers expire, so that they don't pile up while all workers are busy.
EXPIRES_SECONDS = 4.0
# The limit for the workers that are woken at a time for comparisons or for one failure analysis.
MOST_TRIGGERS = 4


def trigger_commands(cluster_id: int, within: float | None = None, *, passed_on: int = 0) -> None:
    """Ask a worker to apply the commands that are queued for a cluster. Without a broker, only log a warning.

    The message expires after `within` seconds. `passed_on` counts the processes that passed it on because they would
    have had to load the cluster.
    """
    args = [cluster_id, passed_on] if passed_on else [cluster_id]
    try:
        app.send_task("playground.tasks.apply_commands", args=args, retry=False, expires=within)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        about = {"cluster": cluster_id}
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error, extra=about)


def trigger_comparisons(runs: int) -> None:
    """Ask workers to take a run of a comparison each. `runs` is the number that waits."""
    _send_tasks("playground.tasks.do_comparison_run", runs)


def trigger_failure_analysis(key: str, workers: int) -> None:
    """Ask `workers` workers to help with the failure analysis of a cluster."""
    _send_tasks("playground.tasks.analyze_failures", workers, key)


def _send_tasks(task: str, count: int, *about: str) -> None:
    try:
        for _ in range(min(count, MOST_TRIGGERS)):
            app.send_task(task, args=list(about), retry=False, expires=EXPIRES_SECONDS)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error)
