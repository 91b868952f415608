"""Wake a worker. A wake-up is only a hint: commands are rows, and a lost hint is sent again within seconds."""

import logging

import kombu.exceptions
import redis

from playground.celery import app

logger = logging.getLogger(__name__)


def wake(cluster_id: int) -> None:
    """Ask some worker to apply what is queued for a cluster. Without a broker this does nothing but say so."""
    try:
        app.send_task("playground.tasks.drain", args=[cluster_id], retry=False)
    except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
        about = {"cluster": cluster_id}
        logger.warning("no broker to wake a worker with (%s); the next wake-up will", error, extra=about)
