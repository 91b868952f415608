"""A pool of SQLite connections.

Django closes a thread's connection after its request or task. Opening a file, reading its schema and preparing
statements takes longer than most queries.
"""

import os
import sqlite3
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from django.db.backends.sqlite3 import base

from playground.sqlite import write_queue

MOST_KEPT = 4
# Limits for the cache of converted statements.
MOST_STATEMENTS = 512
LONGEST_STATEMENT = 4096
# A file's device and inode, and the process that opened it.
_Place = tuple[int, int, int]
# Idle connections by path, each with its file. The last one is reused first.
_idle: dict[str, list[tuple[sqlite3.Connection, _Place]]] = {}
# SQLite's form of statements, by Django's form.
_statements: dict[str, str] = {}
# Connections to deleted files, or of the parent process. Closing them would release locks of others.
_left_alone: list[object] = []


class _CachingCursor(base.SQLiteCursorWrapper):
    """A cursor that caches the conversion of statements to SQLite's placeholders."""

    def convert_query(self, query: str, *, param_names: Iterable[str] | None = None) -> str:
        if param_names is not None or len(query) > LONGEST_STATEMENT:
            return str(super().convert_query(query, param_names=param_names))
        known = _statements.get(query)
        if known is None:
            if len(_statements) >= MOST_STATEMENTS:
                _statements.clear()
            known = _statements[query] = str(super().convert_query(query))
        return known


class DatabaseWrapper(base.DatabaseWrapper):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()
        self._place: _Place | None = None
        self._turn: write_queue.WriteQueue | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        idle, self._place = _idle.get(self._path, []), _place(self._path)
        while idle:
            try:
                reused, was_place = idle.pop()
            except IndexError:  # another thread took the last one
                break
            if was_place == self._place:
                return reused
            _left_alone.append(reused)
        opened: sqlite3.Connection = super().get_new_connection(conn_params)
        return opened

    def create_cursor(self, name: str | None = None) -> sqlite3.Cursor:
        made: sqlite3.Cursor = self.connection.cursor(factory=_CachingCursor)
        self._cursors.add(made)
        return made

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        """Begin a transaction when autocommit is switched off, after waiting for this thread's turn."""
        begins = not autocommit and force_begin_transaction_with_broken_autocommit
        if begins and write_queue.queue_for(self._path).acquire(self.settings_dict["OPTIONS"]["timeout"]):
            self._turn = write_queue.queue_for(self._path)
        try:
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        except BaseException:
            self._end_turn()
            raise

    def commit(self) -> None:
        try:
            super().commit()
        finally:
            self._end_turn()

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.pass_on()

    def _close(self) -> None:
        self._end_turn()
        connection: sqlite3.Connection = self.connection
        idle = _idle.setdefault(self._path, [])
        if self._place is not None and len(idle) < MOST_KEPT and self._is_clean(connection):
            idle.append((connection, self._place))
        else:
            connection.close()

    def is_usable(self) -> bool:
        """Return False, so that Django replaces the connection after an error."""
        return False

    def _is_clean(self, connection: sqlite3.Connection) -> bool:
        """Return True if the connection has no error, open transaction or temporary state, so that it can be reused."""
        if self.errors_occurred or self.in_atomic_block:
            return False
        try:
            # Unread rows would hold an old snapshot.
            for cursor in list(self._cursors):
                cursor.close()
            if connection.in_transaction or connection.execute("PRAGMA foreign_keys").fetchone() != (1,):
                return False
            # Further databases are temporary tables and attached files.
            return len(connection.execute("PRAGMA database_list").fetchall()) == 1
        except sqlite3.Error:
            # The connection is closed or broken.
            return False

    @property
    def _path(self) -> str:
        return str(self.settings_dict["NAME"])


def _place(path: str) -> _Place | None:
    """Return the identity of a file in this process, or None for a database in memory."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, os.getpid()


def _leave_alone() -> None:
    _left_alone.append(dict(_idle))
    _idle.clear()


os.register_at_fork(after_in_child=_leave_alone)
