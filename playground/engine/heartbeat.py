"""The heartbeat of the workers: each writes its name to the broker every few seconds.

A worker that can't reach the broker gets no work. Entries that the broker loses are written again within seconds.
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

# Entries older than this are deleted. Readers ignore them much earlier (WORKER_SILENT_SECONDS).
FORGOTTEN_SECONDS = 3600


# The names of the Celery apps: workers that apply commands, and workers that answer questions.
COMMANDS, QUESTIONS = "playground", "playground-questions"


def key(app: str = COMMANDS) -> str:
    """Return the key of the sorted set that holds one app's workers by their last heartbeat, in the broker's time."""
    return f"{settings.NAMESPACE}-workers" if app == COMMANDS else f"{settings.NAMESPACE}-workers-{app}"


class Heartbeat:
    """A thread that writes a worker's heartbeat until `stop`. `name` identifies the worker, such as host:pid."""

    def __init__(self, name: str, app: str = COMMANDS) -> None:
        self.name = name
        self._key = key(app)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and delete the worker's entry, so that clients don't wait for this worker."""
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
