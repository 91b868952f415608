"""A request's body has a size limit by path, enforced before anything of it is kept."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playground import limits

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_LIMITS = [
    (re.compile(r"/api/v1/clusters/\d+/import/"), limits.IMPORT_BYTES),
    (re.compile(r"/api/v1/clusters/\d+/commands/"), limits.COMMAND_BYTES),
]


class _TooLargeError(Exception):
    """More of a body came than there may be."""


class BodyLimit:
    """ASGI middleware. It counts what arrives, whatever Content-Length says, and answers 413."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        most = limit_of(scope["path"])
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > most:
            return await _refuse(send, most)
        received = 0
        started = False

        async def counted() -> Mapping[str, Any]:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _TooLargeError
            return message

        async def noted(message: Mapping[str, Any]) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.application(scope, counted, noted)
        except _TooLargeError:
            if not started:
                await _refuse(send, most)
        return None


def limit_of(path: str) -> int:
    """The most bytes that a request to `path` may have."""
    return next((most for pattern, most in _LIMITS if pattern.fullmatch(path)), limits.OTHER_BYTES)


async def _refuse(send: Send, most: int) -> None:
    body = json.dumps({"problems": [{"path": "", "rule": f"the request may have at most {most} bytes"}]}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
