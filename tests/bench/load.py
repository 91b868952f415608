"""`python -m tests.bench.load`: many clusters at once, many viewers of one; from stored to seen, as a Markdown table.

On the processes of docker-compose.yml, with real PostgreSQL and Redis, real sockets. An event is stored when PostgreSQL
says that its transaction was committed (`track_commit_timestamp`), and seen when a viewer has its frame in hand. Every
viewer checks that no number is missing.
"""

import argparse
import asyncio
import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from websockets.asyncio.client import connect
from websockets.typing import Origin

# Django's settings, away from the developer's own data, as for every other test.
import tests.conftest  # noqa: F401
from tests.resilience.client import Client
from tests.resilience.deployments import Distributed, Service, deployed
from tests.web import node, pod

WORKERS = 4
_RECORDS = re.compile(r'\{"type":"records","from":(\d+),"to":(\d+)')
# So many connections are opened at a time.
OPEN_AT_A_TIME = 50
PATIENCE_SECONDS = 900.0
ROOMY = "roomy"
ROOMY_SOURCE = """from playground import limits

limits.SOCKETS_PER_USER = limits.SOCKETS_PER_ADDRESS = 1_000_000
from playground.asgi import application as application
"""


@dataclass
class Viewer:
    """One socket: the arrival time of each number, and whether one was missing."""

    cluster: int
    last: int = 0
    seen: list[tuple[int, int, float]] = field(default_factory=list)
    complaint: str = ""

    async def watch(self, url: str, cookie: str, opened: asyncio.Semaphore, is_open: asyncio.Event) -> None:
        address = f"{url.replace('http', 'ws', 1)}/ws/clusters/{self.cluster}/?after=0"
        headers = {"Cookie": cookie}
        async with opened:
            socket = await connect(
                address,
                origin=Origin(url),
                additional_headers=headers,
                max_size=None,
                open_timeout=120,
                ping_interval=None,
            )
            hello = await socket.recv()
        assert '"type":"hello"' in str(hello)[:20], hello
        is_open.set()
        try:
            async for frame in socket:
                now = time.time()
                if found := _RECORDS.match(str(frame[:80])):
                    first, last = int(found[1]), int(found[2])
                    if first != self.last + 1:
                        self.complaint = f"after {self.last} came {first}"
                    self.seen.append((first, last, now))
                    self.last = last
                elif '"type":"gap"' in str(frame[:80]):
                    self.complaint = f"a gap after {self.last}"
        finally:
            await socket.close()


@dataclass(frozen=True)
class Row:
    name: str
    viewers: int
    records: int
    seconds: float
    latencies: Sequence[float]
    missed: int

    def line(self) -> str:
        found = sorted(self.latencies)
        p50, p95, p99 = (found[min(int(len(found) * part), len(found) - 1)] * 1000 for part in (0.5, 0.95, 0.99))
        return (
            f"| {self.name} | {self.viewers:,} | {self.records:,} | {self.records / self.seconds:,.0f} "
            f"| {p50:,.0f} | {p95:,.0f} | {p99:,.0f} | {self.missed} |"
        )


HEAD = [
    "| what | viewers | records | records/s | p50 ms | p95 ms | p99 ms | viewers that missed a number |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]


class Roomy(Distributed):
    """A service whose single user may open as many sockets as are measured."""

    def _run(self, stack: ExitStack, service: str, number: int, replace: Mapping[str, str], *more: str) -> Service:
        if service == "web":
            (self._app / f"{ROOMY}.py").write_text(ROOMY_SOURCE)
            replace = {**replace, "playground.asgi:application": f"{ROOMY}:application"}
        return super()._run(stack, service, number, replace, *more)


class Load:
    """A deployment with clusters to run."""

    def __init__(self, deployment: Distributed) -> None:
        self.deployment = deployment
        self.client = Client(deployment.urls, deployment.login)

    def clusters(self, count: int, nodes: int, pods: int) -> list[int]:
        """Create so many clusters of this size, before any scheduling."""
        objects = [node(f"node-{i}", cpu="64", memory="256Gi", zone=f"z{i % 3}") for i in range(nodes)]
        objects += [pod(f"pod-{i}", cpu="100m", memory="64Mi") for i in range(pods)]
        made = [int(self.client.post("clusters/", {"name": f"load {i}", "seed": i})["id"]) for i in range(count)]
        for cluster in made:
            self.client.post(f"clusters/{cluster}/commands/", {"kind": "create", "objects": objects, "key": "objects"})
        self._until(made, 1)
        return made

    def _until(self, clusters: Iterable[int], applied: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        rest = set(clusters)
        while rest:
            assert time.monotonic() < deadline, f"{len(rest)} clusters are not done"
            rows = self.deployment.database.rows("SELECT id, applied FROM playground_cluster WHERE applied > 0")
            rest -= {number for number, done in rows if done >= applied}
            time.sleep(0.05)

    async def play(self, name: str, clusters: list[int], viewers_each: int, pace: float, cycles: int) -> Row:
        """Run clusters while viewers watch; return the durations."""
        viewers = [Viewer(cluster) for cluster in clusters for _ in range(viewers_each)]
        tasks, opened = await self._open(viewers)
        await opened
        for cluster in clusters:
            await asyncio.to_thread(self.client.post, f"clusters/{cluster}/pace/", {"cycles_per_second": pace})
        began = time.monotonic()
        command = {"kind": "run", "until": {"cycles": cycles}}
        for cluster in clusters:
            await asyncio.to_thread(
                self.client.post, f"clusters/{cluster}/commands/", {**command, "key": f"{name} run"}
            )
        query = f"SELECT id FROM playground_command WHERE cluster_id = {clusters[0]}"  # noqa: S608
        done = len(self.deployment.database.rows(query))
        await asyncio.to_thread(self._until, clusters, done)
        seconds = time.monotonic() - began
        stored = self._stored(clusters)
        last = {cluster: max(times) for cluster, times in stored.items()}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(viewer.last < last[viewer.cluster] for viewer in viewers) and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        first = {cluster: last[cluster] - cycles for cluster in clusters}
        latencies = [
            when - stored[viewer.cluster][seq]
            for viewer in viewers
            for begin, end, when in viewer.seen
            for seq in range(max(begin, first[viewer.cluster] + 1), end + 1)
        ]
        missed = sum(bool(viewer.complaint) or viewer.last != last[viewer.cluster] for viewer in viewers)
        return Row(name, len(viewers), cycles * len(clusters), seconds, latencies, missed)

    async def _open(self, viewers: list[Viewer]) -> tuple[list[asyncio.Task[None]], Any]:
        at_a_time, urls = asyncio.Semaphore(OPEN_AT_A_TIME), self.deployment.urls
        tasks, events = [], []
        for number, viewer in enumerate(viewers):
            events.append(asyncio.Event())
            watching = viewer.watch(urls[number % len(urls)], self.client.cookie, at_a_time, events[-1])
            tasks.append(asyncio.create_task(watching))
        return tasks, asyncio.wait_for(asyncio.gather(*(event.wait() for event in events)), PATIENCE_SECONDS)

    def _stored(self, clusters: list[int]) -> dict[int, dict[int, float]]:
        """Return the commit time of each record, by cluster and number."""
        found: dict[int, dict[int, float]] = {}
        for cluster in clusters:
            rows = self.deployment.database.rows(
                "SELECT seq, extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM playground_record "  # noqa: S608
                f"WHERE cluster_id = {cluster} ORDER BY seq"
            )
            # Some share a row, which has the number of the last.
            ends = pairwise([(0, 0.0), *rows])
            found[cluster] = {s: float(when) for (last, _), (end, when) in ends for s in range(last + 1, end + 1)}
        return found


def rows(
    clusters: int, viewers: int, paces: Sequence[float], workers: int, say: Callable[[str], object]
) -> Iterable[Row]:
    """Yield the rows of the table when they have been measured."""
    with ExitStack() as stack:
        deployment = stack.enter_context(deployed(Roomy, workers=workers, concurrency=1, commit_times=True))
        load = Load(deployment)
        if clusters:
            say(f"{clusters} clusters")
            many = load.clusters(clusters, 20, 100)
            name = f"{clusters} clusters at once, as fast as they go, {workers} workers"
            yield asyncio.run(load.play(name, many, 1, 0, 100))
        for pace in paces if viewers else ():
            say(f"{viewers} viewers at {pace:g} cycles/s")
            (one,) = load.clusters(1, 20, 100)
            name = f"one cluster at {pace:g} cycles/s"
            yield asyncio.run(load.play(name, [one], viewers, pace, min(int(pace * 10), 100)))
        if viewers:
            say(f"{viewers} viewers, as fast as it goes")
            (one,) = load.clusters(1, 20, 1000)
            yield asyncio.run(load.play("one cluster, as fast as it goes", [one], viewers, 0, 1000))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.load", description=__doc__)
    parser.add_argument("--clusters", type=int, default=50, help="0 leaves them out")
    parser.add_argument("--viewers", type=int, default=1000, help="0 leaves them out")
    parser.add_argument("--pace", type=float, action="append", help="cycles/s, may be repeated (default: 2 and 5)")
    parser.add_argument("--workers", type=int, default=WORKERS, help=f"that play the clusters (default: {WORKERS})")
    options = parser.parse_args(arguments)
    # Two sockets for each viewer on this machine; the processes it starts inherit the limit.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65536)), hard))
    began = os.getloadavg()[0]
    print("\n".join(HEAD), flush=True)
    missed = 0
    say = partial(print, file=sys.stderr)
    for row in rows(options.clusters, options.viewers, options.pace or [2, 5], options.workers, say):
        print(row.line(), flush=True)
        missed += row.missed
    print(f"\n{os.cpu_count()} cores, load before {began:.1f}, after {os.getloadavg()[0]:.1f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
