"""The real thing, on SQLite and on PostgreSQL: web, broker and workers as processes, and a SIGKILL in the middle."""

import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import psutil
import psycopg
import pytest
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from scheduler_core.emulations import DEFAULT
from simulator.simulation import Simulation
from tests.services import Playground, run_playground, wait_for
from tests.web import node, pod

LEASE_SECONDS = 3
OBJECTS = [node(f"node-{i}", zone=f"zone-{i % 3}", cpu="8", memory="32Gi") for i in range(30)]
OBJECTS += [pod(f"web-{i}", cpu="400m", memory="1Gi") for i in range(560)]
OBJECTS += [pod(f"vip-{i}", cpu="4", memory="4Gi", priority=1000 if i % 2 else 0) for i in range(40)]
RUN = {"kind": "run", "until": "idle"}
SEED = 5


class Browser:
    """A page's requests, cookies and token included, against a running playground."""

    def __init__(self, playground: Playground) -> None:
        self.url = playground.url
        self._jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        self._opener.open(self.url).close()

    def get(self, path: str) -> Any:
        return self._call(urllib.request.Request(f"{self.url}/api/v1/{path}"))

    def post(self, path: str, data: Any = None, method: str = "POST") -> Any:
        token = next(cookie.value for cookie in self._jar if cookie.name == "csrftoken")
        headers = {"X-CSRFToken": str(token), "Content-Type": "application/json"}
        body = json.dumps(data).encode()
        return self._call(urllib.request.Request(f"{self.url}/api/v1/{path}", body, headers, method=method))

    def _call(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=30) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            text = error.read()
        return json.loads(text) if text else None

    def watch(self, cluster: int) -> ClientConnection:
        address = self.url.replace("http", "ws", 1)
        return connect(f"{address}/ws/clusters/{cluster}/?after=0", origin=Origin(self.url), max_size=None)

    def apply(self, cluster: int, **command: Any) -> Any:
        """Post a command and wait until it is over."""
        number = self.post(f"clusters/{cluster}/commands/", command)["number"]
        path = f"clusters/{cluster}/commands/{number}/"
        return wait_for(
            lambda: answer if (answer := self.get(path))["state"] not in ("queued", "running") else None, str(command)
        )


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def playground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Playground]:
    settings = {"LEASE_SECONDS": str(LEASE_SECONDS)}
    if request.param == "postgres":
        settings["DATABASE_URL"] = new_database(request.getfixturevalue("postgres_url"))
    with run_playground(tmp_path_factory.mktemp(request.param) / "data", settings) as running:
        yield running


def new_database(url: str, template: str = "") -> str:
    """A database of its own on the server at `url`, empty or a copy of another one."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template or "template1"}"')
    return urllib.parse.urlsplit(url)._replace(path=f"/{name}").geturl()


@cache
def undisturbed() -> list[Any]:
    """The records that the engine alone gives."""
    simulation = Simulation.create(seed=SEED, emulation=DEFAULT)
    commands = ({"kind": "create", "objects": OBJECTS}, RUN)
    return [json.loads(json.dumps(record.data)) for command in commands for record in simulation.apply(command)]


def all_records(browser: Browser, cluster: int) -> list[Any]:
    records: list[Any] = []
    while page := browser.get(f"clusters/{cluster}/records/?after={len(records)}")["records"]:
        records += page
    return records


def victims(playground: Playground, holder: str) -> dict[str, psutil.Process]:
    worker = playground.worker()
    assert worker is not None
    return {"worker": worker, "pool process": psutil.Process(int(holder.rpartition(":")[2]))}


@pytest.mark.parametrize("victim", ["pool process", "worker"])
def test_killed_in_the_middle_of_a_play(playground: Playground, victim: str) -> None:
    browser = Browser(playground)
    cluster = browser.post("clusters/", {"name": victim, "seed": SEED})["id"]
    browser.apply(cluster, kind="create", objects=OBJECTS)
    browser.post(f"clusters/{cluster}/pace/", {"cycles_per_second": 200})
    numbers: list[int] = []
    lost: list[dict[str, Any]] = []
    with browser.watch(cluster) as socket:
        browser.post(f"clusters/{cluster}/commands/", RUN)
        holder = ""
        while True:
            frame = json.loads(socket.recv(timeout=30))
            if frame["type"] == "records":
                numbers += [record["seq"] for record in frame["records"]]
            state = frame.get("state")
            if state is None:
                continue
            if not holder and state["cycle"] > 100:
                holder = state["lease"]["holder"]
                victims(playground, holder)[victim].kill()
                browser.post(f"clusters/{cluster}/pace/", {"cycles_per_second": 0})
            if holder and state["lease"] and state["lease"]["holder"] == holder and state["lease"]["lost"]:
                lost.append(state)
            if state["state"] == "idle" and state["cycle"] > 100:
                break
    # The page could say so, with the seconds until another takes over.
    assert lost
    assert all(0 <= state["lease"]["expires_in"] <= LEASE_SECONDS * 2 / 3 for state in lost)
    assert all(state["state"] == "running" for state in lost)
    # What it was sent is complete, in order, each once.
    assert numbers == list(range(1, len(numbers) + 1))
    # Everything is as if nothing had happened.
    records = all_records(browser, cluster)
    assert records == undisturbed()
    bound = Counter(
        event["object"] for record in records for event in record.get("events", []) if event["reason"] == "Scheduled"
    )
    assert max(bound.values()) == 1
    # The lease is given back a moment after the last record has come.
    wait_for(lambda: browser.get(f"clusters/{cluster}/")["lease"] is None, "the lease to be given back")
    state = browser.get(f"clusters/{cluster}/")
    assert (state["state"], state["revision"]) == ("idle", len(records))
    assert sum(browser.get(f"clusters/{cluster}/nodes/")["pods"]) == state["lanes"]["bound"]
    assert browser.get(f"clusters/{cluster}/commands/2/")["records"] == len(records) - 1


def test_a_broker_that_dies(playground: Playground) -> None:
    """Messages are lost with it, commands are not."""
    browser = Browser(playground)
    cluster = browser.post("clusters/", {"name": "broker", "seed": SEED})["id"]
    browser.apply(cluster, kind="create", objects=OBJECTS[:5] + OBJECTS[-20:])
    children = psutil.Process(playground.supervisor.pid).children()
    (broker,) = [child for child in children if child.name().startswith(("valkey", "redis"))]
    broker.kill()
    assert browser.apply(cluster, **RUN)["state"] == "done"


def story(browser: Browser) -> list[Any]:
    """A bit of everything; the answers."""
    cluster = browser.post("clusters/", {"name": "story", "example": "nearly-full", "seed": 42})["id"]
    odd = node("odd")
    odd["metadata"]["annotations"] = {"note": "🙂 \t ' \" \\ %s", "order": "kept"}
    browser.apply(cluster, kind="create", objects=[odd, pod("odd", cpu="64")])
    browser.apply(cluster, kind="run", until={"cycles": 8})
    browser.apply(cluster, kind="delete", objects=[{"kind": "Node", "name": "odd"}])
    browser.apply(cluster, kind="run", until="idle")
    answers = [browser.apply(cluster, kind="delete", objects=[{"kind": "Node", "name": "odd"}])]
    answers += [browser.post(f"clusters/{cluster}/commands/", {"kind": "fail_binding", "message": "a\0b"})]
    answers += [browser.post(f"clusters/{cluster}/import/", {"text": json.dumps(node("late"))})]
    browser.apply(cluster, kind="advance_clock", seconds=30)
    browser.apply(cluster, kind="run", until="idle")
    for cycle in (2, 8, 12):
        answers += [browser.get(f"clusters/{cluster}/nodes/?cycle={cycle}")]
        answers += [browser.get(f"clusters/{cluster}/queue/?cycle={cycle}")]
        answers += [browser.get(f"clusters/{cluster}/cycles/{cycle}/matrix/")]
    browser.apply(cluster, kind="reset")
    browser.apply(cluster, kind="run", until={"pod": "web/payments-0"})
    paths = ["records/", "cycles/", "cycles/5/", "nodes/", "nodes/node-01/", "queue/", "pods/web/payments-0/"]
    paths += ["pods/default/odd/", "objects/?search=EPORT&limit=3", "objects/?kind=Pod&offset=3", "objects/Node/late/"]
    paths += ["config/", "commands/1/", "commands/2/", "export/cluster/?format=json", "nodes/a'b/", "queue/?cycle=99"]
    answers += [browser.get(f"clusters/{cluster}/{path}") for path in paths]
    state = browser.get(f"clusters/{cluster}/")
    assert state["state"] == "idle"
    browser.post(f"clusters/{cluster}/", method="DELETE")
    answers += [state, browser.get(f"clusters/{cluster}/")]
    text = json.dumps(answers).replace(f'"id": {cluster},', '"id": 0,').replace(f"clusters/{cluster}/", "…")
    # Only the clock on the wall may differ.
    return json.loads(re.sub(r'"created": "[^"]+"', '"created": "…"', text))


_told: list[list[Any]] = []


def test_both_databases_tell_the_same_story(playground: Playground) -> None:
    _told.append(story(Browser(playground)))
    assert len(json.dumps(_told[-1])) > 50_000
    assert _told[0] == _told[-1]


def test_nothing_failed(playground: Playground) -> None:
    """Last of the module: whatever was killed around them, neither requests nor tasks failed."""
    signs = ("Internal Server Error", "raised unexpected", "Exception in ASGI")
    complaints = [line for line in playground.log.splitlines() if any(sign in line for sign in signs)]
    assert not complaints, playground.log
