"""What is kept, what is thinned out and made again, and what is refused for want of room."""

import json
import random
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from playground import plugins
from playground.accounts.services import get_local_user
from playground.clusters import lifecycle
from playground.engine import checkpoints, command_runner, history_reads, loaded_clusters, retention, worker_session
from playground.models import (
    Checkpoint,
    Cluster,
    Command,
    Cycle,
    Record,
    SchedulerConfig,
    ThinnedRecords,
)
from playground.problems import Refused
from playground.store.batched_rows import MATRICES, RECORDS
from scheduler_core.emulations import DEFAULT
from simulator.simulation import Record as EngineRecord
from simulator.simulation import Simulation
from tests.web import Api, node, pod

GANG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      enabled:
      - name: Gang
"""


@pytest.fixture
def long(api: Api) -> Cluster:
    """A cluster with a history of 60 cycles and more: failures, preemption, a reset, another configuration, a wait."""
    objects = [node(f"node-{i}", zone=f"zone-{i % 2}", cpu="4") for i in range(4)]
    cluster = api.cluster([*objects, *(pod(f"web-{i}", cpu="300m") for i in range(40))], seed=3)
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="create", objects=[pod("vip", cpu="3", priority=100), pod("large", cpu="64")])
    api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="create", objects=[pod("web-0")])  # refused: it exists
    api.command(cluster, kind="advance_clock", seconds=400)
    api.command(cluster, kind="schedule_one")
    api.command(cluster, kind="set_config", yaml=GANG)
    for i in range(2):
        member = pod(f"gang-{i}", cpu="100m")
        member["metadata"]["labels"] = {"gang.example.com/name": "g", "gang.example.com/size": "2"}
        api.command(cluster, kind="create", objects=[member])
        api.command(cluster, kind="run", until="idle")
    api.command(cluster, kind="run", until={"cycles": 5})
    api.command(cluster, kind="reset")
    api.command(cluster, kind="run", until={"cycles": 15})
    return Cluster.objects.get(pk=cluster)


def picture(api: Api, cluster: Cluster) -> dict[str, Any]:
    """Everything that the API tells of the history of a cluster."""
    base = f"clusters/{cluster.pk}"
    cluster.refresh_from_db()
    numbers = range(1, cluster.cycle + 1)
    return {
        "records": api.get(f"{base}/records/", after=0, limit=1000)["records"],
        "timeline": api.get(f"{base}/cycles/", **{"from": 1, "to": cluster.cycle}),
        "cycles": [api.get(f"{base}/cycles/{number}/") for number in numbers],
        "matrices": [api.client.get(f"/api/v1/{base}/cycles/{number}/matrix/").content for number in numbers],
        "queues": [api.get(f"{base}/queue/", cycle=number) for number in numbers],
    }


def test_thinned_out_and_made_again_every_byte_is_the_same(api: Api, long: Cluster) -> None:
    before = picture(api, long)
    kinds = {record["kind"] for record in before["records"]}
    assert kinds >= {"objects", "cycle", "binding", "clock", "config", "reset"}
    gone = retention.thin_cluster(long.pk, 5)
    assert gone > 60
    left = Record.objects.filter(cluster=long, seq__lte=gone)
    assert set(left.values_list("kind", flat=True)) == {"binding"}
    assert len(list(MATRICES.iterate_range(long.pk, 1, long.cycle))) == 5
    loaded_clusters.forget_all()
    assert picture(api, long) == before


PAGES = [
    # name                          after                limit  upto
    ("all of it", lambda thinned: 0, 1000, None),
    ("within what is thinned", lambda thinned: 10, 7, None),
    ("from there into what is kept", lambda thinned: thinned - 3, 6, None),
    ("up to the border", lambda thinned: thinned - 3, 3, None),
    ("one after the border", lambda thinned: thinned, 4, None),
    ("a bound before the border", lambda thinned: 4, 1000, 9),
    ("nothing", lambda thinned: 9, 1000, 9),
]


@pytest.mark.parametrize(("after", "limit", "upto"), [c[1:] for c in PAGES], ids=[c[0] for c in PAGES])
def test_pages_have_no_gaps(after: Callable[[int], int], limit: int, upto: int | None, long: Cluster) -> None:
    whole = history_reads.read_record_bodies(long.pk, 0, 1000)
    start = after(retention.thin_cluster(long.pk, 5))
    end = len(whole) if upto is None else upto
    assert history_reads.read_record_bodies(long.pk, start, limit, upto) == whole[start : min(start + limit, end)]


def test_the_cluster_goes_on_as_if_nothing_was_thinned(api: Api, long: Cluster) -> None:
    simulation = Simulation.create(seed=3)
    retention.thin_cluster(long.pk, 1)
    loaded_clusters.forget_all()
    assert api.command(long.pk, kind="run", until="idle")["state"] == "done"
    last = json.loads(history_reads.read_record_bodies(long.pk, 0, 1000)[-1])
    long.refresh_from_db()
    assert last["seq"] == long.revision
    # The same commands, given to an engine of its own.
    simulation = Simulation.create(seed=3, emulation=DEFAULT, registry=plugins.registry())
    for command in Command.objects.filter(cluster=long, records__gt=0).order_by("number"):
        seen = list(simulation.apply(command.payload))
    assert json.loads(json.dumps(seen[-1].data)) == last


def test_a_cycle_its_matrix_and_the_records_before_are_made_again_once(
    api: Api, long: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the page asks for them when it jumps."""
    # Where they are depends on how fast the machine is; what is on both sides of one is made in two goes.
    Checkpoint.objects.filter(cluster=long, seq__gt=0, seq__lte=30).delete()
    before = api.get(f"clusters/{long.pk}/records/", after=10, limit=20)["records"]
    retention.thin_cluster(long.pk, 5)
    loaded_clusters.forget_all()
    made: list[int] = []
    as_before = loaded_clusters._rebuild_with_predecessors

    def counted(cluster: Cluster, first: int, last: int) -> list[EngineRecord]:
        made.append(last)
        return as_before(cluster, first, last)

    monkeypatch.setattr(loaded_clusters, "_rebuild_with_predecessors", counted)
    number = Cycle.objects.get(cluster=long, seq=30).number
    assert api.get(f"clusters/{long.pk}/cycles/{number}/")["seq"] == 30
    api.get(f"clusters/{long.pk}/cycles/{number}/matrix/")
    assert api.get(f"clusters/{long.pk}/records/", after=10, limit=20)["records"] == before
    assert made == [30]


def test_who_comes_second_waits_for_the_record_that_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    waits = Event()
    wait = loaded_clusters._rebuilding_changed.wait

    def is_waited_for() -> bool:
        waits.set()
        return wait()

    def slowly(cluster: Cluster, first: int, last: int) -> list[EngineRecord]:
        made.append(last)
        assert waits.wait(10)
        return [EngineRecord({"seq": last}, [], {})]

    monkeypatch.setattr(loaded_clusters._rebuilding_changed, "wait", is_waited_for)
    monkeypatch.setattr(loaded_clusters, "_rebuild_with_predecessors", slowly)
    loaded_clusters.forget_all()
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: loaded_clusters.rebuild_records(Cluster(pk=1), 7, 7), range(2))
    loaded_clusters.forget_all()
    assert [record.seq for record in first] == [7]
    assert second == first
    assert made == [7]


def test_a_newer_engine_that_does_otherwise_is_found_out(
    api: Api, long: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    retention.thin_cluster(long.pk, 5)
    SchedulerConfig.objects.filter(cluster=long, version=1).update(yaml=GANG.replace("Gang", "Rack"))
    loaded_clusters.forget_all()
    Checkpoint.objects.all().delete()
    answer = api.get(f"clusters/{long.pk}/cycles/20/", status=410)
    assert "the engine has changed since" in answer["problems"][0]["rule"]
    api.get(f"clusters/{long.pk}/cycles/20/matrix/", status=410)
    api.get(f"clusters/{long.pk}/records/", status=410)
    long.refresh_from_db()
    assert len(api.get(f"clusters/{long.pk}/records/", after=long.thinned)["records"]) == long.revision - long.thinned
    api.get(f"clusters/{long.pk}/cycles/{long.cycle}/")


def test_only_what_a_checkpoint_is_near_to_is_thinned(long: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    Checkpoint.objects.filter(cluster=long).delete()
    monkeypatch.setattr(retention, "REBUILD_RECORDS", 20)
    monkeypatch.setattr(retention, "CHUNK", 10)
    assert retention.thin_cluster(long.pk, 5) == 20
    engine = loaded_clusters.load_at(long, 20)
    plain = engine.simulation.checkpoint(plain=True)
    assert plain is not None
    checkpoints.save_checkpoint(long.pk, (engine.command, engine.records, engine.cycles), 20, plain)
    assert retention.thin_cluster(long.pk, 5) == 20


def test_what_is_too_far_from_a_checkpoint_is_not_made_again(
    api: Api, long: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    retention.thin_cluster(long.pk, 5)
    Checkpoint.objects.filter(cluster=long).delete()
    monkeypatch.setattr("playground.engine.thinned_records.REBUILD_RECORDS", 20)
    answer = api.get(f"clusters/{long.pk}/cycles/40/", status=410)
    assert "there is no checkpoint near it" in answer["problems"][0]["rule"]


POLICY = [
    # name                          settings                                  days unused  cycles kept in full
    ("a short history", {"RETAIN_CYCLES": 1000}, 0, 61),
    ("a long one", {"RETAIN_CYCLES": 20}, 0, 20),
    ("one that nobody used", {"RETAIN_CYCLES": 100, "RETAIN_DAYS": 30}, 31, 10),
    ("used in time", {"RETAIN_CYCLES": 100, "RETAIN_DAYS": 30}, 29, 61),
    ("over its quota", {"RETAIN_CYCLES": 100, "CLUSTER_QUOTA": 1000}, 0, 10),
    ("never less than one", {"RETAIN_CYCLES": 1, "RETAIN_DAYS": 30}, 31, 1),
]


@pytest.mark.parametrize(("policy", "days", "kept"), [c[1:] for c in POLICY], ids=[c[0] for c in POLICY])
def test_the_policy(policy: dict[str, int], days: int, kept: int, long: Cluster) -> None:
    Command.objects.update(created=timezone.now() - timedelta(days=days))
    with override_settings(**policy):
        retention.thin_all()
        retention.thin_all()
    assert long.cycle == 61
    stored = [json.loads(text) for _, text in RECORDS.iterate_range(long.pk, 1, long.revision)]
    assert sum(record["kind"] == "cycle" for record in stored) == kept


def test_every_cluster_has_its_own_history(api: Api, long: Cluster) -> None:
    other = api.cluster([node("a"), *(pod(f"p{i}", cpu="10m") for i in range(10))])
    api.command(other, kind="run", until="idle")
    retention.thin_cluster(long.pk, 5)
    assert len(list(RECORDS.iterate_range(other, 1, 100))) == 11
    lifecycle.delete_cluster(Cluster.objects.get(pk=long.pk))
    assert ThinnedRecords.objects.count() == 0
    assert len(list(RECORDS.iterate_range(other, 1, 100))) == 11


# ── quota ──


def test_what_commits_add_up_is_near_to_what_is_measured(long: Cluster) -> None:
    added = Cluster.objects.values_list("stored_bytes", flat=True).get(pk=long.pk)
    measured = retention.measure_cluster(long.pk)
    assert 0.5 < added / measured < 2
    freed = retention.thin_cluster(long.pk, 5)
    after = Cluster.objects.values_list("stored_bytes", flat=True).get(pk=long.pk)
    assert freed and after < measured - 150 * freed


@pytest.fixture
def crowded() -> Iterator[None]:
    """A quota that a cluster of a hundred pods uses up soon."""
    with override_settings(CLUSTER_QUOTA=350_000, RETAIN_CYCLES=100):
        yield


def test_a_run_thins_out_what_is_old_and_then_ends_with_a_clear_error(
    api: Api, crowded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_session, "CHUNK_RECORDS", 20)
    cluster = api.cluster([node(f"n{i}", cpu="64", memory="256Gi") for i in range(10)])
    for batch in range(6):
        pods = [pod(f"pod-{batch}-{i}", cpu="10m", memory="10Mi") for i in range(50)]
        if api.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": pods}, status=None)["state"]:
            command_runner.apply_commands(cluster)
    before = Cluster.objects.get(pk=cluster)
    ended = api.command(cluster, kind="run", until="idle")
    assert ended["state"] == "failed"
    (found,) = ended["problems"]
    assert found["rule"].startswith("the cluster's quota of 0 MiB is used up")
    assert "CLUSTER_QUOTA_MB" in found["hint"]
    after = Cluster.objects.get(pk=cluster)
    assert after.cycle > 20 and after.thinned > before.thinned
    # What was done until then stays, and can be looked at.
    assert len(history_reads.read_record_bodies(cluster, 0, 1000)) == after.revision
    refused = api.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"}, status=409)
    assert refused["problems"][0]["rule"].startswith("the cluster's quota of 0 MiB is used up")
    api.delete(f"clusters/{cluster}/")


def test_objects_that_would_be_too_much_are_refused_before_they_are_stored(api: Api) -> None:
    cluster = api.cluster()
    with override_settings(CLUSTER_QUOTA=3000):
        pods = [pod(f"pod-{random.Random(i).getrandbits(60):x}") for i in range(200)]
        answer = api.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": pods}, status=409)
    assert "is used up" in answer["problems"][0]["rule"]
    assert not Command.objects.filter(cluster_id=cluster).exists()


@pytest.mark.embedded
def test_a_disk_that_is_nearly_full_stops_commands_and_runs(api: Api, small: Cluster) -> None:
    api.post(f"clusters/{small.pk}/commands/", {"kind": "run", "until": "idle"})
    with override_settings(MIN_FREE_DISK=1 << 60):
        command_runner.apply_commands(small.pk)
        refused = api.post(f"clusters/{small.pk}/commands/", {"kind": "schedule_one"}, status=409)
    ended = api.get(f"clusters/{small.pk}/commands/2/")
    assert (ended["state"], ended["records"]) == ("failed", 0)
    # How much is left may change from one look to the next.
    for problems in (refused["problems"], ended["problems"]):
        assert len(problems) == 1 and re.match(r"the disk is nearly full: \d+ MiB are left, and", problems[0]["rule"])
    assert api.command(small.pk, kind="run", until="idle")["state"] == "done"


@pytest.mark.embedded
def test_a_new_cluster_is_refused_on_a_full_disk_as_a_whole(web: None) -> None:
    with override_settings(MIN_FREE_DISK=1 << 60), pytest.raises(Refused, match="the disk is nearly full"):
        lifecycle.create_cluster(get_local_user(), "too much", objects=[node("a")])
    assert not Cluster.objects.exists()
