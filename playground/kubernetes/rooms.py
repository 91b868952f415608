"""The watches of a cluster in this process.

They share one read of the database per notification, and the encoded events if their requests are equal.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass

from channels.db import database_sync_to_async
from django.db import DatabaseError

from playground.engine import history_reads
from playground.kubernetes import resource_versions, watch_events
from playground.kubernetes.watch_events import WatchedChange, WatchEvent, WatchView
from playground.realtime.feeds import ClusterRoom, Message
from playground.realtime.registry import DELETED

logger = logging.getLogger(__name__)

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


class Watcher:
    """A watch that takes batches from its feed, as fast as its client reads."""

    def __init__(self) -> None:
        self.waiting: deque[Batch] = deque()
        self.something = asyncio.Event()
        self.is_due = self.is_over = False

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


class WatchRoom(ClusterRoom[Watcher]):
    """The watches in this process that wait for changes of one cluster."""

    last: int = 0

    def __init__(self, number: int) -> None:
        self._news = asyncio.Event()
        self._feeds: dict[Hashable, Feed] = {}
        super().__init__(number)

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
        await super()._open()
        self.last = await self._read_last()
        self._work(self._deliver)

    def hear(self, message: Message) -> None:
        self._news.set()

    def look(self, *, has_moved: bool) -> None:
        if has_moved:
            self._news.set()

    async def _deliver(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if not self._feeds:
                self.last = await self._read_last()
                continue
            kinds: set[str] = set()
            read = database_sync_to_async(watch_events.changes_since)
            while not (wanted := {feed.view.resource.kind for feed in self._feeds.values()}) <= kinds:
                # A watch that was added during the read may be about other kinds.
                kinds |= wanted
                newer = await read(self.number, resource_versions.cluster_version(self.last), kinds)
            if newer is None:
                return self.leave(DELETED)
            last, events = newer
            if last == self.last:
                # Only the state was published, which concerns no watch.
                continue
            self.last = last
            feeds = list(self._feeds.values())
            batches = await self._render(feeds, last, events)
            sending = sum(feed.offer(batch) for feed, batch in zip(feeds, batches, strict=True))
            await asyncio.sleep(PAUSE_FOR_EACH * sending)

    @database_sync_to_async
    def _render(self, feeds: list[Feed], last: int, changed: list[WatchedChange]) -> list[Batch | None]:
        """Encode the batches in a thread, because built-in objects are read from the database."""
        return [feed.render(last, changed) for feed in feeds]

    @database_sync_to_async
    def _read_last(self) -> int:
        return history_reads.last_seq(self.number) or 0
