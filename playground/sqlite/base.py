"""Connections to SQLite are kept for whoever comes next.

Django closes a thread's connection with its request or its task. To open a file anew, read its tables and put together
every statement takes longer than most of what is asked of it.
"""

import os
import sqlite3
from collections.abc import Iterable
from typing import Any
from weakref import WeakSet

from django.db.backends.sqlite3 import base

from playground.sqlite import turns

MOST_KEPT = 4
# Statements whose other form is kept.
MOST_STATEMENTS = 512
LONGEST_STATEMENT = 4096
# Its device and inode, and the process that opened it.
_Place = tuple[int, int, int]
# By path: the connections that nobody uses, each with the file that it is open to. The last one is taken first.
_idle: dict[str, list[tuple[sqlite3.Connection, _Place]]] = {}
# By the text that Django gives them: what SQLite reads.
_statements: dict[str, str] = {}
# To files that are gone, or of the process that forked this one: closing them would touch what is not theirs.
_left_alone: list[object] = []


class _Cursor(base.SQLiteCursorWrapper):
    """Knows statements that it was given before in the form that SQLite reads: most are asked at every step."""

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
        self._turn: turns.Turn | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        idle, self._place = _idle.get(self._path, []), _place(self._path)
        while idle:
            try:
                found, was_place = idle.pop()
            except IndexError:  # another thread was faster
                break
            if was_place == self._place:
                return found
            _left_alone.append(found)
        made: sqlite3.Connection = super().get_new_connection(conn_params)
        return made

    def create_cursor(self, name: str | None = None) -> sqlite3.Cursor:
        made: sqlite3.Cursor = self.connection.cursor(factory=_Cursor)
        self._cursors.add(made)
        return made

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        """Without it a transaction begins: in turn."""
        begins = not autocommit and force_begin_transaction_with_broken_autocommit
        if begins and turns.of(self._path).take(self.settings_dict["OPTIONS"]["timeout"]):
            self._turn = turns.of(self._path)
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
            turn.give_on()

    def _close(self) -> None:
        self._end_turn()
        connection: sqlite3.Connection = self.connection
        idle = _idle.setdefault(self._path, [])
        if self._place is not None and len(idle) < MOST_KEPT and self._is_clean(connection):
            idle.append((connection, self._place))
        else:
            connection.close()

    def is_usable(self) -> bool:
        """Asked when something went wrong: whoever comes next gets another connection."""
        return False

    def _is_clean(self, connection: sqlite3.Connection) -> bool:
        """Whether nothing is left of what it was used for, and nothing is wrong with it."""
        if self.errors_occurred or self.in_atomic_block:
            return False
        try:
            # Rows that nobody read to their end would hold the moment at which they were asked for.
            for cursor in list(self._cursors):
                cursor.close()
            if connection.in_transaction or connection.execute("PRAGMA foreign_keys").fetchone() != (1,):
                return False
            # Others than the first are temporary tables, and files that it was attached to.
            return len(connection.execute("PRAGMA database_list").fetchall()) == 1
        except sqlite3.Error:
            # Somebody closed it, or it is broken.
            return False

    @property
    def _path(self) -> str:
        return str(self.settings_dict["NAME"])


def _place(path: str) -> _Place | None:
    """Which file this is, for this process; None for a database in memory."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, os.getpid()


def _leave_alone() -> None:
    _left_alone.append(dict(_idle))
    _idle.clear()


os.register_at_fork(after_in_child=_leave_alone)
