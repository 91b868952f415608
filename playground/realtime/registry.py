"""The rooms of this process: made by the first page that comes, closed after the last."""

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
    """Who is in a room. None of its methods may wait for a connection."""

    def leave(self, code: int) -> None:
        """The room is no more: end the connection with this code."""


P = TypeVar("P", bound=AnyPage)
Work = Callable[[], Coroutine[Any, Any, None]]


class AnyRoom(ABC, Generic[P]):
    """Pages that share a subscription and what is done about it; `about` is for the log."""

    def __init__(self, rooms: "Rooms[Any]", about: str) -> None:
        self._rooms = rooms
        self._about = about
        self._pages: set[P] = set()
        self._tasks: list[asyncio.Task[None]] = []
        # The group that is heard, and the channel that hears it.
        self._joined: tuple[str, str] | None = None
        # Done when the subscription holds, and the room can be used.
        self.opened = asyncio.create_task(self._open())

    def enter(self, page: P) -> None:
        self._pages.add(page)

    def leave(self, page: P) -> bool:
        """Whether nobody is left."""
        self._pages.discard(page)
        return not self._pages

    async def close(self) -> None:
        """Nobody is left, or it could not be opened."""
        self.opened.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(self.opened, *self._tasks, return_exceptions=True)
        if self._joined is not None:
            # Here, and not where it is listened: that may not have begun.
            with suppress(RedisError, OSError):
                await get_channel_layer().group_discard(*self._joined)

    @abstractmethod
    async def _open(self) -> None:
        """Subscribe, then begin to work."""

    async def _subscribe(self, group: str) -> str:
        """A channel of its own that hears what the group is told."""
        layer = get_channel_layer()
        channel: str = await layer.new_channel("room.")
        # Who is cancelled in the middle may be in the group already.
        self._joined = group, channel
        await layer.group_add(group, channel)
        return channel

    def _work(self, *works: Work) -> None:
        """Do these until the room is closed; where that is at once, none of them is begun."""
        self._tasks = [asyncio.create_task(self._guard(work)) for work in works]

    async def _guard(self, work: Work) -> None:
        """Let go of everybody when the database is away: they come back, and are told what they missed."""
        try:
            await work()
        except DatabaseError as error:
            logger.warning("%s: the stream ends, the database does not answer: %s", self._about, error)
            self._dismiss(TRY_LATER)
        except (RedisError, OSError):
            # What is said gets lost from now on, and is looked for.
            raise
        except Exception:  # whatever it is: who stays would be told nothing any more
            logger.exception("%s: the stream breaks off", self._about)
            self._dismiss(TRY_LATER)

    def _dismiss(self, code: int) -> None:
        self._rooms.drop(self)
        for page in list(self._pages):
            page.leave(code)


R = TypeVar("R", bound=AnyRoom[Any])


class Rooms(Generic[R]):
    """Rooms by the number of what they are about; `make` opens one."""

    def __init__(self, make: "Callable[[Rooms[R], int], R]") -> None:
        self._make = make
        # By event loop: a process has one, a test run many.
        self._rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, R]] = WeakKeyDictionary()

    async def enter(self, number: int, page: Any) -> R:
        """Let a page into the room: it hears of all that is told from now on.

        Raises RedisError, OSError or DatabaseError when there is no room without broker or database.
        """
        rooms = self._rooms.setdefault(asyncio.get_running_loop(), {})
        room = rooms.get(number)
        if room is None:
            room = rooms[number] = self._make(self, number)
        room.enter(page)
        try:
            # Others wait for it as well: one that gives up must not end it for them.
            await asyncio.shield(room.opened)
        except BaseException as error:
            # It could not be opened, or the page went while it waited.
            if room.leave(page) or not isinstance(error, asyncio.CancelledError):
                self.drop(room)
                await room.close()
            raise
        return room

    async def leave(self, room: R, page: Any) -> None:
        """A page goes; with the last one the room is closed."""
        if room.leave(page):
            self.drop(room)
            await room.close()

    def drop(self, room: R) -> None:
        """Whoever comes next makes a new one."""
        rooms = self._rooms.get(asyncio.get_running_loop(), {})
        for number in [number for number, known in rooms.items() if known is room]:
            del rooms[number]
