"""The limit of open sockets per user and per address, in this process."""

from collections import Counter
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from playground import limits
from playground.realtime.visitors import Application, Scope

TOO_MANY = 4430


class SocketLimits:
    """Middleware that refuses a socket beyond the limits. It needs the scope's user, so it runs after `Visitor`."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._open: Counter[tuple[str, Any]] = Counter()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        allowances = _allowances_of(scope)
        if any(self._open[key] >= most for key, most in allowances):
            return await Full.as_asgi()(scope, receive, send)
        for key, _ in allowances:
            self._open[key] += 1
        try:
            return await self.application(scope, receive, send)
        finally:
            for key, _ in allowances:
                self._open[key] -= 1
                if not self._open[key]:
                    del self._open[key]


class Full(AsyncWebsocketConsumer):
    """A consumer that accepts and closes, because browsers pass the close code only for an accepted socket."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(TOO_MANY)


def _allowances_of(scope: Scope) -> list[tuple[tuple[str, Any], int]]:
    client, user = scope.get("client"), scope["user"]
    allowances = [(("address", client[0]), limits.SOCKETS_PER_ADDRESS)] if client else []
    return [*allowances, (("user", user.pk), limits.SOCKETS_PER_USER)] if user.is_authenticated else allowances
