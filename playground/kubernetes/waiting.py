"""Wait until a command is carried out: this process hears of its cluster's news, and looks once for all who wait.

One thread has the subscriptions. They stay for a while, as clients write several times: to subscribe takes longer than
a write.
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
# For what a living cluster makes of a change: it may go on for long.
MOMENT_SECONDS = 1.0
# News may get lost on their way.
LOOK_EVERY = 0.25
# How long news of a cluster are heard after the last one who waited.
KEPT_SECONDS = 30.0
_OVER = frozenset({CommandState.DONE, CommandState.FAILED, CommandState.STOPPED})

# The state of a command that is over, None of one that is gone.
Answer = Future[str | None]


def over(command: Command, patience: float | None = None) -> Command | None:
    """The command when it is over; None if that takes longer than `patience` (seconds; PATIENCE_SECONDS)."""
    with _LISTENERS.expecting(command) as answer:
        # What happened until we were expected nobody told us.
        found = _over(command.pk)
        if found is None:
            try:
                state = answer.result(PATIENCE_SECONDS if patience is None else patience)
            except TooLateError:
                return None
            if state == CommandState.DONE:
                # As nearly all: nothing more is to be read of it.
                command.state = CommandState.DONE
                return command
            found = _over(command.pk)
    return found


def _over(pk: int) -> Command | None:
    """The command if it is over."""
    command = Command.objects.find_without_payload(command_id=pk)
    if command is None:
        raise Command.DoesNotExist(f"command {pk} is gone with its cluster")
    return command if command.state in _OVER else None


class _Ear:
    """Hears of one cluster; `answers` by the commands' numbers."""

    def __init__(self, cluster_id: int) -> None:
        self.answers: dict[int, Answer] = {}
        self._cluster_id = cluster_id
        self.wanted = time.monotonic()
        self._group = frames.group(cluster_id)
        self._heard = asyncio.Event()

    async def listen(self) -> None:
        """Tell those who wait, until nobody has waited for a while."""
        layer = get_channel_layer()
        channel = await layer.new_channel("answers.")
        receiving: asyncio.Task[None] | None = None
        try:
            while self.answers or time.monotonic() < self.wanted + KEPT_SECONDS:
                if receiving is None or receiving.done():
                    receiving = asyncio.create_task(self._receive(channel))
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY):
                        await self._heard.wait()
                self._heard.clear()
                # Without a database it is looked again, as long as they have patience.
                with contextlib.suppress(DatabaseError, InterfaceError):
                    await self._tell()
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
                self._heard.set()

    async def _tell(self) -> None:
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
    """Of the commands from this number on: each is carried out after the one before it."""
    return dict(Command.objects.select_states(cluster_id=cluster_id, first=first))


class _Listeners:
    """The ears of this process, in a thread of their own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ears: dict[int, _Ear] = {}
        self._guard = threading.Lock()

    @contextlib.contextmanager
    def expecting(self, command: Command) -> Iterator[Answer]:
        """The answer is given in this block, soon after the command is over."""
        cluster_id, answer = command.cluster_id, Answer()
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="answers", daemon=True).start()
            ear = self._ears.get(cluster_id)
            if ear is None:
                ear = self._ears[cluster_id] = _Ear(cluster_id)
                asyncio.run_coroutine_threadsafe(self._attend(cluster_id, ear), self._loop)
            ear.answers[command.number] = answer
            ear.wanted = time.monotonic()
        try:
            yield answer
        finally:
            ear.answers.pop(command.number, None)

    async def _attend(self, cluster_id: int, ear: _Ear) -> None:
        while True:
            try:
                await ear.listen()
            except Exception:  # whatever it is: all who write to this cluster would wait in vain from now on
                logger.exception("cluster %s: listening for its commands broke off, and begins anew", cluster_id)
                await asyncio.sleep(LOOK_EVERY)
            with self._guard:
                if not ear.answers:
                    del self._ears[cluster_id]
                    return


_LISTENERS = _Listeners()
