"""Rooms open and close once, leave their group in any case, and share one feed of their cluster."""

import asyncio
import gc
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from playground.realtime import registry
from playground.realtime.feeds import GroupRoom, Message
from playground.realtime.registry import AnyPage, AnyRoom


class Page:
    """A page that stays until it is dismissed."""

    def __init__(self) -> None:
        self.code = 0

    def leave(self, code: int) -> None:
        self.code = code


class Hall(AnyRoom[AnyPage]):
    async def _open(self) -> None:
        self._work(self._wait)

    async def _wait(self) -> None:
        await asyncio.sleep(1000)


def test_tasks_that_never_started_are_not_coroutines_that_were_never_awaited(
    recwarn: pytest.WarningsRecorder,
) -> None:
    async def close_at_once() -> None:
        room = Hall(1)
        await room.opened
        room._work(room._wait)
        await room.close()

    async_to_sync(close_at_once)()
    gc.collect()
    assert not [each for each in recwarn if "never awaited" in str(each.message)]


class Listening(GroupRoom[AnyPage]):
    """Is subscribed to a group."""

    group_of = staticmethod(lambda number: f"a-group.{number}")

    def _handle_message(self, message: Message) -> None:
        """Ignore the message."""

    async def _look(self) -> None:
        """Look at nothing."""


class Reading(Listening):
    """Has subscribed, and reads before its tasks begin."""

    is_reading = False

    async def _open(self) -> None:
        await self._subscribe()
        self.is_reading = True
        await asyncio.sleep(1000)


def joined() -> bool:
    return any("a-group" in name for name in get_channel_layer().groups)


@pytest.mark.usefixtures("redis_url")
@pytest.mark.parametrize("kind", [Listening, Reading])
def test_a_room_that_closes_at_once_leaves_its_group(kind: type[Listening]) -> None:
    async def close_at_once() -> None:
        room = kind(1)
        while not (room.is_reading if isinstance(room, Reading) else room.opened.done()):
            await asyncio.sleep(0.001)
        assert joined()
        await room.close()
        assert not joined()

    async_to_sync(close_at_once)()


@pytest.mark.usefixtures("redis_url")
async def test_the_first_page_opens_a_room_and_the_last_one_closes_it() -> None:
    pages: list[Any] = [Page(), Page()]
    room, same = await asyncio.gather(*(Listening.enter(1, page) for page in pages))
    assert room is same
    await room.remove(pages[0])
    assert joined()
    await room.remove(pages[1])
    assert not joined()
    assert not registry._rooms[asyncio.get_running_loop()]
    another = await Listening.enter(1, pages[0])
    assert another is not room
    await another.remove(pages[0])
