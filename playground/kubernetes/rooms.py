"""The watches of a cluster in this process.

They share a subscription, one read of the database per notification, and the encoded events if their requests are
equal.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import DatabaseError

from playground.engine import cluster_states, history
from playground.kubernetes import changes, versions
from playground.kubernetes.changes import WatchedChange, WatchEvent, WatchView
from playground.news import frames
from playground.realtime.registry import DELETED, AnyPage, AnyRoom, Rooms

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0
# The pause after a delivery, in seconds for each watch that got events. Later events are then sent together, so a
# large crowd does not occupy the process.
PAUSE_FOR_EACH = 0.0002
# The limit of batches that wait for a slow client. A client above it is disconnected and resumes where it was.
MOST_WAITING = 256


@dataclass(frozen=True, slots=True)
class Batch:
    """The events of a feed up to the record `upto`. `written` is their encoding."""

    upto: int
    watch_events: list[WatchEvent]
    written: bytes


class Listener(AnyPage, Protocol):
    """A subscriber to notifications."""

    def hear(self) -> None:
        """Handle a notification."""


class Watcher:
    """A watch that takes batches from its feed, as fast as its client reads."""

    def __init__(self) -> None:
        self.waiting: deque[Batch] = deque()
        self.something = asyncio.Event()
        self.is_due = self.is_over = False

    def hear(self) -> None:
        pass

    def ring(self) -> None:
        """Wake the watch for a bookmark or its end."""
        self.is_due = True
        self.something.set()

    def offer(self, batch: Batch) -> None:
        if len(self.waiting) >= MOST_WAITING:
            return self.leave(0)
        self.waiting.append(batch)
        return self.something.set()

    def leave(self, code: int) -> None:
        self.is_over = True
        self.something.set()


class Feed:
    """The watches with equal requests."""

    def __init__(self, view: WatchView) -> None:
        self.view = view
        self.watchers: set[Watcher] = set()

    def render(self, upto: int, changed: list[WatchedChange]) -> Batch | None:
        """Return the events of these changes for the feed, or None if that fails. May read the database."""
        try:
            events = list(self.view.watch_events(changed))
            return Batch(upto, events, b"".join(self.view.written(each.type, each.value) for each in events))
        except DatabaseError:
            raise
        except Exception:  # a defect in one selection must not end other watches
            logger.exception("watches of %s break off", self.view.resource.name)
            return None

    def offer(self, batch: Batch | None) -> int:
        """Give the batch to all watches, or end them if it is None.

        Return the number of watches with something to send.
        """
        for watcher in list(self.watchers):
            if batch is None:
                watcher.leave(0)
            else:
                watcher.offer(batch)
        return len(self.watchers) if batch is not None and batch.written else 0


class WatchRoom(AnyRoom[Listener]):
    """The watches in this process that wait for changes of one cluster."""

    def __init__(self, rooms: "Rooms[WatchRoom]", cluster_id: int) -> None:
        self._cluster_id = cluster_id
        self._last = 0
        self._news = asyncio.Event()
        self._feeds: dict[Hashable, Feed] = {}
        super().__init__(rooms, f"cluster {cluster_id}, watched")

    def watch(self, key: Hashable, view: WatchView, watcher: Watcher) -> None:
        """Add a watch. Watches with equal requests have the same `key`."""
        self._feeds.setdefault(key, Feed(view)).watchers.add(watcher)

    def forget(self, key: Hashable, watcher: Watcher) -> None:
        feed = self._feeds.get(key)
        if feed is not None:
            feed.watchers.discard(watcher)
            if not feed.watchers:
                del self._feeds[key]

    async def _open(self) -> None:
        channel = await self._subscribe(frames.group(self._cluster_id))
        self._last = await self._read_last()
        self._work(partial(self._listen, channel), self._look, self._deliver)

    async def _listen(self, channel: str) -> None:
        layer = get_channel_layer()
        while True:
            await layer.receive(channel)
            self._news.set()

    async def _look(self) -> None:
        """Poll for new records, because notifications may get lost."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if await self._has_moved(self._last):
                self._news.set()

    async def _deliver(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            for page in list(self._pages):
                page.hear()
            if not self._feeds:
                self._last = await self._read_last()
                continue
            kinds: set[str] = set()
            while not (wanted := self._kinds()) <= kinds:
                # A watch that was added during the read may be about other kinds.
                kinds |= wanted
                newer = await self._read(kinds)
            if newer is None:
                return self._dismiss(DELETED)
            last, events = newer
            if last == self._last:
                # Only the state was published, which concerns no watch.
                continue
            self._last = last
            feeds = list(self._feeds.values())
            batches = await self._render(feeds, last, events)
            sending = sum(feed.offer(batch) for feed, batch in zip(feeds, batches, strict=True))
            await asyncio.sleep(PAUSE_FOR_EACH * sending)

    def _kinds(self) -> set[str]:
        return {feed.view.resource.kind for feed in self._feeds.values()}

    @database_sync_to_async
    def _read(self, kinds: set[str]) -> tuple[int, list[WatchedChange]] | None:
        return changes.since(self._cluster_id, versions.cluster_version(self._last), kinds)

    @database_sync_to_async
    def _render(self, feeds: list[Feed], last: int, changed: list[WatchedChange]) -> list[Batch | None]:
        """Encode the batches in a thread, because built-in objects are read from the database."""
        return [feed.render(last, changed) for feed in feeds]

    @database_sync_to_async
    def _has_moved(self, last: int) -> bool:
        return cluster_states.has_moved(self._cluster_id, last)

    @database_sync_to_async
    def _read_last(self) -> int:
        return history.last(self._cluster_id) or 0


ROOMS = Rooms(WatchRoom)
