"""Several reads that see the same snapshot of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def read_snapshot() -> Iterator[None]:
    """Let all reads in this block see the database as at the first of them. Writers don't have to wait."""
    if connection.in_atomic_block:
        # A transaction of SQLite is a snapshot anyway. On PostgreSQL no caller has a transaction.
        yield
        return
    if connection.vendor != "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Django's own transactions take SQLite's write lock at once.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")
