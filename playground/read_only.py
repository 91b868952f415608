"""A database that can be read but not written."""

from django.db import DatabaseError


def is_read_only(error: DatabaseError) -> bool:
    """Return whether a statement failed because the database refuses writes."""
    cause = error.__cause__
    # SQLSTATE 25006 is PostgreSQL's read_only_sql_transaction; SQLite has several codes with one prefix.
    return getattr(cause, "sqlstate", "") == "25006" or getattr(cause, "sqlite_errorname", "").startswith(
        "SQLITE_READONLY"
    )
