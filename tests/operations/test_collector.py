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
    monkeypatch.setattr(collector, "_full_then", -1)
    yield
    gc.unfreeze()


def test_what_is_kept_is_not_looked_at() -> None:
    kept = Knot()
    collector.set_aside()
    assert gc.get_freeze_count() > 0
    assert not any(one is kept for one in gc.get_objects())


def test_what_was_let_go_is_freed_by_the_next_full_collection() -> None:
    kept = Knot()
    dropped = weakref.ref(kept)
    collector.set_aside()
    del kept
    gc.collect()
    assert dropped() is not None, "set aside, it is not seen as garbage"
    collector.let_go()
    # Turns go on before the collection comes: they must not hide it again.
    collector.set_aside()
    gc.collect()
    assert dropped() is None
    collector.set_aside()
    assert gc.get_freeze_count() > 0


def test_garbage_does_not_gather_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "MOST_TURNS", 3)
    kept = Knot()
    dropped = weakref.ref(kept)
    collector.set_aside()
    del kept
    collector.set_aside()
    gc.collect()
    assert dropped() is not None
    collector.set_aside()
    gc.collect()
    assert dropped() is None


def test_a_worker_sets_aside_what_it_keeps_and_lets_go_what_it_drops(api: Api, small: Cluster) -> None:
    gc.collect()  # which frees what the tests before this one left in memory
    api.command(small.pk, kind="run", until={"cycles": 1})
    assert gc.get_freeze_count() > 0
    simulations.forget_all()
    assert gc.get_freeze_count() == 0


def test_a_pool_shares_what_it_is_forked_from() -> None:
    kept = Knot()
    worker_before_create_process.send(sender=None)
    assert not any(one is kept for one in gc.get_objects())
