"""The answers for a database that refuses writes or doesn't answer."""

from django.db import DatabaseError, InterfaceError, OperationalError

from kube_objects.sentences import say
from playground.problems import Refused, problem

UNAVAILABLE, DISK_FULL = 503, 507


def is_read_only(error: BaseException | None) -> bool:
    """Return whether a statement failed because the database refuses writes."""
    if not isinstance(error, DatabaseError):
        return False
    cause = error.__cause__
    # SQLSTATE 25006 is PostgreSQL's read_only_sql_transaction; SQLite has several codes with one prefix.
    return getattr(cause, "sqlstate", "") == "25006" or getattr(cause, "sqlite_errorname", "").startswith(
        "SQLITE_READONLY"
    )


def is_disk_full(error: BaseException | None) -> bool:
    """Return whether a statement failed because the database's disk is full."""
    if not isinstance(error, DatabaseError):
        return False
    cause = error.__cause__
    # SQLSTATE 53100 is PostgreSQL's disk_full.
    return getattr(cause, "sqlstate", "") == "53100" or getattr(cause, "sqlite_errorname", "") in (
        "SQLITE_FULL",
        "SQLITE_IOERR_SHMSIZE",
    )


def refusal_of(error: BaseException | None) -> Refused | None:
    """Return the answer for a database that can't serve now; None for any other error.

    Its status is 507 for a full disk, else 503.
    """
    if is_disk_full(error):
        hint = say("delete clusters, or make room on the disk that holds DATA_DIR")
        return Refused([problem("", say("the disk is full"), hint=hint)], DISK_FULL)
    if is_read_only(error):
        rule, hint = say("the database is read-only"), say("ask the operator to make it writable")
    elif isinstance(error, OperationalError | InterfaceError):
        rule = say("the database does not respond")
        hint = say("try again in a moment; a command with the same key runs only once")
    else:
        return None
    return Refused([problem("", rule, hint=hint)], UNAVAILABLE)
