"""The rooms of this process: the first page opens a room, and the last one closes it."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

from django.db import DatabaseError

logger = logging.getLogger(__name__)

NO_CLUSTER, DELETED, TRY_LATER = 4404, 4410, 1013


class AnyPage(Protocol):
    """A page in a room. Its methods must not wait for the connection."""

    def leave(self, code: int) -> None:
        """Close the connection with this code, because the room has closed."""


P = TypeVar("P", bound=AnyPage)
# By event loop, because a test run has many.
_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[type, int], Any]] = WeakKeyDictionary()


class AnyRoom(ABC, Generic[P]):
    """Pages that share updates and the tasks that handle them. `number` is the ID of the cluster or class."""

    subject = "cluster"

    def __init__(self, number: int) -> None:
        self.number = number
        self._pages: set[P] = set()
        self._tasks: list[asyncio.Task[None]] = []
        # Finished when the room can be used.
        self.opened = asyncio.create_task(self._open())

    @classmethod
    def open(cls, number: int, page: P) -> Self:
        """Add a page to a room, and return the room, which may still be opening."""
        rooms = _rooms.setdefault(asyncio.get_running_loop(), {})
        room: Self | None = rooms.get((cls, number))
        if room is None:
            room = rooms[cls, number] = cls(number)
        room._pages.add(page)
        return room

    @classmethod
    async def enter(cls, number: int, page: P) -> Self:
        """Add a page to a room, which opens first if necessary; the page gets all messages from now on.

        Raises RedisError, OSError or DatabaseError if the room can't open without broker or database.
        """
        room = cls.open(number, page)
        try:
            # Other pages wait for the same task, so a page that gives up must not cancel it.
            await asyncio.shield(room.opened)
        except asyncio.CancelledError:
            await room.remove(page)
            raise
        except BaseException:
            await room.close()
            raise
        return room

    async def remove(self, page: P) -> None:
        """Remove a page; an empty room is closed."""
        self._pages.discard(page)
        if not self._pages:
            await self.close()

    async def close(self) -> None:
        """Cancel the room's tasks. The next page opens another room."""
        self._drop()
        self.opened.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.opened, *self._tasks, return_exceptions=True)

    def leave(self, code: int) -> None:
        """Dismiss all pages. The next page opens another room."""
        self._drop()
        for page in list(self._pages):
            page.leave(code)

    def _drop(self) -> None:
        rooms = _rooms.get(asyncio.get_running_loop(), {})
        if rooms.get((type(self), self.number)) is self:
            del rooms[type(self), self.number]

    @abstractmethod
    async def _open(self) -> None:
        """Subscribe to updates, then start the room's tasks."""

    def _work(self, *works: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run these tasks until the room is closed."""
        self._tasks += [asyncio.create_task(self._guard(work)) for work in works]

    async def _guard(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Dismiss all pages if the database is down; they reconnect and catch up."""
        try:
            await work()
        except DatabaseError as error:
            about = (self.subject, self.number, error)
            logger.warning("%s %d: the stream ends, the database does not respond: %s", *about)
            self.leave(TRY_LATER)
        except Exception:  # after any error the pages would receive nothing more
            logger.exception("%s %d: the stream breaks off", self.subject, self.number)
            self.leave(TRY_LATER)
