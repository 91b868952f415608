"""`python -m tests.bench.clicks`: many clusters clicked at once, and what the simulation of the queueing says of it.

A playground as `make run` starts it, on PostgreSQL: somebody steps in each cluster, at random times, and sees the
record on a socket. Each process is asked meanwhile what it takes of CPU for a step; with these costs, on as many cores
as this machine has, `tests.bench.scale` simulates the same clicks. The clients share the cores.
"""

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import psycopg

from tests.bench.end_to_end import Client, Stream
from tests.bench.scale import Costs, Site, simulate
from tests.conformance.bench.workloads import node_manifest, pod_manifest
from tests.services import Playground, run_playground, run_postgres, wait_for

NODES, PODS, WARM_UP = 100, 400, 3
HEAD = [
    "| clusters | clicks/s | cores busy | p50 ms | simulated | p95 ms | simulated |",
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
]


class Clicker:
    """A user who steps in a cluster of their own."""

    def __init__(self, stack: ExitStack, url: str, number: int) -> None:
        self.client = Client(url)
        self.cluster = int(self.client.post("clusters/", {"name": f"clicks {number}", "seed": number})["id"])
        self.stream: Stream = stack.enter_context(self.client.stream(self.cluster))
        self.chance = random.Random(number)
        objects = [node_manifest(i, "64", "256Gi") for i in range(NODES)]
        objects += [pod_manifest(f"pod-{i}", {"app": "one"}) for i in range(PODS)]
        self.do({"kind": "create", "objects": objects})
        for _ in range(WARM_UP):
            self.step()

    def do(self, command: dict[str, object]) -> None:
        self.client.reconnect()
        self.client.post(f"clusters/{self.cluster}/commands/", command)
        self.stream.records()

    def step(self) -> float:
        """Return the seconds from the click to its record."""
        began = time.perf_counter()
        self.do({"kind": "schedule_one"})
        return time.perf_counter() - began

    def play(self, every: float, until: float) -> list[float]:
        """Click at random times until `time.monotonic()` reaches a value."""
        times = []
        while (after := time.monotonic() + self.chance.expovariate(1 / every)) < until:
            time.sleep(max(after - time.monotonic(), 0.0))
            times.append(self.step())
        return times


class Spent:
    """The CPU seconds of each part since its creation."""

    def __init__(self, playground: Playground, database: psutil.Process) -> None:
        self._database = database
        self._web = wait_for(lambda: playground.find("playground.local.web_process"), "the web process")
        self._worker = wait_for(playground.worker, "the worker's pool")
        self._playground = playground
        self._before = self._now()

    @property
    def seconds(self) -> dict[str, float]:
        return {name: now - self._before[name] for name, now in self._now().items()}

    def _now(self) -> dict[str, float]:
        everything = psutil.Process(self._playground.supervisor.pid).children(recursive=True)
        return {
            "request": _cpu([self._web]),
            "step": _cpu([self._worker, *self._worker.children()]),
            "store": _cpu([self._database, *self._database.children()]),
            "tell": _cpu(one for one in everything if "server" in one.name()),
            "client": time.process_time(),
        }


def _cpu(processes: Iterable[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in processes)


def clicked(clickers: Sequence[Clicker], every: float, seconds: float, spent: Spent) -> tuple[list[float], Costs]:
    """Return the duration of each click in ms, and the CPU cost of one."""
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(clickers)) as threads:
        times = [one * 1000 for found in threads.map(lambda each: each.play(every, until), clickers) for one in found]
    each = {name: found / len(times) for name, found in spent.seconds.items()}
    return times, Costs(**each, write=0.0)


def rows(clusters: Sequence[int], every: float, seconds: float) -> Iterator[str]:
    """Yield a row for each number of clusters.

    The first, for one, determines the time that clicks spend besides CPU.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="playground-clicks-"))
        address = stack.enter_context(run_postgres())
        playground = stack.enter_context(run_playground(Path(folder) / "data", {"DATABASE_URL": address}))
        connection = stack.enter_context(psycopg.connect(address))
        database = psutil.Process(connection.info.backend_pid).parent()
        assert database is not None
        clickers: list[Clicker] = []
        cores, wait = os.cpu_count() or 1, 0.0
        for count in (1, *clusters):
            clickers += [Clicker(stack, playground.url, number) for number in range(len(clickers), count)]
            times, costs = clicked(clickers[:count], every, seconds, Spent(playground, database))
            p50, p95 = np.percentile(times, (50, 95))
            cpu = sum(vars(costs).values())
            if count == 1:
                wait = max(p50 / 1000 - cpu, 0.0)
            found = simulate(Site(cores=cores, costs=replace(costs, wait=wait)), count, every, 1)
            rate = len(times) / seconds
            yield (
                f"| {count} | {rate:.0f} | {rate * cpu / cores:.0%} | {p50:.0f} | {found.p50 * 1000:.0f} "
                f"| {p95:.0f} | {found.p95 * 1000:.0f} |"
            )
            print(f"{count}: {costs}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.clicks", description=__doc__)
    parser.add_argument("--clusters", type=int, action="append", help="may be repeated (default: 20, 40, 60)")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between two clicks in a cluster")
    parser.add_argument("--seconds", type=float, default=30.0, help="of each row")
    given = parser.parse_args(arguments)
    print("\n".join(HEAD), flush=True)
    for row in rows(given.clusters or [20, 40, 60], given.every, given.seconds):
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
