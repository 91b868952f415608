"""The WebSocket of one page in a class: it sends class changes and moves, and receives the pointer's moves."""

import contextlib
import json
from typing import Any

from channels.db import database_sync_to_async
from redis.exceptions import RedisError

from playground import limits
from playground.classes import selectors, services
from playground.classes.pointer_moves import MoveError, read_move
from playground.classes.rooms import ClassRoom, ClassSnapshot
from playground.models import Classroom
from playground.realtime.page import RoomConsumer
from playground.realtime.registry import NO_CLUSTER


class ClassConsumer(RoomConsumer):
    """A socket that sends the room's newest view and move, and accepts moves from the pointer's user only."""

    user_id = 0

    frames_per_second, frames_at_once = limits.CLASS_FRAMES_PER_SECOND, limits.CLASS_FRAMES_AT_ONCE
    frame_bytes = limits.CLASS_FRAME_BYTES
    room: ClassRoom | None = None
    shown: str | None = None

    async def enter(self) -> None:
        self.class_id = self.scope["url_route"]["kwargs"]["class_id"]
        self.waiting: dict[str, str] = {}
        self.user_id = self.scope["user"].pk
        classroom = await self._find()
        if classroom is None:
            return await self.close(NO_CLUSTER)
        self.room = await ClassRoom.enter(self.class_id, self)
        shown = await database_sync_to_async(selectors.describe_for_user)(classroom, self.user_id)
        moment = self.room.moment or shown["moment"]
        if self.room.view is not None and not self.room.view.shows(moment, self.user_id):
            moment = None
        await self.send(json.dumps({"type": "hello", "class": {**shown, "moment": moment}}))
        self.start_task(self._deliver())
        if classroom.teacher_id != self.user_id:
            await self._sign(here=True)
        return None

    async def may_read(self) -> bool:
        return await self._find() is not None

    async def leave_room(self) -> None:
        if self.room is not None:
            room, self.room = self.room, None
            await room.remove(self)
            if not room.has(self.user_id):
                await self._sign(here=False)

    async def handle_message(self, message: dict[str, Any]) -> None:
        """Handle `{"type": "move", "moment": {…}}` from the pointer's page; ignore anything else."""
        if message.get("type") == "move" and self.room is not None:
            await self._move(self.room, message)

    async def _move(self, room: ClassRoom, message: dict[str, Any]) -> None:
        try:
            moment = read_move(message)
        except MoveError as error:
            return await self._refuse(str(error))
        view = room.view
        if view is None or not await self._has_pointer(view):
            return await self._refuse("the pointer is in another hand")
        if moment["cluster"] != view.cluster_id:
            return await self._refuse("moment.cluster: is not the cluster that the class sees")
        with contextlib.suppress(RedisError, OSError):
            await room.tell(moment, self.user_id)
        return None

    async def _has_pointer(self, view: ClassSnapshot) -> bool:
        if view.pointer != self.user_id:
            return False
        # The room's view may be outdated, so a follower's right to point is read from the database.
        return self.user_id == view.teacher or await self._may_point()

    async def _refuse(self, rule: str) -> None:
        await self.send(json.dumps({"type": "refused", "problems": [{"path": "", "rule": rule}]}))

    # Called by the room; these methods must not wait for the connection

    def show(self, view: ClassSnapshot) -> None:
        frame = view.for_teacher
        if self.user_id != view.teacher:
            room = self.room
            may_see = room is None or view.shows(room.moment, self.user_id)
            frame = view.for_followers if may_see else view.for_waiting
        if frame != self.shown:
            self.shown = frame
            self._send_soon("class", frame)

    def move(self, frame: str, user_id: int) -> None:
        # The user already sees their own move.
        if user_id != self.user_id:
            self._send_soon("move", frame)

    def _send_soon(self, kind: str, frame: str) -> None:
        self.waiting[kind] = frame
        self.has_pending.set()

    async def _deliver(self) -> None:
        """Send the newest frame of each kind, so that a slow connection delays no other page."""
        while True:
            await self.has_pending.wait()
            self.has_pending.clear()
            waiting, self.waiting = self.waiting, {}
            for frame in waiting.values():
                await self.send(frame)

    @database_sync_to_async
    def _find(self) -> Classroom | None:
        of_user = selectors.classes_of_user(self.user_id).select_related("pointer", "cluster")
        return of_user.filter(pk=self.class_id).first()

    @database_sync_to_async
    def _may_point(self) -> bool:
        return selectors.may_point(self.class_id, self.user_id)

    @database_sync_to_async
    def _sign(self, *, here: bool) -> None:
        services.store_presence(self.class_id, [self.user_id], here=here)
        services.publish_change(self.class_id)
