"""A class over its sockets: the pointer's moves reach everybody, and nobody else can move, watch or flood."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from channels.db import database_sync_to_async

from playground import limits
from playground.models import Classroom, Follower
from tests.class_room import change, join, leave, opened
from tests.realtime.sockets import Frame, Socket, connected, watching
from tests.web import Api, node, pod


@dataclass
class Room:
    """A class with a teacher, Ada and Bob."""

    teacher: Api
    ada: Api
    bob: Api
    number: int
    cluster: int
    other: int

    def cookie(self, who: Api) -> str:
        return f"sessionid={who.client.cookies['sessionid'].value}"

    def sitting(self, who: Api) -> Any:
        return watching(self.number, cookie=self.cookie(who), of="classes")

    def move(self, **moment: Any) -> str:
        return json.dumps({"type": "move", "moment": {"cluster": self.cluster, **moment}})


@pytest.fixture
async def room(make_user: Callable[[str], Any]) -> Room:
    @database_sync_to_async
    def make() -> Room:
        teacher = Api(make_user("teacher"))
        made = teacher.cluster([node("n-1"), pod("p-1")])
        teacher.command(made, kind="run", until="idle")
        taught = opened(teacher, made)
        ada, bob = join(taught["code"], "Ada"), join(taught["code"], "Bob")
        return Room(teacher, ada, bob, taught["id"], made, teacher.cluster())

    found: Room = await make()
    return found


def do(work: Callable[..., Any], *args: Any, **wanted: Any) -> Any:
    return database_sync_to_async(work)(*args, **wanted)


async def state(socket: Socket, true: Callable[[Frame], bool]) -> Frame:
    """The next frame of the class of which this is true."""
    while True:
        found: Frame = (await socket.frame("class"))["class"]
        if true(found):
            return found


async def moment(socket: Socket, **wanted: Any) -> None:
    """The next move is this one."""
    found = (await socket.frame("move"))["moment"]
    assert {name: found[name] for name in wanted} == wanted


async def pointed_at(socket: Socket, **wanted: Any) -> None:
    """It is shown where the pointer is: by its move, or by the class as it is once more is to be seen."""
    while True:
        frame = await socket.frame("move", "class")
        found = frame["moment"] if frame["type"] == "move" else frame["class"]["moment"]
        if found and {name: found[name] for name in wanted} == wanted:
            return


@asynccontextmanager
async def all_three(room: Room) -> AsyncIterator[tuple[Socket, Socket, Socket]]:
    async with room.sitting(room.teacher) as teacher, room.sitting(room.ada) as ada, room.sitting(room.bob) as bob:
        yield teacher, ada, bob


async def test_everybody_sees_what_the_teacher_shows(room: Room) -> None:
    async with all_three(room) as (teacher, ada, bob):
        assert (teacher.hello["class"]["role"], ada.hello["class"]["role"]) == ("teacher", "follower")
        assert ada.hello["class"]["me"]["name"] == "Ada"
        await state(teacher, lambda seen: [each["here"] for each in seen["followers"]] == [True, True])
        await teacher.say(room.move(cycle=1, step=3, pinned={"node": "n-1"}, view="scores"))
        for follower in (ada, bob):
            await moment(follower, cycle=1, step=3, pinned={"pod": None, "node": "n-1", "plugin": None}, view="scores")
        # Who comes later is where the others are.
        async with room.sitting(room.bob) as late:
            assert late.hello["class"]["moment"]["step"] == 3
    await_kept = await do(lambda: Classroom.objects.get().moment)
    assert await_kept["step"] == 3


async def test_locking_and_asking_are_news(room: Room, questions: None) -> None:
    async with all_three(room) as (teacher, ada, _):
        await do(change, room.teacher, room.number, locked=True)
        assert (await state(ada, lambda seen: seen["locked"]))["role"] == "follower"
        await do(room.teacher.post, f"classes/{room.number}/questions/", {"ask": "outcome", "cycle": 1}, 201)
        asked = await state(ada, lambda seen: seen["question"] is not None)
        assert (asked["question"]["right"], asked["question"]["counts"]) == (None, None)
        await do(room.ada.post, f"classes/{room.number}/questions/1/answer/", {"chosen": ["scheduled"]})
        seen = await state(teacher, lambda seen: bool(seen["question"] and seen["question"]["answers"]))
        assert seen["question"]["counts"] == [1, 0]
        await do(room.teacher.post, f"classes/{room.number}/questions/close/")
        over = await state(ada, lambda seen: not seen["question"]["open"])
        assert over["question"]["right"] == ["scheduled"]


async def test_nobody_else_moves_the_pointer(room: Room) -> None:
    async with all_three(room) as (teacher, ada, bob):
        await ada.say(room.move(cycle=1, step=9))
        assert "another hand" in (await ada.frame("refused"))["problems"][0]["rule"]
        follower = await do(lambda: Follower.objects.get(name="Ada").pk)
        await do(change, room.teacher, room.number, pointer=follower)
        await state(ada, lambda seen: seen["pointer"] == {"id": follower, "name": "Ada"})
        await ada.say(room.move(cycle=1, step=1))
        for other in (teacher, bob):
            await moment(other, step=1)
        # The teacher looks on, until the pointer comes back.
        await teacher.say(room.move(cycle=1, step=8))
        assert (await teacher.frame("refused"))["problems"]
        await do(change, room.teacher, room.number, pointer=None)
        await ada.say(room.move(cycle=1, step=7))
        assert (await ada.frame("refused"))["problems"]
        await state(teacher, lambda seen: seen["pointer"] is None)
        await teacher.say(room.move(cycle=1, step=2))
        await moment(bob, step=2)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"cycle": -1}, "moment.cycle"),
    ({"cycle": True}, "moment.cycle"),
    ({"cycle": "1"}, "moment.cycle"),
    ({"step": 10**15}, "moment.step"),
    ({"pinned": []}, "moment.pinned"),
    ({"pinned": {"x": "y"}}, "moment.pinned"),
    ({"pinned": {"node": "x" * 401}}, "moment.pinned.node"),
    ({"hovered": {"node": "a\nb"}}, "moment.hovered.node"),
    ({"view": "<script>"}, "moment.view"),
    ({"view": []}, "moment.view"),
    ({"href": "http://evil.example"}, "moment.href"),
    ({"cluster": None}, "moment.cluster"),
    ({"cluster": 999999}, "moment.cluster"),
]


async def test_moves_that_are_none(room: Room) -> None:
    async with all_three(room) as (teacher, ada, _):
        for wrong, path in WRONG:
            await teacher.say(room.move(**wrong))
            assert path in (await teacher.frame("refused"))["problems"][0]["rule"], wrong
        for text in ("", "{", "[]", "null", '{"type": "move"}', '{"type": "class", "class": {}}', "[" * 2000):
            await teacher.say(text)
        await teacher.say(data=b"\x00\xff")
        await teacher.say(room.move(cluster=room.other))
        await teacher.say(room.move(cycle=1, step=5))
        await moment(ada, step=5)


async def test_frames_that_are_too_large_or_too_many(room: Room) -> None:
    async with room.sitting(room.ada) as ada:
        await ada.say("x" * (limits.CLASS_FRAME_BYTES + 1))
        assert await ada.close_code() == 1009
    async with room.sitting(room.ada) as ada:
        for _ in range(limits.CLASS_FRAMES_AT_ONCE + 5):
            await ada.say("{}")
        assert await ada.close_code() == 4429


async def test_only_who_is_in_the_class_gets_in(room: Room, make_user: Callable[[str], Any]) -> None:
    stranger = await do(lambda: Api(make_user("stranger")))
    for cookie, code in ((room.cookie(stranger), 4404), ("", 4403), ("sessionid=made-up", 4403)):
        async with connected(room.number, cookie=cookie, of="classes") as socket:
            assert await socket.close_code() == code
    assert not await Socket(room.number, origin=b"http://evil.example", of="classes").connect()
    # Followers watch the cluster that is shown, and no other.
    async with watching(room.cluster, cookie=room.cookie(room.ada)) as socket:
        assert socket.hello["state"]["id"] == room.cluster
    for cookie, cluster in ((room.cookie(room.ada), room.other), (room.cookie(stranger), room.cluster)):
        async with connected(cluster, cookie=cookie) as socket:
            assert await socket.close_code() == 4404


async def end(room: Room) -> None:
    await do(room.teacher.delete, f"classes/{room.number}/")


async def show_another(room: Room) -> None:
    await do(change, room.teacher, room.number, cluster=room.other)


async def take_out(room: Room) -> None:
    follower = await do(lambda: Follower.objects.get(name="Ada").pk)
    await do(room.teacher.delete, f"classes/{room.number}/followers/{follower}/")


async def leave_it(room: Room) -> None:
    await do(leave, room.ada, room.number)


@pytest.mark.parametrize("how", [end, show_another, take_out, leave_it])
async def test_open_sockets_close_with_the_door(room: Room, how: Callable[[Room], Any]) -> None:
    cluster = room.cluster
    async with (
        watching(cluster, cookie=room.cookie(room.ada)) as ada,
        watching(cluster, cookie=room.cookie(room.teacher)) as teacher,
        room.sitting(room.ada) as seat,
    ):
        await how(room)
        assert await ada.close_code() == 4404
        if how is not show_another:
            assert await seat.close_code() == 4404
        else:
            assert (await state(seat, lambda seen: seen["cluster"] == room.other))["moment"] is None
        # The owner's page goes on.
        await do(room.teacher.command, cluster, kind="advance_clock", seconds=1)
        await teacher.frame("records")


async def test_the_stream_waits_for_an_answer(room: Room, questions: None) -> None:
    await do(room.teacher.command, room.cluster, kind="create", objects=[pod("p-2")])
    await do(room.teacher.post, f"classes/{room.number}/questions/", {"ask": "chosen_node"}, 201)
    async with (
        watching(room.cluster, cookie=room.cookie(room.teacher)) as teacher,
        watching(room.cluster, cookie=room.cookie(room.ada)) as ada,
        watching(room.cluster, cookie=room.cookie(room.bob)) as bob,
        room.sitting(room.ada) as seat,
    ):
        before = ada.hello["last"]
        await do(room.ada.post, f"classes/{room.number}/questions/1/answer/", {"chosen": ["n-1"]})
        await do(room.teacher.command, room.cluster, kind="run", until="idle")
        async with room.sitting(room.teacher) as pointing:
            await pointing.say(room.move(cycle=2, step=4, pinned={"node": "n-1"}))
            # Who has answered sees it come, as the teacher does, and where the pointer is.
            for page in (teacher, ada):
                assert [each["cycle"]["number"] for each in (await page.frame("records"))["records"]] == [2]
            await pointed_at(seat, cycle=2, step=4)
        # Who has not can ask for it in no way: by coming back, or from any number on.
        await bob.say(json.dumps({"type": "resume", "after": 0}))
        assert (await bob.frame("records"))["to"] == before
        async with watching(room.cluster, cookie=room.cookie(room.bob), query="after=0") as again:
            assert (again.hello["last"], again.hello["state"]["cycle"]) == (before, 1)
            assert (await again.frame("records"))["to"] == before
        async with room.sitting(room.bob) as waits:
            assert waits.hello["class"]["moment"] is None
            # Shown to all: what comes next brings along what was held back.
            await do(room.teacher.post, f"classes/{room.number}/questions/close/")
            over = await state(waits, lambda seen: not seen["question"]["open"])
            assert over["moment"]["pinned"]["node"] == "n-1"
        await do(room.teacher.command, room.cluster, kind="advance_clock", seconds=1)
        frame = await bob.frame("records")
        assert frame["from"] == before + 1
        assert (await bob.frame("state"))["state"]["cycle"] == 2
