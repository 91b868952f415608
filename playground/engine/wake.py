"""Wake a worker: for a cluster, or for a run of a comparison.

A wake-up is only a hint: commands and runs are rows, and a lost hint is sent again within seconds.
"""

import logging

import kombu.exceptions
import redis

from playground.celery import app

logger = logging.getLogger(__name__)


# A wake-up that nobody hears is sent again; those that pile up while all workers are busy are worth nothing.
HEARD_WITHIN_SECONDS = 4.0
# Workers called for comparisons, or for one question, at a time.
MOST_AT_ONCE = 4


def wake(cluster_id: int, within: float | None = None, *, passed_on: int = 0) -> None:
    """Ask some worker to apply what is queued for a cluster. Without a broker this does nothing but say so.

    After `within` seconds the wake-up is worth nothing any more. `passed_on`: so often a process had it, and would have
    had to load the cluster for it.
    """
    args = [cluster_id, passed_on] if passed_on else [cluster_id]
    try:
        app.send_task("playground.tasks.drain", args=args, retry=False, expires=within)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        about = {"cluster": cluster_id}
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error, extra=about)


def wake_for_comparisons(runs: int) -> None:
    """Ask some workers to take a run of a comparison each, so many of which wait."""
    _wake_some("playground.tasks.compare", runs)


def wake_for_failures(key: str, hands: int) -> None:
    """Ask so many workers to help with what breaks in a cluster."""
    _wake_some("playground.tasks.break_one", hands, key)


def _wake_some(task: str, count: int, *about: str) -> None:
    try:
        for _ in range(min(count, MOST_AT_ONCE)):
            app.send_task(task, args=list(about), retry=False, expires=HEARD_WITHIN_SECONDS)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error)
