"""The base of all page sockets: login, access checks, limits of incoming messages, and closing."""

import asyncio
import contextlib
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError
from redis.exceptions import RedisError

from playground import limits
from playground.realtime.registry import TRY_LATER
from playground.realtime.visitors import visitor_now

NO_LOGIN, TOO_LARGE, TOO_OFTEN = 4403, 1009, 4429


class Allowance:
    """A token bucket for a page's messages: `per_second` on average, `at_once` as a burst."""

    def __init__(self, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = float(at_once)
        self._last_time = time.monotonic()

    def take(self) -> bool:
        """Use one message, and return whether it is allowed."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._last_time) * self._per_second) - 1
        self._last_time = now
        return self._left >= 0


class PageConsumer(AsyncWebsocketConsumer):
    """A socket that ignores all messages after it was closed."""

    is_closed = False

    async def websocket_receive(self, message: Any) -> None:
        if not self.is_closed:
            await super().websocket_receive(message)

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        if not self.is_closed:
            await super().send(text_data, bytes_data, close)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        if not self.is_closed:
            self.is_closed = True
            await super().close(code, reason)


class RoomConsumer(PageConsumer, ABC):
    """A page in a room. It needs a login, runs tasks of its own, and has limits on the messages that it sends.

    `frames_per_second`, `frames_at_once`, `frame_bytes` are the limits of incoming messages.
    """

    frames_per_second: float
    frames_at_once: int
    frame_bytes: int

    @abstractmethod
    async def enter(self) -> None:
        """Enter the room, or close the socket."""

    @abstractmethod
    async def leave_room(self) -> None:
        """Leave the room, if the page entered it."""

    @abstractmethod
    async def handle_message(self, message: dict[str, Any]) -> None:
        """Handle a message of the page."""

    @abstractmethod
    async def may_read(self) -> bool:
        """Return whether the user may still read what this socket sends."""

    async def connect(self) -> None:
        await self.accept()
        self.tasks: set[asyncio.Task[None]] = set()
        self.has_pending = asyncio.Event()
        self.allowance = Allowance(self.frames_per_second, self.frames_at_once)
        if not self.scope["user"].is_authenticated:
            return await self.close(NO_LOGIN)
        try:
            await self.enter()
        except (RedisError, OSError, DatabaseError):
            return await self.close(TRY_LATER)
        if not self.is_closed:
            self.start_task(self._close_without_access())
        return None

    async def _close_without_access(self) -> None:
        """Close the socket when the user logs out, the account is disabled, or `may_read` returns False."""
        while True:
            await asyncio.sleep(limits.SOCKET_CHECK_SECONDS)
            try:
                user = await visitor_now(self.scope)
                is_allowed = user.pk == self.scope["user"].pk and await self.may_read()
            except DatabaseError:
                return await self.close(TRY_LATER)
            if not is_allowed:
                return await self.close(NO_LOGIN)

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        # If the broker or the database is down, there is no entry to remove.
        with contextlib.suppress(RedisError, OSError, DatabaseError):
            await self.leave_room()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if len((text_data or "").encode() or bytes_data or b"") > self.frame_bytes:
            return await self.close(TOO_LARGE)
        if not self.allowance.take():
            return await self.close(TOO_OFTEN)
        try:
            message = json.loads(text_data or "")
        except (ValueError, RecursionError):
            return None
        return await self.handle_message(message) if isinstance(message, dict) else None

    def leave(self, code: int) -> None:
        """Close the socket without waiting for the connection; the room calls this."""
        self.start_task(self.close(code))

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        # The event loop has only weak references to its tasks.
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class UnknownPathConsumer(AsyncWebsocketConsumer):
    """The consumer of unknown URLs, which closes the socket."""

    async def connect(self) -> None:
        await self.close()
