"""/healthz, /livez and /readyz, as kubelets and load balancers ask them."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings

from playground.engine import workers
from playground.engine.heartbeat import Heartbeat
from playground.operations import health
from tests.services import wait_for

NOBODY = "unix:///no/such/broker.sock"
# Neither a file that could be made, nor a name that PostgreSQL knows.
NO_DATABASE = "no/such/database"


@pytest.fixture
def worker(web: None) -> Iterator[Heartbeat]:
    """A sign of life, as a worker gives it."""
    heartbeat = Heartbeat("test-worker:1")
    heartbeat.start()
    wait_for(lambda: "test-worker:1" in _alive(), "the sign of life")
    yield heartbeat
    heartbeat.stop()


def _alive() -> list[str]:
    with workers.connect() as broker:
        return workers.list_alive(broker)


@pytest.fixture(autouse=True)
def not_yet_migrated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_is_migrated", False)


ALL_WELL = "[+]ping ok\n[+]database ok\n[+]migrations ok\n[+]broker ok\n[+]worker ok\nreadyz check passed\n"
ANSWERS = [
    # name                path                                   status  text
    ("healthz", "/healthz", 200, "ok\n"),
    ("livez", "/livez", 200, "ok\n"),
    ("livez in full", "/livez?verbose", 200, "[+]ping ok\nlivez check passed\n"),
    ("readyz", "/readyz", 200, "ok\n"),
    ("readyz in full", "/readyz?verbose", 200, ALL_WELL),
    ("one left out", "/readyz?verbose&exclude=worker", 200, ALL_WELL.replace("worker ok", "worker excluded: ok")),
    ("one alone", "/readyz/broker?verbose", 200, "[+]broker ok\nreadyz check passed\n"),
    (
        "one that is none",
        "/livez?verbose&exclude=etcd",
        200,
        "[+]ping ok\nwarn: some health checks cannot be excluded: no matches for etcd\nlivez check passed\n",
    ),
]


@pytest.mark.parametrize(("path", "status", "text"), [c[1:] for c in ANSWERS], ids=[c[0] for c in ANSWERS])
def test_all_is_well(path: str, status: int, text: str, worker: Heartbeat) -> None:
    answer = Client().get(path)
    assert (answer.status_code, answer.content.decode()) == (status, text)
    assert answer.headers["Cache-Control"] == "no-store"


def test_without_a_worker_it_is_not_ready_and_says_so(web: None) -> None:
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert "[-]worker failed: none has given a sign of life for 15 s\nreadyz check failed\n" in answer.content.decode()
    assert Client().get("/readyz?exclude=worker").status_code == 200
    assert Client().get("/readyz/worker").status_code == 503
    assert Client().get("/livez").status_code == 200


def test_a_worker_that_stops_says_goodbye(worker: Heartbeat) -> None:
    worker.stop()
    assert _alive() == []


def test_a_silent_worker_is_taken_for_dead(web: None) -> None:
    from playground.engine.heartbeat import key

    with workers.connect() as broker:
        now = broker.time()[0]
        broker.zadd(key(), {"silent": now - 16, "heard": now - 14})
        assert workers.list_alive(broker) == ["heard"]
        broker.delete(key())


def test_without_a_broker(web: None) -> None:
    with override_settings(REDIS_URL=NOBODY):
        answer = Client().get("/readyz")
    assert answer.status_code == 503
    said = answer.content.decode()
    assert "[-]broker failed: it does not answer\n" in said
    assert "[-]worker failed: the broker, which knows the workers, does not answer\n" in said
    assert NOBODY not in said


def test_without_a_database(web: None) -> None:
    connection.close()
    name = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = NO_DATABASE
    try:
        answer = Client().get("/readyz?exclude=worker")
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name
    assert answer.status_code == 503
    said = answer.content.decode()
    assert "[-]database failed: it does not answer\n" in said
    assert "[-]migrations failed: the database does not respond\n" in said
    assert NO_DATABASE not in said


def test_with_a_migration_missing(web: None) -> None:
    recorder = MigrationRecorder(connection)
    ((_, newest),) = MigrationLoader(connection).graph.leaf_nodes("playground")
    recorder.record_unapplied("playground", newest)
    try:
        answer = Client().get("/readyz/migrations")
        assert answer.status_code == 503
        assert "[-]migrations failed: 1 are not applied; run: manage.py migrate" in answer.content.decode()
    finally:
        recorder.record_applied("playground", newest)
    assert Client().get("/readyz/migrations").status_code == 200


ELSEWHERE = [
    # name                     ask                                                   status
    ("another host", lambda: Client().get("/livez", headers={"Host": "10.2.3.4:8000"}), 200),
    ("another host, page", lambda: Client().get("/", headers={"Host": "10.2.3.4:8000"}), 400),
    ("head", lambda: Client().head("/livez"), 200),
    ("post", lambda: Client().post("/livez"), 404),
    ("no such check", lambda: Client().get("/readyz/etcd"), 404),
]


@pytest.mark.parametrize(("ask", "status"), [c[1:] for c in ELSEWHERE], ids=[c[0] for c in ELSEWHERE])
def test_who_may_ask_and_how(ask: Callable[[], Any], status: int, web: None) -> None:
    assert ask().status_code == status
