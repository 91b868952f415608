"""A request that calculates for too long, takes too much memory, or whose client has left, is stopped."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.http import HttpRequest, HttpResponse
from django.urls import path

from playground import limits
from playground.web import request_guard
from playground.web.fair_places import FairPlaces
from playground.web.handler import Handler
from playground.web.request_guard import CLIENT, LEFT, MEMORY, TIME, Client, RequestStoppedError, calculating, guarded


def stopped(work: Callable[[], object], client: Client | None = None) -> str:
    """Return why the work was stopped; "" if it wasn't."""
    try:
        with guarded(client), calculating():
            work()
    except RequestStoppedError as error:
        return error.reason
    return ""


def calculate() -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        # Code of ours that handles all errors doesn't handle this one.
        with contextlib.suppress(Exception):
            sum(range(1000))


def grow() -> None:
    blocks = []
    until = time.monotonic() + 20
    while time.monotonic() < until:
        blocks.append(b"x" * (1 << 20))
        time.sleep(0.001)


def test_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_CPU_SECONDS", 0.1)
    assert stopped(calculate) == TIME
    # The thread goes on with other requests.
    assert stopped(lambda: time.sleep(0.2)) == ""


def test_time_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 0.1)
    monkeypatch.setattr(limits, "REQUEST_LEAST_CPU_SECONDS", 0.05)
    assert stopped(calculate) == TIME


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_BYTES", 32 << 20)
    monkeypatch.setattr(limits, "REQUEST_CPU_SECONDS", 20)
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 20)
    assert stopped(grow) == MEMORY


def test_only_a_block_that_calculates_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write is carried out, or isn't begun."""
    monkeypatch.setattr(limits, "REQUEST_CPU_SECONDS", 0.05)
    done = list[str]()
    with pytest.raises(RequestStoppedError), guarded(None):
        until = time.thread_time() + 0.3
        while time.thread_time() < until:
            sum(range(1000))
        done.append("written")
        with calculating():
            done.append("calculated")
    assert done == ["written"]


begun, ended = threading.Event(), list[str]()


def long(request: HttpRequest) -> HttpResponse:
    begun.set()
    ended.append(stopped(calculate, request.scope[CLIENT]))  # type: ignore[attr-defined]
    return HttpResponse()


urlpatterns = [path("long", long)]


@pytest.fixture
def handler(settings: Any) -> Iterator[Handler]:
    settings.ROOT_URLCONF, settings.MIDDLEWARE = __name__, []
    begun.clear()
    ended.clear()
    yield Handler()


def test_a_client_that_left(handler: Handler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "REQUEST_CPU_SECONDS", 20)
    monkeypatch.setattr(limits, "REQUEST_SECONDS", 20)

    @async_to_sync
    async def leave() -> None:
        scope = {"type": "http", "method": "GET", "path": "/long", "query_string": b"", "headers": []}
        connection = ApplicationCommunicator(handler, scope)
        await connection.send_input({"type": "http.request", "body": b""})
        while not begun.is_set():
            await asyncio.sleep(0.01)
        await connection.send_input({"type": "http.disconnect"})
        await connection.wait(10)

    leave()
    assert ended == [LEFT]


def test_calculations_of_a_client_leave_places_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_guard, "_places", FairPlaces(2, 1))
    monkeypatch.setattr(limits, "CLIENT_PLACE_SECONDS", 0.01)
    begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with guarded(None, "a"), calculating(), calculating():
            begun.set()
            may_end.wait(5)

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(5)
    with guarded(None, "b"), calculating():
        pass
    with pytest.raises(RequestStoppedError), guarded(None, "a"), calculating():
        pass
    may_end.set()
    thread.join(5)
    with guarded(None, "a"), calculating():
        pass
