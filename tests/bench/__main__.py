"""`make bench`: every workload at every size in every mode, several times; medians and spread as Markdown tables.

A row is a process of its own (`python -m scheduler_core bench … --json`), and the runs are interleaved, so that a busy
minute of the machine spoils one run of many rows and not all runs of one.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from scheduler_core.bench.measure import COMPLETE, DECISIONS, FAITHFUL
from scheduler_core.bench.workloads import SYNTHETIC, TRACE
from scheduler_core.cli.trace_files import DEFAULT_FOLDER, TraceError, read_trace

ROOT = Path(__file__).resolve().parent.parent.parent
SIZES = (100, 1000, 5000, 15_000)
# What an attempt costs in these modes does not depend on how many there are.
FEW_PODS = {FAITHFUL: 1000, COMPLETE: 200}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a table."""

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


@dataclass(slots=True)
class Table:
    title: str
    cases: Sequence[Case]
    runs: dict[Case, list[dict[str, Any]]] = field(default_factory=dict)

    def lines(self) -> Iterable[str]:
        """Pods/s are medians with the lowest and the highest run; the other figures are medians."""
        yield f"### {self.title}"
        yield ""
        yield "| workload | nodes | pods | placed | pods/s | spread | p50 ms | growth | p99 ms | peak MiB |"
        yield "| --- | ---: | ---: | ---: | ---: | --- | ---: | --- | ---: | ---: |"
        before: tuple[Case, float] | None = None
        for case in self.cases:
            rows = self.runs[case]
            rates, p50, p99, peak = (
                [row[name] for row in rows] for name in ("pods_per_s", "p50_ms", "p99_ms", "peak_mib")
            )
            grown = before is not None and before[0].workload == case.workload
            growth = f"×{median(p50) / before[1]:.1f}" if before is not None and grown else ""
            yield (
                f"| {_title(case)} | {rows[0]['nodes']:,} | {rows[0]['pods']:,} | {rows[0]['placed']:,} "
                f"| {median(rates):,.0f} | {min(rates):,.0f} – {max(rates):,.0f} "
                f"| {median(p50):.3f} | {growth} | {median(p99):.3f} | {median(peak):.0f} |"
            )
            before = case, median(p50)
        yield ""
        yield self._calibration()
        yield ""

    def _calibration(self) -> str:
        found = [row["calibration"] for rows in self.runs.values() for row in rows]
        loops, columns = (sorted(one[name] for one in found) for name in ("loop_per_s", "columns_per_s"))
        low, middle, high = (value / 1e6 for value in (loops[0], median(loops), loops[-1]))
        return (
            f"Calibration meanwhile: loop {middle:.1f} M/s ({low:.1f} – {high:.1f}), "
            f"columns {median(columns):,.0f}/s ({columns[0]:,} – {columns[-1]:,})."
        )


def _title(case: Case) -> str:
    return f"{case.workload}, {case.running:,} running" if case.running else case.workload


def tables(sizes: Sequence[int], workloads: Sequence[str], with_trace: bool) -> list[Table]:
    synthetic = [name for name in workloads if name != TRACE]
    made = []
    for mode in (DECISIONS, FAITHFUL, COMPLETE):
        cases = [Case(name, mode, nodes, _pods(name, mode)) for name in synthetic for nodes in sizes]
        if with_trace and TRACE in workloads:
            cases.append(Case(TRACE, mode, 0, FEW_PODS.get(mode)))
        made.append(Table({DECISIONS: "Decisions only", FAITHFUL: "Faithful trace"}.get(mode, "Complete trace"), cases))
    large = [Case("basic", DECISIONS, nodes, 5000, running) for nodes, running in ((5000, 33_000), (15_000, 100_000))]
    return [*made, Table("A large cluster", large)]


def _pods(workload: str, mode: str) -> int | None:
    """None for the workload's own number."""
    few = FEW_PODS.get(mode)
    return min(few, 200) if few and workload == "preemption" else few


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nodes", type=int, action="append", help="may be repeated (default: all sizes)")
    parser.add_argument("--workload", action="append", choices=[*SYNTHETIC, TRACE], help="may be repeated")
    arguments = parser.parse_args()
    try:
        with_trace = bool(read_trace(DEFAULT_FOLDER).objects)
    except TraceError as error:
        print(f"without the production trace: {error}", file=sys.stderr)
        with_trace = False
    made = tables(arguments.nodes or SIZES, arguments.workload or [*SYNTHETIC, TRACE], with_trace)
    for number in range(arguments.runs):
        for table in made:
            for case in table.cases:
                print(f"run {number + 1}: {_title(case)}, {case.mode}, {case.nodes:,} nodes", file=sys.stderr)
                done = subprocess.run(case.command, cwd=ROOT, capture_output=True, text=True, check=True)
                table.runs.setdefault(case, []).append(json.loads(done.stdout))
    for table in made:
        print("\n".join(table.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
