"""Clusters in a worker's memory and the garbage collector."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from celery.signals import worker_before_create_process

from playground.engine import garbage_collection, loaded_clusters
from playground.models import Cluster
from tests.web import Api


class Knot:
    """Refers to itself, as a simulation and its plugins do."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture(autouse=True)
def _as_in_a_new_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(garbage_collection, "_turns", 0)
    monkeypatch.setattr(garbage_collection, "_dropped", 0)
    monkeypatch.setattr(garbage_collection, "_just_dropped", [])
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def many() -> list[Knot]:
    return [Knot() for _ in range(garbage_collection.FREEZE_FROM_OBJECTS)]


def test_much_that_is_kept_is_not_looked_at() -> None:
    few = Knot()
    garbage_collection.freeze_long_lived()
    assert any(one is few for one in gc.get_objects()), "it may be gone with the next turn"
    kept = many()
    garbage_collection.freeze_long_lived()
    assert not any(one is kept[0] for one in gc.get_objects())


def test_what_a_turn_needed_is_gone_with_the_next() -> None:
    """As Celery's request, which is there while a turn ends, and refers to itself."""
    request = Knot()
    dropped = weakref.ref(request)
    garbage_collection.freeze_long_lived()
    del request
    kept = many()
    garbage_collection.freeze_long_lived()
    assert dropped() is None, kept


@pytest.mark.parametrize("after", ["_dropped", "_turns"])
def test_what_has_become_garbage_there_is_freed_now_and_then(after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = many()
    dropped = weakref.ref(kept[0])
    garbage_collection.freeze_long_lived()
    del kept
    garbage_collection.freeze_long_lived()
    assert dropped() is not None, "set aside, it is not seen as garbage"
    monkeypatch.setattr(garbage_collection, after, getattr(garbage_collection, f"MOST{after.upper()}"))
    garbage_collection.freeze_long_lived()
    assert dropped() is None


def test_what_is_dropped_before_it_is_set_aside_is_freed_at_once_and_nothing_else_is_looked_at() -> None:
    aside = many()
    garbage_collection.freeze_long_lived()
    dropped = [Knot() for _ in range(10)]
    seen = weakref.ref(dropped[0])
    gc.collect()
    garbage_collection.note_dropped(dropped[0], 10)
    del dropped
    garbage_collection.freeze_long_lived()
    assert seen() is None
    assert garbage_collection._dropped == 0
    assert not any(one is aside[0] for one in gc.get_objects())


def test_what_had_been_set_aside_counts_until_it_is_looked_for_whatever_else_is_garbage() -> None:
    aside = many()
    garbage_collection.freeze_long_lived()
    garbage_collection.note_dropped(aside[0], 10)
    del aside
    many()  # garbage, too
    garbage_collection.freeze_long_lived()
    assert garbage_collection._dropped == 10


def test_a_worker_sets_aside_what_it_keeps_and_frees_what_it_drops(
    api: Api, small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage_collection, "FREEZE_FROM_OBJECTS", 1)
    monkeypatch.setattr(garbage_collection, "MOST_DROPPED", loaded_clusters.LEAST_COUNTED)
    api.command(small.pk, kind="run", until={"cycles": 1})
    kept = weakref.ref(loaded_clusters._in_memory[small.pk].simulation.cluster)
    assert not any(one is kept() for one in gc.get_objects())
    loaded_clusters.forget_all()
    assert kept() is not None
    garbage_collection.freeze_long_lived()
    assert kept() is None


def test_a_pool_shares_what_it_is_forked_from() -> None:
    gc.unfreeze()  # as before its first process
    kept = Knot()
    worker_before_create_process.send(sender=None)
    assert not any(one is kept for one in gc.get_objects())
