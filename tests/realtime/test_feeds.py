"""A process listens to a cluster once, whoever follows it, and no follower misses an update."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.db import database_sync_to_async
from channels.layers import channel_layers, get_channel_layer
from django.db import OperationalError, connection

from playground.clusters import commands
from playground.engine import cluster_states, command_runner
from playground.kubernetes import waiting
from playground.models import Cluster, Command, CommandState
from playground.news.frames import group
from playground.realtime.consumers import ClusterConsumer
from playground.realtime.feeds import ClusterFeed, ClusterRoom, GroupRoom, Message
from playground.realtime.registry import AnyPage
from playground.web.handler import SERVING_LOOP
from tests.realtime.sockets import watching as page
from tests.realtime.test_stream import play
from tests.realtime.test_watching import configmap, hear_two, watching
from tests.realtime.test_watching import play as create

drain = database_sync_to_async(command_runner.apply_commands)
submit = database_sync_to_async(commands.submit)
MAPS = "api/v1/configmaps"


@pytest.fixture(autouse=True)
def _no_room_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "KEPT_SECONDS", 0.0)


def subscriptions(cluster: Cluster) -> int:
    groups: dict[str, set[str]] = get_channel_layer().groups
    return sum(len(channels) for name, channels in groups.items() if name.endswith(f"__{group(cluster.pk)}"))


async def until(condition: Any) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.005)


@asynccontextmanager
async def waiting_request(cluster: Cluster) -> AsyncIterator[tuple[Command, asyncio.Future[Command | None]]]:
    """Yield a queued command, and the result of a request in a thread that waits for it."""
    command = await submit(cluster.pk, {"kind": "create", "objects": [configmap("waited-for")]})

    def wait() -> Command | None:
        try:
            return waiting.over(command)
        finally:
            connection.close()

    token = SERVING_LOOP.set(asyncio.get_running_loop())
    result = asyncio.ensure_future(asyncio.to_thread(wait))
    SERVING_LOOP.reset(token)
    yield command, result
    await result


async def test_all_followers_share_one_subscription_and_one_poll(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls, reads = [0], [0]
    look, has_moved = ClusterFeed._look, cluster_states.has_moved

    async def count_polls(feed: ClusterFeed) -> None:
        await look(feed)
        polls[0] += 1

    def count_reads(cluster_id: int, last: int) -> bool:
        reads[0] += 1
        return has_moved(cluster_id, last)

    monkeypatch.setattr(ClusterFeed, "poll_seconds", 0.05)
    monkeypatch.setattr(ClusterFeed, "_look", count_polls)
    monkeypatch.setattr(cluster_states, "has_moved", count_reads)
    async with page(small.pk) as one, page(small.pk) as two, watching(small, MAPS) as watch:
        await hear_two(small, watch)
        for socket in (one, two):
            assert (await socket.numbers(3))[-1] == 3
        polls[0] = reads[0] = 0
        await until(lambda: polls[0] > 5)
        assert reads[0] <= polls[0] + 1
        async with waiting_request(small) as (_, result):
            await drain(small.pk)
            assert subscriptions(small) == 1
            command = await result
            assert command is not None and command.state == CommandState.DONE


@pytest.mark.parametrize("is_before", [True, False])
async def test_an_update_between_subscription_and_first_read_arrives_once(
    small: Cluster, monkeypatch: pytest.MonkeyPatch, is_before: bool
) -> None:
    read = vars(ClusterConsumer)["_read_state"]

    async def read_around_an_update(consumer: ClusterConsumer) -> Any:
        if is_before:
            await play(small, kind="schedule_one")
        state = await read(consumer)
        if not is_before:
            await play(small, kind="schedule_one")
        return state

    monkeypatch.setattr(ClusterConsumer, "_read_state", read_around_an_update)
    async with page(small.pk) as socket:
        last = socket.hello["last"]
        assert last == (2 if is_before else 1)
        await play(small, kind="schedule_one")
        assert await socket.numbers(3) == list(range(last + 1, 4))


async def test_a_command_that_ends_before_the_subscription_is_answered(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No clock helps.
    monkeypatch.setattr(waiting, "LOOK_EVERY", 1000.0)
    subscribe, read, has_read, gate = GroupRoom._subscribe, waiting._over, threading.Event(), asyncio.Event()

    async def subscribe_late(room: GroupRoom[Any]) -> None:
        await gate.wait()
        await subscribe(room)

    def note_read(pk: int) -> Command | None:
        command = read(pk)
        has_read.set()
        return command

    monkeypatch.setattr(GroupRoom, "_subscribe", subscribe_late)
    monkeypatch.setattr(waiting, "_over", note_read)
    async with waiting_request(small) as (_, result):
        await until(has_read.is_set)
        await drain(small.pk)
        assert not result.done()
        monkeypatch.setattr(waiting, "LOOK_EVERY", 0.01)
        gate.set()
        command = await result
        assert command is not None and command.state == CommandState.DONE


class LeavingRoom(ClusterRoom[AnyPage]):
    """A room whose only page leaves at the first message."""

    leaving: asyncio.Task[None] | None = None

    def hear(self, message: Message) -> None:
        (only,) = self._pages
        self.leaving = asyncio.create_task(self.remove(only))


class Page:
    def leave(self, code: int) -> None:
        raise AssertionError(code)


async def test_the_last_follower_may_leave_while_an_update_is_handed_out(small: Cluster) -> None:
    for _ in range(2):
        room = await LeavingRoom.enter(small.pk, Page())
        assert subscriptions(small) == 1
        await get_channel_layer().group_send(group(small.pk), {"type": "look"})
        await until(lambda room=room: room.leaving is not None)
        assert room.leaving is not None
        await room.leaving
        assert subscriptions(small) == 0


async def test_the_last_follower_may_leave_while_the_feed_polls(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    polling, gate = threading.Event(), threading.Event()

    def poll_slowly(*_: Any) -> bool:
        polling.set()
        return gate.wait(30)

    monkeypatch.setattr(ClusterFeed, "poll_seconds", 0.01)
    monkeypatch.setattr(cluster_states, "has_moved", poll_slowly)
    try:
        async with page(small.pk):
            await until(polling.is_set)
            asyncio.get_running_loop().call_later(0.05, gate.set)
    finally:
        gate.set()
    assert subscriptions(small) == 0


async def test_without_a_message_the_poll_brings_a_watch_up_to_date(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(small, MAPS) as watch:
        await hear_two(small, watch)
        for name in ("records", "state"):
            monkeypatch.setattr(command_runner.Publisher, name, lambda *_: None)
        await create(small, "create", configmap("c"))
        assert await watch.said() == ("ADDED", "c")


async def test_without_a_broker_a_command_is_answered(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = type(get_channel_layer())(hosts=["unix:///nowhere/broker.sock"])
    monkeypatch.setitem(channel_layers.backends, "default", nowhere)
    async with waiting_request(small) as (_, result):
        await drain(small.pk)
        command = await result
        assert command is not None and command.state == CommandState.DONE


async def test_a_poll_without_a_database_ends_no_wait(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(ClusterFeed, "poll_seconds", 0.01)
    async with page(small.pk) as socket, waiting_request(small) as (_, result):
        monkeypatch.setattr(cluster_states, "has_moved", broken)
        # A busy cluster needs no such poll, so make the page's room believe that it is idle.
        await get_channel_layer().group_send(
            group(small.pk), {"type": "state.changed", "state": '{"state": "idle", "revision": 1}'}
        )
        assert await socket.close_code() == 1013
        assert not result.done()
        monkeypatch.undo()
        await drain(small.pk)
        command = await result
        assert command is not None and command.state == CommandState.DONE
