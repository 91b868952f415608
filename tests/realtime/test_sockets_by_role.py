"""Every socket of a page opens for those who may read what it sends, and closes when they may not any more."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.contrib.auth import get_user_model

from playground import limits
from playground.kubernetes import tokens
from playground.models import Cluster, Follower
from tests.class_room import join, opened
from tests.realtime.sockets import connected, watching
from tests.web import Api

NO_LOGIN, NOTHING_HERE = 4403, 4404
SEEN = 0


@dataclass
class World:
    """A class with a cluster. `ways`: by role, what its browser or program sends."""

    numbers: dict[str, int]
    ways: dict[str, dict[str, str]]
    clients: dict[str, Api]


@pytest.fixture
async def world(make_user: Callable[[str], Any]) -> World:
    @database_sync_to_async
    def make() -> World:
        clients = {name: Api(make_user(name)) for name in ("owner", "other", "off", "account")}
        number = clients["owner"].cluster()
        classroom = opened(clients["owner"], number)
        clients["guest"] = join(classroom["code"], "Guest")
        join(classroom["code"], "Follower", clients["account"])
        cookies = {name: f"sessionid={api.client.cookies['sessionid'].value}" for name, api in clients.items()}
        get_user_model().objects.filter(username="off").update(is_active=False)
        _, token = tokens.create_token(Cluster.objects.get(pk=number), "view")
        ways = {name: {"cookie": cookie} for name, cookie in cookies.items()}
        ways |= {"token": {"token": token}, "nobody": {}}
        # The private cluster of somebody else, whom the followers don't follow.
        numbers = {"clusters": number, "classes": classroom["id"], "private": clients["owner"].cluster()}
        return World(numbers, ways, clients)

    made: World = await make()
    return made


@pytest.mark.parametrize(
    ("role", "cluster", "classroom", "private"),
    [
        ("owner", SEEN, SEEN, SEEN),
        ("account", SEEN, SEEN, NOTHING_HERE),
        ("guest", SEEN, SEEN, NOTHING_HERE),
        ("other", NOTHING_HERE, NOTHING_HERE, NOTHING_HERE),
        ("off", NO_LOGIN, NO_LOGIN, NO_LOGIN),
        ("token", NO_LOGIN, NO_LOGIN, NO_LOGIN),
        ("nobody", NO_LOGIN, NO_LOGIN, NO_LOGIN),
    ],
)
async def test_who_may_open_what(world: World, role: str, cluster: int, classroom: int, private: int) -> None:
    for place, kind, code in (
        ("clusters", "clusters", cluster),
        ("classes", "classes", classroom),
        ("private", "clusters", private),
    ):
        async with connected(world.numbers[place], of=kind, **world.ways[role]) as socket:
            if code:
                assert (place, await socket.close_code()) == (place, code)
            else:
                assert (await socket.frame())["type"] == "hello", place


def _switch_off(world: World, role: str) -> None:
    get_user_model().objects.filter(username=role).update(is_active=False)


def _log_out(world: World, role: str) -> None:
    world.clients[role].client.logout()


def _leave(world: World, role: str) -> None:
    Follower.objects.filter(classroom=world.numbers["classes"]).update(left=True)


def _delete_account(world: World, role: str) -> None:
    get_user_model().objects.filter(pk=world.clients[role].client.session["_auth_user_id"]).delete()


@pytest.mark.parametrize("kind", ["clusters", "classes"])
@pytest.mark.parametrize(
    ("role", "end"),
    [
        ("owner", _switch_off),
        ("owner", _log_out),
        ("account", _switch_off),
        ("account", _leave),
        ("guest", _leave),
        ("guest", _delete_account),
    ],
)
async def test_an_open_socket_ends_with_the_right_to_read(
    world: World, kind: str, role: str, end: Callable[[World, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SOCKET_CHECK_SECONDS", 0.01)
    async with watching(world.numbers[kind], of=kind, **world.ways[role]) as socket:
        await database_sync_to_async(end)(world, role)
        # The room of a class may be faster: it says that the class is none of theirs.
        assert await socket.close_code() in (NO_LOGIN, NOTHING_HERE)
