"""A room that closes before its work has begun leaves nothing undone."""

import asyncio
import gc
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from playground.realtime.registry import AnyPage, AnyRoom, Rooms


class Hall(AnyRoom[AnyPage]):
    async def _open(self) -> None:
        self._work(self._wait)

    async def _wait(self) -> None:
        await asyncio.sleep(1000)


def test_work_that_is_not_begun_is_not_made(recwarn: pytest.WarningsRecorder) -> None:
    async def closed_at_once() -> None:
        rooms: Rooms[Any] = Rooms(lambda own, number: Hall(own, str(number)))
        room = Hall(rooms, "a hall")
        await room.opened
        room._work(room._wait)
        await room.close()

    async_to_sync(closed_at_once)()
    gc.collect()
    assert not [each for each in recwarn if "never awaited" in str(each.message)]


class Listening(AnyRoom[AnyPage]):
    """Hears a group."""

    async def _open(self) -> None:
        channel = await self._subscribe("a-group")
        await self._read()
        self._work(partial(self._listen, channel))

    async def _read(self) -> None:
        """What is read before the work begins."""

    async def _listen(self, channel: str) -> None:
        while True:
            await get_channel_layer().receive(channel)


class Reading(Listening):
    """Is still at it."""

    is_reading = False

    async def _read(self) -> None:
        self.is_reading = True
        await asyncio.sleep(1000)


def joined() -> bool:
    return any("a-group" in name for name in get_channel_layer().groups)


@pytest.mark.usefixtures("redis_url")
@pytest.mark.parametrize("kind", [Listening, Reading])
def test_a_room_that_closes_at_once_leaves_its_group(kind: type[Listening]) -> None:
    async def closed_at_once() -> None:
        rooms: Rooms[Any] = Rooms(lambda own, number: kind(own, str(number)))
        room = kind(rooms, "a hall")
        while not (room.is_reading if isinstance(room, Reading) else room.opened.done()):
            await asyncio.sleep(0.001)
        await room.close()
        assert not joined()

    async_to_sync(closed_at_once)()
