"""The rooms of this process: the first page opens a room, and the last one closes it."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from channels.layers import get_channel_layer
from django.db import DatabaseError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

NO_CLUSTER, DELETED, TRY_LATER = 4404, 4410, 1013


class AnyPage(Protocol):
    """A page in a room. Its methods must not wait for the connection."""

    def leave(self, code: int) -> None:
        """Close the connection with this code, because the room has closed."""


P = TypeVar("P", bound=AnyPage)
Work = Callable[[], Coroutine[Any, Any, None]]


class AnyRoom(ABC, Generic[P]):
    """Pages that share a subscription and the tasks that handle it; `about` names the room in the log."""

    def __init__(self, rooms: "Rooms[Any]", about: str) -> None:
        self._rooms = rooms
        self._about = about
        self._pages: set[P] = set()
        self._tasks: list[asyncio.Task[None]] = []
        # The subscribed group and its channel.
        self._joined: tuple[str, str] | None = None
        # Finished when the room has subscribed and can be used.
        self.opened = asyncio.create_task(self._open())

    def enter(self, page: P) -> None:
        self._pages.add(page)

    def leave(self, page: P) -> bool:
        """Remove the page, and return whether the room is empty now."""
        self._pages.discard(page)
        return not self._pages

    async def close(self) -> None:
        """Cancel the room's tasks and end its subscription."""
        self.opened.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.opened, *self._tasks, return_exceptions=True)
        if self._joined is not None:
            # Not in the listening task, because that may not have started.
            with suppress(RedisError, OSError):
                await get_channel_layer().group_discard(*self._joined)

    @abstractmethod
    async def _open(self) -> None:
        """Subscribe, then start the room's tasks."""

    async def _subscribe(self, group: str) -> str:
        """Return a new channel that receives the group's messages."""
        layer = get_channel_layer()
        channel: str = await layer.new_channel("room.")
        # Set this first: a cancelled call may have joined the group already.
        self._joined = group, channel
        await layer.group_add(group, channel)
        return channel

    def _work(self, *works: Work) -> None:
        """Run these tasks until the room is closed."""
        self._tasks = [asyncio.create_task(self._guard(work)) for work in works]

    async def _guard(self, work: Work) -> None:
        """Dismiss all pages if the database is down; they reconnect and catch up."""
        try:
            await work()
        except DatabaseError as error:
            logger.warning("%s: the stream ends, the database does not answer: %s", self._about, error)
            self._dismiss(TRY_LATER)
        except (RedisError, OSError):
            # Later notifications are lost; the room finds the records in the database.
            raise
        except Exception:  # after any error the pages would receive nothing more
            logger.exception("%s: the stream breaks off", self._about)
            self._dismiss(TRY_LATER)

    def _dismiss(self, code: int) -> None:
        self._rooms.drop(self)
        for page in list(self._pages):
            page.leave(code)


R = TypeVar("R", bound=AnyRoom[Any])


class Rooms(Generic[R]):
    """Rooms by the ID of their cluster or class; `make` creates one."""

    def __init__(self, make: "Callable[[Rooms[R], int], R]") -> None:
        self._make = make
        # By event loop, because a test run has many.
        self._rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, R]] = WeakKeyDictionary()

    async def enter(self, number: int, page: Any) -> R:
        """Add a page to a room, which opens first if necessary; the page gets all messages from now on.

        Raises RedisError, OSError or DatabaseError if the room can't open without broker or database.
        """
        rooms = self._rooms.setdefault(asyncio.get_running_loop(), {})
        room = rooms.get(number)
        if room is None:
            room = rooms[number] = self._make(self, number)
        room.enter(page)
        try:
            # Other pages wait for the same task, so a page that gives up must not cancel it.
            await asyncio.shield(room.opened)
        except BaseException as error:
            # The room could not open, or the page left while it waited.
            if room.leave(page) or not isinstance(error, asyncio.CancelledError):
                self.drop(room)
                await room.close()
            raise
        return room

    async def leave(self, room: R, page: Any) -> None:
        """Remove a page; an empty room is closed."""
        if room.leave(page):
            self.drop(room)
            await room.close()

    def drop(self, room: R) -> None:
        """Remove the room, so that the next page opens a new one."""
        rooms = self._rooms.get(asyncio.get_running_loop(), {})
        for number in [number for number, known in rooms.items() if known is room]:
            del rooms[number]
