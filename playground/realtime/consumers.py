"""One open page: what happens to its cluster, numbered, without gaps, as fast as it can take it."""

import asyncio
import contextlib
import json
import time
from collections import deque
from typing import Any
from urllib.parse import parse_qs

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer

from playground import limits
from playground.problems import Refused
from playground.realtime import frames
from playground.selectors import clusters, history

BETWEEN_STATES = 1 / limits.STATE_FRAMES_PER_SECOND
LOOK_EVERY = 1.0
# News that wait for a slow connection; what is dropped here is read from the database when its turn comes.
MOST_NEWS = 64
# What a page may be in the middle of; otherwise nothing changes unless somebody says so.
BUSY = ("queued", "running")

NO_LOGIN, NO_CLUSTER, TOO_LARGE = 4403, 4404, 1009


class ClusterConsumer(AsyncWebsocketConsumer):
    """Forwards the cluster's news. The channel layer may lose some: the numbers show it, the database fills it in."""

    async def connect(self) -> None:
        await self.accept()
        self.cluster_id = self.scope["url_route"]["kwargs"]["cluster_id"]
        self.group = frames.group(self.cluster_id)
        self.tasks: list[asyncio.Task[None]] = []
        self.has_joined = False
        user = self.scope["user"]
        if not user.is_authenticated:
            return await self.close(NO_LOGIN)
        if not await database_sync_to_async(clusters.owned(user).filter(pk=self.cluster_id).exists)():
            return await self.close(NO_CLUSTER)
        # First join, then read: what happens in between is then sent twice to us, never not at all.
        await self.channel_layer.group_add(self.group, self.channel_name)
        self.has_joined = True
        state = await self._read_state()
        if state is None:
            return await self.close(NO_CLUSTER)
        self.news: deque[dict[str, Any]] = deque(maxlen=MOST_NEWS)
        self.something = asyncio.Event()
        self.last = state["revision"]
        self.state: str | None = None
        self.is_coming_back = False
        self.busy = state["state"] in BUSY
        self.state_sent = time.monotonic()
        await self.send(frames.hello(json.dumps(state), self.last))
        after = _number(parse_qs(self.scope["query_string"].decode("latin1")).get("after", [""])[0])
        if after is not None:
            await self._catch_up(min(after, self.last), self.last)
        self.tasks = [asyncio.create_task(self._deliver()), asyncio.create_task(self._watch())]
        return None

    async def disconnect(self, code: int) -> None:
        for task in self.tasks:
            task.cancel()
        for task in self.tasks:
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        if self.has_joined:
            await self.channel_layer.group_discard(self.group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """`{"type": "resume", "after": n}` sends everything after n again; anything else is ignored."""
        if len(text_data or bytes_data or "") > limits.SOCKET_MESSAGE_BYTES:
            return await self.close(TOO_LARGE)
        try:
            message = json.loads(text_data or "")
        except (ValueError, RecursionError):
            return None
        if isinstance(message, dict) and message.get("type") == "resume":
            after = _number(message.get("after"))
            if after is not None:
                self._tell({"type": "resume", "after": after})
        return None

    # News, from the channel layer

    async def records(self, message: dict[str, Any]) -> None:
        self._tell(message)

    async def state_changed(self, message: dict[str, Any]) -> None:
        self.state = message["state"]
        self.something.set()

    def _tell(self, news: dict[str, Any]) -> None:
        self.news.append(news)
        self.something.set()

    # Delivery, in a task of its own: a slow connection must not hold up the channel layer

    async def _deliver(self) -> None:
        while True:
            await self.something.wait()
            self.something.clear()
            while self.news:
                await self._send_records(self.news.popleft())
            if self.state is not None:
                await self._send_state()

    async def _send_records(self, news: dict[str, Any]) -> None:
        if news["type"] == "resume":
            last = await self._last_stored()
            return await self._catch_up(min(news["after"], last), last)
        first, last = news["from"], news["to"]
        if last <= self.last:
            return None
        if first > self.last + 1:
            await self._catch_up(self.last, first - 1)
        bodies = news["bodies"][self.last + 1 - first :]
        await self.send(frames.records(self.last + 1, bodies, is_brief=news["brief"]))
        self.last = last
        return None

    async def _catch_up(self, after: int, upto: int) -> None:
        """Send the records after `after` from the database; only say so when they are very many."""
        self.last = upto
        if upto - after > limits.CATCH_UP_RECORDS:
            return await self.send(frames.gap(after + 1, upto))
        is_brief = upto - after > limits.FULL_RECORDS
        while after < upto:
            try:
                bodies = await self._read_bodies(after, upto, is_brief)
            except Refused:
                # Thinned out for good; whoever asks the API learns why.
                return await self.send(frames.gap(after + 1, upto))
            if not bodies:
                return await self.close(NO_CLUSTER)
            await self.send(frames.records(after + 1, bodies, is_brief=is_brief))
            after += len(bodies)
        return None

    async def _send_state(self) -> None:
        wait = self.state_sent + BETWEEN_STATES - time.monotonic()
        if wait > 0:
            # Come back when it may be sent; by then it may be a newer one.
            if not self.is_coming_back:
                asyncio.get_running_loop().call_later(wait, self._come_back)
                self.is_coming_back = True
            return
        state, self.state = self.state, None
        assert state is not None
        self.busy = json.loads(state)["state"] in BUSY
        self.state_sent = time.monotonic()
        await self.send(frames.state(state))

    def _come_back(self) -> None:
        self.is_coming_back = False
        self.something.set()

    async def _watch(self) -> None:
        """While something is to be done, look at the lease: a worker that died publishes nothing."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            if not self.busy and not await self._is_busy():
                continue
            if time.monotonic() - self.state_sent >= LOOK_EVERY * 0.9:
                state = await self._read_state()
                if state is None:
                    return await self.close(NO_CLUSTER)
                await self.state_changed({"state": json.dumps(state)})

    @database_sync_to_async
    def _read_state(self) -> dict[str, Any] | None:
        return clusters.state(self.cluster_id)

    @database_sync_to_async
    def _is_busy(self) -> bool:
        return clusters.has_work(self.cluster_id)

    @database_sync_to_async
    def _last_stored(self) -> int:
        return history.last(self.cluster_id) or 0

    @database_sync_to_async
    def _read_bodies(self, after: int, upto: int, is_brief: bool) -> list[str]:
        bodies = history.bodies(self.cluster_id, after, limits.RECORDS_PER_FRAME, upto)
        return [frames.brief(body) for body in bodies] if is_brief else bodies


def _number(value: object) -> int | None:
    """A record's number as a client writes it, or None."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**18:
        return value
    return None
