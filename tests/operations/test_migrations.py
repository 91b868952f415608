"""A database that another version made is refused with what to do about it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.operations.manage import manage as manage_py
from tests.resilience.test_processes import new_database
from tests.services import START_SECONDS

EXECUTE = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute({statement!r})
"""
# Before the first release there were 32 migrations; on the first day, one with the name of today's.
OTHERS = [
    (
        "a version before the first release",
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('playground', '0032_share_view_work', CURRENT_TIMESTAMP)",
        "(migration 0032_share_view_work)",
    ),
    ("one of the first day", "DROP TABLE playground_rolloutpoint", "(migration 0001_initial)"),
]


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'playground.sqlite3'}"
    return new_database(request.getfixturevalue("postgres_url"))


@pytest.mark.parametrize(("statement", "words"), [case[1:] for case in OTHERS], ids=[case[0] for case in OTHERS])
def test_a_database_of_another_version_is_refused(url: str, tmp_path: Path, statement: str, words: str) -> None:
    variables = {"DATABASE_URL": url, "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "playground.settings"}
    manage_py("migrate", **variables)
    manage_py("shell", script=EXECUTE.format(statement=statement), **variables)
    place = f"remove the data directory {tmp_path}" if url.startswith("sqlite") else "make the database empty"
    for command in (["manage.py", "migrate"], ["-m", "playground.local.prepare"]):
        done = subprocess.run(
            [sys.executable, *command],
            cwd=settings.BASE_DIR,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert words in done.stderr
        assert f"Then {place}, start again, and import the scenarios." in done.stderr
