"""Connections to PostgreSQL are kept for whoever comes next, and statements that come again are planned once for each.

Django closes a thread's connection with its request or its task. A new one is a new process of the server, which has
to read about every table that it is asked for: that took longer than most of what is asked of it.
"""

import os
import select
import time
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, cast
from weakref import WeakSet

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.creation import DatabaseCreation
from psycopg import ServerCursor
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

MOST_KEPT = 4
# What is between here and the server may forget a connection that is silent, and says so to neither.
IDLE_SECONDS = 60.0
# A process of the server keeps all that it ever read about tables.
OLD_SECONDS = 3600.0
# Planned statements of one connection. One that is asked with a null is another statement.
MOST_STATEMENTS = 256
# In the place of a cursor's name.
_PREPARED = "prepared"

Connection = psycopg.Connection[Any]
# By how they were opened, and by which process; when each was opened and last used. The last one is taken first.
_idle: dict[Hashable, list[tuple[Connection, float, float]]] = {}
# Of the process that forked this one: closing them would end what is not theirs.
_left_alone: list[object] = []


class _Counted:
    """Says how many rows a statement was about also where nobody has waited for its answer yet."""

    @property
    def rowcount(self) -> int:
        self._fetch_pipeline()  # type: ignore[attr-defined]  # does nothing where the answer is there
        return int(super().rowcount)  # type: ignore[misc]


class _Cursor(_Counted, base.Cursor):
    pass


class _PreparedCursor(_Counted, base.ServerBindingCursor):
    pass


class _Plain:
    """A cursor without the layers that Django has around its own, which took as long as the driver does."""

    def __init__(self, wrapper: "DatabaseWrapper") -> None:
        self._wrapper = wrapper
        self._cursor: Any = _PreparedCursor(wrapper.connection)  # type: ignore[call-arg]  # not in the stubs

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._cursor.close()

    def execute(self, sql: str, parameters: Sequence[Any]) -> None:
        self._wrapper.validate_no_broken_transaction()
        with self._wrapper.wrap_database_errors:
            self._cursor.execute(sql, parameters)

    def fetchall(self) -> list[tuple[Any, ...]]:
        with self._wrapper.wrap_database_errors:
            return cast(list[tuple[Any, ...]], self._cursor.fetchall())

    @property
    def rowcount(self) -> int:
        with self._wrapper.wrap_database_errors:
            return int(self._cursor.rowcount)


class _Creation(DatabaseCreation):
    def _destroy_test_db(self, *args: Any, **kwargs: Any) -> None:
        # PostgreSQL drops no database that somebody has a connection to.
        for idle in _idle.values():
            while idle:
                idle.pop()[0].close()
        super()._destroy_test_db(*args, **kwargs)  # type: ignore[misc]  # not in the stubs


class DatabaseWrapper(base.DatabaseWrapper):
    creation_class = _Creation
    # In the RETURNING list of a statement: its transaction commits without waiting for the disk.
    async_commit = "set_config('synchronous_commit', 'off', true)"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[ServerCursor] = WeakSet()
        self._opened, self._process = 0.0, 0

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        idle, now, self._process = _idle.get(self._place, []), time.monotonic(), os.getpid()
        _close_stale(idle, now)
        while idle:
            try:
                found, self._opened, _ = idle.pop()
            except IndexError:  # another thread was faster
                break
            if _is_quiet(found):
                self.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
                return found
            found.close()
        self._opened = now
        made: Connection = super().get_new_connection(conn_params)
        # With one width for all numbers a statement is the same one whatever it is asked with.
        made.cursor_factory = _Cursor  # type: ignore[assignment]  # what rows are made of is not said
        made.adapters.register_dumper(int, Int8Dumper)
        made.adapters.register_dumper(int, Int8BinaryDumper)
        # Only of cursors that bind in the server, see `prepared`.
        made.prepare_threshold, made.prepared_max = 0, MOST_STATEMENTS
        return made

    def create_cursor(self, name: str | None = None) -> Any:
        if name == _PREPARED:
            return _PreparedCursor(self.connection)  # type: ignore[call-arg]  # not in the stubs
        made = super().create_cursor(name)
        if isinstance(made, ServerCursor):
            self._cursors.add(made)
        return made

    def prepared(self) -> Any:
        """A cursor for statements that come again with other values: the server plans each once for a connection."""
        if self.queries_logged or self.execute_wrappers:
            return self._cursor(_PREPARED)  # type: ignore[attr-defined]  # not in the stubs
        self.ensure_connection()
        return _Plain(self)

    @contextmanager
    def pipeline(self) -> Iterator[None]:
        """Send the statements of a transaction without waiting, until the end or until a result is read."""
        with self.wrap_database_errors, self.connection.pipeline():
            yield

    def is_usable(self) -> bool:
        """Asked when something went wrong: whoever comes next gets another connection."""
        return False

    def _close(self) -> None:
        connection: Connection = self.connection
        if self._process != os.getpid():
            _left_alone.append(connection)
            return
        idle, now = _idle.setdefault(self._place, []), time.monotonic()
        if len(idle) < MOST_KEPT and now - self._opened < OLD_SECONDS and self._is_clean(connection):
            idle.append((connection, self._opened, now))
        else:
            connection.close()

    def _is_clean(self, connection: Connection) -> bool:
        """Whether nothing is left of what it was used for, and nothing is wrong with it."""
        if self.errors_occurred or self.in_atomic_block or connection.closed:
            return False
        try:
            # Rows that nobody read to their end would stay with the server.
            for cursor in list(self._cursors):
                cursor.close()
        except psycopg.Error:
            return False
        return connection.info.transaction_status == TransactionStatus.IDLE

    @property
    def _place(self) -> Hashable:
        """To which database, as whom."""
        given = self.settings_dict
        return given["HOST"], given["PORT"], given["USER"], given["NAME"], repr(given["OPTIONS"])


def _is_quiet(connection: Connection) -> bool:
    """Whether the server has said nothing since: if it ended the connection, there is something to be read."""
    if connection.closed:
        return False
    try:
        waiting = select.poll()
        waiting.register(connection.fileno(), select.POLLIN)
        return not waiting.poll(0)
    except (OSError, psycopg.Error):
        return False


def _close_stale(idle: list[tuple[Connection, float, float]], now: float) -> None:
    """The one that was used last is at the end."""
    while idle and now - idle[0][2] >= IDLE_SECONDS:
        try:
            found, *_ = idle.pop(0)
        except IndexError:  # another thread was faster
            break
        found.close()


def _leave_alone() -> None:
    _left_alone.append(dict(_idle))
    _idle.clear()


os.register_at_fork(after_in_child=_leave_alone)
