"""What the sockets of all pages have in common: how they end, and how much a page may say."""

import time
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

TOO_OFTEN = 4429


class Allowance:
    """Frames that a page may send: `per_second` in the long run, `at_once` to begin with."""

    def __init__(self, per_second: float, at_once: int) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = float(at_once)
        self._heard = time.monotonic()

    def take(self) -> bool:
        """Whether another one is allowed."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._heard) * self._per_second) - 1
        self._heard = now
        return self._left >= 0


class PageConsumer(AsyncWebsocketConsumer):
    """A socket that was closed stays closed: what still comes from either side is dropped."""

    is_closed = False

    async def websocket_receive(self, message: Any) -> None:
        if not self.is_closed:
            await super().websocket_receive(message)

    async def send(self, text_data: str | None = None, bytes_data: bytes | None = None, close: bool = False) -> None:
        if not self.is_closed:
            await super().send(text_data, bytes_data, close)

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        if not self.is_closed:
            self.is_closed = True
            await super().close(code, reason)


class Nowhere(AsyncWebsocketConsumer):
    """An address that no page asks for."""

    async def connect(self) -> None:
        await self.close()
