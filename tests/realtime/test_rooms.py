"""A room that closes before its work has begun leaves nothing undone."""

import asyncio
import gc
from typing import Any

import pytest
from asgiref.sync import async_to_sync

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
