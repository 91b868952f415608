"""`python -m tests.bench.classroom`: a class on one small machine; from the teacher's move to the followers' sockets.

On what `make run` starts: one web process, SQLite, the bundled broker. Followers come in through the page's form, each
with a session and sockets of their own. With `--pages` each also reads, as a page does, the cycle that the pointer goes
to; otherwise the pointer stays within one cycle, which pages hold already.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.services import run_playground
from tests.web import node, pod

AT_A_TIME = 10
HEAD = [
    "| what | followers | moves | p50 ms | p95 ms | p99 ms | worst ms | last moves missed |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]
CYCLES = 20
_PUT_OFF = (502, 503, 504)


@dataclass
class Follower:
    """Somebody in the class: when which step was seen."""

    client: httpx.AsyncClient
    seen: dict[int, float] = field(default_factory=dict)
    last: int = 0
    reading: asyncio.Task[None] | None = None

    async def follow(self, url: str, number: int, cluster: int, *, reads: bool, ready: asyncio.Event) -> None:
        """Watch the class and, as a page does, the cluster's own stream."""
        async with (
            await self.open(url, f"clusters/{cluster}/") as stream,
            await self.open(url, f"classes/{number}/") as seat,
        ):
            await stream.recv()
            await seat.recv()
            ready.set()
            async for text in seat:
                now = time.perf_counter()
                frame = json.loads(text)
                if frame["type"] != "move":
                    continue
                step = frame["moment"]["step"]
                self.seen[step], self.last = now, step
                if reads and (self.reading is None or self.reading.done()):
                    self.reading = asyncio.create_task(self.read(cluster, frame["moment"]["cycle"]))

    async def open(self, url: str, path: str) -> ClientConnection:
        cookie = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        headers = {"Cookie": cookie}
        address = f"{url.replace('http', 'ws', 1)}/ws/{path}"
        return await connect(address, origin=Origin(url), additional_headers=headers, open_timeout=120)

    async def read(self, cluster: int, cycle: int) -> None:
        """What a page asks for when it comes to a cycle that it has not got."""
        for path in (f"cycles/{cycle}/", f"cycles/{cycle}/matrix/", f"nodes/?cycle={cycle}", f"queue/?cycle={cycle}"):
            answer = await self.client.get(f"/api/v1/clusters/{cluster}/{path}", timeout=120)
            assert answer.status_code == 200 or answer.status_code in _PUT_OFF, answer.text


class Class:
    """A playground with a class in it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.teacher = httpx.AsyncClient(base_url=url, timeout=120)

    async def post(self, path: str, body: Any) -> Any:
        headers = {"X-CSRFToken": self.teacher.cookies["csrftoken"], "Origin": self.url}
        answer = await self.teacher.post(f"/api/v1/{path}", json=body, headers=headers)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()

    async def open(self) -> tuple[int, int, str]:
        """The class, its cluster with some cycles in it, and the code."""
        await self.teacher.get("/")
        cluster = (await self.post("clusters/", {"name": "class", "seed": 1}))["id"]
        objects = [node(f"node-{i}", cpu="16") for i in range(12)] + [pod(f"pod-{i}") for i in range(CYCLES)]
        await self.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects})
        await self.post(f"clusters/{cluster}/commands/", {"kind": "run", "until": "idle"})
        while (await self.teacher.get(f"/api/v1/clusters/{cluster}/")).json()["cycle"] < CYCLES:
            await asyncio.sleep(0.1)
        found = await self.post("classes/", {"cluster": cluster})
        return found["id"], cluster, found["code"]

    async def join(self, code: str, name: str, gate: asyncio.Semaphore) -> Follower:
        async with gate:
            client = httpx.AsyncClient(base_url=self.url, timeout=120)
            await client.get("/join/")
            token = client.cookies["csrftoken"]
            form = {"code": code, "name": name, "csrfmiddlewaretoken": token}
            answer = await client.post("/join/", data=form, headers={"Origin": self.url})
            assert answer.status_code == 302, answer.text
            return Follower(client)


def line(name: str, sent: dict[int, float], followers: Sequence[Follower]) -> str:
    """A row of the table. What a follower was not shown, because a later move overtook it, has no latency."""
    times = sorted((when - sent[step]) * 1000 for each in followers for step, when in each.seen.items())
    p50, p95, p99 = (times[min(int(len(times) * part), len(times) - 1)] for part in (0.5, 0.95, 0.99))
    missed = sum(each.last != max(sent) for each in followers)
    return f"| {name} | {len(followers)} | {len(sent)} | {p50:.0f} | {p95:.0f} | {p99:.0f} | {times[-1]:.0f} | {missed} |"


async def measure(url: str, count: int, moves: int, pace: float, *, reads: bool) -> tuple[str, float, int]:
    """The row, the 95th percentile, and how many followers missed the last move."""
    room = Class(url)
    number, cluster, code = await room.open()
    gate = asyncio.Semaphore(AT_A_TIME)
    began = time.perf_counter()
    followers = await asyncio.gather(*(room.join(code, f"Follower {i}", gate) for i in range(count)))
    ready = [asyncio.Event() for _ in followers]
    tasks = [
        asyncio.create_task(each.follow(url, number, cluster, reads=reads, ready=event))
        for each, event in zip(followers, ready, strict=True)
    ]
    await asyncio.wait_for(asyncio.gather(*(event.wait() for event in ready)), 600)
    print(f"{count} followers came in within {time.perf_counter() - began:.1f} s", file=sys.stderr)
    sent: dict[int, float] = {}
    async with await Follower(room.teacher).open(url, f"classes/{number}/") as seat:
        await seat.recv()
        for step in range(1, moves + 1):
            cycle = 1 + step % CYCLES if reads else 1
            moment = {"cluster": cluster, "cycle": cycle, "step": step, "pinned": {"node": "node-1"}, "view": "why"}
            sent[step] = time.perf_counter()
            await seat.send(json.dumps({"type": "move", "moment": moment}))
            await asyncio.sleep(1 / pace)
    await asyncio.sleep(3)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for each in followers:
        if each.reading:
            each.reading.cancel()
        await each.client.aclose()
    what = f"{pace:g} moves a second" + (", each to another cycle, which every page reads" if reads else "")
    row = line(what, sent, followers)
    p95 = float(re.findall(r"\d+", row.rsplit("|", 5)[1])[0])
    return row, p95, sum(each.last != moves for each in followers)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.classroom", description=__doc__)
    parser.add_argument("--followers", type=int, default=200)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--pace", type=float, default=5, help="moves/s (default: 5)")
    parser.add_argument("--pages", action="store_true", help="followers also read every cycle that is shown")
    parser.add_argument("--most", type=float, default=250, help="fail above this p95, in ms (default: 250)")
    options = parser.parse_args(arguments)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="playground-class-") as folder:
        with run_playground(Path(folder) / "data") as playground:
            measured = measure(playground.url, options.followers, options.moves, options.pace, reads=options.pages)
            row, p95, missed = asyncio.run(measured)
    print("\n".join([*HEAD, row]))
    print(f"\n{os.cpu_count()} cores, load before {load:.1f}, after {os.getloadavg()[0]:.1f}")
    return 1 if p95 > options.most or missed else 0


if __name__ == "__main__":
    sys.exit(main())
