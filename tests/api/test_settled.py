"""Answers about the past that a web process keeps: always what would be made anew, and only for who may read now."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from playground.accounts.services import get_local_user
from playground.api import settled_answers
from playground.api.settled_answers import AnswerCache
from playground.clusters import lifecycle
from playground.engine import command_runner, history_reads
from playground.models import Cluster
from tests.class_room import join, leave, opened
from tests.resilience.command_story import GANG, STORY
from tests.web import Api, node, pod

PATHS = ["cycles/{n}/", "cycles/{n}/matrix/", "nodes/?cycle={n}", "queue/?cycle={n}", "queue/?cycle={n}&limit=2"]
PATHS += ["node-changes/?since=1&cycle={n}"]
MOST = 1 << 20


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, web: None) -> AnswerCache:
    """As a web process begins."""
    cache.clear()
    made = AnswerCache(MOST)
    monkeypatch.setattr(settled_answers, "cache", made)
    return made


def of_cycles(api: Api, cluster: int, upto: int) -> dict[str, tuple[int, Any]]:
    found = {}
    for path in (path.format(n=number) for number in range(1, upto + 1) for path in PATHS):
        answer = api.client.get(f"/api/v1/clusters/{cluster}/{path}")
        found[path] = (answer.status_code, answer.json())
    return found


def test_what_is_kept_is_what_would_be_made(api: Api, fresh: AnswerCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every command, undo and redo among them: waits at Permit end, objects go, the cluster is reset."""
    cluster = lifecycle.create_cluster(get_local_user(), "story", seed=11, config=GANG).pk
    changes = 0
    for step, command in enumerate(STORY):
        api.command(cluster, **command)
        changes += command["kind"] in ("delete", "set_config")
        if changes and step % 3 == 0:
            for what in ("undo", "redo") if step % 2 else ("undo",):
                api.post(f"clusters/{cluster}/{what}/")
                command_runner.apply_commands(cluster)
        if step % 4 and step + 1 < len(STORY):
            continue
        cycles = Cluster.objects.get(pk=cluster).cycle
        with_kept = of_cycles(api, cluster, cycles)
        with monkeypatch.context() as patch:
            patch.setattr(settled_answers, "cache", AnswerCache(MOST))
            assert of_cycles(api, cluster, cycles) == with_kept
    assert cycles > 20
    assert fresh.size > 0
    assert any(
        history_reads.last_seq_of_cycle(cluster, n) != history_reads.seq_of_cycle(cluster, n)
        for n in range(1, cycles + 1)
    )


def test_it_is_made_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = api.cluster([node("n"), pod("p")])
    api.command(cluster, kind="schedule_one")
    before = of_cycles(api, cluster, 1)
    monkeypatch.setattr(settled_answers, "JSONRenderer", None)
    assert of_cycles(api, cluster, 1) == before


@pytest.mark.parametrize("path", PATHS)
def test_nobody_else_is_given_what_is_kept(make_user: Callable[[str], Any], path: str) -> None:
    teacher, stranger = Api(make_user("teacher")), Api(make_user("stranger"))
    cluster = teacher.cluster([node("n"), pod("p")])
    teacher.command(cluster, kind="schedule_one")
    address = f"clusters/{cluster}/{path.format(n=1)}"
    teacher.get(address)
    stranger.get(address, 404)
    found = opened(teacher, cluster)
    stranger.get(address, 404)
    ada, bob = join(found["code"], "Ada"), join(found["code"], "Bob")
    assert ada.get(address) == teacher.get(address) == bob.get(address)
    leave(ada, found["id"])
    ada.get(address, 404)
    teacher.delete(f"classes/{found['id']}/")
    bob.get(address, 404)
    teacher.delete(f"clusters/{cluster}/")
    teacher.get(address, 404)


def test_browsers_keep_nothing(api: Api) -> None:
    cluster = api.cluster([node("n"), pod("p")])
    api.command(cluster, kind="schedule_one")
    for path in PATHS:
        answer = api.client.get(f"/api/v1/clusters/{cluster}/{path.format(n=1)}")
        assert answer.headers["Cache-Control"] == "no-store"


def test_packed_or_not_it_says_the_same(api: Api) -> None:
    cluster = api.cluster([node(f"n-{i}") for i in range(9)] + [pod("p")])
    api.command(cluster, kind="schedule_one")
    address = f"/api/v1/clusters/{cluster}/cycles/1/"
    plain = api.client.get(address)
    packed = api.client.get(address, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert len(packed.content) < len(plain.content)


def test_what_is_not_settled_is_not_kept(api: Api, fresh: AnswerCache) -> None:
    cluster = api.cluster([node("n"), pod("p"), pod("q")])
    api.command(cluster, kind="schedule_one")
    future = f"clusters/{cluster}/node-changes/?since=1000&cycle=1"
    for path in (f"clusters/{cluster}/nodes/", f"clusters/{cluster}/queue/", future):
        api.get(path)
    api.get(f"clusters/{cluster}/cycles/2/", 404)
    api.get(f"clusters/{cluster}/nodes/?cycle=2", 404)
    assert fresh.size == 0
    api.command(cluster, kind="schedule_one")
    assert api.get(f"clusters/{cluster}/cycles/2/")["cycle"]["number"] == 2


def test_how_much_is_kept() -> None:
    cache = AnswerCache(80)
    for number in range(10):
        cache.put((number,), bytes(10))
    assert (cache.size, cache.get((0,)), cache.get((1,))) == (80, None, None)
    # What was asked for last stays longest.
    assert cache.get((2,)) == bytes(10)
    cache.put((10,), bytes(10))
    assert cache.get((2,)) and cache.get((3,)) is None
    # The same again takes no more room, and one that is too large for its share takes none.
    cache.put((10,), bytes(5))
    assert cache.size == 75
    cache.put((11,), bytes(11))
    assert (cache.size, cache.get((11,))) == (75, None)
