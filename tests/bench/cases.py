"""The rows that are measured, and the numbers that they are held against."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scheduler_core.bench.measure import COMPLETE, DECISIONS, FAITHFUL
from scheduler_core.bench.workloads import TRACE

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (100, 1000, 5000, 15_000)
# What an attempt costs in these modes does not depend on how many there are.
FEW_PODS = {FAITHFUL: 1000, COMPLETE: 200}

# kube-scheduler v1.34.1's algorithm alone, pods/s, by workload and nodes; measured as docs/performance.md says.
GO_SIZES = (100, 1000, 5000)
GO_PODS_PER_S = {
    "basic": (4552, 1596, 1338),
    "antiaffinity": (2615, 1017, 793),
    "affinity": (3105, 847, 217),
    "prefaffinity": (2660, 1317, 827),
    "spread": (3945, 1109, 662),
    "spreadsoft": (3804, 1290, 875),
}
# How many times that is asked for.
GO_TIMES = {100: 1, 1000: 2, 5000: 3}
AFFINITY_TIMES = 10
REPLICAS_TIMES = 5
FAITHFUL_SHARE = 0.5
COMPLETE_PER_S = 50
TRACE_SECONDS = 8
LOAD_SECONDS = 20
PEAK_MIB = 1536
GROWTH = 2
WAY_PODS_PER_S = 500
STEP_P95_MS = 50


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a table, measured in a process of its own."""

    workload: str
    mode: str
    nodes: int
    pods: int | None = None
    running: int = 0

    @property
    def command(self) -> list[str]:
        words = ["-m", "scheduler_core", "bench", "--json", "--workload", self.workload, "--mode", self.mode]
        words += ["--nodes", str(self.nodes), "--running", str(self.running)]
        return [sys.executable, *words, *(["--pods", str(self.pods)] if self.pods else [])]

    @property
    def title(self) -> str:
        return f"{self.workload}, {self.running:,} running" if self.running else self.workload

    def __str__(self) -> str:
        return f"{self.title}, {self.mode}" + (f", {self.nodes:,} nodes" if self.nodes else "")

    def measure(self) -> dict[str, Any]:
        done = subprocess.run(self.command, cwd=ROOT, capture_output=True, text=True, check=True)
        row: dict[str, Any] = json.loads(done.stdout)
        return row


@dataclass(frozen=True, slots=True)
class WayCase:
    """The whole way, in a playground of its own."""

    nodes: int
    pods: int
    steps: int

    def __str__(self) -> str:
        return f"the whole way, {self.nodes:,} nodes"

    def measure(self) -> dict[str, Any]:
        from tests.bench.whole_way import measure  # only this needs what the tests need

        return measure(self.nodes, self.pods, self.steps).as_dict()


def go_target(workload: str, nodes: int) -> int:
    """Pods/s that are asked for."""
    times = AFFINITY_TIMES if (workload, nodes) == ("affinity", 5000) else GO_TIMES[nodes]
    return times * GO_PODS_PER_S[workload][GO_SIZES.index(nodes)]


def case(workload: str, mode: str, nodes: int) -> Case:
    few = FEW_PODS.get(mode)
    return Case(workload, mode, nodes, min(few, 200) if few and workload == "preemption" else few)


LARGE = tuple(Case("basic", DECISIONS, nodes, 5000, running) for nodes, running in ((5000, 33_000), (15_000, 100_000)))
REPLICAS = case("replicas", DECISIONS, 5000)
THE_TRACE = Case(TRACE, DECISIONS, 0)
WHOLE_WAY = WayCase(1000, 5000, 200)
