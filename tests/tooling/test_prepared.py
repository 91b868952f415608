"""A database is prepared again whenever there is a reason to: a start that does without would serve what is broken."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from playground.local.database_check import RELEASE, is_prepared


def make(folder: Path, release: int, clusters: int) -> None:
    with closing(sqlite3.connect(folder / "playground.sqlite3")) as database:
        database.execute(f"PRAGMA user_version = {release}")
        database.execute("CREATE TABLE playground_cluster (id INTEGER PRIMARY KEY)")
        database.executemany("INSERT INTO playground_cluster VALUES (?)", [(number,) for number in range(clusters)])
        database.commit()


@pytest.mark.parametrize(
    ("release", "clusters", "want"),
    [(RELEASE, 2, True), (RELEASE, 0, False), (RELEASE - 1, 2, False), (0, 2, False)],
    ids=["this release", "no cluster left", "another release", "never finished"],
)
def test_of_a_database(tmp_path: Path, release: int, clusters: int, want: bool) -> None:
    make(tmp_path, release, clusters)
    assert is_prepared(tmp_path) is want


def test_without_one(tmp_path: Path) -> None:
    assert not is_prepared(tmp_path)
    assert not list(tmp_path.iterdir()), "looking makes none"
    (tmp_path / "playground.sqlite3").write_text("this is no database, whatever its name says; " * 20)
    assert not is_prepared(tmp_path)
