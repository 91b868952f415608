"""`make bench`: measure the engine and the end-to-end path several times; print medians and ranges as Markdown.

Each row is a process of its own, and the runs are interleaved, so that a busy minute of the machine affects all rows.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from simulator.cli.input.trace_files import DEFAULT_FOLDER, TraceError, read_trace
from tests.bench.cases import SIZES, AnyCase, case
from tests.bench.tables import Runs, Table, every_table
from tests.bench.targets import target_cases, target_lines
from tests.conformance.bench.measure import DECISIONS
from tests.conformance.bench.workloads import SYNTHETIC, TRACE

QUICK = Table("Quick look", [case(name, DECISIONS, 1000) for name in SYNTHETIC])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--targets", action="store_true", help="only what docs/contributing/benchmarks.md shows")
    what.add_argument("--quick", action="store_true", help="one run at 1,000 nodes, half a minute")
    parser.add_argument("--nodes", type=int, action="append", help="no targets, these sizes only; may be repeated")
    parser.add_argument("--workload", action="append", choices=[*SYNTHETIC, TRACE], help="likewise")
    arguments = parser.parse_args()
    with_trace = _has_trace()
    chosen = arguments.nodes or arguments.workload
    workloads = arguments.workload or [*SYNTHETIC, *([TRACE] if with_trace else [])]
    tables = every_table(arguments.nodes or SIZES, workloads) if chosen or not arguments.targets else []
    targets = [] if chosen else target_cases(with_trace)
    runs = arguments.runs
    if arguments.quick:
        tables, targets, runs = [QUICK], [], 1
    rows = list(dict.fromkeys([*(one for table in tables for one in table.cases), *targets]))
    found = _measure(rows, runs)
    if targets:
        print("\n".join(target_lines(found)))
        print()
    for table in tables:
        print("\n".join(table.lines(found)))
    return 0


def _has_trace() -> bool:
    try:
        return bool(read_trace(DEFAULT_FOLDER).objects)
    except TraceError as error:
        print(f"without the production trace: {error}", file=sys.stderr)
        return False


def _measure(rows: Sequence[AnyCase], runs: int) -> Runs:
    found: dict[AnyCase, list[dict[str, Any]]] = {one: [] for one in rows}
    began = time.monotonic()
    total, done = len(rows) * runs, 0
    for number in range(runs):
        for one in rows:
            left = f", about {(time.monotonic() - began) / done * (total - done) / 60:.0f} min left" if done > 5 else ""
            print(f"run {number + 1} of {runs}, row {done + 1} of {total}{left}: {one}", file=sys.stderr)
            found[one].append(one.measure())
            done += 1
    print(f"took {(time.monotonic() - began) / 60:.1f} min", file=sys.stderr)
    return found


if __name__ == "__main__":
    sys.exit(main())
