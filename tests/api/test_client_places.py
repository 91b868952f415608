"""Requests of one client wait for each other, and other clients take turns with them."""

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from playground import limits
from playground.web import client_places
from playground.web.client_places import ClientPlaces
from playground.web.fair_places import FairPlaces

PODS, POD = "/k8s/{}/api/v1/namespaces/default/pods", "/k8s/{}/api/v1/namespaces/default/pods/web"
LISTS, READS, PAGES, WRITES = "LISTS", "READS", "_pages", "_writes"


async def admitted(places: FairPlaces, clients: str) -> str:
    """Return the clients in the order in which they get places, while the first holds its place until all wait."""
    order: list[str] = []

    async def work(client: str) -> None:
        async with places.place(client, 5):
            order.append(client)
            await asyncio.sleep(0)

    async with places.place("holder", 5):
        tasks = [asyncio.create_task(work(client)) for client in clients]
        await asyncio.sleep(0)
        assert not order
    await asyncio.gather(*tasks)
    return "".join(order)


@pytest.mark.parametrize(("clients", "order"), [("aaab", "abaa"), ("aaabbc", "abcaba"), ("aaaa", "aaaa")])
async def test_clients_take_turns(clients: str, order: str) -> None:
    assert await admitted(FairPlaces(1, 1), clients) == order


async def test_a_client_leaves_places_to_others() -> None:
    places = FairPlaces(3, 2)
    await places.acquire("a", 1)
    await places.acquire("a", 1)
    with pytest.raises(TimeoutError):
        await places.acquire("a", 0.001)
    await places.acquire("b", 1)
    with pytest.raises(TimeoutError):
        await places.acquire("c", 0.001)
    places.release("b")
    await places.acquire("c", 1)


async def test_a_request_that_no_longer_waits_takes_no_place() -> None:
    places = FairPlaces(1, 1)
    await places.acquire("a", 1)
    waiting = asyncio.create_task(places.acquire("b", 5))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    places.release("a")
    await places.acquire("c", 0.001)


def test_threads_take_turns() -> None:
    places, order = FairPlaces(1, 1), []
    places.acquire_in_thread("holder", 1)

    def work(client: str) -> None:
        places.acquire_in_thread(client, 5)
        order.append(client)
        places.release(client)

    threads = []
    for number, client in enumerate("aab", 1):
        threads.append(threading.Thread(target=work, args=(client,)))
        threads[-1].start()
        until = time.monotonic() + 5
        while sum(map(len, places._waiting.values())) < number and time.monotonic() < until:
            time.sleep(0.001)
    with pytest.raises(TimeoutError):
        places.acquire_in_thread("c", 0.001)
    places.release("holder")
    for thread in threads:
        thread.join(5)
    assert order == ["a", "b", "a"]


async def request(application: ClientPlaces, path: str, query: str = "", method: str = "GET", cookie: str = "") -> int:
    headers = [(b"cookie", cookie.encode())] if cookie else []
    scope = {"path": path, "query_string": query.encode(), "method": method, "headers": headers, "client": ("::1", 1)}
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    await application(scope, receive, send)
    if sent[0]["status"] == 429:
        assert json.loads(sent[1]["body"])["reason"] == "TooManyRequests"
    return int(sent[0]["status"])


def held(go_on: asyncio.Event) -> Callable[[Any, Any, Any], Awaitable[None]]:
    """Return an application that answers when it may, and then sends for ever."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await go_on.wait()
        await send({"type": "http.response.start", "status": 200})

    return application


@pytest.mark.parametrize(
    ("method", "path", "query", "kind"),
    [
        ("GET", PODS.format(1), "", LISTS),
        ("GET", PODS.format(1), "watch=0&labelSelector=a%3Db", LISTS),
        ("GET", "/k8s/1/api/v1/pods/", "", LISTS),
        ("GET", PODS.format(1), "watch=1", READS),
        ("GET", POD.format(1), "", READS),
        ("HEAD", "/k8s/1/version", "", READS),
        ("GET", "/k8s/1", "", READS),
        ("POST", PODS.format(1), "", WRITES),
        ("DELETE", PODS.format(1), "", WRITES),
        ("GET", "/api/v1/clusters/1/", "", PAGES),
        ("POST", "/api/v1/clusters/1/commands/", "", WRITES),
    ],
)
async def test_kinds_of_requests(
    monkeypatch: pytest.MonkeyPatch, method: str, path: str, query: str, kind: str
) -> None:
    """A request waits if and only if the places of its kind are taken."""
    monkeypatch.setattr(limits, "CLIENT_PLACE_SECONDS", 0.001)
    free = asyncio.Event()
    free.set()
    application = ClientPlaces(held(free))
    for name in (LISTS, READS, PAGES, WRITES):
        monkeypatch.setattr(client_places, name, FairPlaces(0 if name == kind else 1, 1))
    assert await request(application, path, query, method) == 429
    monkeypatch.setattr(client_places, kind, FairPlaces(1, 1))
    assert await request(application, path, query, method) == 200
    assert await request(application, "/livez", "", method) == 200


async def test_a_place_is_free_when_the_answer_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_places, "READS", FairPlaces(1, 1))

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        await asyncio.sleep(1000)

    watch = asyncio.create_task(request(ClientPlaces(endless), PODS.format(1), "watch=1"))
    await asyncio.sleep(0)
    free = asyncio.Event()
    free.set()
    assert await request(ClientPlaces(held(free)), POD.format(1)) == 200
    watch.cancel()


async def test_pages_of_other_sessions_and_requests_to_other_clusters_do_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "CLIENT_PLACE_SECONDS", 0.01)
    monkeypatch.setattr(client_places, "_pages", FairPlaces(10, 1))
    monkeypatch.setattr(client_places, "READS", FairPlaces(10, 1))
    go_on, free = asyncio.Event(), asyncio.Event()
    free.set()
    page = "/api/v1/clusters/"
    first = [
        asyncio.create_task(request(ClientPlaces(held(go_on)), page, cookie="csrftoken=x; sessionid=a")),
        asyncio.create_task(request(ClientPlaces(held(go_on)), POD.format(1))),
    ]
    await asyncio.sleep(0)
    application = ClientPlaces(held(free))
    assert await request(application, page, cookie="sessionid=a") == 429
    assert await request(application, page, cookie="sessionid=b") == 200
    assert await request(application, POD.format(1)) == 429
    assert await request(application, POD.format(2)) == 200
    go_on.set()
    assert await asyncio.gather(*first) == [200, 200]
