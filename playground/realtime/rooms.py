"""The rooms of clusters: the pages of one process on a cluster share its updates, database reads and messages.

For a thousand pages, a notification is read and encoded once, and then written to each socket.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from channels.db import database_sync_to_async

from playground import limits
from playground.access import open_classes, withheld_records
from playground.access.withheld_records import WithheldRecords
from playground.engine import cluster_states, history_reads
from playground.news import frames
from playground.problems import Refused
from playground.realtime.feeds import ClusterRoom, Message
from playground.realtime.registry import DELETED, NO_CLUSTER, AnyPage

BETWEEN_STATES = 1 / limits.STATE_FRAMES_PER_SECOND
# A poll shows no state if one was shown within this many seconds.
STATE_IS_NEW = 0.9
# The states in which a cluster changes. In other states the channel layer announces each change.
BUSY = ("queued", "running")


@dataclass(frozen=True)
class News:
    """Consecutive records `first` to `last`; without bodies, pages must read them from the database.

    `matrix` is that of the newest cycle among them, as JSON; empty if the notification had none.
    """

    first: int
    last: int
    is_brief: bool = False
    bodies: list[str] = field(default_factory=list)
    matrix: str = ""

    @cached_property
    def frame(self) -> str:
        """The WebSocket message with all of these records, encoded once for all pages."""
        return frames.records(self.first, self.bodies, is_brief=self.is_brief, matrix=self.matrix)


class ClusterPage(AnyPage, Protocol):
    """A page that watches a cluster."""

    follower: int | None

    def tell(self, news: News) -> None:
        """Send these new records."""

    def show(self, state: str) -> None:
        """Send the message with the newest state."""


class Room(ClusterRoom[ClusterPage]):
    """The pages of this process that watch one cluster."""

    def __init__(self, number: int) -> None:
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._polls: asyncio.Queue[bool] = asyncio.Queue(1)
        self._last = 0
        self._busy = False
        self._state: str | None = None
        self._state_shown = 0.0
        self._state_revision = 0
        self._is_coming_back = False
        # The open question of the class that shows the cluster; read before its followers get anything.
        self.withheld: WithheldRecords | None = None
        super().__init__(number)

    async def _open(self) -> None:
        # Records that are stored before the subscription show as a gap in the numbers.
        self._last = await database_sync_to_async(history_reads.last_seq)(self.number) or 0
        await super()._open()
        self._work(self._handle_messages, self._handle_polls)

    def hear(self, message: Message) -> None:
        self._messages.put_nowait(message)

    @property
    def last(self) -> int | None:
        return None if self._busy else self._last

    def look(self, *, has_moved: bool) -> None:
        if not self._polls.full():
            self._polls.put_nowait(has_moved)

    # Notifications from the channel layer

    async def _handle_messages(self) -> None:
        while True:
            message = await self._messages.get()
            await self.look_at_held()
            if message["type"] == "records":
                await self._fill(message["from"] - 1)
                matrix = message.get("matrix", "")
                self._tell(News(message["from"], message["to"], message["brief"], message["bodies"], matrix))
            elif message["type"] == "look":
                self._busy = True
            else:
                await self._show(message["state"])

    async def _fill(self, upto: int) -> None:
        """Send the records up to `upto` that were not announced, from the database."""
        while self._last < upto:
            # Notifications during the read may repeat these records; pages skip known numbers.
            after = self._last
            if upto - after > limits.CATCH_UP_RECORDS:
                return self._tell(News(after + 1, upto))
            is_brief = upto - after > limits.FULL_RECORDS
            try:
                bodies = await read_bodies(self.number, after, upto, is_brief)
            except Refused:
                bodies = []
            if not bodies:
                return self._tell(News(after + 1, upto))
            self._tell(News(after + 1, after + len(bodies), is_brief, bodies))
        return None

    def _tell(self, news: News) -> None:
        self._last = max(self._last, news.last)
        for page in self._pages:
            page.tell(news)

    async def _show(self, text: str) -> None:
        """Show the state now, or the newest one as soon as the rate limit allows it."""
        self._state = text
        state = json.loads(text)
        self._busy = state["state"] in BUSY
        self._state_revision = state["revision"]
        # The records that led to a state come first.
        await self._fill(state["revision"])
        wait = self._state_shown + BETWEEN_STATES - time.monotonic()
        if wait <= 0:
            self._show_now()
        elif not self._is_coming_back:
            self._is_coming_back = True
            asyncio.get_running_loop().call_later(wait, self._show_now)

    def _show_now(self) -> None:
        self._is_coming_back = False
        self._state_shown = time.monotonic()
        if self._state is not None:
            frame, self._state = frames.state(self._state), None
            for page in self._pages:
                upto = None if self.withheld is None or page.follower is None else self.withheld.upto(page.follower)
                if upto is None or self._state_revision <= upto:
                    page.show(frame)

    async def look_at_held(self) -> None:
        """Read the open question again: it is stored before the records that it hides are announced."""
        if any(page.follower is not None for page in self._pages):
            self.withheld = await database_sync_to_async(withheld_records.find_withheld)(self.number)

    # The database, because a dead worker publishes nothing and a broker may lose messages

    async def _handle_polls(self) -> None:
        while True:
            has_moved = await self._polls.get()
            await self._dismiss_former_followers()
            if (self._busy or has_moved) and time.monotonic() - self._state_shown >= STATE_IS_NEW:
                state = await database_sync_to_async(cluster_states.read_state)(self.number)
                if state is None:
                    return self.leave(DELETED)
                await self.look_at_held()
                await self._show(json.dumps(state))

    async def _dismiss_former_followers(self) -> None:
        """Dismiss followers whose class has ended or shows another cluster, and those who left it."""
        followers = [page for page in self._pages if page.follower is not None]
        if followers:
            allowed = await database_sync_to_async(open_classes.follower_ids_of_cluster)(self.number)
            for page in followers:
                if page.follower not in allowed:
                    page.leave(NO_CLUSTER)


@database_sync_to_async
def read_bodies(cluster_id: int, after: int, upto: int, is_brief: bool) -> list[str]:
    """Return one message's worth of records after `after`. Raises Refused if they were pruned."""
    bodies = history_reads.read_record_bodies(cluster_id, after, limits.RECORDS_PER_FRAME, upto)
    return [frames.brief(body) for body in bodies] if is_brief else bodies
