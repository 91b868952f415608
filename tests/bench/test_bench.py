"""The bench measures what it says: every workload runs, in every mode, to the same decisions."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.cases import Case
from tests.bench.tables import Table
from tests.conformance.bench import measure as measuring
from tests.conformance.bench.measure import COMPLETE, DECISIONS, FAITHFUL, Calibration, measure
from tests.conformance.bench.workloads import SYNTHETIC, synthetic

ROOT = Path(__file__).resolve().parent.parent.parent

# workload, nodes, pods, how many of these find a node
CASES = [
    ("basic", 20, 40, 40),
    ("antiaffinity", 20, 50, 20),
    ("affinity", 20, 40, 40),
    ("prefaffinity", 20, 40, 40),
    ("spread", 20, 40, 40),
    ("spreadsoft", 20, 40, 40),
    ("unschedulable", 20, 10, 0),
    ("preemption", 20, 15, 15),
    ("churn", 20, 60, 60),
    ("replicas", 20, 40, 40),
    ("dra", 10, 70, 60),
]


def test_every_workload_is_in_the_table() -> None:
    assert [case[0] for case in CASES] == list(SYNTHETIC)


@pytest.mark.parametrize(("name", "nodes", "pods", "placed"), CASES, ids=lambda value: str(value))
def test_workload(name: str, nodes: int, pods: int, placed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # How fast the machine is takes longer to find out than all else; a row of the command line has it.
    monkeypatch.setattr(measuring, "calibrate", lambda: Calibration(1, 1))
    rows = [measure(name, lambda: synthetic(name, nodes, pods), mode) for mode in (DECISIONS, FAITHFUL, COMPLETE)]
    assert [row.placed for row in rows] == [placed] * 3
    assert all(row.pods_per_s > 0 and 0 < row.p50_ms <= row.p99_ms and row.peak_mib > 0 for row in rows)


def test_pods_that_run_already_take_room() -> None:
    assert measure("basic", lambda: synthetic("basic", 2, 300, running=100), DECISIONS).placed == 2 * 110 - 100


def test_a_row_of_the_command_line() -> None:
    words = ["bench", "--workload", "basic", "--nodes", "10", "--pods", "20", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance", *words], cwd=ROOT, capture_output=True, check=True
    )
    row = json.loads(done.stdout)
    assert {"pods_per_s", "p50_ms", "p99_ms", "peak_mib", "placed", "calibration"} <= row.keys()
    assert (row["workload"], row["nodes"], row["pods"], row["placed"]) == ("basic", 10, 20, 20)


def test_a_trace_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    words = ["bench", "--workload", "trace", "--trace-dir", str(tmp_path)]
    done = subprocess.run([sys.executable, "-m", "tests.conformance", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "no node and pod list there; set TRACE_DIR" in done.stderr


def test_a_table_tells_medians_spread_growth_and_calibration() -> None:
    small, large = Case("basic", DECISIONS, 100), Case("basic", DECISIONS, 1000)
    table = Table("Decisions only", [small, large])
    runs: dict[Case, list[dict[str, Any]]] = {}
    for case, rates, p50 in ((small, (10, 30, 20), 0.1), (large, (5, 6, 7), 0.25)):
        runs[case] = [
            {
                "nodes": case.nodes,
                "pods": 5,
                "placed": 4,
                "pods_per_s": rate,
                "p50_ms": p50,
                "p99_ms": 1.0,
                "peak_mib": 50.0,
                "calibration": {"loop_per_s": 40_000_000, "columns_per_s": 76_000},
            }
            for rate in rates
        ]
    assert list(table.lines(runs))[4:] == [
        "| basic | 100 | 5 | 4 | 20 | 10 – 30 | 0.100 |  | 1.000 | 50 |",
        "| basic | 1,000 | 5 | 4 | 6 | 5 – 7 | 0.250 | ×2.5 | 1.000 | 50 |",
        "",
        "Calibration meanwhile: loop 40.0 M/s (40.0 – 40.0), columns 76,000/s (76,000 – 76,000).",
        "",
    ]
