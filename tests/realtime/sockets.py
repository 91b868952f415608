"""Pages' sockets for tests: through the whole ASGI application, as a browser opens them."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgiref.testing import ApplicationCommunicator

from playground.asgi import application

Frame = dict[str, Any]
HOST = b"127.0.0.1:8000"
ORIGIN = b"http://127.0.0.1:8000"
AT_HOME = ("127.0.0.1", 50000)
# Seconds; what never comes fails all the same, what is late on a busy machine does not.
PATIENCE = 30


class Socket(ApplicationCommunicator):
    """A page's socket, of a cluster or of a class."""

    hello: Frame

    def __init__(
        self,
        cluster_id: int,
        query: str = "",
        *,
        origin: bytes | None = ORIGIN,
        client: tuple[str, int] = AT_HOME,
        cookie: str = "",
        of: str = "clusters",
        token: str = "",
    ) -> None:
        headers = [(b"host", HOST), (b"cookie", cookie.encode()), *([(b"origin", origin)] if origin else [])]
        headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
        scope = {
            "type": "websocket",
            "scheme": "ws",
            "path": f"/ws/{of}/{cluster_id}/",
            "query_string": query.removeprefix("?").encode(),
            "headers": headers,
            "client": client,
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def connect(self) -> bool:
        """Return True if the server accepts the connection."""
        await self.send_input({"type": "websocket.connect"})
        return bool((await self.receive_output(PATIENCE))["type"] == "websocket.accept")

    async def disconnect(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE)

    async def say(self, text: str | None = None, data: bytes | None = None) -> None:
        await self.send_input({"type": "websocket.receive", "text": text, "bytes": data})

    async def close_code(self) -> int:
        """Return the code with which the server ends the connection; earlier frames are ignored."""
        while (message := await self.receive_output(PATIENCE))["type"] != "websocket.close":
            pass
        return int(message["code"])

    async def frame(self, *kinds: str, timeout: float = PATIENCE) -> Frame:
        """Return the next frame of one of these types; others are ignored."""
        while True:
            message = await self.receive_output(timeout)
            assert message["type"] == "websocket.send", message
            found: Frame = json.loads(message["text"])
            if not kinds or found["type"] in kinds:
                return found

    async def numbers(self, upto: int) -> list[int]:
        """Return the numbers of the arriving records, up to this one."""
        seen: list[int] = []
        while not seen or seen[-1] < upto:
            found = await self.frame("records", "gap")
            assert found["type"] == "records", found
            assert [record["seq"] for record in found["records"]] == list(range(found["from"], found["to"] + 1))
            seen += range(found["from"], found["to"] + 1)
        return seen


@asynccontextmanager
async def connected(cluster_id: int, query: str = "", **options: Any) -> AsyncIterator[Socket]:
    """Provide an accepted page that hasn't checked its permission yet."""
    socket = Socket(cluster_id, query, **options)
    assert await socket.connect()
    try:
        yield socket
    finally:
        await socket.disconnect()


@asynccontextmanager
async def watching(cluster_id: int, query: str = "", **options: Any) -> AsyncIterator[Socket]:
    """Provide a page that is up to date: records stored before the hello are part of it."""
    async with connected(cluster_id, query, **options) as socket:
        socket.hello = await socket.frame("hello")
        yield socket
