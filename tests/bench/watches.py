"""`python -m tests.bench.watches`: many watches of a cluster while clients write, and what that takes for how long.

So many watches (`--watches`) of the ConfigMaps of a cluster, so many writes a second (`--rate`) for so long
(`--seconds`), on a playground as `make run` starts it. The first watch is held to what was written: each change once,
in the order of versions. All others, which tests.bench.readers reads, must be told the very same bytes. Prints the
memory of every process as it goes, and last what was reached, and what the measuring itself took of the processors.
"""

import argparse
import asyncio
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.bench.kubernetes import MAPS, Server, configmap, cpu, quantile
from tests.resilience.client import Client
from tests.services import Playground, run_playground

# Which are written again and again: what is stored does not grow.
OBJECTS = 500
PRINT_EVERY = 30.0
PATCH = "application/merge-patch+json"


class First:
    """The watch that compares received events with the writes."""

    def __init__(self, server: Server, path: str) -> None:
        self._server, self._path = server, path
        self._told = hashlib.blake2b(digest_size=16)
        self._version = 0
        self.events = 0
        self.is_open = asyncio.Event()
        self.sent: dict[str, float] = {}
        self.seconds: list[float] = []
        self.twice: list[str] = []

    @property
    def told(self) -> str:
        return f"{self.events} {self._told.hexdigest()}"

    async def follow(self) -> None:
        host, _, port = self._server.host.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 22)
        head = f"GET {self._path} HTTP/1.1\r\nHost: {self._server.host}\r\nAccept: application/json\r\n\r\n"
        writer.write(head.encode())
        try:
            while line := await reader.readline():
                self.is_open.set()
                # Others are of HTTP.
                if line.startswith(b"{"):
                    self.events += 1
                    self._told.update(line)
                    self._hear(json.loads(line)["object"])
        finally:
            writer.close()

    def _hear(self, value: dict[str, Any]) -> None:
        version, change = int(value["metadata"]["resourceVersion"]), value["data"]["x"]
        began = self.sent.pop(change, None)
        if began is None or version <= self._version:
            self.twice.append(change)
        else:
            self.seconds.append(time.perf_counter() - began)
        self._version = version


class Others:
    """All other watches, in a process of their own."""

    def __init__(self, server: Server, path: str, count: int) -> None:
        command = [sys.executable, "-m", "tests.bench.readers", server.host, path, str(count)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def wait_until_open(self) -> None:
        assert self._said() == "open\n"

    def told(self, wanted: int) -> tuple[set[str], float]:
        """Return the digest of each watch after so many events, and the CPU seconds of all."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{wanted}\n")
        self._process.stdin.close()
        found = json.loads(self._said())
        self._process.wait()
        return set(found["told"]), found["cpu"]

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


class Writers:
    """Writers that patch ConfigMaps at a rate, over so many connections. `done` counts answered writes."""

    def __init__(self, server: Server, first: First, rate: float, seconds: float) -> None:
        self._server, self._first = server, first
        self._rate, self._seconds = rate, seconds
        self._number = 0
        self.done = 0
        self.answers: list[float] = []

    async def write(self, connections: int) -> float:
        """Write at the rate; return the duration."""
        self._began = time.perf_counter()
        await asyncio.gather(*(self._one() for _ in range(connections)))
        return time.perf_counter() - self._began

    async def _one(self) -> None:
        host, _, port = self._server.host.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        while (due := self._number / self._rate) < self._seconds:
            number, self._number = self._number, self._number + 1
            await asyncio.sleep(max(0.0, due - (time.perf_counter() - self._began)))
            if time.perf_counter() - self._began > self._seconds:
                break
            began = self._first.sent[f"w-{number}"] = time.perf_counter()
            status = await self._patch(reader, writer, number)
            assert status == 200, f"a write was answered {status}"
            self.answers.append(time.perf_counter() - began)
            self.done += 1
        writer.close()

    async def _patch(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> int:
        body = json.dumps({"data": {"x": f"w-{number}"}}).encode()
        path = f"{self._server.base}/{MAPS}/m-{number % OBJECTS}"
        head = f"PATCH {path} HTTP/1.1\r\nHost: {self._server.host}\r\nContent-Type: {PATCH}\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        first = await reader.readline()
        length = 0
        while (line := await reader.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        await reader.readexactly(length)
        return int(first.split()[1])


def memory(playground: Playground) -> str:
    """Return the MB of the working processes, the largest first."""
    found = [
        each.memory_info().rss >> 20 for each in psutil.Process(playground.supervisor.pid).children(recursive=True)
    ]
    return " ".join(map(str, sorted(found, reverse=True)))


async def played(playground: Playground, server: Server, given: argparse.Namespace) -> bool:
    begin = server("GET", MAPS)["metadata"]["resourceVersion"]
    path = f"{server.base}/{MAPS}?watch=1&resourceVersion={begin}"
    first, others = First(server, path), Others(server, path, given.watches - 1)
    following = asyncio.create_task(first.follow())
    await asyncio.gather(first.is_open.wait(), asyncio.to_thread(others.wait_until_open))
    writers = Writers(server, first, given.rate, given.seconds)
    printing = asyncio.create_task(_printed(playground, writers))
    before, mine = cpu(playground), time.process_time()
    took = await writers.write(given.connections)
    spent, mine = cpu(playground) - before, time.process_time() - mine
    told, theirs = await asyncio.to_thread(others.told, writers.done)
    # What was answered is told within a moment, however busy the machine is.
    for _ in range(600):
        if first.events >= writers.done:
            break
        await asyncio.sleep(0.1)
    printing.cancel()
    following.cancel()
    await asyncio.gather(following, printing, return_exceptions=True)
    rate, cost = writers.done / took, spent / writers.done * 1000
    print(f"\n{rate:.0f} writes/s to {given.watches} watches for {took:.0f} s; at the end {memory(playground)} MB")
    print(f"CPU of the playground: {spent / took:.2f} of a second each second, {cost:.1f} ms a write")
    print(
        f"CPU of what measures: {mine / took:.2f} for writers and the first watch, {theirs / took:.2f} for the others"
    )
    print(f"answered in {quantile(writers.answers, 0.95):.0f} ms, told in {quantile(first.seconds, 0.95):.0f} ms (p95)")
    is_good = told <= {first.told} and not first.twice and not first.sent and first.events == writers.done
    faults = f": {first.told}, others {list(told)[:5]}, twice {first.twice[:5]}, never {list(first.sent)[:5]}"
    print(f"{first.events * given.watches:,} events told{', each once' if is_good else faults}")
    return is_good


async def _printed(playground: Playground, writers: Writers) -> None:
    began, last = time.perf_counter(), 0
    while True:
        await asyncio.sleep(PRINT_EVERY)
        done = writers.done
        since = time.perf_counter() - began
        print(f"{since:4.0f} s: {(done - last) / PRINT_EVERY:.0f} writes/s, {memory(playground)} MB", flush=True)
        last = done


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--watches", type=int, default=1000)
    arguments.add_argument("--rate", type=float, default=200)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--connections", type=int, default=50, help="of those who write")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, run_playground(Path(folder) / "data") as playground:
        client = Client([playground.url], None)
        cluster = client.post("clusters/", {"name": "watches", "seed": 1})["id"]
        objects: list[dict[str, Any]] = [configmap(number) for number in range(OBJECTS)]
        for each in objects:
            each["metadata"]["namespace"] = "default"
        client.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
        server = Server(playground.url, cluster)
        while len(server("GET", MAPS)["items"]) < OBJECTS:
            time.sleep(0.1)
        return 0 if asyncio.run(played(playground, server, given)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
