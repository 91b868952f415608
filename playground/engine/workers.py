"""The workers with a recent heartbeat."""

from typing import Any

import redis
from django.conf import settings

from playground.engine.heartbeat import COMMANDS, key
from playground.limits import WORKER_SILENT_SECONDS


def list_alive(broker: redis.Redis, app: str = COMMANDS) -> list[str]:
    """Return the names of an app's workers with a recent heartbeat, oldest first. Raise redis.RedisError."""
    now, _ = broker.time()
    names: Any = broker.zrangebyscore(key(app), now - WORKER_SILENT_SECONDS, "+inf")
    return [name.decode() for name in names]


def connect() -> redis.Redis:
    """Return a connection to the broker with short timeouts."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2)
