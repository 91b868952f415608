"""Who watches a cluster through its Kubernetes API, in this process: they share a subscription, a look at the database
for each piece of news, and, where they ask for the same, every event that is written.
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
from playground.kubernetes.changes import Change, View, WatchEvent
from playground.news import frames
from playground.realtime.registry import DELETED, AnyPage, AnyRoom, Rooms

logger = logging.getLogger(__name__)

LOOK_EVERY = 1.0
# So many seconds for each watch that was sent something are between two deliveries. To send a piece takes some 50 µs,
# whatever is in it: what happens meanwhile is told to a crowd in one, and three quarters of the process stay free.
PAUSE_FOR_EACH = 0.0002
# News that wait for a slow client; who has more of them is let go, and comes back where it was.
MOST_WAITING = 256


@dataclass(frozen=True, slots=True)
class Batch:
    """What a feed says of the records until `upto`; `written` is all of it."""

    upto: int
    watch_events: list[WatchEvent]
    written: bytes


class Listener(AnyPage, Protocol):
    """Who waits for anything to happen."""

    def hear(self) -> None:
        """There are news."""


class Watcher:
    """A watch: takes what its feed says, as fast as its client reads."""

    def __init__(self) -> None:
        self.waiting: deque[Batch] = deque()
        self.something = asyncio.Event()
        self.is_due = self.is_over = False

    def hear(self) -> None:
        pass

    def ring(self) -> None:
        """It is time for something else than news."""
        self.is_due = True
        self.something.set()

    def tell(self, batch: Batch) -> None:
        if len(self.waiting) >= MOST_WAITING:
            return self.leave(0)
        self.waiting.append(batch)
        return self.something.set()

    def leave(self, code: int) -> None:
        self.is_over = True
        self.something.set()


class Feed:
    """Watches that ask for the same."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.watchers: set[Watcher] = set()

    def render(self, upto: int, changed: list[Change]) -> Batch | None:
        """Return what the feed says of these changes; None if that fails. It may read the database."""
        try:
            events = list(self.view.watch_events(changed))
            return Batch(upto, events, b"".join(self.view.written(each.type, each.value) for each in events))
        except DatabaseError:
            raise
        except Exception:  # a fault in one selection must not end watches of others
            logger.exception("watches of %s break off", self.view.resource.name)
            return None

    def tell(self, batch: Batch | None) -> int:
        """Give the batch to all watchers, or end them if there is none. Return how many have something to send."""
        for watcher in list(self.watchers):
            if batch is None:
                watcher.leave(0)
            else:
                watcher.tell(batch)
        return len(self.watchers) if batch is not None and batch.written else 0


class WatchRoom(AnyRoom[Listener]):
    """Those of this process who wait for news of one cluster."""

    def __init__(self, rooms: "Rooms[WatchRoom]", cluster_id: int) -> None:
        self._cluster_id = cluster_id
        self._last = 0
        self._news = asyncio.Event()
        self._feeds: dict[Hashable, Feed] = {}
        super().__init__(rooms, f"cluster {cluster_id}, watched")

    def watch(self, key: Hashable, view: View, watcher: Watcher) -> None:
        """`key` is the same for those who ask for the same."""
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
        """What nobody says: news may get lost on their way."""
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
                # Who came while we read wants to hear of it, too.
                kinds |= wanted
                found = await self._read(kinds)
            if found is None:
                return self._dismiss(DELETED)
            last, events = found
            if last == self._last:
                # The state was told, which no watch is about.
                continue
            self._last = last
            feeds = list(self._feeds.values())
            batches = await self._render(feeds, last, events)
            sending = sum(feed.tell(batch) for feed, batch in zip(feeds, batches, strict=True))
            await asyncio.sleep(PAUSE_FOR_EACH * sending)

    def _kinds(self) -> set[str]:
        return {feed.view.resource.kind for feed in self._feeds.values()}

    @database_sync_to_async
    def _read(self, kinds: set[str]) -> tuple[int, list[Change]] | None:
        return changes.since(self._cluster_id, versions.after(self._last), kinds)

    @database_sync_to_async
    def _render(self, feeds: list[Feed], last: int, changed: list[Change]) -> list[Batch | None]:
        """Objects that every cluster has are read from the database, so this needs a thread."""
        return [feed.render(last, changed) for feed in feeds]

    @database_sync_to_async
    def _has_moved(self, last: int) -> bool:
        return cluster_states.has_moved(self._cluster_id, last)

    @database_sync_to_async
    def _read_last(self) -> int:
        return history.last(self._cluster_id) or 0


ROOMS = Rooms(WatchRoom)
