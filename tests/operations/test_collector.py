"""Clusters in a worker's memory and the garbage collector."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from celery.signals import worker_before_create_process

from playground.engine import collector, simulations
from playground.models import Cluster
from tests.web import Api


class Knot:
    """Refers to itself, as a simulation and its plugins do."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def _as_in_a_new_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(collector, "_turns", 0)
    monkeypatch.setattr(collector, "_dropped", 0)
    monkeypatch.setattr(collector, "_just_dropped", [])
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def many() -> list[Knot]:
    return [Knot() for _ in range(collector.MANY)]


def test_much_that_is_kept_is_not_looked_at() -> None:
    few = Knot()
    collector.set_aside()
    assert any(one is few for one in gc.get_objects()), "it may be gone with the next turn"
    kept = many()
    collector.set_aside()
    assert not any(one is kept[0] for one in gc.get_objects())


def test_what_a_turn_needed_is_gone_with_the_next() -> None:
    """As Celery's request, which is there while a turn ends, and refers to itself."""
    request = Knot()
    dropped = weakref.ref(request)
    collector.set_aside()
    del request
    kept = many()
    collector.set_aside()
    assert dropped() is None, kept


@pytest.mark.parametrize("after", ["_dropped", "_turns"])
def test_what_has_become_garbage_there_is_freed_now_and_then(after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = many()
    dropped = weakref.ref(kept[0])
    collector.set_aside()
    del kept
    collector.set_aside()
    assert dropped() is not None, "set aside, it is not seen as garbage"
    monkeypatch.setattr(collector, after, getattr(collector, f"MOST{after.upper()}"))
    collector.set_aside()
    assert dropped() is None


def test_what_is_dropped_before_it_is_set_aside_is_freed_at_once_and_nothing_else_is_looked_at() -> None:
    aside = many()
    collector.set_aside()
    dropped = [Knot() for _ in range(10)]
    seen = weakref.ref(dropped[0])
    gc.collect()
    collector.note_dropped(dropped[0], 10)
    del dropped
    collector.set_aside()
    assert seen() is None
    assert collector._dropped == 0
    assert not any(one is aside[0] for one in gc.get_objects())


def test_what_had_been_set_aside_counts_until_it_is_looked_for_whatever_else_is_garbage() -> None:
    aside = many()
    collector.set_aside()
    collector.note_dropped(aside[0], 10)
    del aside
    many()  # garbage, too
    collector.set_aside()
    assert collector._dropped == 10


def test_a_worker_sets_aside_what_it_keeps_and_frees_what_it_drops(
    api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "MANY", 1)
    monkeypatch.setattr(collector, "MOST_DROPPED", simulations.LEAST_COUNTED)
    api.command(small.pk, kind="run", until={"cycles": 1})
    kept = weakref.ref(simulations._in_memory[small.pk].simulation.cluster)
    assert not any(one is kept() for one in gc.get_objects())
    simulations.forget_all()
    assert kept() is not None
    collector.set_aside()
    assert kept() is None


def test_a_pool_shares_what_it_is_forked_from() -> None:
    gc.unfreeze()  # as before its first process
    kept = Knot()
    worker_before_create_process.send(sender=None)
    assert not any(one is kept for one in gc.get_objects())
