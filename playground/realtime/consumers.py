"""The WebSocket of one page: its cluster's numbered records without gaps, at the speed of the connection.

1. `enter` joins the cluster's room, sends the state and the records that the page missed.
2. The room calls `tell` for new records and `show` for a new state.
3. `_deliver` sends them; `_catch_up` reads records that a notification lacks from the database.
"""

import json
from collections import deque
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from django.db import DatabaseError

from playground import limits
from playground.access import readers, withheld_records
from playground.engine import cluster_states, history_reads
from playground.news import frames
from playground.problems import Refused
from playground.realtime import rooms
from playground.realtime.page import RoomConsumer
from playground.realtime.registry import DELETED, NO_CLUSTER, TRY_LATER
from playground.realtime.rooms import News, Room

# Notifications that wait for a slow connection. Records of dropped ones are read from the database later.
MOST_NEWS = 64


class ClusterConsumer(RoomConsumer):
    """A page's socket to its cluster. Gaps in the records' numbers show lost notifications."""

    # The user ID of a follower in a class; None for the owner.
    follower: int | None = None

    frames_per_second, frames_at_once = limits.SOCKET_FRAMES_PER_SECOND, limits.SOCKET_FRAMES_AT_ONCE
    frame_bytes = limits.SOCKET_MESSAGE_BYTES
    room: Room | None = None
    state: str | None = None
    last = 0

    async def enter(self) -> None:
        self.cluster_id = self.scope["url_route"]["kwargs"]["cluster_id"]
        self.news: deque[News | int] = deque(maxlen=MOST_NEWS)
        owner = await self._find_owner()
        if owner is None:
            # A page may connect just after its owner deleted the cluster in another one.
            return await self.close(DELETED if await self._is_deleted() else NO_CLUSTER)
        self.follower = None if owner == self.scope["user"].pk else self.scope["user"].pk
        # Enter before reading, so that a change in between arrives twice instead of not at all.
        self.room = await Room.enter(self.cluster_id, self)
        state = await self._read_state()
        if state is None:
            return await self.close(NO_CLUSTER)
        self.last = state["revision"]
        await self.send(frames.hello(json.dumps(state), self.last))
        after = _number(parse_qs(self.scope["query_string"].decode("latin1")).get("after", [""])[0])
        if after is not None:
            await self._catch_up(min(after, self.last), self.last)
        self.start_task(self._deliver())
        return None

    async def may_read(self) -> bool:
        return await self._find_owner() is not None

    async def leave_room(self) -> None:
        if self.room is not None:
            await self.room.remove(self)

    async def handle_message(self, message: dict[str, Any]) -> None:
        """Handle `{"type": "resume", "after": n}`: send everything after n again. Ignore anything else."""
        if message.get("type") == "resume":
            after = _number(message.get("after"))
            if after is not None:
                self._add_notification(after)

    # Called by the room; these methods must not wait for the connection

    def tell(self, news: News) -> None:
        self._add_notification(news)

    def show(self, state: str) -> None:
        self.state = state
        self.has_pending.set()

    def _add_notification(self, news: News | int) -> None:
        self.news.append(news)
        self.has_pending.set()

    # Delivery runs in its own task, so that a slow connection doesn't delay the room

    async def _deliver(self) -> None:
        try:
            while True:
                await self.has_pending.wait()
                self.has_pending.clear()
                while self.news:
                    await self._send_records(self.news.popleft())
                if self.state is not None:
                    state, self.state = self.state, None
                    await self.send(state)
        except DatabaseError:
            # The page reconnects with the number of its last record.
            await self.close(TRY_LATER)

    async def _send_records(self, news: News | int) -> None:
        if isinstance(news, int):
            if self.room is not None:
                await self.room.look_at_held()
            last = await self._last_stored()
            return await self._catch_up(min(news, self._visible_upto(last)), self._visible_upto(last))
        if news.last <= self.last or self.last >= self._visible_upto(news.last):
            return None
        if self._visible_upto(news.last) < news.last:
            # The rest is hidden for now; a page that may see it later resumes from its last record.
            return await self._catch_up(self.last, self._visible_upto(news.last))
        if not news.bodies:
            return await self._catch_up(self.last, news.last)
        if news.first > self.last + 1:
            await self._catch_up(self.last, news.first - 1)
        if news.first == self.last + 1:
            frame = news.frame
        else:
            rest = news.bodies[self.last + 1 - news.first :]
            frame = frames.records(self.last + 1, rest, is_brief=news.is_brief, matrix=news.matrix)
        await self.send(frame)
        self.last = news.last
        return None

    def _visible_upto(self, last: int) -> int:
        """Return the last record until `last` that this page may see."""
        if self.room is None or self.room.withheld is None or self.follower is None:
            return last
        upto = self.room.withheld.upto(self.follower)
        return last if upto is None else min(last, upto)

    async def _catch_up(self, after: int, upto: int) -> None:
        """Send the records after `after` from the database, or only their range if they are too many."""
        self.last = upto
        if upto - after > limits.CATCH_UP_RECORDS:
            return await self.send(frames.gap(after + 1, upto))
        is_brief = upto - after > limits.FULL_RECORDS
        while after < upto:
            try:
                bodies = await rooms.read_bodies(self.cluster_id, after, upto, is_brief)
            except Refused:
                # The records were pruned; the API's answer gives the reason.
                return await self.send(frames.gap(after + 1, upto))
            if not bodies:
                return await self.close(NO_CLUSTER)
            await self.send(frames.records(after + 1, bodies, is_brief=is_brief))
            after += len(bodies)
        return None

    @database_sync_to_async
    def _find_owner(self) -> int | None:
        """Return the key of the cluster's owner; None if the user may not read it."""
        readable = readers.select_readable(self.scope["user"]).filter(pk=self.cluster_id)
        return readable.values_list("owner_id", flat=True).first()

    @database_sync_to_async
    def _is_deleted(self) -> bool:
        """Return whether the user deleted the cluster and can still restore it."""
        return readers.may_restore(self.scope["user"], self.cluster_id)

    @database_sync_to_async
    def _read_state(self) -> cluster_states.ClusterAnswer | None:
        state = cluster_states.read_state(self.cluster_id)
        if state is None or self.room is None or self.follower is None:
            return state
        # Read after the state, because a question is stored before the cycle that it hides.
        self.room.withheld = withheld_records.find_withheld(self.cluster_id)
        if self.room.withheld is None or self._visible_upto(state["revision"]) == state["revision"]:
            return state
        return withheld_records.read_state_before(self.cluster_id, self.room.withheld)

    @database_sync_to_async
    def _last_stored(self) -> int:
        return history_reads.last_seq(self.cluster_id) or 0


def _number(value: object) -> int | None:
    """Return the number of a record as a client sent it, or None if it is invalid."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**18:
        return value
    return None
