"""Wait until a command is carried out: its cluster's room hears of it at once."""

import asyncio
import contextlib

from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from redis.exceptions import RedisError

from playground.kubernetes.rooms import ROOMS
from playground.models import Command, CommandState

PATIENCE_SECONDS = 30.0
# News may get lost on their way.
LOOK_EVERY = 0.25
_OVER = (CommandState.DONE, CommandState.FAILED, CommandState.STOPPED)


def over(command: Command) -> Command | None:
    """The command when it is over; None if that takes too long."""
    return _read(command.pk) or async_to_sync(_when_over)(command.cluster_id, command.pk)


def _read(pk: int) -> Command | None:
    found = Command.objects.filter(pk=pk, state__in=_OVER).first()
    if found is None and not Command.objects.filter(pk=pk).exists():
        raise Command.DoesNotExist(f"command {pk} is gone with its cluster")
    return found


class _Ear:
    def __init__(self) -> None:
        self.heard = asyncio.Event()

    def hear(self) -> None:
        self.heard.set()

    def leave(self, code: int) -> None:
        self.heard.set()


async def _when_over(cluster_id: int, pk: int) -> Command | None:
    ear, room = _Ear(), None
    with contextlib.suppress(RedisError, OSError):
        room = await ROOMS.enter(cluster_id, ear)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (found := await database_sync_to_async(_read)(pk)) is None:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(ear.heard.wait(), LOOK_EVERY)
                ear.heard.clear()
            return found
    except TimeoutError:
        return None
    finally:
        if room is not None:
            with contextlib.suppress(RedisError, OSError):
                await ROOMS.leave(room, ear)
