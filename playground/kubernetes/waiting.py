"""Waits for the end of commands. The event loop reads states for all requests that wait for one cluster.

It listens to a cluster for a while after the last wait, because clients often write several times.
"""

import asyncio
import contextlib
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as TooLateError

from channels.db import database_sync_to_async
from django.db import DatabaseError, InterfaceError
from redis.exceptions import RedisError

from playground.models import Command, CommandState
from playground.realtime.feeds import ClusterRoom, Message
from playground.web.handler import SERVING_LOOP

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 30.0
# The limit for the wait for a live cluster's controllers, which may run for long.
MOMENT_SECONDS = 1.0
# Messages may get lost. A client waits, so this is shorter than the time between two polls of a feed.
LOOK_EVERY = 0.25
# Rooms stay open for this long after the last wait.
KEPT_SECONDS = 30.0
_OVER = frozenset({CommandState.DONE, CommandState.FAILED, CommandState.STOPPED})

_own: list[asyncio.AbstractEventLoop] = []
_guard = threading.Lock()


class AwaitedAnswer(Future[str | None]):
    """The final state of a command for a request that waits, or None if the command was deleted."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def leave(self, code: int) -> None:
        """End the wait, because the event loop stops."""
        self.cancel()


def over(command: Command, patience: float | None = None) -> Command | None:
    """Return the command when it is complete, or None after `patience` seconds (PATIENCE_SECONDS by default)."""
    answer, loop = AwaitedAnswer(command.number), SERVING_LOOP.get(None) or _own_loop()
    loop.call_soon_threadsafe(CommandRoom.open, command.cluster_id, answer)
    try:
        # Messages before the room knows the request are lost, so read the state first.
        done = _over(command.pk)
        if done is None:
            state = answer.result(PATIENCE_SECONDS if patience is None else patience)
            if state != CommandState.DONE:
                return _over(command.pk)
            # The usual case needs no second read.
            command.state = CommandState.DONE
        return done or command
    except (TooLateError, CancelledError):
        return None
    finally:
        answer.cancel()


def _over(pk: int) -> Command | None:
    """Return the command if it is complete, or None."""
    command = Command.objects.find_without_payload(command_id=pk)
    if command is None:
        raise Command.DoesNotExist(f"command {pk} is gone with its cluster")
    return command if command.state in _OVER else None


def _own_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of a thread, for requests that no event loop serves."""
    with _guard:
        if not _own:
            _own.append(asyncio.new_event_loop())
            threading.Thread(target=_own[0].run_forever, name="answers", daemon=True).start()
        return _own[0]


class CommandRoom(ClusterRoom[AwaitedAnswer]):
    """The requests of this process that wait for commands of one cluster."""

    def __init__(self, number: int) -> None:
        self._notified = asyncio.Event()
        super().__init__(number)

    def hear(self, message: Message) -> None:
        self._notified.set()

    def leave(self, code: int) -> None:
        """Go on without messages. Later requests open another room."""
        self._drop()

    async def _open(self) -> None:
        self._work(self._answer_until_unwanted)
        try:
            await super()._open()
        except (RedisError, OSError):
            self._drop()
        # Commands may have ended before the subscription.
        self._notified.set()

    async def _answer_until_unwanted(self) -> None:
        """Answer the waiting requests, until none has waited for KEPT_SECONDS. Then close the room."""
        try:
            wanted = time.monotonic()
            while self._pages or time.monotonic() < wanted + KEPT_SECONDS:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY):
                        await self._notified.wait()
                self._notified.clear()
                wanted = time.monotonic() if self._pages else wanted
                try:
                    await self._answer()
                except (DatabaseError, InterfaceError):
                    # Without a database, retry until the requests time out.
                    pass
                except Exception:  # go on after any failure, or all later writes to this cluster would time out
                    logger.exception("cluster %d: the states of its commands could not be read", self.number)
        finally:
            super().leave(0)
        await asyncio.wait((self.opened,))
        if self._feed is not None:
            await self._feed.remove(self)

    async def _answer(self) -> None:
        self._pages = {answer for answer in self._pages if not answer.done()}
        # Requests that enter during the read are not in its result.
        if waiting := list(self._pages):
            first = min(answer.number for answer in waiting)
            states = await database_sync_to_async(_states, thread_sensitive=False)(self.number, first)
            for answer in waiting:
                state = states.get(answer.number)
                if (state is None or state in _OVER) and answer.set_running_or_notify_cancel():
                    answer.set_result(state)


def _states(cluster_id: int, first: int) -> Mapping[int, str]:
    """Return the states of the commands from number `first` on."""
    return dict(Command.objects.select_states(cluster_id=cluster_id, first=first))
