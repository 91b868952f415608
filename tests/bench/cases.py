"""The measured rows, and the figures of kube-scheduler with which they are compared."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.cli.input.trace_files import DEFAULT_FOLDER
from tests.conformance.bench.measure import COMPLETE, DECISIONS, FAITHFUL
from tests.conformance.bench.workloads import TRACE

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (100, 1000, 5000, 15_000)
# What an attempt costs in these modes does not depend on how many there are.
FEW_PODS = {FAITHFUL: 1000, COMPLETE: 200}

# kube-scheduler v1.36.3's algorithm alone, pods/s, by workload and nodes, measured in turns with ours, as
# docs/contributing/benchmarks.md says. The machine's loop ran at that speed meanwhile: our figures are scaled to it.
GO_SIZES = (100, 1000, 5000)
GO_PODS_PER_S = {
    "basic": (2764, 1039, 776),
    "antiaffinity": (1556, 386, 414),
    "affinity": (1766, 372, 91),
    "prefaffinity": (1264, 424, 349),
    "spread": (2002, 496, 322),
    "spreadsoft": (2002, 688, 452),
}
GO_REPLICAS_PER_S = 784
GO_LOOP_PER_S = 25.2e6
# How many times that is asked for.
GO_TIMES = {100: 3, 1000: 10, 5000: 15}
REPLICAS_TIMES = 20
FAITHFUL_SHARE = 0.7
COMPLETE_PER_S = 50
TRACE_SECONDS = 8
LOAD_SECONDS = 20
PEAK_MIB = 1536
GROWTH = 2
WAY_PODS_PER_S = {1000: 1600, 5000: 1200}
WAY_TRACE_SECONDS = 7
STEP_P50_MS = 15
STEP_P95_MS = 25


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
        words = ["-m", "tests.conformance", "bench", "--json", "--workload", self.workload, "--mode", self.mode]
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
    """The end-to-end path, in a playground of its own."""

    nodes: int
    pods: int
    steps: int
    is_on_postgres: bool = False

    def __str__(self) -> str:
        return f"the whole way, {self.nodes:,} nodes" + (", PostgreSQL" if self.is_on_postgres else "")

    def measure(self) -> dict[str, Any]:
        from tests.bench.end_to_end import measure  # only this needs what the tests need

        return measure(self.nodes, self.pods, self.steps, self.is_on_postgres).as_dict()


@dataclass(frozen=True, slots=True)
class TraceWayCase:
    """The end-to-end path of the production trace."""

    def __str__(self) -> str:
        return "the whole way, production trace"

    def measure(self) -> dict[str, Any]:
        from tests.bench.end_to_end import measure_trace  # likewise

        return measure_trace(DEFAULT_FOLDER).as_dict()


AnyCase = Case | WayCase | TraceWayCase


def go_case(workload: str, mode: str, nodes: int) -> Case:
    """Return the case with as many Pods as the Go measurement had."""
    few = {100: 1000, 1000: 2000, 5000: 3000 if workload == "basic" else 1000}
    return Case(workload, mode, nodes, few[nodes])


def case(workload: str, mode: str, nodes: int) -> Case:
    few = FEW_PODS.get(mode)
    return Case(workload, mode, nodes, min(few, 200) if few and workload == "preemption" else few)


LARGE = tuple(Case("basic", DECISIONS, nodes, 5000, running) for nodes, running in ((5000, 33_000), (15_000, 100_000)))
REPLICAS = case("replicas", DECISIONS, 5000)
THE_TRACE = Case(TRACE, DECISIONS, 0)
THE_TRACES_WAY = TraceWayCase()
WHOLE_WAYS = tuple(WayCase(nodes, 5000, 200, postgres) for postgres in (False, True) for nodes in WAY_PODS_PER_S)
