"""Watches over WebSockets: the same events, a frame each, for the same clients."""

import asyncio
import base64
import json
import threading
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from channels.db import database_sync_to_async
from django.http import HttpResponseBase
from django.test import AsyncClient

from playground import limits
from playground.asgi import application
from playground.kubernetes import tokens, watch_events, watch_streams
from playground.kubernetes.watch_sockets import WatchSocket
from playground.models import Cluster
from tests.realtime.sockets import AT_HOME, HOST, PATIENCE
from tests.realtime.test_watching import Watch, configmap, play, version
from tests.web import node, pod

MAPS = "api/v1/namespaces/default/configmaps"
TOKEN = "base64url.bearer.authorization.k8s.io."


class Socket(ApplicationCommunicator):
    """A program's socket."""

    def __init__(
        self, cluster: Cluster, query: str = "watch=1", *protocols: str, origin: bytes = b"", place: str = MAPS
    ) -> None:
        scope = {
            "type": "websocket",
            "scheme": "ws",
            "path": f"/k8s/{cluster.pk}/{place}",
            "query_string": query.encode(),
            "headers": [(b"host", HOST), *([(b"origin", origin)] if origin else [])],
            "client": AT_HOME,
            "subprotocols": list(protocols),
            "extensions": {"websocket.http.response": {}},
        }
        super().__init__(application, scope)

    async def connect(self) -> dict[str, Any]:
        await self.send_input({"type": "websocket.connect"})
        return dict(await self.receive_output(PATIENCE))

    async def refused(self) -> tuple[int, dict[str, Any]]:
        """The code and the Status with which it is not let in."""
        start = await self.connect()
        assert start["type"] == "websocket.http.response.start", start
        body = await self.receive_output(PATIENCE)
        return start["status"], json.loads(body["body"])

    async def said(self) -> tuple[str, str]:
        """The type and the name of the next event."""
        message = await self.receive_output(PATIENCE)
        assert message["type"] == "websocket.send", message
        found = json.loads(message["text"])
        return found["type"], found["object"]["metadata"].get("name", "")

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(PATIENCE)


async def test_each_event_is_a_frame(small: Cluster) -> None:
    await play(small, "create", configmap("a"), configmap("b"))
    socket = Socket(small)
    assert (await socket.connect())["type"] == "websocket.accept"
    assert [await socket.said(), await socket.said()] == [("ADDED", "a"), ("ADDED", "b")]
    # What a client says is not listened to.
    await socket.send_input({"type": "websocket.receive", "text": "hello", "bytes": None})
    await play(small, "create", configmap("c"), configmap("d"))
    assert {await socket.said(), await socket.said()} == {("ADDED", "c"), ("ADDED", "d")}
    await socket.leave()


async def test_it_goes_on_from_a_version_and_ends_when_its_time_is_up(small: Cluster) -> None:
    since = await version(small, MAPS)
    await play(small, "create", configmap("a"))
    socket = Socket(small, f"watch=true&timeoutSeconds=5&resourceVersion={since}")
    assert (await socket.connect())["type"] == "websocket.accept"
    assert await socket.said() == ("ADDED", "a")
    closed = await socket.receive_output(PATIENCE)
    assert (closed["type"], closed["code"]) == ("websocket.close", 1000)


async def test_a_token_comes_as_a_protocol(small: Cluster, settings: Any) -> None:
    settings.LOCAL = False
    _, token = await database_sync_to_async(tokens.create_token)(small, "view")
    offered = TOKEN + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
    socket = Socket(small, "watch=1", "v4.channel.k8s.io", offered)
    accepted = await socket.connect()
    assert accepted["type"] == "websocket.accept"
    assert accepted["subprotocol"] == "v4.channel.k8s.io", "the token is not said again"
    await socket.leave()


REFUSED = [
    ("no token", [], 401, "Unauthorized"),
    ("another one", ["v4.channel.k8s.io", f"{TOKEN}cGxheWdyb3VuZC14"], 401, "Unauthorized"),
    ("nothing beside it", [f"{TOKEN}cGxheWdyb3VuZC14"], 400, "missing additional subprotocol"),
    ("two of them", ["x", f"{TOKEN}eA", f"{TOKEN}eQ"], 400, "multiple base64.bearer.authorization tokens specified"),
    ("no base64", ["x", f"{TOKEN}a"], 400, "invalid base64.bearer.authorization token encoding"),
]


@pytest.mark.parametrize(("protocols", "code", "message"), [pytest.param(*rest, id=name) for name, *rest in REFUSED])
async def test_who_has_no_business_there(
    small: Cluster, settings: Any, protocols: list[str], code: int, message: str
) -> None:
    settings.LOCAL = False
    status, told = await Socket(small, "watch=1", *protocols).refused()
    assert (status, told["message"]) == (code, message)


async def test_pages_of_others_are_refused_as_everywhere(small: Cluster) -> None:
    status, told = await Socket(small, origin=b"http://evil.example").refused()
    assert (status, told["reason"]) == (403, "Forbidden")


async def test_what_cannot_be_watched_is_a_status(small: Cluster) -> None:
    assert (await Socket(small, place="api/v1/nothing").refused())[0] == 404
    status, told = await Socket(small, "watch=1&labelSelector=(").refused()
    assert (status, told["reason"]) == (400, "BadRequest")
    assert (await Socket(small, "watch=").refused())[0] == 400


NO_ADDRESS = "no preferred addresses found; known addresses: []"
CONTAINERS = [
    ("nope/exec", "command=ls", 404, 'pods "nope" not found'),
    ("web/exec", "command=ls", 500, NO_ADDRESS),
    ("web/attach", "stdin=true", 500, NO_ADDRESS),
    ("web/portforward", "ports=80", 500, NO_ADDRESS),
    ("web/log", "follow=true", 500, NO_ADDRESS),
    ("waiting/exec", "command=ls", 400, "pod waiting does not have a host assigned"),
]


@pytest.mark.parametrize(("path", "query", "code", "message"), CONTAINERS)
async def test_requests_to_containers_get_a_status(
    small: Cluster, path: str, query: str, code: int, message: str
) -> None:
    """Clients such as kubernetes.stream print the message; a refusal without a body says only `403 Forbidden`."""
    await play(small, "create", node("n1"), {**pod("web"), "spec": {**pod("web")["spec"], "nodeName": "n1"}})
    await play(small, "create", pod("waiting"))
    place = f"api/v1/namespaces/default/pods/{path}"
    status, answer = await Socket(small, query, "v5.channel.k8s.io", place=place).refused()
    assert (status, answer["kind"], answer["message"]) == (code, "Status", message)


async def test_requests_to_containers_need_the_right(small: Cluster, settings: Any) -> None:
    settings.LOCAL = False
    place = "api/v1/namespaces/default/pods/nope/exec"
    codes = {}
    for role in ("view", "edit"):
        _, token = await database_sync_to_async(tokens.create_token)(small, role)
        offered = TOKEN + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
        codes[role], answer = await Socket(small, "command=ls", "v5.channel.k8s.io", offered, place=place).refused()
        assert answer["kind"] == "Status"
    assert codes == {"view": 403, "edit": 404}
    assert (await Socket(small, "command=ls", place=place).refused())[0] == 401


async def test_pages_reach_no_container(small: Cluster) -> None:
    place = "api/v1/namespaces/default/pods/nope/exec"
    for origin in (b"http://evil.example", b"http://127.0.0.1:8000"):
        status, answer = await Socket(small, "command=ls", origin=origin, place=place).refused()
        assert (status, answer["reason"]) == (403, "Forbidden")


async def test_each_has_a_thread_of_its_own_as_over_http(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two meet where a request is answered: in the thread that pages share, the second came after the first."""
    both, answered = threading.Barrier(2), WatchSocket._answer

    def meet(socket: WatchSocket) -> HttpResponseBase:
        both.wait(PATIENCE)
        return answered(socket)

    monkeypatch.setattr(WatchSocket, "_answer", meet)
    sockets = [Socket(small), Socket(small)]
    for accepted in await asyncio.gather(*(each.connect() for each in sockets)):
        assert accepted["type"] == "websocket.accept"
    for each in sockets:
        await each.leave()


async def test_a_watch_that_breaks_off_closes_its_socket(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("nobody thought of this")

    monkeypatch.setattr(watch_events, "changes_since", broken)
    socket = Socket(small)
    assert (await socket.connect())["type"] == "websocket.accept"
    closed = await socket.receive_output(PATIENCE)
    assert (closed["type"], closed["code"]) == ("websocket.close", 1011)
    await socket.leave()


async def test_more_at_once_than_a_client_may_have_are_ended(
    small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are let in before the first of them counts; over HTTP and over sockets they count together."""
    settings.LOCAL = False
    monkeypatch.setattr(limits, "WATCHES_PER_CLIENT", 1)
    await play(small, "create", configmap("a"))
    _, token = await database_sync_to_async(tokens.create_token)(small, "view")
    asked, headers = f"/k8s/{small.pk}/{MAPS}?watch=1", {"Authorization": f"Bearer {token}"}
    one, other = [Watch(await AsyncClient().get(asked, headers=headers)) for _ in range(2)]
    assert await one.said() == ("ADDED", "a")
    told = await other.event()
    assert (told["type"], told["object"]["code"]) == ("ERROR", 429)
    offered = TOKEN + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
    status, told = await Socket(small, "watch=1", "v4.channel.k8s.io", offered).refused()
    assert (status, told["reason"]) == (429, "TooManyRequests")
    await one.close()
    await other.close()


@pytest.mark.parametrize("query", [b"watch=1&\xff", b"watch=1" + 2000 * b"&a=1"], ids=["no text", "many fields"])
async def test_a_query_that_cannot_be_read(small: Cluster, query: bytes) -> None:
    socket = Socket(small)
    socket.scope["query_string"] = query
    assert (await socket.connect())["status"] == 400


async def test_an_address_of_nothing(small: Cluster) -> None:
    socket = Socket(small)
    socket.scope["path"] = "/k8s/none/api/v1/pods"
    assert (await socket.connect())["type"] == "websocket.close"


async def test_a_revoked_token_ends_it(small: Cluster, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LOCAL = False
    monkeypatch.setattr(watch_streams, "BOOKMARK_EVERY", 0.05)
    kept, token = await database_sync_to_async(tokens.create_token)(small, "view")
    offered = TOKEN + base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")
    socket = Socket(small, "watch=1", "v4.channel.k8s.io", offered)
    assert (await socket.connect())["type"] == "websocket.accept"
    await database_sync_to_async(tokens.revoke_token)(small, kept.pk)
    closed = await socket.receive_output(PATIENCE)
    assert (closed["type"], closed["code"]) == ("websocket.close", 1000)
