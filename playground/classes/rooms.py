"""The rooms of classes: the pages of one process in a class share its subscription, newest view and last move.

A move costs one message on the channel layer, one encoding, and a socket write per follower.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Protocol

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from playground.access import open_classes
from playground.access.open_classes import Hidden
from playground.classes import selectors, services
from playground.classes.pointer_moves import Move
from playground.news import frames
from playground.realtime.feeds import GroupRoom, Message
from playground.realtime.registry import NO_CLUSTER, AnyPage

# Seconds between two views and two signs of life, and until a move is stored.
BETWEEN_VIEWS = 0.25
SIGN_EVERY = 20.0
KEEP_AFTER = 0.5


@dataclass(frozen=True)
class ClassSnapshot:
    """A class at one version: its members, who points, and the frames that show it."""

    version: int
    cluster_id: int
    teacher: int
    pointer: int
    users: frozenset[int]
    for_teacher: str
    for_followers: str
    # Without the pointer's position, which may reveal the outcome that the open question asks for.
    for_waiting: str
    hidden: Hidden | None

    def shows(self, moment: Move | None, user_id: int) -> bool:
        return selectors.may_see(moment, self.hidden, user_id)


class ClassPage(AnyPage, Protocol):
    """A page in a class."""

    user_id: int

    def show(self, view: ClassSnapshot) -> None:
        """Show the changed class."""

    def move(self, frame: str, user_id: int) -> None:
        """Show the pointer's move by this user."""


class ClassRoom(GroupRoom[ClassPage]):
    """The pages of this process that are in one class."""

    subject = "class"
    poll_seconds = 2.0
    group_of = staticmethod(frames.class_group)

    def __init__(self, number: int) -> None:
        self.view: ClassSnapshot | None = None
        self.moment: Move | None = None
        self._moved = 0
        self._signed = 0.0
        self._stale = asyncio.Event()
        self._unsaved: Move | None = None
        super().__init__(number)

    def has(self, user_id: int) -> bool:
        return any(page.user_id == user_id for page in self._pages)

    async def close(self) -> None:
        await super().close()
        await self._store_move()

    async def _open(self) -> None:
        await self._subscribe()
        await self._refresh()
        self._work(self._receive, self._poll, self._refresh_when_stale, self._store_moves)

    # Moves

    async def tell(self, moment: Move, user_id: int) -> None:
        """Publish a move of the pointer's page to the pages of all processes."""
        number = max(self._moved + 1, time.time_ns() // 1_000_000)
        self._unsaved = moment
        news = {"type": "moved", "number": number, "moment": moment, "user": user_id}
        self._show_move(news)
        await get_channel_layer().group_send(self.group_of(self.number), news)

    def _show_move(self, news: Message) -> None:
        """Send a move to the pages that may see it, unless a later one has been sent."""
        if news["number"] <= self._moved:
            return
        self._moved, self.moment = news["number"], news["moment"]
        frame = json.dumps({"type": "move", "moment": self.moment})
        for page in self._pages:
            if self.view is None or self.view.shows(self.moment, page.user_id):
                page.move(frame, news["user"])

    async def _store_moves(self) -> None:
        while True:
            await asyncio.sleep(KEEP_AFTER)
            await self._store_move()

    async def _store_move(self) -> None:
        if self._unsaved is not None:
            moment, self._unsaved = self._unsaved, None
            await database_sync_to_async(services.store_pointer)(self.number, moment, self._moved)

    # Updates from the channel layer and the database

    def _handle_message(self, message: Message) -> None:
        if message["type"] == "moved":
            self._show_move(message)
        else:
            self._stale.set()

    async def _refresh_when_stale(self) -> None:
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self._refresh()
            await asyncio.sleep(BETWEEN_VIEWS)

    async def _look(self) -> None:
        """Find changes that the broker lost, and mark the connected followers as present."""
        if time.monotonic() - self._signed >= SIGN_EVERY:
            self._signed = time.monotonic()
            users = sorted({page.user_id for page in self._pages})
            await database_sync_to_async(services.store_presence)(self.number, users, here=True)
        version, moved, moment = await database_sync_to_async(selectors.read_version)(self.number)
        if self.view is None or version != self.view.version:
            self._stale.set()
        if moment is not None and moved > self._moved:
            self._show_move({"number": moved, "moment": moment, "user": 0})

    async def _refresh(self) -> None:
        moved, read = self._moved, await self._read()
        before, self.view = self.view, read
        if self.view is None:
            return self.leave(NO_CLUSTER)
        if self._moved != moved:
            # A move arrived during the read: pages that may see it only now need the next view.
            self._stale.set()
        if before is not None and before.cluster_id != self.view.cluster_id:
            self.moment = None
        for page in list(self._pages):
            if page.user_id in self.view.users:
                page.show(self.view)
            else:
                page.leave(NO_CLUSTER)
        return None

    @database_sync_to_async
    def _read(self) -> ClassSnapshot | None:
        classroom = (
            open_classes.select_open_classes().select_related("pointer", "cluster").filter(pk=self.number).first()
        )
        if classroom is None:
            return None
        if self.moment is None:
            self.moment, self._moved = classroom.moment, max(self._moved, classroom.moved)
        for_followers = {**selectors.describe_for_followers(classroom), "moment": self.moment}
        return ClassSnapshot(
            classroom.version,
            classroom.cluster_id,
            classroom.teacher_id,
            classroom.pointer.user_id if classroom.pointer else classroom.teacher_id,
            frozenset({classroom.teacher_id, *selectors.users_of(classroom)}),
            json.dumps({"type": "class", "class": selectors.describe_for_teacher(classroom)}),
            json.dumps({"type": "class", "class": for_followers}),
            json.dumps({"type": "class", "class": {**for_followers, "moment": None}}),
            open_classes.find_hidden_cycles(classroom),
        )
