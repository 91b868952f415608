"""The end-to-end path of a command: POST, database, Celery, engine, database, channel layer, WebSocket.

The client is this process, so it measures what a program on the same machine sees.
"""

import json
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from simulator.cli.input.trace_files import read_trace
from tests.conformance.bench.measure import Calibration, calibrate
from tests.conformance.bench.workloads import node_manifest, pod_manifest
from tests.services import run_playground, run_postgres

CREATED_AT_ONCE = 1000
# Steps that are not counted: connections are made, the worker loads the cluster.
WARM_UP = 5
PATIENCE_SECONDS = 300.0


@dataclass(slots=True)
class WholeWay:
    """`pods_per_s`: a run of `pods` at full speed, from its POST to the last record on the socket.

    `p50_ms`, `p95_ms`: a single step, from its POST to its record on the socket. `load_s` is the import.
    """

    nodes: int
    pods: int
    steps: int
    load_s: float
    pods_per_s: float
    p50_ms: float
    p95_ms: float
    calibration: Calibration

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class TraceWay:
    """`seconds`: a run until idle of so many pods, from its POST to the last record on the socket."""

    pods: int
    seconds: float
    calibration: Calibration

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Client:
    """A user of one playground: a kept-alive HTTP connection with cookies."""

    def __init__(self, url: str) -> None:
        self._host = urlsplit(url).netloc
        self._http = HTTPConnection(self._host)
        with urllib.request.urlopen(url) as page:
            cookies = SimpleCookie(page.headers["Set-Cookie"])
        token = cookies["csrftoken"].value
        self._headers = {"Content-Type": "application/json", "X-CSRFToken": token, "Cookie": f"csrftoken={token}"}

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, json.dumps(body).encode())

    def reconnect(self) -> None:
        """Reconnect before a call after a pause, because the server closes idle connections."""
        self._http.close()

    def get(self, path: str) -> Any:
        self.reconnect()
        return self._call("GET", path, None)

    def _call(self, method: str, path: str, body: bytes | None) -> Any:
        self._http.request(method, f"/api/v1/{path}", body, self._headers)
        answer = self._http.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]!r}")
        return json.loads(text)

    @contextmanager
    def stream(self, cluster: int) -> Iterator["Stream"]:
        address = f"ws://{self._host}/ws/clusters/{cluster}/"
        with connect(address, origin=Origin(f"http://{self._host}"), max_size=None) as socket:
            yield Stream(socket)


class Stream:
    """The records of a cluster as they arrive; their numbers must have no gaps."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.last: int = self._frame()["last"]

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the next frame that has some."""
        while (frame := self._frame())["type"] != "records":
            if frame["type"] == "gap":
                raise RuntimeError(f"records {frame['from']} to {frame['to']} were not streamed")
        if frame["from"] != self.last + 1:
            raise RuntimeError(f"record {frame['from']} came after {self.last}")
        self.last = frame["to"]
        found: list[dict[str, Any]] = frame["records"]
        return found

    def _frame(self) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self._socket.recv(PATIENCE_SECONDS))
        return frame


@contextmanager
def _user(is_on_postgres: bool = False) -> Iterator[Client]:
    """Provide a user of a new playground, on a free port with an empty database."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="playground-bench-"))
        environment = {"LOG_LEVEL": "WARNING"}
        if is_on_postgres:
            environment["DATABASE_URL"] = stack.enter_context(run_postgres())
        running = stack.enter_context(run_playground(Path(folder) / "data", environment))
        yield Client(running.url)


def measure(nodes: int, pods: int, steps: int, is_on_postgres: bool = False) -> WholeWay:
    """Measure steps, and then a run, of the workload `basic`."""
    objects = [node_manifest(i, "32", "256Gi") for i in range(nodes)]
    objects += [pod_manifest(f"pod-{i}", {"app": "one"}) for i in range(pods + steps + WARM_UP)]
    with _user(is_on_postgres) as client:
        before = calibrate()
        began = time.perf_counter()
        cluster = _cluster(client, objects)
        load = time.perf_counter() - began
        with client.stream(cluster) as stream:
            times = [_step(client, cluster, stream) for _ in range(steps + WARM_UP)][WARM_UP:]
            rate = pods / _run(client, cluster, stream, pods)
        calibration = before.mean(calibrate())
    p50, p95 = np.percentile(np.array(times) * 1000, (50, 95))
    return WholeWay(
        nodes, pods, steps, round(load, 2), round(rate, 1), round(float(p50), 1), round(float(p95), 1), calibration
    )


def measure_trace(folder: Path) -> TraceWay:
    """Measure a production trace, run to its end."""
    objects = [one.manifest for one in read_trace(folder).objects]
    pods = sum(one["kind"] == "Pod" for one in objects)
    with _user() as client:
        before = calibrate()
        cluster = _cluster(client, objects)
        with client.stream(cluster) as stream:
            seconds = _run(client, cluster, stream, pods)
        return TraceWay(pods, round(seconds, 2), before.mean(calibrate()))


def _cluster(client: Client, objects: Sequence[Mapping[str, Any]]) -> int:
    """Create a cluster before any scheduling."""
    cluster: int = client.post("clusters/", {"name": "bench"})["id"]
    for first in range(0, len(objects), CREATED_AT_ONCE):
        command = {"kind": "create", "objects": objects[first : first + CREATED_AT_ONCE]}
        number = client.post(f"clusters/{cluster}/commands/", command)["number"]
    while (state := client.get(f"clusters/{cluster}/commands/{number}/")["state"]) in ("queued", "running"):
        time.sleep(0.05)
    if state != "done":
        raise RuntimeError(f"the objects were not made: {state}")
    return cluster


def _step(client: Client, cluster: int, stream: Stream) -> float:
    """Return the seconds from sending the command to reading its record."""
    began = time.perf_counter()
    client.post(f"clusters/{cluster}/commands/", {"kind": "schedule_one"})
    records = stream.records()
    seconds = time.perf_counter() - began
    if records[0]["kind"] != "cycle":
        raise RuntimeError(f"a step gave a record of kind {records[0]['kind']}")
    return seconds


def _run(client: Client, cluster: int, stream: Stream, pods: int) -> float:
    """Return the seconds until so many cycles are streamed and stored."""
    began = time.perf_counter()
    client.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
    cycles = 0
    while cycles < pods:
        cycles += sum(record["kind"] == "cycle" for record in stream.records())
    seconds = time.perf_counter() - began
    stored = client.get(f"clusters/{cluster}/")["revision"]
    if stored < stream.last:
        raise RuntimeError(f"record {stream.last} was streamed, but only {stored} are stored")
    return seconds
