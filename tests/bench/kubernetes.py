"""`python -m tests.bench.kubernetes`: how fast the Kubernetes API of a cluster answers, as a Markdown table.

On a playground as `make run` starts it, over real connections: get, list, create, and from a write to the watches that
see it. Every watch counts what it is told; one that missed anything ends the run.
"""

import argparse
import asyncio
import http.client
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.resilience.client import Client
from tests.services import Playground, run_playground
from tests.web import node, pod

BATCH = 1000
MAPS = "api/v1/namespaces/default/configmaps"


class Server:
    """One connection to the API of a cluster."""

    def __init__(self, url: str, cluster: int) -> None:
        self.host, self.base = urlsplit(url).netloc, f"/k8s/{cluster}"
        self._connection = http.client.HTTPConnection(self.host, timeout=60)

    def reconnect(self) -> None:
        self._connection.close()

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        text = json.dumps(body) if body is not None else None
        self._connection.request(method, f"{self.base}/{path}", text, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        found = json.loads(answer.read())
        assert answer.status < 300, found
        return found


def quantile(seconds: Sequence[float], share: float) -> float:
    """Return a quantile in milliseconds."""
    return sorted(seconds)[int(len(seconds) * share)] * 1000


def cells(seconds: Sequence[float]) -> str:
    """Return p50 and p95 as cells of a row."""
    return f"{quantile(seconds, 0.5):.0f} | {quantile(seconds, 0.95):.0f}"


def timed(times: int, work: Callable[[int], Any]) -> list[float]:
    found = []
    for number in range(times):
        began = time.perf_counter()
        work(number)
        found.append(time.perf_counter() - began)
    return found


def cpu(playground: Playground) -> float:
    """Return the CPU seconds of all processes of the playground: the cost of a request on a busy machine, too."""
    processes = psutil.Process(playground.supervisor.pid).children(recursive=True)
    return sum(sum(each.cpu_times()[:2]) for each in processes)


def measured(playground: Playground, what: str, times: int, work: Callable[[int], Any]) -> None:
    """Return a row of the table."""
    before = cpu(playground)
    found = cells(timed(times, work))
    print(f"| {what} | {found} | {(cpu(playground) - before) / times * 1000:.0f} |", flush=True)


def pages(server: "Server") -> int:
    """List all Pods by pages of 500; return their number."""
    count, more = 0, ""
    while True:
        found = server("GET", f"api/v1/pods?limit=500{f'&continue={more}' if more else ''}")
        count += len(found["items"])
        more = found["metadata"].get("continue", "")
        if not more:
            return count


def configmap(number: int) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"m-{number}"}, "data": {"x": "1"}}


async def watch(server: Server, wanted: int, is_open: asyncio.Semaphore) -> list[float]:
    """Return the arrival time of each of so many events."""
    host, _, port = server.host.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
    path = f"{server.base}/{MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nAccept: application/json\r\n\r\n".encode())
    seen: list[float] = []
    while len(seen) < wanted:
        line = await reader.readline()
        assert line, "a watch ended before it had told everything"
        if line.startswith(b'{"type":"BOOKMARK"'):
            is_open.release()
        elif line.startswith(b'{"type":"ADDED"') and b'"m-' in line:
            seen.append(time.perf_counter())
    writer.close()
    return seen


async def watched(server: Server, watches: int, writes: int, first: int) -> list[float]:
    """Return the seconds from a write's start until each watch has received it."""
    is_open = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(watch(server, writes, is_open)) for _ in range(watches)]
    for _ in range(watches):
        await is_open.acquire()
    # So many took a while to open, and a connection that says nothing meanwhile is closed.
    server.reconnect()
    sent = []
    for number in range(writes):
        sent.append(time.perf_counter())
        await asyncio.to_thread(server, "POST", MAPS, configmap(first + number))
    seen = await asyncio.gather(*tasks)
    return [at - began for each in seen for began, at in zip(sent, each, strict=True)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--nodes", type=int, default=1000)
    arguments.add_argument("--pods", type=int, default=10_000)
    arguments.add_argument("--times", type=int, default=100)
    arguments.add_argument("--watches", type=int, nargs="*", default=[1, 100, 1000])
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, run_playground(Path(folder) / "data") as playground:
        client = Client([playground.url], None)
        cluster = client.post("clusters/", {"name": "load", "seed": 1})["id"]
        objects = [node(f"n-{number}") for number in range(given.nodes)]
        objects += [pod(f"p-{number}", nodeName=f"n-{number % given.nodes}") for number in range(given.pods)]
        for start in range(0, len(objects), BATCH):
            client.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects[start : start + BATCH]})
        server = Server(playground.url, cluster)
        while len(server("GET", f"api/v1/pods?limit=1&fieldSelector=metadata.name=p-{given.pods - 1}")["items"]) < 1:
            time.sleep(0.5)
        pods = "api/v1/namespaces/default/pods"
        print(
            f"{given.nodes} nodes, {given.pods} pods; ms of {given.times} requests\n\n"
            "| | p50 | p95 | CPU of all processes, each |\n| --- | ---: | ---: | ---: |"
        )
        measured(playground, "get a pod", given.times, lambda n: server("GET", f"{pods}/p-{n}"))
        measured(playground, "list 500 pods", given.times, lambda _: server("GET", f"{pods}?limit=500"))
        measured(playground, f"list {pages(server)} pods by pages of 500", 1, lambda _: pages(server))
        measured(playground, "create", given.times, lambda n: server("POST", MAPS, configmap(n)))
        for part, watches in enumerate(given.watches, 1):
            started = 10_000 * part
            for each in server("GET", MAPS)["items"]:
                server("DELETE", f"{MAPS}/{each['metadata']['name']}")
            found = asyncio.run(watched(server, watches, given.times // 4, started))
            print(f"| write to watch, {watches} watches | {cells(found)} | |", flush=True)


if __name__ == "__main__":
    main()
