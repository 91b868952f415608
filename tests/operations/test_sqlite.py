"""Connections to SQLite go from thread to thread, and take nothing of one to the next."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.db.utils import ConnectionHandler, OperationalError

from playground.settings.service_addresses import database
from playground.sqlite import base, write_queue
from tests.services import wait_for

T = TypeVar("T")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _none_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    idle: dict[str, Any] = {}
    monkeypatch.setattr(base, "_idle", idle)
    yield
    for connections in idle.values():
        for connection, _ in connections:
            connection.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with the numbers 0 to 999."""
    file = tmp_path / "numbers.sqlite3"

    def fill(cursor: Any) -> None:
        cursor.execute("CREATE TABLE numbers (n INTEGER)")
        cursor.executemany("INSERT INTO numbers VALUES (%s)", [(n,) for n in range(1000)])

    on(file, fill)
    return file


def on(file: Path, work: Callable[[Any], T]) -> T:
    """Done in a thread of its own, as a request's: its connection is closed when it is over."""
    found: list[T] = []

    def do() -> None:
        connection = ConnectionHandler({"default": database(f"sqlite:///{file}", "")})["default"]
        try:
            found.append(work(connection.cursor()))
        finally:
            connection.close()

    thread = threading.Thread(target=do)
    thread.start()
    thread.join()
    return found[0]


def raw(cursor: Any) -> Any:
    return cursor.db.connection


def count(cursor: Any) -> int:
    return int(cursor.execute("SELECT COUNT(*) FROM numbers").fetchone()[0])


def test_the_next_thread_takes_it_over(file: Path) -> None:
    assert on(file, raw) is on(file, raw)


def test_two_at_a_time_have_one_each(file: Path) -> None:
    first, second = on(file, lambda cursor: (raw(cursor), on(file, raw)))
    assert first is not second
    assert set(on(file, lambda cursor: (raw(cursor), on(file, raw)))) == {first, second}


def test_rows_that_nobody_read_hold_nothing(file: Path) -> None:
    unread = on(file, lambda cursor: raw(cursor).execute("SELECT 1") and cursor.execute("SELECT n FROM numbers"))
    assert unread is not None, "it is not collected, and was not read to its end"
    # Another program writes; who takes the connection over sees that.
    with sqlite3.connect(file) as other:
        other.execute("INSERT INTO numbers VALUES (1000)")
    other.close()
    assert on(file, count) == 1001


def test_a_transaction_that_was_left_open_is_gone(file: Path) -> None:
    def leave(cursor: Any) -> None:
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("DELETE FROM numbers")

    on(file, leave)
    assert on(file, count) == 1000


def test_a_file_in_the_place_of_another_is_opened_anew(file: Path) -> None:
    assert on(file, count) == 1000
    other = file.with_name("other.sqlite3")
    on(other, lambda cursor: cursor.execute("CREATE TABLE numbers (n INTEGER)") and None)
    # What it wrote lies beside it until somebody else opens it.
    with sqlite3.connect(other) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    os.replace(other, file)
    for suffix in ("-wal", "-shm"):
        file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
    assert on(file, count) == 0


def test_a_process_that_was_forked_opens_its_own(file: Path) -> None:
    on(file, raw)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(len(base._idle)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 10) == b"0"
    assert len(base._idle[str(file)]) == 1


LEFT: list[tuple[str, Callable[[Any], object]]] = [
    ("checks turned off", lambda cursor: cursor.db.disable_constraint_checking()),
    ("a temporary table", lambda cursor: cursor.execute("CREATE TEMP TABLE numbers (n INTEGER)")),
    ("another file", lambda cursor: cursor.execute("ATTACH ':memory:' AS other")),
]


@pytest.mark.parametrize("leave", [pytest.param(leave, id=name) for name, leave in LEFT])
def test_what_somebody_changed_nobody_else_has(file: Path, leave: Callable[[Any], object]) -> None:
    on(file, leave)
    assert on(file, count) == 1000
    assert on(file, lambda cursor: cursor.execute("PRAGMA foreign_keys").fetchone()) == (1,)
    assert len(on(file, lambda cursor: cursor.execute("PRAGMA database_list").fetchall())) == 1


@pytest.mark.parametrize("end", ["close", "close_if_unusable_or_obsolete"])
def test_what_failed_is_opened_anew(file: Path, end: str) -> None:
    """As every request did: a disk that is there again, or another file, is not seen by who failed on it."""

    def fail(cursor: Any) -> Any:
        failed = raw(cursor)
        with pytest.raises(OperationalError):
            cursor.execute("SELECT n FROM nowhere")
        getattr(cursor.db, end)()
        return failed

    assert on(file, fail) is not on(file, raw)


def test_what_a_fork_took_along_is_not_kept(file: Path) -> None:
    def fork(cursor: Any) -> bytes:
        was = raw(cursor)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                cursor.db.close()
                os.write(writer, b"kept" if raw(cursor.db.cursor()) is was else b"its own")
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        os.close(writer)
        return os.read(reader, 10)

    assert on(file, fork) == b"its own"


def begin(cursor: Any) -> None:
    """As the outermost `atomic` does."""
    cursor.db.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(cursor: Any) -> None:
    cursor.db.commit()
    cursor.db.set_autocommit(True)


def test_who_writes_takes_turns(file: Path) -> None:
    """In the order in which they came, while the first holds the database."""
    turn, threads, order = write_queue.queue_for(str(file)), [], []

    def write(number: int) -> Callable[[Any], None]:
        def do(cursor: Any) -> None:
            begin(cursor)
            order.append(number)
            end(cursor)

        return do

    def first(cursor: Any) -> None:
        begin(cursor)
        for number in range(10):
            thread = threading.Thread(target=on, args=(file, write(number)))
            thread.start()
            threads.append(thread)
            wait_for(lambda: turn.waiting == len(threads), "the next one to wait", passing=True)
        order.append(-1)
        end(cursor)

    on(file, first)
    for thread in threads:
        thread.join()
    assert order == [-1, *range(10)]
    assert turn.waiting == 0


def _with_another_writer(file: Path, cursor: Any) -> None:
    """SQLite itself refuses it."""
    cursor.execute("PRAGMA busy_timeout = 0")
    with sqlite3.connect(file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OperationalError, match="locked"):
            begin(cursor)
    other.close()


def _closed(_file: Path, cursor: Any) -> None:
    begin(cursor)
    cursor.db.close()


def _rolled_back(_file: Path, cursor: Any) -> None:
    begin(cursor)
    cursor.db.rollback()
    cursor.db.set_autocommit(True)


@pytest.mark.parametrize("leave", [_with_another_writer, _closed, _rolled_back])
def test_a_turn_ends_however_it_ends(file: Path, leave: Callable[[Path, Any], None]) -> None:
    on(file, lambda cursor: leave(file, cursor))
    assert write_queue.queue_for(str(file)).acquire(0)


def test_who_waits_too_long_asks_sqlite(file: Path) -> None:
    turn = write_queue.queue_for(str(file))
    assert turn.acquire(0)
    assert not turn.acquire(0.01)
    assert turn.waiting == 0
    turn.pass_on()
    assert turn.acquire(0)
