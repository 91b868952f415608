"""Measure the memory of all processes of `make run`, as in docs/contributing/benchmarks.md.

Run it with `python -m tests.bench.memory`.

Pages that several processes share are counted once (PSS).
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil

from tests.bench.end_to_end import Client
from tests.bench.page import manifests
from tests.conformance.bench.workloads import node_manifest, pod_manifest
from tests.services import Playground, run_playground

MIB = 1 << 20
# What a child of the supervisor is called here, by a word of its command line.
NAMES = {
    "playground.local.web_process": "web",
    "playground.questions": "answers",
    "playground.beat": "beat",
    "playground": "worker",
}
# A second copy of a large cluster is dropped meanwhile.
SETTLE_SECONDS = 15
CHUNK = 1000
STEPS = 10
NODES_PLAYED, PODS_PLAYED = 200, 300
Sizes = Mapping[str, float]


def sizes(playground: Playground) -> Sizes:
    """Return MiB by process; a forked child has the name of its parent with its generation's number."""
    found: dict[str, float] = defaultdict(float)
    supervisor = psutil.Process(playground.supervisor.pid)
    found["supervisor"] = _pss(supervisor)
    for child in supervisor.children():
        words = child.cmdline()
        name = next((name for word, name in NAMES.items() if word in words), "broker")
        found[name] += _pss(child)
        for other in child.children(recursive=True):
            is_reader = "multiprocessing" in " ".join(other.cmdline())
            found["apart" if is_reader else f"{name}'s pool"] += _pss(other)
    return found


def _pss(process: psutil.Process) -> float:
    return float(process.memory_full_info().pss) / MIB


def table(columns: Mapping[str, Sizes]) -> str:
    """Return a row per process and a column per point in time."""
    names = sorted({name for found in columns.values() for name in found})
    rows = [f"| | {' | '.join(columns)} |", "| --- |" + " ---: |" * len(columns)]
    rows += [f"| {name} | {' | '.join(f'{found.get(name, 0):.0f}' for found in columns.values())} |" for name in names]
    rows.append(f"| in all | {' | '.join(f'{sum(found.values()):.0f}' for found in columns.values())} |")
    return "\n".join(rows)


class Player:
    """One cluster with a viewer; it waits for each of its commands."""

    def __init__(self, stack: ExitStack, url: str, name: str) -> None:
        self._client = Client(url)
        cluster = self._client.post("clusters/", {"name": name, "seed": 1})["id"]
        self._path = f"clusters/{cluster}"
        self._stream = stack.enter_context(self._client.stream(cluster))

    def do(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """Run a command; return its first records."""
        self._client.reconnect()
        self._client.post(f"{self._path}/commands/", {"kind": kind, **fields})
        return self._stream.records()

    def run(self, cycles: int) -> None:
        found = self.do("run", until="idle")
        while (cycles := cycles - sum(record["kind"] == "cycle" for record in found)) > 0:
            found = self._stream.records()

    def look(self, cycle: int) -> None:
        self._client.get(f"{self._path}/cycles/{cycle}/")
        self._client.get(f"{self._path}/cycles/{cycle}/matrix/")


def at_rest_and_large(playground: Playground, nodes: int, pods: int) -> str:
    time.sleep(SETTLE_SECONDS)
    at_rest = sizes(playground)
    with ExitStack() as stack:
        player = Player(stack, playground.url, "large")
        objects = manifests(nodes, pods)
        player.do("create", objects=objects[:nodes])
        for first in range(nodes, len(objects), CHUNK):
            player.do("create", objects=objects[first : first + CHUNK])
        time.sleep(SETTLE_SECONDS)
        large = sizes(playground)
        for _ in range(STEPS):
            player.do("schedule_one")
        time.sleep(SETTLE_SECONDS)
        return table({"at rest": at_rest, f"{nodes:,} nodes, {pods:,} pods": large, "and steps": sizes(playground)})


def played(playground: Playground, rounds: int, every: int) -> str:
    with ExitStack() as stack:
        player = Player(stack, playground.url, "played")
        player.do("create", objects=[node_manifest(i, "32", "128Gi") for i in range(NODES_PLAYED)])
        player.do("create", objects=[_pod(i) for i in range(PODS_PLAYED)])
        player.run(PODS_PLAYED)
        columns: dict[str, Sizes] = {}
        for number in range(rounds + 1):
            if number % every == 0:
                columns[f"{3 * number:,}"] = now = sizes(playground)
                print(
                    f"{3 * number:,} commands, {sum(now.values()):.1f} MiB:",
                    *(f"{name} {size:.1f}" for name, size in now.items()),
                    file=sys.stderr,
                )
            player.do("create", objects=[_pod(PODS_PLAYED + number)])
            player.do("schedule_one")
            player.do("delete", objects=[{"kind": "Pod", "name": f"pod-{number}", "namespace": "default"}])
            if number % 2:
                player.look(1 + number * 7 % (PODS_PLAYED + number))
        return table(columns)


def _pod(number: int) -> dict[str, Any]:
    return pod_manifest(f"pod-{number}", {"app": f"app-{number % 7}"})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.memory", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, help="of play, instead of a large cluster")
    parser.add_argument("--every", type=int, default=500, help="rounds between two looks at the memory")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, run_playground(Path(folder) / "data") as playground:
        if given.rounds:
            print(played(playground, given.rounds, given.every))
        else:
            print(at_rest_and_large(playground, given.nodes, given.pods))


if __name__ == "__main__":
    main()
