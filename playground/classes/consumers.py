"""One page in a class: what the pointer shows, and what changes; the pointer's own page sends its moves."""

import asyncio
import contextlib
import json
from collections.abc import Coroutine
from typing import Any

from channels.db import database_sync_to_async
from django.db import DatabaseError
from redis.exceptions import RedisError

from playground import limits
from playground.classes import selectors as classrooms
from playground.classes import services
from playground.classes.moves import MoveError, read
from playground.classes.rooms import CLASS_ROOMS, ClassRoom, View
from playground.models import Classroom
from playground.realtime.consumers import NO_LOGIN, TOO_LARGE
from playground.realtime.page import TOO_OFTEN, Allowance, PageConsumer
from playground.realtime.registry import NO_CLUSTER, TRY_LATER


class ClassConsumer(PageConsumer):
    """Sends what its room tells, the newest of each; takes moves from whoever has the pointer, and nothing else."""

    user_id = 0

    async def connect(self) -> None:
        await self.accept()
        self.class_id = self.scope["url_route"]["kwargs"]["class_id"]
        self.tasks: set[asyncio.Task[None]] = set()
        self.room: ClassRoom | None = None
        self.something = asyncio.Event()
        self.waiting: dict[str, str] = {}
        self.told: str | None = None
        self.allowance = Allowance(limits.CLASS_FRAMES_PER_SECOND, limits.CLASS_FRAMES_AT_ONCE)
        if not self.scope["user"].is_authenticated:
            return await self.close(NO_LOGIN)
        self.user_id = self.scope["user"].pk
        try:
            await self._begin()
        except (RedisError, OSError, DatabaseError):
            return await self.close(TRY_LATER)
        return None

    async def _begin(self) -> None:
        classroom = await self._find()
        if classroom is None:
            return await self.close(NO_CLUSTER)
        self.room = await CLASS_ROOMS.enter(self.class_id, self)
        shown = await database_sync_to_async(classrooms.for_user)(classroom, self.user_id)
        moment = self.room.moment or shown["moment"]
        if self.room.view is not None and not self.room.view.shows(moment, self.user_id):
            moment = None
        await self.send(json.dumps({"type": "hello", "class": {**shown, "moment": moment}}))
        self._start(self._deliver())
        if classroom.teacher_id != self.user_id:
            await self._sign(here=True)
        return None

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.room is not None:
            # Without broker or database there is nothing to leave.
            with contextlib.suppress(RedisError, OSError, DatabaseError):
                room, self.room = self.room, None
                await CLASS_ROOMS.leave(room, self)
                if not room.has(self.user_id):
                    await self._sign(here=False)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`{"type": "move", "moment": {…}}` of the pointer's page; anything else is ignored."""
        if len((text_data or "").encode() or bytes_data or b"") > limits.CLASS_FRAME_BYTES:
            return await self.close(TOO_LARGE)
        if not self.allowance.take():
            return await self.close(TOO_OFTEN)
        try:
            message = json.loads(text_data or "")
        except (ValueError, RecursionError):
            return None
        if isinstance(message, dict) and message.get("type") == "move" and self.room is not None:
            return await self._move(self.room, message)
        return None

    async def _move(self, room: ClassRoom, message: dict[str, Any]) -> None:
        try:
            moment = read(message)
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

    async def _has_pointer(self, view: View) -> bool:
        if view.pointer != self.user_id:
            return False
        # What the room knows may be a moment old: for a follower the database has the last word.
        return self.user_id == view.teacher or await self._may_point()

    async def _refuse(self, rule: str) -> None:
        await self.send(json.dumps({"type": "refused", "problems": [{"path": "", "rule": rule}]}))

    # What the room says; nothing here waits for the connection

    def show(self, view: View) -> None:
        frame = view.for_teacher
        if self.user_id != view.teacher:
            room = self.room
            told = room is None or view.shows(room.moment, self.user_id)
            frame = view.for_followers if told else view.for_waiting
        if frame != self.told:
            self.told = frame
            self._send_soon("class", frame)

    def move(self, frame: str, user_id: int) -> None:
        # Their own moves would only come back to them late.
        if user_id != self.user_id:
            self._send_soon("move", frame)

    def leave(self, code: int) -> None:
        self._start(self.close(code))

    def _send_soon(self, kind: str, frame: str) -> None:
        self.waiting[kind] = frame
        self.something.set()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _deliver(self) -> None:
        """A slow connection gets the newest of each kind, and holds up nobody."""
        while True:
            await self.something.wait()
            self.something.clear()
            waiting, self.waiting = self.waiting, {}
            for frame in waiting.values():
                await self.send(frame)

    @database_sync_to_async
    def _find(self) -> Classroom | None:
        of_user = classrooms.of_user(self.user_id).select_related("pointer", "cluster")
        return of_user.filter(pk=self.class_id).first()

    @database_sync_to_async
    def _may_point(self) -> bool:
        return classrooms.may_point(self.class_id, self.user_id)

    @database_sync_to_async
    def _sign(self, *, here: bool) -> None:
        services.seen(self.class_id, [self.user_id], here=here)
        services.changed(self.class_id)
