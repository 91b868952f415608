"""The stream: numbered, without gaps, whoever publishes and whatever gets lost."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.layers import get_channel_layer
from django.db import OperationalError
from django.utils import timezone

from playground import limits
from playground.clusters import commands, deletion
from playground.engine import command_runner, history_reads
from playground.models import Cluster
from playground.news.frames import group
from tests.realtime.sockets import Socket, watching

drain = database_sync_to_async(command_runner.apply_commands)
submit = database_sync_to_async(commands.submit)
stored_matrix = database_sync_to_async(history_reads.read_matrix)


async def play(cluster: Cluster, **command: Any) -> None:
    """Post a command and apply it."""
    await submit(cluster.pk, command)
    await drain(cluster.pk)


async def test_hello_then_what_happens(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        assert (socket.hello["last"], socket.hello["state"]["id"]) == (1, small.pk)
        await play(small, kind="schedule_one")
        records = await socket.frame("records")
        assert (records["from"], records["to"], "brief" in records) == (2, 2, False)
        assert records["records"][0]["cycle"]["steps"]
        state = (await socket.frame("state"))["state"]
        assert (state["revision"], state["cycle"], state["lanes"]) == (2, 1, {"active": 7, "bound": 1})


async def test_a_bulk_is_brief(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FULL_RECORDS", 3)
    async with watching(small.pk) as socket:
        await play(small, kind="run", until="idle")
        first = await socket.frame("records")
        assert (first["from"], first["to"], "brief" in first) == (2, 2, False)
        # In one frame, unless the machine is so busy that it is committed in two; then the second is no bulk.
        rest = await socket.frame("records")
        assert (rest["from"], rest["brief"]) == (3, True)
        assert rest["to"] > 3 + limits.FULL_RECORDS - 1
        assert all("steps" not in record["cycle"] for record in rest["records"])
        assert "matrix" not in rest


async def test_the_newest_cycle_brings_its_matrix(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        await play(small, kind="run", until={"cycles": 1})
        first = await socket.frame("records")
        assert first["matrix"] == {"cycle": 1} | await stored_matrix(small.pk, 1)
        # Objects look at no node.
        await play(small, kind="advance_clock", seconds=1)
        assert "matrix" not in await socket.frame("records")


CATCH_UPS = [
    # query        numbers that come at once
    ("", []),
    ("?after=0", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
    ("?after=6", [7, 8, 9]),
    ("?after=9", []),
    ("?after=999", []),
    ("?after=", []),
    ("?after=-1", []),
    ("?after=x", []),
    ("?after=99999999999999999999999", []),
]


@pytest.mark.parametrize(("query", "numbers"), CATCH_UPS)
async def test_catching_up(small: Cluster, query: str, numbers: list[int]) -> None:
    await play(small, kind="run", until="idle")
    async with watching(small.pk, query) as socket:
        assert socket.hello["last"] == 9
        if numbers:
            assert await socket.numbers(9) == numbers
        await play(small, kind="advance_clock", seconds=1)
        assert await socket.numbers(10) == [10]


async def test_catching_up_in_pages(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECORDS_PER_FRAME", 2)
    await play(small, kind="run", until="idle")
    async with watching(small.pk, "?after=2") as socket:
        assert await socket.numbers(9) == [3, 4, 5, 6, 7, 8, 9]


async def test_too_much_to_catch_up(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CATCH_UP_RECORDS", 5)
    await play(small, kind="run", until="idle")
    async with watching(small.pk, "?after=1") as socket:
        assert await socket.frame("gap", "records") == {"type": "gap", "from": 2, "to": 9}
        await play(small, kind="advance_clock", seconds=1)
        assert await socket.numbers(10) == [10]


async def test_news_that_got_lost_are_read_from_the_database(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        # What a full queue or a broken connection to the broker does: these are never published.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(command_runner.Publisher, "records", lambda *_: None)
            await play(small, kind="run", until={"cycles": 4})
        await play(small, kind="schedule_one")
        assert await socket.numbers(6) == [2, 3, 4, 5, 6]


async def test_what_nobody_said_is_noticed(small: Cluster) -> None:
    """The broker was away when it happened, and nothing happens afterwards."""
    async with watching(small.pk) as socket:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("records", "state"):
                patch.setattr(command_runner.Publisher, name, lambda *_: None)
            await play(small, kind="run", until={"cycles": 4})
        assert await socket.numbers(5) == [2, 3, 4, 5]
        assert (await socket.frame("state"))["state"]["revision"] == 5


async def test_news_that_come_while_lost_ones_are_read(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.realtime import rooms

    read, reading, gate = rooms.read_bodies, asyncio.Event(), asyncio.Event()

    async def slow_read(*arguments: Any) -> list[str]:
        reading.set()
        await gate.wait()
        return await read(*arguments)

    async with watching(small.pk) as socket:
        with pytest.MonkeyPatch.context() as patch:
            for name in ("records", "state"):
                patch.setattr(command_runner.Publisher, name, lambda *_: None)
            await play(small, kind="schedule_one")
        monkeypatch.setattr(rooms, "read_bodies", slow_read)
        await reading.wait()
        await play(small, kind="schedule_one")
        asyncio.get_running_loop().call_later(0.5, gate.set)
        assert await socket.numbers(3) == [2, 3]


async def test_pages_of_one_cluster_share_what_they_are_sent(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.news import frames

    encoded: list[int] = []
    encode = frames.records

    def counting(first: int, *arguments: Any, **options: Any) -> str:
        encoded.append(first)
        return encode(first, *arguments, **options)

    monkeypatch.setattr(frames, "records", counting)
    async with watching(small.pk) as one, watching(small.pk) as two, watching(small.pk) as three:
        await play(small, kind="schedule_one")
        for socket in (one, two, three):
            assert await socket.numbers(2) == [2]
    assert encoded == [2]


async def test_without_a_database_the_page_is_told_to_come_back(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise OperationalError("the server closed the connection")

    async with watching(small.pk) as socket:
        monkeypatch.setattr("playground.engine.cluster_states.has_moved", broken)
        assert await socket.close_code() == 1013
        monkeypatch.undo()
        async with watching(small.pk, "?after=0") as again:
            assert await again.numbers(1) == [1]


async def test_news_that_come_twice_or_overlap_are_sent_once(small: Cluster) -> None:
    layer = get_channel_layer()
    async with watching(small.pk) as socket:
        await play(small, kind="run", until={"cycles": 3})
        assert await socket.numbers(4) == [2, 3, 4]
        bodies = [json.dumps({"seq": seq}) for seq in (3, 4, 5)]
        news = {"type": "records", "from": 3, "to": 5, "brief": False, "bodies": bodies}
        for _ in range(2):
            await layer.group_send(group(small.pk), news)
        await layer.group_send(group(small.pk), {**news, "from": 6, "to": 6, "bodies": ['{"seq":6}']})
        assert await socket.numbers(6) == [5, 6]


async def test_resume(small: Cluster) -> None:
    await play(small, kind="run", until="idle")
    async with watching(small.pk) as socket:
        await socket.say('{"type": "resume", "after": 7}')
        assert await socket.numbers(9) == [8, 9]


NOISE = ["", "{", "[]", "5", "null", '{"type":"resume"}', '{"type":"resume","after":-1}', '{"type":"records"}']
NOISE += ['{"type":"state.changed"}', '{"type":"resume","after":1e99}', "[" * 1000]


@pytest.mark.parametrize("noise", NOISE)
async def test_noise_is_ignored(small: Cluster, noise: str) -> None:
    async with watching(small.pk) as socket:
        await socket.say(noise)
        await socket.say(data=b"\x00\xff")
        await play(small, kind="schedule_one")
        assert await socket.numbers(2) == [2]


async def test_long_messages_end_the_connection(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        await socket.say("x" * (limits.SOCKET_MESSAGE_BYTES + 1))
        assert await socket.close_code() == 1009


async def test_a_slow_page_does_not_pile_up_news(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.realtime import consumers

    monkeypatch.setattr(consumers, "MOST_NEWS", 2)
    gate = asyncio.Event()
    send = consumers.ClusterConsumer.send

    async def slow_send(self: Any, text_data: str) -> None:
        if '"type":"records"' in text_data:
            await gate.wait()
        await send(self, text_data)

    async with watching(small.pk) as socket:
        monkeypatch.setattr(consumers.ClusterConsumer, "send", slow_send)
        for _ in range(8):
            await play(small, kind="schedule_one")
        gate.set()
        assert await socket.numbers(9) == [2, 3, 4, 5, 6, 7, 8, 9]


async def test_states_are_not_sent_too_often(small: Cluster) -> None:
    layer = get_channel_layer()
    async with watching(small.pk) as socket:
        began = asyncio.get_running_loop().time()
        for revision in range(30):
            state = json.dumps({"state": "idle", "revision": 1, "t": revision})
            await layer.group_send(group(small.pk), {"type": "state.changed", "state": state})
            await asyncio.sleep(0.02)
        count = 1
        while (await socket.frame("state"))["state"]["t"] != 29:
            count += 1
        took = asyncio.get_running_loop().time() - began
        assert count <= took * limits.STATE_FRAMES_PER_SECOND + 1


async def test_a_worker_that_fell_silent_shows(small: Cluster, settings: Any) -> None:
    settings.LEASE_SECONDS = 6.0
    await submit(small.pk, {"kind": "schedule_one"})
    row = Cluster.objects.filter(pk=small.pk)
    async with watching(small.pk) as socket:
        expires = timezone.now() + timedelta(seconds=5.5)
        await row.aupdate(lease_holder="worker:1", lease_fencing=9, lease_expires=expires)
        state = (await socket.frame("state"))["state"]
        assert (state["state"], state["lease"]["holder"], state["lease"]["lost"]) == ("queued", "worker:1", False)
        state = (await socket.frame("state"))["state"]
        assert state["lease"]["lost"]
        assert 2 < state["lease"]["expires_in"] < 4
        await row.aupdate(lease_expires=timezone.now() - timedelta(seconds=1))
        state = (await socket.frame("state"))["state"]
        assert state["lease"] == {"holder": "worker:1", "expires_in": 0.0, "lost": True}
        # The next worker takes over by itself.
        await drain(small.pk)
        # The lease is given back a moment after the last command.
        while state["state"] != "idle" or state["lease"]:
            state = (await socket.frame("state"))["state"]


async def test_nothing_is_sent_while_nothing_happens(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        assert await socket.receive_nothing(2.2)


async def test_a_cluster_that_is_deleted_ends_the_connection(small: Cluster) -> None:
    async with watching(small.pk) as socket:
        await database_sync_to_async(deletion.hide_cluster)(small)
        assert await socket.close_code() == 4410


async def test_a_page_that_connects_after_the_deletion_learns_of_it(small: Cluster) -> None:
    await database_sync_to_async(deletion.hide_cluster)(small)
    socket = Socket(small.pk)
    await socket.connect()
    assert await socket.close_code() == 4410


async def test_no_such_cluster(web: None) -> None:
    socket = Socket(999_999)
    await socket.connect()
    assert await socket.close_code() == 4404
