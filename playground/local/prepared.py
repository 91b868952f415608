"""Whether the database is as this release needs it, without Django: loading that takes longer than all the rest.

SQLite keeps a number in the head of its file for whoever uses it. `prepare` writes `RELEASE` there when it is done.
"""

import sqlite3
import zlib
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

MIGRATIONS = Path(__file__).resolve().parent.parent / "migrations"


def _release() -> int:
    """Another one for each set of migrations, ours or Django's own; a positive number of 31 bits."""
    names = [f"django {version('django')}", *sorted(path.name for path in MIGRATIONS.glob("[0-9]*.py"))]
    return zlib.crc32("\n".join(names).encode()) >> 1 or 1


RELEASE = _release()


def is_prepared(data_dir: Path) -> bool:
    """Whether DATA_DIR has a database that `prepare` was done with, and that still has a cluster.

    One without any gets the examples again.
    """
    address = (data_dir / "playground.sqlite3").as_uri() + "?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            (number,) = database.execute("PRAGMA user_version").fetchone()
            return number == RELEASE and bool(database.execute("SELECT 1 FROM playground_cluster LIMIT 1").fetchall())
    except sqlite3.Error:
        # None yet, or none that can be read: preparing says what is wrong.
        return False
