"""On a full disk clusters can be deleted, and the answers name what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext, override_settings

from playground import limits
from playground.clusters import deletion
from playground.models import Cluster, Record
from playground.sqlite import reserve
from playground.store import quota
from tests.api.kubernetes.test_kubernetes import MAPS, Kubernetes, kube
from tests.web import Api, node, pod

__all__ = ["kube"]

pytestmark = pytest.mark.embedded


@pytest.fixture
def full(api: Api, kube: Kubernetes) -> Iterator[None]:
    """Let the database's file not grow, as on a full disk."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA page_count")
        pages = int(cursor.fetchone()[0])
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA max_page_count = 1073741823")


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file that keeps room."""
    monkeypatch.setattr(limits, "RESERVE_BYTES", 4096)
    path = Path(connection.settings_dict["NAME"]).parent / reserve.NAME
    with override_settings(MIN_FREE_DISK=0):
        reserve.create_reserve()
    yield path
    path.unlink(missing_ok=True)


def test_the_answers_say_that_the_disk_is_full(api: Api, kube: Kubernetes, full: None) -> None:
    create = {"kind": "create", "objects": [pod(f"p{n}" * 20) for n in range(2000)]}
    refused = api.post(f"clusters/{kube.cluster_id}/commands/", create, 507)
    assert refused["problems"][0]["rule"] == "the disk is full"
    assert "delete clusters" in refused["problems"][0]["hint"]
    large = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "x" * 900_000}}
    assert kube("POST", MAPS, large, status=503)["message"] == "the disk is full"


def test_a_transaction_that_makes_room_gets_the_room_that_is_kept(web: None, file: Path) -> None:
    """The first attempt fails as on a full disk, for as long as the file is there."""
    assert file.stat().st_size == 4096

    @transaction.atomic
    def write() -> str:
        if file.exists():
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA page_count")
                cursor.execute(f"PRAGMA max_page_count = {int(cursor.fetchone()[0])}")
                try:
                    cursor.execute("CREATE TABLE large AS SELECT zeroblob(10000000)")
                finally:
                    cursor.execute("PRAGMA max_page_count = 1073741823")
        return "written"

    assert reserve.write_reserve(write) == "written"
    assert not file.exists()
    file.touch()
    with pytest.raises(OperationalError, match="locked"):
        reserve.write_reserve(_fail)
    # Another failure does not cost it.
    assert file.exists()


def _fail() -> None:
    raise OperationalError("database is locked")


def test_without_room_there_is_no_file(web: None, file: Path) -> None:
    file.unlink()
    with override_settings(MIN_FREE_DISK=1 << 60):
        reserve.create_reserve()
    assert not file.exists()
    with pytest.raises(DatabaseError):
        reserve.write_reserve(_fail)


def test_a_cluster_is_deleted_for_good_in_small_transactions(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PURGE_ROWS", 4)
    monkeypatch.setattr(limits, "DELETED_PER_USER", 0)
    cluster = api.cluster([node("a"), *(pod(f"p{n}") for n in range(20))])
    api.command(cluster, kind="run", until="idle")
    rows = Record.objects.filter(cluster_id=cluster).count()
    assert rows > 8
    with CaptureQueriesContext(connection) as queries:
        api.delete(f"clusters/{cluster}/")
    deleting = [each["sql"] for each in queries if each["sql"].startswith('DELETE FROM "playground_record"')]
    assert len(deleting) >= rows // 4
    assert not Record.objects.filter(cluster_id=cluster).exists()
    assert not Cluster.everything.filter(pk=cluster).exists()


def test_a_cluster_of_which_a_part_is_gone_does_not_come_back(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = api.cluster([node("a")])
    api.delete(f"clusters/{cluster}/")
    monkeypatch.setattr(Cluster, "delete", lambda _: _fail())
    with override_settings(MIN_FREE_DISK=1 << 60), pytest.raises(OperationalError):
        # Nothing waits for its time when the disk is nearly full.
        deletion.purge_deleted()
    monkeypatch.undo()
    api.post(f"clusters/{cluster}/restore/", None, 404)
    assert deletion.purge_deleted() == 1


def test_room_in_the_file_counts_as_free(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 100 << 20

    monkeypatch.setattr(quota.shutil, "disk_usage", lambda _: Usage)
    with override_settings(MIN_FREE_DISK=512 << 20):
        assert quota.disk_problem() is not None
        monkeypatch.setattr(quota, "_reusable_bytes", lambda: 450 << 20)
        assert quota.disk_problem() is None
        assert quota.disk_problem(100 << 20) is not None
        Usage.free = 10 << 20
        assert quota.disk_problem() is not None
