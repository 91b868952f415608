"""The workers that give signs of life."""

from typing import Any

import redis
from django.conf import settings

from playground.engine.heartbeat import COMMANDS, key
from playground.limits import WORKER_SILENT_SECONDS


def alive(broker: redis.Redis, app: str = COMMANDS) -> list[str]:
    """Names of an app's workers that were heard of lately, oldest sign first. Raises redis.RedisError."""
    now, _ = broker.time()
    names: Any = broker.zrangebyscore(key(app), now - WORKER_SILENT_SECONDS, "+inf")
    return [name.decode() for name in names]


def connect() -> redis.Redis:
    """The broker, for a question that may not take long."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)
