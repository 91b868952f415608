"""`python -m tests.bench.classroom`: a class on one small machine; from the teacher's move to the followers' sockets.

On what `make run` starts: one web process, SQLite, the bundled broker. Followers come in through the page's form, each
with a session and sockets of their own. With `--pages` each also reads, as a page does, the cycle that the pointer goes
to; otherwise the pointer stays within one cycle, which pages hold already.
"""

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.resilience.client import Client
from tests.services import Playground, run_playground
from tests.web import node, pod

# So many come in, or read, at a time. Who reads is a process of its own: when a move has come is not to be measured
# by a loop that waits for those who read.
AT_A_TIME = 16
HEAD = [
    "| what | followers | moves | p50 ms | p95 ms | p99 ms | worst ms | missed the last move |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]
CYCLES = 20
# The last move may take so long to come.
LAST_SECONDS = 60.0


@dataclass
class Follower:
    """A follower of the class, with the time at which it saw each step."""

    url: str
    client: Client
    seen: dict[int, float] = field(default_factory=dict)
    last: int = 0
    reads: int = 0
    reading: asyncio.Task[None] | None = None

    async def follow(self, number: int, cluster: int, *, readers: Executor | None, ready: asyncio.Event) -> None:
        """Watch the class and, as a page does, the cluster's own stream."""
        async with (
            await self.open(f"clusters/{cluster}/") as stream,
            await self.open(f"classes/{number}/") as seat,
        ):
            await stream.recv()
            await seat.recv()
            ready.set()
            async for text in seat:
                now = time.perf_counter()
                frame = json.loads(text)
                if frame["type"] != "move":
                    continue
                self.last = frame["moment"]["step"]
                self.seen[self.last] = now
                if readers and (self.reading is None or self.reading.done()):
                    self.reading = asyncio.create_task(self.read(readers, cluster, frame["moment"]["cycle"]))

    async def open(self, path: str) -> ClientConnection:
        headers = {"Cookie": self.client.cookie}
        address = f"{self.url.replace('http', 'ws', 1)}/ws/{path}"
        return await connect(address, origin=Origin(self.url), additional_headers=headers, open_timeout=120)

    async def read(self, readers: Executor, cluster: int, cycle: int) -> None:
        loop = asyncio.get_running_loop()
        self.reads += await loop.run_in_executor(readers, read, self.url, self.client.cookie, cluster, cycle)


def read(url: str, cookie: str, cluster: int, cycle: int) -> int:
    """Send the requests of a page that reaches an unknown cycle; return their number."""
    paths = f"cycles/{cycle}/", f"cycles/{cycle}/matrix/", f"nodes/?cycle={cycle}", f"queue/?cycle={cycle}"
    connection = HTTPConnection(urlsplit(url).netloc, timeout=LAST_SECONDS)
    for path in paths:
        connection.request("GET", f"/api/v1/clusters/{cluster}/{path}", headers={"Cookie": cookie})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, f"{path}: {answer.status}"
    connection.close()
    return len(paths)


class Class:
    """A playground with a class."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.teacher = Client([url], None)

    def open(self) -> tuple[int, int, str]:
        """Return the class, its cluster with some cycles, and the code."""
        cluster = int(self.teacher.post("clusters/", {"name": "class", "seed": 1})["id"])
        objects = [node(f"node-{i}", cpu="16") for i in range(12)] + [pod(f"pod-{i}") for i in range(CYCLES)]
        commands: list[dict[str, Any]] = [{"kind": "create", "objects": objects}, {"kind": "run", "until": "idle"}]
        for command in commands:
            self.teacher.post(f"clusters/{cluster}/commands/", {**command, "key": command["kind"]})
        while self.teacher.get(f"clusters/{cluster}/")["cycle"] < CYCLES:
            time.sleep(0.1)
        found = self.teacher.post("classes/", {"cluster": cluster})
        return int(found["id"]), cluster, str(found["code"])

    def join(self, code: str, name: str) -> Follower:
        client = Client([self.url], None)
        client.send_form("/join/", {"code": code, "name": name})
        return Follower(self.url, client)


@dataclass(frozen=True)
class Result:
    """A row of the table. A move that a later one overtook has no latency."""

    name: str
    sent: dict[int, float]
    followers: Sequence[Follower]

    def latency(self, part: float) -> float:
        """Return the latency in ms that a share `part` of all seen moves doesn't exceed."""
        times = sorted((when - self.sent[step]) * 1000 for each in self.followers for step, when in each.seen.items())
        return times[min(int(len(times) * part), len(times) - 1)]

    @property
    def missed(self) -> int:
        return sum(each.last != max(self.sent) for each in self.followers)

    def line(self) -> str:
        figures = " | ".join(f"{self.latency(part):,.0f}" for part in (0.5, 0.95, 0.99, 1))
        return f"| {self.name} | {len(self.followers)} | {len(self.sent)} | {figures} | {self.missed} |"


async def measure(url: str, count: int, moves: int, pace: float, *, rest: float, readers: Executor | None) -> Result:
    """Let so many followers join and, after `rest` seconds, move the pointer.

    With `readers` they request what they are shown.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(AT_A_TIME))
    room = Class(url)
    number, cluster, code = await asyncio.to_thread(room.open)
    began = time.perf_counter()
    joining = (asyncio.to_thread(room.join, code, f"Follower {i}") for i in range(count))
    followers = await asyncio.gather(*joining)
    ready = [asyncio.Event() for _ in followers]
    watching = zip(followers, ready, strict=True)
    tasks = [
        asyncio.create_task(each.follow(number, cluster, readers=readers, ready=event)) for each, event in watching
    ]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in ready)), 600)
    print(f"{count} followers came in within {time.perf_counter() - began:.1f} s", file=sys.stderr)
    await asyncio.sleep(rest)
    sent: dict[int, float] = {}
    async with await Follower(url, room.teacher).open(f"classes/{number}/") as seat:
        await seat.recv()
        for step in range(1, moves + 1):
            cycle = 1 + step % CYCLES if readers else 1
            moment = {"cluster": cluster, "cycle": cycle, "step": step, "pinned": {"node": "node-1"}, "view": "why"}
            sent[step] = time.perf_counter()
            await seat.send(json.dumps({"type": "move", "moment": moment}))
            await asyncio.sleep(1 / pace)
        latest = time.perf_counter() + LAST_SECONDS
        while any(each.last != moves for each in followers) and time.perf_counter() < latest:
            await asyncio.sleep(0.05)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, *(each.reading for each in followers if each.reading), return_exceptions=True)
    what = f"{pace:g} moves a second"
    if readers:
        what += f", each to another cycle, which the pages read: {sum(each.reads for each in followers):,} requests"
    return Result(what, sent, followers)


def main(arguments: Sequence[str] | None = None, playground: Playground | None = None) -> int:
    """Measure in a playground of its own, or in the given one."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.classroom", description=__doc__)
    parser.add_argument("--followers", type=int, default=200)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--pace", type=float, default=5, help="moves/s (default: 5)")
    parser.add_argument("--rest", type=float, default=3, help="s between coming in and the first move (default: 3)")
    parser.add_argument("--pages", action="store_true", help="followers also read every cycle that is shown")
    parser.add_argument("--most", type=float, default=250, help="fail above this p95, in ms (default: 250)")
    options = parser.parse_args(arguments)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        if playground is None:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="playground-class-"))
            playground = stack.enter_context(run_playground(Path(folder) / "data"))
        readers = stack.enter_context(ProcessPoolExecutor(AT_A_TIME)) if options.pages else None
        amounts = options.followers, options.moves, options.pace
        result = asyncio.run(measure(playground.url, *amounts, rest=options.rest, readers=readers))
    print("\n".join([*HEAD, result.line()]))
    print(f"\n{os.cpu_count()} cores, load before {load:.1f}, after {os.getloadavg()[0]:.1f}")
    return 1 if result.latency(0.95) > options.most or result.missed else 0


if __name__ == "__main__":
    sys.exit(main())
