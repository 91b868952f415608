"""The rooms of this process: made by the first page that comes, closed after the last."""

import asyncio
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary


class AnyRoom(Protocol):
    """What pages enter and leave. `opened` is done when it can be used."""

    opened: asyncio.Task[None]

    def enter(self, page: Any) -> None:
        """A page comes."""

    def leave(self, page: Any) -> bool:
        """A page goes; whether nobody is left."""

    async def close(self) -> None:
        """Nobody is left, or it could not be opened."""


R = TypeVar("R", bound=AnyRoom)


class Rooms(Generic[R]):
    """Rooms by the number of what they are about; `make` opens one."""

    def __init__(self, make: Callable[[int], R]) -> None:
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
            room = rooms[number] = self._make(number)
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
