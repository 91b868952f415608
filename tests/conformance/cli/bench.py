"""Measure the engine with one workload, or with all: one row per size of the cluster."""

import argparse
import json
import multiprocessing
import sys
from pathlib import Path

from kube_objects.node import Node
from kube_objects.pod import Pod
from scheduler_core.emulations import EMULATIONS, ORIGINAL_VERSION
from simulator.cli.input.trace_files import DEFAULT_FOLDER, TraceError, read_trace
from tests.conformance.bench.measure import DECISIONS, MODES, Row, measure
from tests.conformance.bench.workloads import SYNTHETIC, TRACE, Workload, default_pods, synthetic

SIZES = (100, 1000, 5000, 15_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    workloads = [*SYNTHETIC, TRACE]
    parser.add_argument("--workload", choices=workloads, action="append", help="may be repeated (default: all)")
    parser.add_argument("--nodes", type=int, action="append", help=f"may be repeated (default: {SIZES})")
    parser.add_argument("--pods", type=int, help="default: depends on the workload")
    parser.add_argument("--running", type=int, default=0, metavar="N", help="N more pods are on the nodes already")
    versions = [version for version, each in EMULATIONS.items() if each.rules is not None]
    parser.add_argument("--emulate", choices=versions, default=ORIGINAL_VERSION.version, help="(default: %(default)s)")
    parser.add_argument("--mode", choices=MODES, default=DECISIONS, help="what is recorded (default: %(default)s)")
    parser.add_argument(
        "--trace-dir",
        type=Path,
        default=DEFAULT_FOLDER,
        metavar="DIR",
        help="files of the workload trace (%(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON, one a line")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; return exit status 1 if a requested trace is missing."""
    if not arguments.json:
        columns = f"{'nodes':>6} {'pods':>6} {'pods/s':>8} {'p50 ms':>8} {'p99 ms':>8} {'MiB':>6} {'placed':>6} growth"
        print(f"{'workload':<14} {'mode':<10} {columns}")
    for name in arguments.workload or [*SYNTHETIC, TRACE]:
        before: Row | None = None
        # The trace brings its own nodes.
        for nodes in arguments.nodes or SIZES if name != TRACE else (0,):
            # A process of its own: peak memory is per process, and no row warms up the next one.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                try:
                    row = pool.apply(_measure, (name, nodes, arguments))
                except TraceError as error:
                    print(error, file=sys.stderr)
                    if arguments.workload:
                        return 1
                    continue
            print(json.dumps(row.as_dict()) if arguments.json else _line(row, before), flush=True)
            before = row
    return 0


def _measure(name: str, nodes: int, arguments: argparse.Namespace) -> Row:
    def make() -> Workload:
        if name == TRACE:
            return _trace(arguments.trace_dir, arguments.pods)
        return synthetic(name, nodes, arguments.pods or default_pods(name, nodes), arguments.running)

    return measure(name, make, arguments.mode, EMULATIONS[arguments.emulate])


def _trace(folder: Path, limit: int | None) -> Workload:
    objects = read_trace(folder).objects
    pods = [obj for obj in objects if isinstance(obj, Pod)]
    return Workload([obj for obj in objects if isinstance(obj, Node)], pods[:limit])


def _line(row: Row, before: Row | None) -> str:
    """Return the row. `growth` is the cost of an attempt compared with the row `before`."""
    growth = "" if before is None else f"x{row.p50_ms / before.p50_ms:.2f}"
    return (
        f"{row.workload:<14} {row.mode:<10} {row.nodes:>6} {row.pods:>6} {row.pods_per_s:>8.0f} {row.p50_ms:>8.3f} "
        f"{row.p99_ms:>8.3f} {row.peak_mib:>6.0f} {row.placed:>6} {growth:<6}"
        f" (calibration: {row.calibration.loop_per_s / 1e6:.0f} M, {row.calibration.columns_per_s:,})"
    )
