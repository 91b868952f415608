"""The stream is for the owner, from a page of the playground's own, and for nobody else."""

from collections.abc import Callable
from typing import Any

import pytest
from channels.db import database_sync_to_async

from playground import limits
from playground.models import Cluster
from playground.realtime.visitors import is_ours
from tests.realtime.sockets import Socket, connected, watching
from tests.web import Api

SAME_ORIGIN = [
    # origin                          host                  scheme  same
    ("http://127.0.0.1:8000", "127.0.0.1:8000", "ws", True),
    ("http://localhost:8000", "localhost:8000", "ws", True),
    ("http://[::1]:8000", "[::1]:8000", "ws", True),
    ("http://localhost", "localhost", "ws", True),
    ("http://localhost", "localhost:80", "ws", True),
    ("https://localhost", "localhost", "wss", True),
    ("http://LOCALHOST:8000", "localhost:8000", "ws", True),
    ("https://localhost:8000", "localhost:8000", "ws", False),
    ("http://localhost:3000", "localhost:8000", "ws", False),
    ("http://127.0.0.1:8000", "localhost:8000", "ws", False),
    ("http://evil.example", "localhost:8000", "ws", False),
    ("http://localhost.evil.example:8000", "localhost:8000", "ws", False),
    ("http://localhost:8000@evil.example", "localhost:8000", "ws", False),
    ("http://evil.example", "evil.example", "ws", False),
    ("http://localhost:99999", "localhost:99999", "ws", False),
    ("null", "localhost:8000", "ws", False),
    ("", "localhost:8000", "ws", False),
    ("", "", "ws", False),
    ("http://[::1", "[::1", "ws", False),
]


@pytest.mark.parametrize(("origin", "host", "scheme", "same"), SAME_ORIGIN)
def test_same_origin(origin: str, host: str, scheme: str, same: bool) -> None:
    assert is_ours(origin, host, scheme) == same


@pytest.mark.parametrize("origin", [None, b"http://evil.example", b"http://127.0.0.1:3000", b"null"])
async def test_other_origins_are_refused(small: Cluster, origin: bytes | None) -> None:
    assert not await Socket(small.pk, origin=origin).connect()


async def test_other_machines_are_not_the_implicit_user(small: Cluster) -> None:
    async with connected(small.pk, client=("10.0.0.5", 50000)) as socket:
        assert await socket.close_code() == 4403


async def test_sessions(make_user: Callable[[str], Any]) -> None:
    @database_sync_to_async
    def make() -> tuple[int, dict[str, str]]:
        owner, attacker = Api(make_user("owner")), Api(make_user("attacker"))
        cookies = {
            name: f"sessionid={api.client.cookies['sessionid'].value}"
            for name, api in (("owner", owner), ("attacker", attacker))
        }
        return owner.cluster(), cookies

    cluster, cookies = await make()
    async with watching(cluster, cookie=cookies["owner"]) as socket:
        assert socket.hello["state"]["owner"] == "owner"
    for cookie, code in ((cookies["attacker"], 4404), ("", 4403), ("sessionid=made-up", 4403)):
        async with connected(cluster, cookie=cookie) as socket:
            assert await socket.close_code() == code


@pytest.mark.parametrize("path", ["nope", "classes/1/x", "", "clusters/x"])
async def test_an_address_of_nothing_is_refused(web: None, path: str) -> None:
    socket = Socket(1, of=path)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output())["type"] == "websocket.close"
    await socket.wait()


async def test_what_comes_after_the_end_is_dropped(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        await socket.say("x" * (limits.SOCKET_MESSAGE_BYTES + 1))
        assert await socket.close_code() == 1009
        await socket.say('{"type": "resume", "after": 0}')
        await socket.say("x" * (limits.SOCKET_MESSAGE_BYTES + 1))
        assert await socket.receive_nothing()


async def test_who_asks_for_the_same_again_and_again_is_let_go(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        for _ in range(limits.SOCKET_FRAMES_AT_ONCE + 1):
            await socket.say('{"type": "resume", "after": 0}')
        assert await socket.close_code() == 4429


async def test_a_user_has_so_many_open(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SOCKETS_PER_USER", 2)
    async with watching(small.pk):
        async with watching(small.pk):
            async with connected(small.pk) as third:
                assert await third.close_code() == 4430
            async with connected(1, of="classes") as other:
                assert await other.close_code() == 4430
        # One that was closed makes room.
        async with watching(small.pk) as again:
            assert again.hello["state"]["id"] == small.pk


async def test_an_address_has_so_many_open(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SOCKETS_PER_ADDRESS", 2)

    @database_sync_to_async
    def make() -> list[tuple[int, str]]:
        clients = [Api(make_user(name)) for name in ("one", "two", "three")]
        return [(api.cluster(), f"sessionid={api.client.cookies['sessionid'].value}") for api in clients]

    (first, one), (second, two), (third, three) = await make()
    async with watching(first, cookie=one), watching(second, cookie=two):
        async with connected(third, cookie=three) as refused:
            assert await refused.close_code() == 4430
        # Who is at another address is not kept out, nor is anybody without an account told more than that.
        async with watching(third, cookie=three, client=("192.0.2.7", 50000)) as elsewhere:
            assert elsewhere.hello["state"]["owner"] == "three"
        async with connected(third) as nobody:
            assert await nobody.close_code() == 4430
