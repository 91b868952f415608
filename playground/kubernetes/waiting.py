"""Waits for the end of commands. One thread subscribes to clusters and reads states for all waiting requests.

Subscriptions stay open for a while, because clients often write several times.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLateError

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import DatabaseError, InterfaceError
from redis.exceptions import RedisError

from playground.models import Command, CommandState
from playground.news import frames

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 30.0
# The limit for the wait for a live cluster's controllers, which may run for long.
MOMENT_SECONDS = 1.0
# Notifications may get lost.
LOOK_EVERY = 0.25
# Subscriptions stay open for this long after the last wait.
KEPT_SECONDS = 30.0
_OVER = frozenset({CommandState.DONE, CommandState.FAILED, CommandState.STOPPED})

# The final state of a command, or None if the command was deleted.
Answer = Future[str | None]


def over(command: Command, patience: float | None = None) -> Command | None:
    """Return the command when it is complete, or None after `patience` seconds (PATIENCE_SECONDS by default)."""
    with _SUBSCRIPTIONS.registered(command) as answer:
        # Events before the registration are not reported, so read the state first.
        done = _over(command.pk)
        if done is None:
            try:
                state = answer.result(PATIENCE_SECONDS if patience is None else patience)
            except TooLateError:
                return None
            if state == CommandState.DONE:
                # The usual case needs no second read.
                command.state = CommandState.DONE
                return command
            done = _over(command.pk)
    return done


def _over(pk: int) -> Command | None:
    """Return the command if it is complete, or None."""
    command = Command.objects.find_without_payload(command_id=pk)
    if command is None:
        raise Command.DoesNotExist(f"command {pk} is gone with its cluster")
    return command if command.state in _OVER else None


class _Subscription:
    """A subscription to one cluster's notifications. `answers` are the waiting requests by command number."""

    def __init__(self, cluster_id: int) -> None:
        self.answers: dict[int, Answer] = {}
        self._cluster_id = cluster_id
        self.wanted = time.monotonic()
        self._group = frames.group(cluster_id)
        self._notified = asyncio.Event()

    async def listen(self) -> None:
        """Answer the waiting requests, until none has waited for KEPT_SECONDS."""
        layer = get_channel_layer()
        channel = await layer.new_channel("answers.")
        receiving: asyncio.Task[None] | None = None
        try:
            while self.answers or time.monotonic() < self.wanted + KEPT_SECONDS:
                if receiving is None or receiving.done():
                    receiving = asyncio.create_task(self._receive(channel))
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY):
                        await self._notified.wait()
                self._notified.clear()
                # Without a database, retry until the requests time out.
                with contextlib.suppress(DatabaseError, InterfaceError):
                    await self._answer_waiting()
        finally:
            if receiving is not None:
                receiving.cancel()
            with contextlib.suppress(RedisError, OSError):
                await layer.group_discard(self._group, channel)

    async def _receive(self, channel: str) -> None:
        with contextlib.suppress(RedisError, OSError):
            await get_channel_layer().group_add(self._group, channel)
            while True:
                await get_channel_layer().receive(channel)
                self._notified.set()

    async def _answer_waiting(self) -> None:
        waiting = dict(self.answers)
        if not waiting:
            return
        states = await database_sync_to_async(_states, thread_sensitive=False)(self._cluster_id, min(waiting))
        for number, answer in waiting.items():
            state = states.get(number)
            if state is None or state in _OVER:
                answer.set_result(state)
                self.answers.pop(number, None)


def _states(cluster_id: int, first: int) -> Mapping[int, str]:
    """Return the states of the commands from number `first` on."""
    return dict(Command.objects.select_states(cluster_id=cluster_id, first=first))


class _Subscriptions:
    """The subscriptions of this process, in a thread of their own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._by_cluster: dict[int, _Subscription] = {}
        self._guard = threading.Lock()

    @contextlib.contextmanager
    def registered(self, command: Command) -> Iterator[Answer]:
        """Yield the future that gets the command's final state."""
        cluster_id, answer = command.cluster_id, Answer()
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="answers", daemon=True).start()
            subscription = self._by_cluster.get(cluster_id)
            if subscription is None:
                subscription = self._by_cluster[cluster_id] = _Subscription(cluster_id)
                asyncio.run_coroutine_threadsafe(self._run(cluster_id, subscription), self._loop)
            subscription.answers[command.number] = answer
            subscription.wanted = time.monotonic()
        try:
            yield answer
        finally:
            subscription.answers.pop(command.number, None)

    async def _run(self, cluster_id: int, subscription: _Subscription) -> None:
        while True:
            try:
                await subscription.listen()
            except Exception:  # restart after any failure, or all later writes to this cluster would time out
                logger.exception("cluster %s: listening for its commands broke off, and begins anew", cluster_id)
                await asyncio.sleep(LOOK_EVERY)
            with self._guard:
                if not subscription.answers:
                    del self._by_cluster[cluster_id]
                    return


_SUBSCRIPTIONS = _Subscriptions()
