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
# Workers called for comparisons at a time; each calls the next when it is done.
MOST_AT_ONCE = 4


def wake(cluster_id: int, within: float | None = None) -> None:
    """Ask some worker to apply what is queued for a cluster. Without a broker this does nothing but say so.

    After `within` seconds the wake-up is worth nothing any more.
    """
    try:
        app.send_task("playground.tasks.drain", args=[cluster_id], retry=False, expires=within)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        about = {"cluster": cluster_id}
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error, extra=about)


def wake_for_comparisons(runs: int) -> None:
    """Ask some workers to take a run of a comparison each, so many of which wait."""
    try:
        for _ in range(min(runs, MOST_AT_ONCE)):
            app.send_task("playground.tasks.compare", retry=False, expires=HEARD_WITHIN_SECONDS)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error)
