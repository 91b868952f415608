"""A large cluster is loaded by one process of a pool: another that is woken for it passes the wake-up on.

Where two had it all the same, only the one that went on with it keeps it.
"""

import logging
import threading
import weakref

import pytest
from django.db.models import F

from playground import idle_cleanup, tasks
from playground.clusters import commands
from playground.engine import command_runner, garbage_collection, loaded_clusters, worker_turns
from playground.models import Cluster
from tests.api.test_read_only_database import refusing_writes
from tests.web import Api, node, pod


@pytest.mark.parametrize(
    ("name", "is_kept", "stored", "want"),
    [
        ("large, and not in memory", False, worker_turns.LARGE_BYTES, True),
        ("large, and in memory", True, worker_turns.LARGE_BYTES, False),
        ("small", False, worker_turns.LARGE_BYTES - 1, False),
    ],
)
def test_which_are_passed_on(small: Cluster, name: str, is_kept: bool, stored: int, want: bool) -> None:
    if is_kept:
        commands.submit(small.pk, {"kind": "schedule_one"})
        command_runner.apply_commands(small.pk)
    else:
        loaded_clusters.forget_all()
    Cluster.objects.filter(pk=small.pk).update(stored_bytes=stored)
    assert worker_turns.may_be_in_another_process(small.pk) == want


def test_a_cluster_that_is_gone_is_nowhere_else(small: Cluster) -> None:
    loaded_clusters.forget_all()
    assert not worker_turns.may_be_in_another_process(small.pk + 1)


def test_who_gets_it_the_last_time_does_it(small: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded_clusters.forget_all()
    Cluster.objects.filter(pk=small.pk).update(stored_bytes=worker_turns.LARGE_BYTES)
    commands.submit(small.pk, {"kind": "schedule_one"})
    woken: list[tuple[int, int]] = []
    monkeypatch.setattr(worker_turns, "NEARLY_DONE_SECONDS", 0)
    monkeypatch.setattr(tasks, "trigger_commands", lambda pk, passed_on=0: woken.append((pk, passed_on)))
    tasks.apply_commands(small.pk)
    tasks.apply_commands(small.pk, 1)
    tasks.apply_commands(small.pk, 2)
    assert (woken, Cluster.objects.get(pk=small.pk).applied) == ([(small.pk, times) for times in (1, 2, 3)], 1)
    tasks.apply_commands(small.pk, 3)
    assert (len(woken), Cluster.objects.get(pk=small.pk).applied) == (3, 2)
    commands.submit(small.pk, {"kind": "schedule_one"})
    tasks.apply_commands(small.pk)
    assert (len(woken), Cluster.objects.get(pk=small.pk).applied) == (3, 3)


@pytest.mark.parametrize(
    ("name", "is_large", "is_overtaken", "is_idle", "is_gone", "is_kept"),
    [
        ("nobody else took it", True, False, True, False, True),
        ("another process went on with it", True, True, True, False, False),
        ("another process has it now, and this one had it before", True, True, False, False, True),
        ("another process went on with a small one", False, True, True, False, True),
        ("deleted", False, False, False, True, False),
    ],
)
def test_what_others_went_on_with_is_dropped(
    small: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    is_large: bool,
    is_overtaken: bool,
    is_idle: bool,
    is_gone: bool,
    is_kept: bool,
) -> None:
    commands.submit(small.pk, {"kind": "schedule_one"})
    command_runner.apply_commands(small.pk)
    loaded = loaded_clusters._in_memory[small.pk]
    objects, kept = loaded.simulation.cluster.store.size, weakref.ref(loaded.simulation)
    loaded.stored_at -= loaded_clusters.LONG_AGO_SECONDS * is_idle
    del loaded
    monkeypatch.setattr(loaded_clusters, "LARGE_OBJECTS", objects + (not is_large))
    row = Cluster.objects.filter(pk=small.pk)
    row.update(lease_fencing=F("lease_fencing") + is_overtaken)
    if is_gone:
        row.delete()
    freed: list[bool] = []
    give_back = garbage_collection.release_memory

    def give_back_and_look() -> None:
        give_back()
        freed.append(kept() is None)

    monkeypatch.setattr(garbage_collection, "release_memory", give_back_and_look)
    loaded_clusters.drop_outdated()
    assert (loaded_clusters.is_in_memory(small.pk), kept() is not None) == (is_kept, is_kept)
    assert freed == ([True] if is_overtaken and not is_kept else []), "what is dropped is what is given back"


def test_a_process_that_is_given_nothing_drops_it_too_but_not_while_it_is_at_work(
    small: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = threading.Event()
    monkeypatch.setattr(loaded_clusters, "drop_outdated", looked.set)
    idle_cleanup._acquire()
    looking = threading.Thread(target=idle_cleanup.drop_outdated_clusters)
    looking.start()
    assert not looked.wait(0.1)
    idle_cleanup._release()
    looking.join()
    assert looked.is_set()


def test_a_worker_goes_on_after_a_read_only_database(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    cluster = api.cluster([node("a"), pod("p")])
    number = api.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"})["number"]
    command = f"clusters/{cluster}/commands/{number}/"
    with caplog.at_level(logging.WARNING, "playground.tasks"), refusing_writes():
        tasks.apply_commands(cluster)
        warnings = [text.split(": ")[:2] for text in caplog.messages]
        assert warnings == [["applying commands is put off", "the database is read-only"]]
        assert api.get(command)["state"] == "queued"
    tasks.apply_commands(cluster)
    assert api.get(command)["state"] == "done"
