"""What is said when the database refuses writes or doesn't answer."""

from django.db import DatabaseError, InterfaceError, OperationalError

from playground.problems import Refused, problem
from scheduler_core.sentences import say

UNAVAILABLE = 503


def is_read_only(error: BaseException | None) -> bool:
    """Return whether a statement failed because the database refuses writes."""
    if not isinstance(error, DatabaseError):
        return False
    cause = error.__cause__
    # SQLSTATE 25006 is PostgreSQL's read_only_sql_transaction; SQLite has several codes with one prefix.
    return getattr(cause, "sqlstate", "") == "25006" or getattr(cause, "sqlite_errorname", "").startswith(
        "SQLITE_READONLY"
    )


def refusal_of(error: BaseException | None) -> Refused | None:
    """Return the answer with status 503 for a database that can't serve now; None for any other error."""
    if is_read_only(error):
        rule, hint = say("the database is read-only"), say("ask the operator to make it writable")
    elif isinstance(error, OperationalError | InterfaceError):
        rule = say("the database does not answer")
        hint = say("try again in a moment; a command with the same key is not done twice")
    else:
        return None
    return Refused([problem("", rule, hint=hint)], UNAVAILABLE)
