"""Limit the size of request bodies by path, before any part is stored, and the number of large ones at a time."""

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

# Django writes files to disk. It holds JSON in memory, more than once.
_FILES = b"multipart/form-data"
_LIMITS = [
    (re.compile(r"/api/v1/clusters/\d+/import/"), limits.IMPORT_BYTES, limits.JSON_BYTES),
    (re.compile(r"/api/v1/clusters/\d+/commands/"), limits.JSON_BYTES, limits.JSON_BYTES),
]


def takes_files(path: str) -> bool:
    """Return whether the path imports files."""
    return _LIMITS[0][0].fullmatch(path) is not None


class _TooLargeError(Exception):
    """The end of a request whose body exceeds the limit."""


class BodyLimit:
    """ASGI middleware that counts the received bytes, regardless of Content-Length, and answers 413."""

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
                # The body so far is on disk, so a client that sends slowly holds no place.
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
    """Return the largest number of bytes for the body of a request to `path`."""
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
