"""A request is one thread's; what comes piece by piece ends with who reads it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import path

from playground import limits
from playground.web.handler import Handler

seen: list[str] = []


class Middleware:
    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        seen.append(threading.current_thread().name)
        response: HttpResponseBase = self.get_response(request)
        return response


class Body(HttpResponse):
    def close(self) -> None:
        super().close()
        seen.append(threading.current_thread().name)


def whole(request: HttpRequest) -> HttpResponseBase:
    seen.append(threading.current_thread().name)
    return Body(request.body)


def pieces(_: HttpRequest) -> HttpResponseBase:
    async def written() -> AsyncIterator[bytes]:
        try:
            yield b"one"
            await asyncio.sleep(1000)
        finally:
            seen.append("left")

    return StreamingHttpResponse(written())


def broken(_: HttpRequest) -> HttpResponseBase:
    raise ValueError("a defect")


is_waiting, may_end = threading.Event(), threading.Event()


def waiting(_: HttpRequest) -> HttpResponseBase:
    is_waiting.set()
    may_end.wait(10)
    return HttpResponse()


urlpatterns = [path("livez", whole)]
urlpatterns += [path(one.__name__, one) for one in (whole, pieces, broken, waiting)]


@pytest.fixture(autouse=True)
def _urls(settings: Any) -> Iterator[None]:
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, [f"{__name__}.Middleware"]
    seen.clear()
    yield


def opened(url: str, handler: Handler | None = None) -> ApplicationCommunicator:
    scope = {"type": "http", "method": "POST", "path": f"/{url}", "query_string": b"", "headers": []}
    return ApplicationCommunicator(handler or Handler(), scope)


async def _asked(url: str, handler: Handler | None = None) -> tuple[int, bytes]:
    client = opened(url, handler)
    await client.send_input({"type": "http.request", "body": b"sent"})
    start = await client.receive_output(10)
    body = await client.receive_output(10)
    await client.wait(10)
    return start["status"], body["body"]


def test_from_its_middleware_to_its_end_a_request_is_in_one_thread() -> None:
    assert async_to_sync(_asked)("whole") == (200, b"sent")
    assert len(seen) == 3 and len(set(seen)) == 1


@pytest.mark.parametrize("url, status", [("broken", 500), ("nowhere", 404)])
def test_what_goes_wrong_is_answered(url: str, status: int) -> None:
    assert async_to_sync(_asked)(url)[0] == status


def test_who_leaves_ends_what_is_told_piece_by_piece() -> None:
    async def left() -> bytes:
        client = opened("pieces")
        await client.send_input({"type": "http.request", "body": b""})
        await client.receive_output(10)
        body: bytes = (await client.receive_output(10))["body"]
        await client.send_input({"type": "http.disconnect"})
        await client.wait(10)
        return body

    assert async_to_sync(left)() == b"one"
    assert seen[1:] == ["left"]


def test_who_leaves_before_all_is_sent_is_not_answered() -> None:
    async def left() -> None:
        client = opened("whole")
        await client.send_input({"type": "http.request", "body": b"half", "more_body": True})
        await client.send_input({"type": "http.disconnect"})
        await client.wait(10)
        assert await client.receive_nothing()

    async_to_sync(left)()
    assert seen == []


def test_whether_it_lives_is_answered_while_all_threads_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUESTS_AT_WORK", 1)

    async def ask() -> None:
        handler = Handler()
        first = opened("waiting", handler)
        await first.send_input({"type": "http.request"})
        assert await asyncio.to_thread(is_waiting.wait, 10)
        assert (await _asked("livez", handler))[0] == 200
        may_end.set()
        assert (await first.receive_output(10))["status"] == 200

    is_waiting.clear()
    may_end.clear()
    async_to_sync(ask)()
