"""A pool of PostgreSQL connections, with statements that are prepared once per connection.

Django closes a thread's connection after its request or task. A new connection is a new process of the server, which
has to read the catalog again. That takes longer than most queries.
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
# A network device may drop idle connections without notice.
IDLE_SECONDS = 60.0
# A server process never frees what it has read about tables.
OLD_SECONDS = 3600.0
# Prepared statements of one connection. Null parameters make a separate statement.
MOST_STATEMENTS = 256
# Passed to `create_cursor` as the name.
_PREPARED = "prepared"

Connection = psycopg.Connection[Any]
# Idle connections by server and process, each with the time when it was opened and last used. The last one is reused
# first.
_idle: dict[Hashable, list[tuple[Connection, float, float]]] = {}
# Connections of the parent process, which the child must not close.
_left_alone: list[object] = []


class _Counted:
    """A cursor that waits for a pipelined result before it returns the number of rows."""

    @property
    def rowcount(self) -> int:
        self._fetch_pipeline()  # type: ignore[attr-defined]  # does nothing where the answer is there
        return int(super().rowcount)  # type: ignore[misc]


class _PipelineCursor(_Counted, base.Cursor):
    pass


class _PreparedCursor(_Counted, base.ServerBindingCursor):
    pass


class _Plain:
    """A cursor without Django's wrappers, which took as long as the driver."""

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
        # PostgreSQL doesn't drop a database with open connections.
        for idle in _idle.values():
            while idle:
                idle.pop()[0].close()
        super()._destroy_test_db(*args, **kwargs)  # type: ignore[misc]  # not in the stubs


class DatabaseWrapper(base.DatabaseWrapper):
    creation_class = _Creation
    # In a statement's RETURNING list, this makes its transaction commit without waiting for the disk.
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
                reused, self._opened, _ = idle.pop()
            except IndexError:  # another thread took the last one
                break
            if _is_quiet(reused):
                self.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
                return reused
            reused.close()
        self._opened = now
        opened: Connection = super().get_new_connection(conn_params)
        # With one integer type, a statement stays the same for all values.
        opened.cursor_factory = _PipelineCursor  # type: ignore[assignment]  # what rows are made of is not said
        opened.adapters.register_dumper(int, Int8Dumper)
        opened.adapters.register_dumper(int, Int8BinaryDumper)
        # This applies only to server-binding cursors, see `prepared`.
        opened.prepare_threshold, opened.prepared_max = 0, MOST_STATEMENTS
        return opened

    def create_cursor(self, name: str | None = None) -> Any:
        if name == _PREPARED:
            return _PreparedCursor(self.connection)  # type: ignore[call-arg]  # not in the stubs
        made = super().create_cursor(name)
        if isinstance(made, ServerCursor):
            self._cursors.add(made)
        return made

    def prepared(self) -> Any:
        """Return a cursor for statements that repeat with other values. The server plans each once per connection."""
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
        """Return False, so that Django replaces the connection after an error."""
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
        """Return True if the connection has no error and no open transaction, so that it can be reused."""
        if self.errors_occurred or self.in_atomic_block or connection.closed:
            return False
        try:
            # Unread rows would stay with the server.
            for cursor in list(self._cursors):
                cursor.close()
        except psycopg.Error:
            return False
        return connection.info.transaction_status == TransactionStatus.IDLE

    @property
    def _place(self) -> Hashable:
        """Return the key of the pool: server, user, database and options."""
        options = self.settings_dict
        return options["HOST"], options["PORT"], options["USER"], options["NAME"], repr(options["OPTIONS"])


def _is_quiet(connection: Connection) -> bool:
    """Return True if the server has sent nothing. A server that closed the connection has sent an error or the end."""
    if connection.closed:
        return False
    try:
        waiting = select.poll()
        waiting.register(connection.fileno(), select.POLLIN)
        return not waiting.poll(0)
    except (OSError, psycopg.Error):
        return False


def _close_stale(idle: list[tuple[Connection, float, float]], now: float) -> None:
    """Close connections that were idle for too long. The most recently used one is at the end."""
    while idle and now - idle[0][2] >= IDLE_SECONDS:
        try:
            stale, *_ = idle.pop(0)
        except IndexError:  # another thread took the last one
            break
        stale.close()


def _leave_alone() -> None:
    _left_alone.append(dict(_idle))
    _idle.clear()


os.register_at_fork(after_in_child=_leave_alone)
