"""The updates of clusters: a process has one subscription and one poll for each cluster that anybody follows."""

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

from playground.engine import cluster_states
from playground.news import frames
from playground.realtime.registry import AnyRoom, P

Message = dict[str, Any]


class GroupRoom(AnyRoom[P]):
    """A room that receives the messages of one group of the channel layer, and polls the database.

    The poll finds what a dead worker did not announce, and changes whose messages a broker lost.
    """

    poll_seconds = 1.0
    group_of: Callable[[int], str] = staticmethod(frames.group)
    _channel = ""

    async def close(self) -> None:
        """Cancel the room's tasks and end its subscription."""
        await super().close()
        if self._channel:
            # Not in the receiving task, because that may not have started.
            with suppress(RedisError, OSError):
                await get_channel_layer().group_discard(self.group_of(self.number), self._channel)

    async def _open(self) -> None:
        await self._subscribe()
        self._work(self._receive, self._poll)

    async def _subscribe(self) -> None:
        layer = get_channel_layer()
        # A cancelled call may have joined the group already, so store the channel first.
        self._channel = await layer.new_channel("room.")
        await layer.group_add(self.group_of(self.number), self._channel)

    async def _receive(self) -> None:
        while True:
            self._handle_message(await get_channel_layer().receive(self._channel))

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self.poll_seconds)
            await self._look()

    @abstractmethod
    def _handle_message(self, message: Message) -> None:
        """Handle a message of the group, without waiting."""

    @abstractmethod
    async def _look(self) -> None:
        """Find changes in the database."""


class ClusterFeed(GroupRoom["ClusterRoom[Any]"]):
    """The only subscription of this process to one cluster, and its only poll. Its pages are rooms."""

    def _handle_message(self, message: Message) -> None:
        for room in list(self._pages):
            room.hear(message)

    async def _look(self) -> None:
        known = [room.last for room in self._pages if room.last is not None]
        read = database_sync_to_async(cluster_states.has_moved, thread_sensitive=False)
        has_moved = bool(known) and await read(self.number, min(known))
        for room in list(self._pages):
            room.look(has_moved=has_moved)


class ClusterRoom(AnyRoom[P]):
    """A room that follows a cluster through the cluster's feed."""

    _feed: ClusterFeed | None = None

    @property
    def last(self) -> int | None:
        """The number of the last record that the room knows, or None if it needs no polls."""
        return None

    async def close(self) -> None:
        """Cancel the room's tasks and leave the feed."""
        await super().close()
        if self._feed is not None:
            await self._feed.remove(self)

    async def _open(self) -> None:
        self._feed = await ClusterFeed.enter(self.number, self)

    @abstractmethod
    def hear(self, message: Message) -> None:
        """Handle a message about the cluster, without waiting."""

    def look(self, *, has_moved: bool) -> None:
        """Handle a poll, without waiting. `has_moved`: messages may have been lost, or the cluster was deleted."""
