"""Wake workers: for a cluster, for a run of a comparison, or for a failure analysis.

The message is only a hint: commands and runs are rows, and lost hints are sent again within seconds.
"""

import logging

import kombu.exceptions
import redis

from playground.celery import app

logger = logging.getLogger(__name__)


# Hints expire, so that they don't pile up while all workers are busy. Lost ones are sent again.
HEARD_WITHIN_SECONDS = 4.0
# The number of workers woken at a time for comparisons, or for one question.
MOST_AT_ONCE = 4


def wake(cluster_id: int, within: float | None = None, *, passed_on: int = 0) -> None:
    """Ask a worker to apply the commands that are queued for a cluster. Without a broker, only log a warning.

    The message expires after `within` seconds. `passed_on` counts the processes that passed it on because they would
    have had to load the cluster.
    """
    args = [cluster_id, passed_on] if passed_on else [cluster_id]
    try:
        app.send_task("playground.tasks.drain", args=args, retry=False, expires=within)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        about = {"cluster": cluster_id}
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error, extra=about)


def wake_for_comparisons(runs: int) -> None:
    """Ask workers to take a run of a comparison each. `runs` is the number that waits."""
    _wake_some("playground.tasks.compare", runs)


def wake_for_failures(key: str, hands: int) -> None:
    """Ask `hands` workers to help with the failure analysis of a cluster."""
    _wake_some("playground.tasks.break_one", hands, key)


def _wake_some(task: str, count: int, *about: str) -> None:
    try:
        for _ in range(min(count, MOST_AT_ONCE)):
            app.send_task(task, args=list(about), retry=False, expires=HEARD_WITHIN_SECONDS)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error)
