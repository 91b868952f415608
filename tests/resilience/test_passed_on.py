"""A large cluster is loaded by one process of a pool: another that is woken for it passes the wake-up on, once."""

import pytest

from playground import tasks
from playground.clusters import commands
from playground.engine import runner, simulations, turns
from playground.models import Cluster


@pytest.mark.parametrize(
    ("name", "is_kept", "stored", "want"),
    [
        ("large, and not in memory", False, turns.LARGE_BYTES, True),
        ("large, and in memory", True, turns.LARGE_BYTES, False),
        ("small", False, turns.LARGE_BYTES - 1, False),
    ],
)
def test_which_are_passed_on(small: Cluster, name: str, is_kept: bool, stored: int, want: bool) -> None:
    if is_kept:
        commands.submit(small.pk, {"kind": "schedule_one"})
        runner.drain(small.pk)
    else:
        simulations.forget_all()
    Cluster.objects.filter(pk=small.pk).update(stored_bytes=stored)
    assert turns.may_be_elsewhere(small.pk) == want


def test_a_cluster_that_is_gone_is_nowhere_else(small: Cluster) -> None:
    simulations.forget_all()
    assert not turns.may_be_elsewhere(small.pk + 1)


def test_who_gets_it_the_second_time_does_it(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    simulations.forget_all()
    Cluster.objects.filter(pk=small.pk).update(stored_bytes=turns.LARGE_BYTES)
    commands.submit(small.pk, {"kind": "schedule_one"})
    woken: list[tuple[int, bool]] = []
    monkeypatch.setattr(tasks, "wake_one", lambda pk, passed_on=False: woken.append((pk, passed_on)))
    tasks.drain(small.pk)
    assert (woken, Cluster.objects.get(pk=small.pk).applied) == ([(small.pk, True)], 1)
    tasks.drain(small.pk, True)
    assert (len(woken), Cluster.objects.get(pk=small.pk).applied) == (1, 2)
    commands.submit(small.pk, {"kind": "schedule_one"})
    tasks.drain(small.pk)
    assert (len(woken), Cluster.objects.get(pk=small.pk).applied) == (1, 3)
