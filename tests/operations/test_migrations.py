"""What was stored by an older version is there after the migrations."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.operations.manage import manage as manage_py
from tests.resilience.test_processes import new_database

THEN = """
from django.core.management import call_command
call_command("migrate", "playground", "0003")
call_command("migrate", "auth")
"""
NOW = """
from django.core.management import call_command
call_command("migrate")
"""
BODIES = """
bodies = ['{"seq":%d,"t":"\\\\x41 é"}' % i for i in range(1, 1201)]
"""
FILL = """
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
old = MigrationExecutor(connection).loader.project_state([("playground", "0003_metric_tally")]).apps
user = old.get_model("auth", "User").objects.create(username="someone")
cluster = old.get_model("playground", "Cluster").objects.create(owner=user, name="old", revision=1200)
Record = old.get_model("playground", "Record")
rows = [Record(cluster=cluster, seq=i, kind="clock", body=body) for i, body in enumerate(bodies, 1)]
Record.objects.bulk_create(rows)
payload = {"z": 1, "a": {"b": "\\\\x41 é"}}
old.get_model("playground", "Command").objects.create(cluster=cluster, number=1, kind="create", payload=payload)
of_volcano = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "train"}}
of_istio = {"apiVersion": "networking.istio.io/v1", "kind": "Gateway", "metadata": {"name": "web"}}
of_knative = {"apiVersion": "networking.internal.knative.dev/v1alpha1", "kind": "Ingress"}
for kind, key, manifest in (
    ("Job", "shop/train", of_volcano),
    ("Job", "shop/own", of_volcano | {"apiVersion": "batch/v1"}),
    ("Gateway", "shop/web", of_istio),
    ("Ingress", "shop/route", of_knative),
    ("Ingress", "shop/own", {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"}),
    ("NodeGroup", "pool", {"apiVersion": "playground.kube-scheduler/v1", "kind": "NodeGroup"}),
):
    old.get_model("playground", "ClusterObject").objects.create(
        cluster=cluster, kind=kind, key=key, manifest=manifest
    )
old.get_model("playground", "NodeEpoch").objects.create(cluster=cluster, epoch=1, names=["a", "é"])
"""
FILL_CHANGES = """
from datetime import timedelta
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
call_command("migrate", "playground", "0032")
old = MigrationExecutor(connection).loader.project_state([("playground", "0032_share_view_work")]).apps
user = old.get_model("auth", "User").objects.get()
cluster = old.get_model("playground", "Cluster")._base_manager.create(owner=user, name="changed")
Command = old.get_model("playground", "Command")
began = timezone.now()
page, kubectl, helm = "ada", "ada (kubectl/v1.34.5)", "ada (Helm/4.0.0)"
for number, author, seconds, what, undoes in (
    (1, page, 0, "a change", None),
    (2, kubectl, 10, "a change", None),
    (3, kubectl, 10, "", None),
    (4, kubectl, 12, "a change", None),
    (5, kubectl, 16, "a change", None),
    (6, helm, 17, "a change", None),
    (7, page, 20, "a change", 6),
    (8, page, 21, "a change", 7),
    (9, page, 22, "a change", 8),
    (10, page, 23, "a change", 5),
):
    made = Command.objects.create(
        cluster=cluster, number=number, kind="create", payload={}, author=author, what=what, undoes=undoes
    )
    Command.objects.filter(pk=made.pk).update(created=began + timedelta(seconds=seconds))
"""
CHECK = """
from playground.models import Cluster, ClusterObject, Command, NodeEpoch, Record
from playground.engine import retention
cluster = Cluster.objects.get(name="old")
assert list(Record.objects.order_by("seq").values_list("body", flat=True)) == bodies
command = Command.objects.get(cluster=cluster)
assert list(command.payload) == ["z", "a"] and command.payload["a"] == {"b": "\\\\x41 é"}
assert NodeEpoch.objects.get().names == ["a", "é"]
kinds = set(ClusterObject.objects.values_list("key", "kind"))
assert kinds == {
    ("shop/train", "Job.batch.volcano.sh"),
    ("shop/own", "Job"),
    ("shop/web", "Gateway.networking.istio.io"),
    ("shop/route", "Ingress.networking.internal.knative.dev"),
    ("shop/own", "Ingress"),
    ("pool", "NodeGroup"),
}
assert (cluster.stored_bytes, cluster.thinned) == (0, 0)
assert cluster.emulates == "v1.34.1"  # there was no other when it was made
assert retention.measure(cluster.pk) > 1200 * 250
"""
CHECK_CHANGES = """
from playground.store.changes import next_change_set
changed = Cluster.objects.get(name="changed")
rows = Command.objects.filter(cluster=changed).order_by("number")
kubectl, helm = "kubectl/v1.34.5", "Helm/4.0.0"
assert list(rows.values_list("number", "author", "client", "change_set", "undoes", "redoes")) == [
    (1, "ada", "", "", None, None),
    (2, "ada", kubectl, "command-2", None, None),
    (3, "ada", kubectl, "", None, None),
    (4, "ada", kubectl, "command-2", None, None),
    (5, "ada", kubectl, "command-5", None, None),
    (6, "ada", helm, "command-6", None, None),
    (7, "ada", "", "command-6", 6, None),
    (8, "ada", "", "command-6", None, 7),
    (9, "ada", "", "command-6", 8, None),
    (10, "ada", "", "command-5", 5, None),
], list(rows.values())
sets = [[command.number for command in next_change_set(changed.pk, way)] for way in ("undo", "redo")]
assert sets == [[4, 2], [10]], sets
print("all there")
"""


@pytest.fixture(params=["sqlite", "postgres"])
def manage(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., str]:
    """Runs manage.py on a database of its own."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'old.sqlite3'}"
    else:
        url = new_database(request.getfixturevalue("postgres_url"))

    return partial(manage_py, DATABASE_URL=url, DATA_DIR=str(tmp_path))


def test_rows_of_earlier_versions_are_migrated(manage: Callable[..., str]) -> None:
    manage("shell", script=THEN + BODIES + FILL)
    manage("shell", script=FILL_CHANGES)
    assert "all there" in manage("shell", script=NOW + BODIES + CHECK + CHECK_CHANGES)
