"""What the pages of this process that are in a class share: a subscription, the newest view of it, the last move.

A move costs one message on the channel layer and one encoding, and a write to a socket for each follower.
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

# Changes are shown at most so often; a sign of life and a look at the database; a move is stored after so long.
BETWEEN_VIEWS = 0.25
LOOK_EVERY = 2.0
SIGN_EVERY = 20.0
KEEP_AFTER = 0.5


@dataclass(frozen=True)
class View:
    """The class as it is now: who may be in it, who points, and the two frames that show it."""

    version: int
    cluster_id: int
    teacher: int
    pointer: int
    users: frozenset[int]
    for_teacher: str
    for_followers: str
    # Without the pointer's place, which may tell the outcome of what is asked.
    for_waiting: str
    hidden: Hidden | None

    def shows(self, moment: Move | None, user_id: int) -> bool:
        return selectors.may_see(moment, self.hidden, user_id)


class ClassPage(AnyPage, Protocol):
    """Who is in a class."""

    user_id: int

    def show(self, view: View) -> None:
        """The class has changed."""

    def move(self, frame: str, user_id: int) -> None:
        """The pointer was moved, by this user."""


class ClassRoom(AnyRoom[ClassPage]):
    """The pages of this process that are in one class."""

    def __init__(self, rooms: "Rooms[ClassRoom]", class_id: int) -> None:
        self.class_id = class_id
        self.view: View | None = None
        self.moment: Move | None = None
        self._moved = 0
        self._stale = asyncio.Event()
        self._unsaved: Move | None = None
        super().__init__(rooms, f"class {class_id}")

    def has(self, user_id: int) -> bool:
        return any(page.user_id == user_id for page in self._pages)

    async def close(self) -> None:
        await super().close()
        await self._keep()

    async def _open(self) -> None:
        channel = await self._subscribe(frames.class_group(self.class_id))
        await self._refresh()
        self._work(partial(self._listen, channel), self._look, self._show, self._save)

    # Moves

    async def tell(self, moment: Move, user_id: int) -> None:
        """The pointer's own page moved it: tell the pages of all processes."""
        number = max(self._moved + 1, time.time_ns() // 1_000_000)
        self._unsaved = moment
        news = {"type": "moved", "number": number, "moment": moment, "user": user_id}
        self._take(news)
        await get_channel_layer().group_send(frames.class_group(self.class_id), news)

    def _take(self, news: dict[str, Any]) -> None:
        """Show a move to everybody, unless a later one has been shown."""
        if news["number"] <= self._moved:
            return
        self._moved, self.moment = news["number"], news["moment"]
        frame = json.dumps({"type": "move", "moment": self.moment})
        for page in self._pages:
            if self.view is None or self.view.shows(self.moment, page.user_id):
                page.move(frame, news["user"])

    async def _save(self) -> None:
        while True:
            await asyncio.sleep(KEEP_AFTER)
            await self._keep()

    async def _keep(self) -> None:
        if self._unsaved is not None:
            moment, self._unsaved = self._unsaved, None
            await database_sync_to_async(services.keep_moment)(self.class_id, moment, self._moved)

    # News

    async def _listen(self, channel: str) -> None:
        layer = get_channel_layer()
        while True:
            news = await layer.receive(channel)
            if news["type"] == "moved":
                self._take(news)
            else:
                self._stale.set()

    async def _show(self) -> None:
        while True:
            await self._stale.wait()
            self._stale.clear()
            await self._refresh()
            await asyncio.sleep(BETWEEN_VIEWS)

    async def _look(self) -> None:
        """What a broker loses is found here; and the followers who are here give a sign of life."""
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
                self._take({"number": moved, "moment": moment, "user": 0})

    async def _refresh(self) -> None:
        moved, read = self._moved, await self._read()
        before, self.view = self.view, read
        if self.view is None:
            return self._dismiss(NO_CLUSTER)
        if self._moved != moved:
            # It was shown to those who might see it before; the view that was read does not have it for the others.
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
    def _read(self) -> View | None:
        found = shown.open_classes().select_related("pointer", "cluster").filter(pk=self.class_id).first()
        if found is None:
            return None
        if self.moment is None:
            self.moment, self._moved = found.moment, max(self._moved, found.moved)
        for_followers = {**selectors.for_followers(found), "moment": self.moment}
        return View(
            found.version,
            found.cluster_id,
            found.teacher_id,
            found.pointer.user_id if found.pointer else found.teacher_id,
            frozenset({found.teacher_id, *selectors.users_of(found)}),
            json.dumps({"type": "class", "class": selectors.for_teacher(found)}),
            json.dumps({"type": "class", "class": for_followers}),
            json.dumps({"type": "class", "class": {**for_followers, "moment": None}}),
            shown.hides(found),
        )

    @database_sync_to_async
    def _read_version(self) -> tuple[int, int, Move | None]:
        return selectors.version(self.class_id)


CLASS_ROOMS = Rooms(ClassRoom)
