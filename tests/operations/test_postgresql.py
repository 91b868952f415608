"""Connections to PostgreSQL go from thread to thread, and take nothing of one to the next."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import psycopg
import pytest
from django.db.utils import ConnectionHandler, IntegrityError, ProgrammingError

from playground.postgresql import base
from playground.settings.service_addresses import database

T = TypeVar("T")
Use = Callable[[Callable[[Any], T]], T]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _none_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    idle: dict[Any, Any] = {}
    monkeypatch.setattr(base, "_idle", idle)
    yield
    for connections in idle.values():
        for connection, *_ in connections:
            connection.close()


@pytest.fixture
def use(postgres_url: str) -> Callable[[Callable[[Any], Any]], Any]:
    """Does something with a connection in a thread of its own, as a request: it is closed when that is over."""
    settings = database(postgres_url, "")
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("DROP TABLE IF EXISTS numbers")
        server.execute("CREATE TABLE numbers (n bigint PRIMARY KEY)")
        server.execute("INSERT INTO numbers SELECT generate_series(0, 999)")

    def do(work: Callable[[Any], Any]) -> Any:
        found: list[Any] = []

        def begin() -> None:
            connection = ConnectionHandler({"default": settings})["default"]
            try:
                found.append(work(connection))
            finally:
                connection.close()

        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
        return found[0]

    return do


def raw(connection: Any) -> Any:
    connection.ensure_connection()
    return connection.connection


def process(connection: Any) -> int:
    """The server's process that answers."""
    return int(ask(connection, "SELECT pg_backend_pid()"))


def ask(connection: Any, statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()[0][0]


def test_the_next_thread_takes_it_over(use: Use[int]) -> None:
    assert use(process) == use(process)


def test_two_at_a_time_have_one_each(use: Use[Any]) -> None:
    first, second = use(lambda connection: (process(connection), use(process)))
    assert first != second
    assert set(use(lambda connection: (process(connection), use(process)))) == {first, second}


def test_no_more_than_a_few_are_kept(use: Use[Any]) -> None:
    def nested(depth: int) -> Callable[[Any], int]:
        return lambda connection: process(connection) + (use(nested(depth - 1)) if depth else 0)

    use(nested(base.MOST_KEPT + 2))
    assert [len(kept) for kept in base._idle.values()] == [base.MOST_KEPT]


def test_who_was_ended_by_the_server_is_not_taken(use: Use[Any], postgres_url: str) -> None:
    """As after a restart of it: nobody's request fails for that."""
    ended = use(process)
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(%s, 10000)", [ended])
    assert use(process) != ended


@pytest.mark.parametrize("limit", ["IDLE_SECONDS", "OLD_SECONDS"])
def test_what_was_silent_for_long_or_is_old_is_opened_anew(
    limit: str, use: Use[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, limit, 0.0)
    assert use(process) != use(process)


def leave_a_transaction(connection: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("DELETE FROM numbers")
    return raw(connection)


def fail(connection: Any) -> Any:
    with pytest.raises(ProgrammingError), connection.cursor() as cursor:
        cursor.execute("SELECT n FROM nowhere")
    return raw(connection)


@pytest.mark.parametrize("leave", [leave_a_transaction, fail])
def test_what_is_not_as_it_was_is_closed(leave: Callable[[Any], Any], use: Use[Any]) -> None:
    left = use(leave)
    assert left.closed
    assert use(raw) is not left
    assert use(lambda connection: ask(connection, "SELECT COUNT(*) FROM numbers")) == 1000


def test_a_row_that_is_refused_closes_nothing(use: Use[Any]) -> None:
    def refuse(connection: Any) -> int:
        with pytest.raises(IntegrityError), connection.cursor() as cursor:
            cursor.execute("INSERT INTO numbers VALUES (1)")
        return process(connection)

    assert use(refuse) == use(process)


def test_rows_that_nobody_read_are_gone(use: Use[Any]) -> None:
    def leave(connection: Any) -> Any:
        cursor = connection.chunked_cursor()
        cursor.execute("SELECT n FROM numbers")
        return cursor

    assert use(leave) is not None, "it is not collected, and was not read to its end"
    assert use(lambda connection: ask(connection, "SELECT COUNT(*) FROM pg_cursors WHERE is_holdable")) == 0


def test_a_process_that_was_forked_opens_its_own(use: Use[Any]) -> None:
    was = use(process)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, str(len(base._idle)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 10) == b"0"
    assert use(process) == was


def test_a_statement_that_comes_again_is_planned_once(use: Use[Any]) -> None:
    """Whatever it is asked with: small numbers and large ones are numbers."""

    def several(connection: Any) -> Any:
        for values in ([1, 2], [3, 2**40], [2**62, 4]):
            with connection.prepared() as cursor:
                cursor.execute("SELECT COUNT(*) FROM numbers WHERE n = ANY(%s) OR n = %s", [values, values[0]])
                assert cursor.fetchall()[0][0] == sum(value < 1000 for value in values)
        return ask(connection, "SELECT COUNT(*) FROM pg_prepared_statements")

    assert use(several) == 1
    assert use(several) == 1, "and who takes the connection over need not plan it again"


def test_a_time_is_told_in_utc(use: Use[Any]) -> None:
    def now(connection: Any) -> Any:
        with connection.prepared() as cursor:
            cursor.execute("SELECT now(), %s::timestamptz", [None])
            return cursor.fetchall()[0][0]

    found = use(now)
    assert found.utcoffset().total_seconds() == 0 and abs(found.timestamp() - time.time()) < 60


def test_a_hint_does_not_wait_for_the_disk(use: Use[Any]) -> None:
    """And what comes after it in the same connection does."""

    def both(connection: Any) -> tuple[str, str]:
        hint = "UPDATE numbers SET n = n WHERE n = 1 RETURNING " + connection.async_commit  # noqa: S608
        return ask(connection, hint), ask(connection, "SHOW synchronous_commit")

    assert use(both) == ("off", "on")


def test_what_is_sent_at_once_is_done_in_its_order(use: Use[Any]) -> None:
    def write(connection: Any) -> tuple[int, int, int]:
        connection.set_autocommit(False)
        count = ask(connection, "SELECT COUNT(*) FROM numbers")
        with connection.pipeline():
            for n in (1000, 1001):
                with connection.prepared() as cursor:
                    cursor.execute("INSERT INTO numbers VALUES (%s)", [n])
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM numbers WHERE n >= %s", [998])
                gone = cursor.rowcount
            with connection.prepared() as cursor:
                cursor.execute("SELECT COUNT(*) FROM numbers WHERE n > %s", [0])
                left = cursor.fetchall()[0][0]
        connection.commit()
        connection.set_autocommit(True)
        return count, gone, left

    assert use(write) == (1000, 4, 997)
    assert use(lambda connection: ask(connection, "SELECT COUNT(*) FROM numbers")) == 998


def test_what_is_refused_of_it_is_known_before_the_end(use: Use[Any]) -> None:
    """Whoever commits knows that all was written; of the rest nothing is."""

    def write(connection: Any) -> Any:
        connection.set_autocommit(False)
        ask(connection, "SELECT 1")
        with pytest.raises(IntegrityError, match="already exists"), connection.pipeline():
            for n in (1000, 1, 1001):
                with connection.prepared() as cursor:
                    cursor.execute("INSERT INTO numbers VALUES (%s)", [n])
        connection.rollback()
        connection.set_autocommit(True)

    use(write)
    assert use(lambda connection: ask(connection, "SELECT COUNT(*) FROM numbers")) == 1000
