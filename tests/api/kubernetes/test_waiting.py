"""Who writes hears at once that the command is carried out, and does not wait for what will never come."""

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connection

from playground.clusters import commands
from playground.engine import command_runner
from playground.kubernetes import waiting
from playground.models import Command, CommandState
from playground.news.publisher import look
from playground.realtime import registry
from tests.services import wait_for
from tests.web import Api, node

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture(autouse=True)
def _nobody_listens_longer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(waiting, "KEPT_SECONDS", 0.0)
    yield
    wait_for(lambda: not registry._rooms.get(waiting._own_loop()), "the end of all rooms")


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def over(command: Command) -> Command | None:
    try:
        return waiting.over(command)
    finally:
        connection.close()


def posted(cluster: int, name: str) -> Command:
    return commands.submit(cluster, {"kind": "create", "objects": [node(name)]})


def test_each_of_those_who_wait_is_told_of_its_own(api: Api, pool: ThreadPoolExecutor) -> None:
    cluster = api.cluster()
    made = [posted(cluster, name) for name in ("a", "b", "a")]
    told = [pool.submit(over, command) for command in made]
    assert not any(each.done() for each in told)
    command_runner.apply_commands(cluster)
    found = [each.result(20) for each in told]
    assert [each and (each.pk, each.state) for each in found] == [
        (made[0].pk, CommandState.DONE),
        (made[1].pk, CommandState.DONE),
        (made[2].pk, CommandState.FAILED),
    ]
    assert found[2] is not None and found[2].problems


def test_news_tell_and_not_the_clock(api: Api, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_EVERY", 1000.0)
    cluster = api.cluster()
    command = posted(cluster, "a")
    told = pool.submit(over, command)
    command_runner.apply_commands(cluster)

    def heard() -> bool:
        # The worker's own news may have come before anybody listened.
        look(cluster)
        return told.done()

    wait_for(heard, "the answer")
    found = told.result()
    assert found is not None and found.state == CommandState.DONE
    monkeypatch.setattr(waiting, "LOOK_EVERY", 0.01)
    look(cluster)


def test_a_command_that_goes_with_its_cluster_is_said_to_be_gone(api: Api, pool: ThreadPoolExecutor) -> None:
    command = posted(api.cluster(), "a")
    told: Future[Command | None] = pool.submit(over, command)
    Command.objects.filter(pk=command.pk).delete()
    with pytest.raises(Command.DoesNotExist):
        told.result(20)


def test_an_ear_that_broke_hears_again(api: Api, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "LOOK_EVERY", 0.01)
    broke, looked = threading.Event(), waiting._states

    def break_once(cluster_id: int, first: int) -> Mapping[int, str]:
        if not broke.is_set():
            broke.set()
            raise RuntimeError("nobody thought of this")
        return looked(cluster_id, first)

    monkeypatch.setattr(waiting, "_states", break_once)
    cluster = api.cluster()
    command = posted(cluster, "a")
    told = pool.submit(over, command)
    assert broke.wait(20)
    command_runner.apply_commands(cluster)
    found = told.result(20)
    assert found is not None and found.state == CommandState.DONE


def test_who_waits_too_long_is_told_so(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.01)
    assert waiting.over(posted(api.cluster(), "a")) is None
    # One thread listens for all of them.
    assert sum(thread.name == "answers" for thread in threading.enumerate()) == 1
