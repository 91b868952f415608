"""The rooms of classes: the pages of one process in a class share its subscription, newest view and last move.

A move costs one message on the channel layer, one encoding, and a socket write per follower.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from channels.db import database_sync_to_async
from channels.layers import get_channel_layer

from playground.access import shown
from playground.access.shown import Hidden
from playground.classes import selectors, services
from playground.classes.moves import Move
from playground.news import frames
from playground.realtime.registry import NO_CLUSTER, AnyPage, AnyRoom, Rooms

# Seconds between two views, two reads of the version and two signs of life, and until a move is stored.
BETWEEN_VIEWS = 0.25
LOOK_EVERY = 2.0
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


class ClassRoom(AnyRoom[ClassPage]):
    """The pages of this process that are in one class."""

    def __init__(self, rooms: "Rooms[ClassRoom]", class_id: int) -> None:
        self.class_id = class_id
        self.view: ClassSnapshot | None = None
        self.moment: Move | None = None
        self._moved = 0
        self._stale = asyncio.Event()
        self._unsaved: Move | None = None
        super().__init__(rooms, f"class {class_id}")

    def has(self, user_id: int) -> bool:
        return any(page.user_id == user_id for page in self._pages)

    async def close(self) -> None:
        await super().close()
        await self._store_move()

    async def _open(self) -> None:
        channel = await self._subscribe(frames.class_group(self.class_id))
        await self._refresh()
        self._work(
            partial(self._listen, channel), self._refresh_from_database, self._refresh_when_stale, self._store_moves
        )

    # Moves

    async def tell(self, moment: Move, user_id: int) -> None:
        """Publish a move of the pointer's page to the pages of all processes."""
        number = max(self._moved + 1, time.time_ns() // 1_000_000)
        self._unsaved = moment
        news = {"type": "moved", "number": number, "moment": moment, "user": user_id}
        self._show_move(news)
        await get_channel_layer().group_send(frames.class_group(self.class_id), news)

    def _show_move(self, news: dict[str, Any]) -> None:
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
            await database_sync_to_async(services.keep_moment)(self.class_id, moment, self._moved)

    # Updates from the channel layer and the database

    async def _listen(self, channel: str) -> None:
        layer = get_channel_layer()
        while True:
            news = await layer.receive(channel)
            if news["type"] == "moved":
                self._show_move(news)
            else:
                self._stale.set()

    async def _refresh_when_stale(self) -> None:
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self._refresh()
            await asyncio.sleep(BETWEEN_VIEWS)

    async def _refresh_from_database(self) -> None:
        """Find changes that the broker lost, and mark the connected followers as present."""
        signed = 0.0
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if time.monotonic() - signed >= SIGN_EVERY:
                signed = time.monotonic()
                users = sorted({page.user_id for page in self._pages})
                await database_sync_to_async(services.seen)(self.class_id, users, here=True)
            version, moved, moment = await self._read_version()
            if self.view is None or version != self.view.version:
                self._stale.set()
            if moment is not None and moved > self._moved:
                self._show_move({"number": moved, "moment": moment, "user": 0})

    async def _refresh(self) -> None:
        moved, read = self._moved, await self._read()
        before, self.view = self.view, read
        if self.view is None:
            return self._dismiss(NO_CLUSTER)
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
        classroom = shown.open_classes().select_related("pointer", "cluster").filter(pk=self.class_id).first()
        if classroom is None:
            return None
        if self.moment is None:
            self.moment, self._moved = classroom.moment, max(self._moved, classroom.moved)
        for_followers = {**selectors.for_followers(classroom), "moment": self.moment}
        return ClassSnapshot(
            classroom.version,
            classroom.cluster_id,
            classroom.teacher_id,
            classroom.pointer.user_id if classroom.pointer else classroom.teacher_id,
            frozenset({classroom.teacher_id, *selectors.users_of(classroom)}),
            json.dumps({"type": "class", "class": selectors.for_teacher(classroom)}),
            json.dumps({"type": "class", "class": for_followers}),
            json.dumps({"type": "class", "class": {**for_followers, "moment": None}}),
            shown.hides(classroom),
        )

    @database_sync_to_async
    def _read_version(self) -> tuple[int, int, Move | None]:
        return selectors.version(self.class_id)


CLASS_ROOMS = Rooms(ClassRoom)
