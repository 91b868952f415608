"""The workers' signs of life: each says under its name, every few seconds, that it is there.

They live in the broker: a worker that does not reach it gets no work, and what is lost with it is back in seconds.
"""

import logging
import os
import socket
import threading
from typing import Any

import redis
from celery.signals import worker_ready, worker_shutdown
from django.conf import settings

from playground.limits import HEARTBEAT_SECONDS

logger = logging.getLogger(__name__)

# Signs of life older than that are those of a worker that is gone; readers forget them earlier.
FORGOTTEN_SECONDS = 3600


# The Celery apps: of the workers that apply commands, and of those that answer questions.
COMMANDS, QUESTIONS = "playground", "playground-questions"


def key(app: str = COMMANDS) -> str:
    """The sorted set of one app's workers by the time of their last sign, in the broker's clock."""
    return f"{settings.NAMESPACE}-workers" if app == COMMANDS else f"{settings.NAMESPACE}-workers-{app}"


class Heartbeat:
    """Beats from a thread of its own until it is stopped. `name` is one worker's, such as host:pid."""

    def __init__(self, name: str, app: str = COMMANDS) -> None:
        self.name = name
        self._key = key(app)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Say goodbye, so that nobody waits for this worker."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=2, socket_timeout=2) as broker:
            is_away = False
            while True:
                try:
                    now = broker.time()[0]
                    broker.zadd(self._key, {self.name: now})
                    broker.zremrangebyscore(self._key, 0, now - FORGOTTEN_SECONDS)
                    is_away = False
                except redis.RedisError as error:
                    if not is_away:
                        logger.warning("no sign of life can be given: %s", error)
                    is_away = True
                if self._over.wait(HEARTBEAT_SECONDS):
                    break
            try:
                broker.zrem(self._key, self.name)
            except redis.RedisError:
                logger.info("no goodbye can be said: the broker is away")


_heartbeats: list[Heartbeat] = []


@worker_ready.connect
def _start(sender: Any, **_: Any) -> None:
    _heartbeats.append(Heartbeat(f"{socket.gethostname()}:{os.getpid()}", sender.app.main))
    _heartbeats[-1].start()


@worker_shutdown.connect
def _stop(**_: Any) -> None:
    while _heartbeats:
        _heartbeats.pop().stop()
