"""Backup and restore, from SQLite and PostgreSQL into either."""

import gzip
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command

from playground.accounts.services import get_local_user
from playground.clusters import lifecycle
from playground.engine import loaded_clusters, retention, workers
from playground.engine.heartbeat import key
from playground.models import Cluster, Command, Record
from playground.operations import backup
from playground.store.batched_rows import RECORDS
from tests.operations.manage import manage
from tests.resilience.test_processes import new_database
from tests.web import Api, node, pod

FILL = """
from django.contrib.auth import get_user_model
from playground.engine import command_runner
from playground.clusters import lifecycle, commands
from playground.engine import retention
from tests.web import node, pod
user = get_user_model().objects.create_user("someone é", password="secret-password", is_staff=True)
objects = [node(f"n{i}") for i in range(3)] + [pod(f"p{i}", cpu="100m") for i in range(700)]
made = lifecycle.create_cluster(user, "backed up", seed=5, objects=objects)
commands.submit(made.pk, {"kind": "run", "until": {"cycles": 650}}, key="k")
command_runner.apply_commands(made.pk)
retention.thin_cluster(made.pk, 100)
"""
PICTURE = """
import hashlib, json
from django.contrib.auth import get_user_model
from playground.models import Cluster
from playground.operations import debugger
from playground.engine import history_reads
from playground.objects import selectors as objects, queue_reads
from playground.operations import backup
user = get_user_model().objects.get(username="someone é")
assert user.check_password("secret-password") and user.is_staff and user.date_joined.tzinfo
cluster = Cluster.objects.get(owner=user)
found = {
    "cluster": [cluster.pk, cluster.revision, cluster.thinned],
    "times": [cluster.created.isoformat(), cluster.last_cycle_at.isoformat()],
    "records": hashlib.sha256("".join(history_reads.read_record_bodies(cluster.pk, 0, 1000)).encode()).hexdigest(),
    "matrix": history_reads.read_matrix(cluster.pk, 640),
    "queue": queue_reads.read_lanes(cluster, 1000, 300),
    "objects": objects.as_list(cluster.pk),
    "rows": [model.objects.count() for model in backup.tables()],
}
assert debugger.debug(cluster)["agrees"]
print(hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest(), found["rows"])
"""
FORGET = """
from playground.engine import loaded_clusters
loaded_clusters.forget_all()
"""
BACKUP = """
from django.core.management import call_command
call_command("backup", {file!r})
"""
# Ids are given anew, and a run goes on where it was.
GO_ON = """
from playground.engine import command_runner
from playground.models import Cluster, Command
from playground.clusters import lifecycle, commands
cluster = Cluster.objects.get(name="backed up")
commands.submit(cluster.pk, {"kind": "run", "until": "idle"})
command_runner.apply_commands(cluster.pk)
assert lifecycle.create_cluster(cluster.owner, "another").pk > cluster.pk
print([Cluster.objects.get(pk=cluster.pk).revision, Command.objects.latest("pk").state])
"""

Manage = Callable[..., str]


KINDS = ("sqlite", "postgres")


class Databases:
    """New, migrated databases of either kind: copies of one that was migrated once."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        self._request = request
        self._folder = folder
        self._empty: dict[str, str] = {}
        self._made = 0

    def new(self, kind: str) -> Manage:
        """Runs manage.py on another one."""
        if kind not in self._empty:
            self._empty[kind] = self._copy(kind, "")
            self._manage(self._empty[kind], "migrate")
        return partial(self._manage, self._copy(kind, self._empty[kind]))

    def _copy(self, kind: str, original: str) -> str:
        if kind == "postgres":
            return new_database(self._request.getfixturevalue("postgres_url"), urlsplit(original).path[1:])
        self._made += 1
        file = self._folder / f"{self._made}.sqlite3"
        if original:
            shutil.copy(original.removeprefix("sqlite:///"), file)
        return f"sqlite:///{file}"

    def _manage(self, url: str, *arguments: str, script: str = "") -> str:
        settings = {
            "DATABASE_URL": url,
            "DATA_DIR": str(self._folder),
            "REDIS_URL": f"unix://{self._folder}/nowhere.sock",
            "LOG_LEVEL": "ERROR",
        }
        return manage(*arguments, script=script, **settings)


@pytest.fixture(scope="module")
def databases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    return Databases(request, tmp_path_factory.mktemp("databases"))


@pytest.fixture(scope="module", params=KINDS)
def source(
    request: pytest.FixtureRequest, databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """A backup of a database of this kind, and what is in it."""
    old = databases.new(request.param)
    file = tmp_path_factory.mktemp("source") / "backup.gz"
    # As another process would find it.
    return file, old("shell", script=FILL + FORGET + PICTURE + BACKUP.format(file=str(file)))


@pytest.mark.parametrize("target", KINDS)
def test_what_was_backed_up_is_there_again(
    source: tuple[Path, str], target: str, databases: Databases, tmp_path: Path
) -> None:
    file, picture = source
    assert file.stat().st_mode & 0o777 == 0o600
    new = databases.new(target)
    new("restore", str(file))
    again = tmp_path / "again.gz"
    seen = new("shell", script=PICTURE + BACKUP.format(file=str(again)) + FORGET + GO_ON)
    assert seen.startswith(picture)
    assert again.read_bytes() == file.read_bytes()
    assert "[701, 'done']\n" in seen


# ── what can go wrong ──


@pytest.fixture
def backed_up(api: Api, tmp_path: Path) -> Path:
    cluster = api.cluster([node("a"), pod("p")])
    api.command(cluster, kind="run", until="idle")
    file = tmp_path / "backup.gz"
    call_command("backup", str(file))
    return file


def damaged(file: Path, change: Callable[[list[Any]], None]) -> Path:
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    change(lines)
    file.write_bytes(gzip.compress(b"\n".join(json.dumps(line).encode() for line in lines)))
    return file


def _cut(file: Path) -> Path:
    file.write_bytes(file.read_bytes()[:-100])
    return file


def _text(file: Path) -> Path:
    file.write_text("hello")
    return file


def _absent(file: Path) -> Path:
    return file.with_name("nosuch.gz")


def _without_end(lines: list[Any]) -> None:
    lines.pop()


def _without_rows(lines: list[Any]) -> None:
    lines.remove(next(line for line in lines if isinstance(line, list)))


def _older(lines: list[Any]) -> None:
    lines[0]["migration"] = "0000_before"


def _newer_format(lines: list[Any]) -> None:
    lines[0]["format"] = 2


def _other_columns(lines: list[Any]) -> None:
    lines[1]["columns"].append("shoe_size")


def _unknown_table(lines: list[Any]) -> None:
    lines.insert(1, {"table": "auth.permission", "columns": []})


def _twice(lines: list[Any]) -> None:
    rows = next(line for line in lines if isinstance(line, list))
    rows.append(rows[0])
    lines[-1]["rows"]["auth.user"] += 1


def _orphan(lines: list[Any]) -> None:
    at = next(i for i, line in enumerate(lines) if isinstance(line, dict) and line.get("table") == "playground.command")
    column = lines[at]["columns"].index("cluster_id")
    lines[at + 1][0][column] = 999


def change(by: Callable[[list[Any]], None]) -> Callable[[Path], Path]:
    return lambda file: damaged(file, by)


DAMAGES = [
    # name                  what happens to it        said
    ("cut off", _cut, "this is no backup, or it is damaged"),
    ("something else", _text, "this is no backup, or it is damaged"),
    ("no file", _absent, "No such file or directory"),
    ("no end", change(_without_end), "the end is missing"),
    ("rows lost", change(_without_rows), "rows are missing"),
    ("another migration", change(_older), "it was made at migration 0000_before"),
    ("another format", change(_newer_format), "this is no backup of format 1"),
    ("other columns", change(_other_columns), "auth.user: its columns are"),
    ("another table", change(_unknown_table), "this line is none of a backup"),
    ("a row twice", change(_twice), "this is no backup, or it is damaged"),
    ("a row of no cluster", change(_orphan), "this is no backup, or it is damaged"),
]


@pytest.mark.parametrize(("happens", "said"), [c[1:] for c in DAMAGES], ids=[c[0] for c in DAMAGES])
def test_a_damaged_file_changes_nothing(happens: Callable[[Path], Path], said: str, backed_up: Path) -> None:
    before = [list(model._default_manager.order_by("pk").values()) for model in backup.tables()]
    with pytest.raises(CommandError, match=said):
        call_command("restore", str(happens(backed_up)), "--replace")
    assert [list(model._default_manager.order_by("pk").values()) for model in backup.tables()] == before


def test_nothing_is_replaced_unless_that_is_said(backed_up: Path) -> None:
    lifecycle.create_cluster(get_local_user(), "newer")
    with pytest.raises(CommandError, match="this database is not empty"):
        call_command("restore", str(backed_up))
    assert Cluster.objects.filter(name="newer").exists()
    call_command("restore", str(backed_up), "--replace")
    assert not Cluster.objects.filter(name="newer").exists()
    assert Record.objects.count() == 2


def test_running_workers_are_not_pulled_from_under(backed_up: Path) -> None:
    with workers.connect() as broker:
        broker.zadd(key(), {"host:7": broker.time()[0]})
        try:
            with pytest.raises(CommandError, match="stop the workers first, they have clusters in memory: host:7"):
                call_command("restore", str(backed_up), "--replace")
        finally:
            broker.delete(key())


def test_a_backup_is_of_one_moment(api: Api, small: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process commits between two tables: none of that is in the backup, and it did not have to wait."""
    pages = backup._pages
    script = (
        "from playground.engine import command_runner; from playground.clusters import commands\n"
        f"commands.submit({small.pk}, {{'kind': 'run', 'until': 'idle'}})\ncommand_runner.apply_commands({small.pk})\n"
    )

    def disturbed(model: Any) -> Any:
        if model is Command:
            from django.db import connection

            name = connection.settings_dict["NAME"]
            given = os.environ.get("TEST_DATABASE_URL")
            url = urlsplit(given)._replace(path=f"/{name}").geturl() if given else f"sqlite:///{name}"
            manage("shell", script=script, DATABASE_URL=url)
        return pages(model)

    monkeypatch.setattr(backup, "_pages", disturbed)
    call_command("backup", str(tmp_path / "backup.gz"))
    assert len(list(RECORDS.iterate_range(small.pk, 1, 100))) == 9
    monkeypatch.undo()
    call_command("restore", str(tmp_path / "backup.gz"), "--replace")
    assert (Record.objects.count(), Command.objects.count()) == (1, 1)
    loaded_clusters.forget_all()
    assert api.command(small.pk, kind="run", until="idle")["state"] == "done"


def test_a_lease_of_then_holds_nobody_up_now(api: Api, small: Cluster, tmp_path: Path) -> None:
    from playground.engine import leases

    assert leases.acquire(small.pk, "old:1") is not None
    call_command("backup", str(tmp_path / "backup.gz"))
    call_command("restore", str(tmp_path / "backup.gz"), "--replace")
    assert Cluster.objects.get(pk=small.pk).lease_holder == ""
    assert retention.measure_cluster(small.pk) > 0
