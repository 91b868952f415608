"""A request's body has a size limit by path, enforced before anything of it is kept.

Large ones are worked on a few at a time: the end of one is handed on when there is a place.
"""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from playground import limits

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

# Files go from the connection to a disk; JSON is held in memory, more than once.
_FILES = b"multipart/form-data"
_LIMITS = [
    (re.compile(r"/api/v1/clusters/\d+/import/"), limits.IMPORT_BYTES, limits.JSON_BYTES),
    (re.compile(r"/api/v1/clusters/\d+/commands/"), limits.JSON_BYTES, limits.JSON_BYTES),
]


def takes_files(path: str) -> bool:
    """Whether files are imported there."""
    return _LIMITS[0][0].fullmatch(path) is not None


class _TooLargeError(Exception):
    """More of a body came than there may be."""


class BodyLimit:
    """ASGI middleware. It counts what arrives, whatever Content-Length says, and answers 413."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._places = asyncio.Semaphore(limits.LARGE_BODIES_AT_A_TIME)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        most = limit_of(scope["path"], headers.get(b"content-type", b""))
        announced = headers.get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > most:
            return await _refuse(send, most)
        received = 0
        started = has_place = False

        async def counted() -> Mapping[str, Any]:
            nonlocal received, has_place
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _TooLargeError
            if received > limits.OTHER_BYTES and not message.get("more_body") and not has_place:
                # Until here it lies on a disk, so that somebody who sends slowly takes nobody's place.
                await self._places.acquire()
                has_place = True
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
        finally:
            if has_place:
                self._places.release()
        return None


def limit_of(path: str, content_type: bytes = b"") -> int:
    """The most bytes that a request to `path` may have."""
    for pattern, files, others in _LIMITS:
        if pattern.fullmatch(path):
            return files if content_type.lower().startswith(_FILES) else others
    return limits.OTHER_BYTES


async def _refuse(send: Send, most: int) -> None:
    body = json.dumps({"problems": [{"path": "", "rule": f"the request may have at most {most} bytes"}]}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
