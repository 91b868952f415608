"""Check without Django whether the SQLite database is prepared for this release.

Loading Django takes longer than the rest of a start. SQLite has a number for applications in its file header
(`user_version`), and `playground.local.prepare` writes `RELEASE` there at its end.
"""

import sqlite3
import zlib
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"


def _release() -> int:
    """Return a positive 31-bit number that changes with the playground's migrations and with Django's version."""
    names = [f"django {version('django')}", *sorted(path.name for path in MIGRATIONS.glob("[0-9]*.py"))]
    return zlib.crc32("\n".join(names).encode()) >> 1 or 1


RELEASE = _release()


def is_prepared(data_dir: Path) -> bool:
    """Return whether DATA_DIR has a prepared database with at least one cluster.

    A database without clusters is prepared again, so that it gets the examples.
    """
    address = (data_dir / "playground.sqlite3").as_uri() + "?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            (number,) = database.execute("PRAGMA user_version").fetchone()
            return number == RELEASE and bool(database.execute("SELECT 1 FROM playground_cluster LIMIT 1").fetchall())
    except sqlite3.Error:
        # The file is missing or cannot be read. The preparation reports the error.
        return False
