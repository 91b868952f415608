"""How many sockets may be open at a time: for a user, and from an address; of this process."""

from collections import Counter
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from playground import limits
from playground.realtime.visitors import Application, Scope

TOO_MANY = 4430


class Crowd:
    """Refuses who has enough of them open. Wants to know the user, so it stands behind `Visitor`."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._open: Counter[tuple[str, Any]] = Counter()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        who = _who(scope)
        if any(self._open[one] >= most for one, most in who):
            return await Full.as_asgi()(scope, receive, send)
        for one, _ in who:
            self._open[one] += 1
        try:
            return await self.application(scope, receive, send)
        finally:
            for one, _ in who:
                self._open[one] -= 1
                if not self._open[one]:
                    del self._open[one]


class Full(AsyncWebsocketConsumer):
    """Browsers tell a page the code of a socket's end only when it was accepted."""

    async def connect(self) -> None:
        await self.accept()
        await self.close(TOO_MANY)


def _who(scope: Scope) -> list[tuple[tuple[str, Any], int]]:
    client, user = scope.get("client"), scope["user"]
    who = [(("address", client[0]), limits.SOCKETS_PER_ADDRESS)] if client else []
    return [*who, (("user", user.pk), limits.SOCKETS_PER_USER)] if user.is_authenticated else who
