"""Tables of every row, one per mode: medians, range, and the growth of the cost from size to size."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tests.bench.cases import FEW_PODS, LARGE, Case, case
from tests.conformance.bench.measure import COMPLETE, DECISIONS, FAITHFUL
from tests.conformance.bench.workloads import TRACE

# What was measured, a list of runs for each row.
Runs = Mapping[Any, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    cases: Sequence[Case]

    def lines(self, runs: Runs) -> Iterable[str]:
        """Return the lines. Pods/s are medians with the lowest and the highest run; the other figures are medians."""
        yield f"### {self.title}"
        yield ""
        yield "| workload | nodes | pods | placed | pods/s | spread | p50 ms | growth | p99 ms | peak MiB |"
        yield "| --- | ---: | ---: | ---: | ---: | --- | ---: | --- | ---: | ---: |"
        before: tuple[Case, float] | None = None
        for one in self.cases:
            rows = runs[one]
            rates, p50, p99, peak = (
                [row[name] for row in rows] for name in ("pods_per_s", "p50_ms", "p99_ms", "peak_mib")
            )
            grown = before is not None and before[0].workload == one.workload
            growth = f"×{median(p50) / before[1]:.1f}" if before is not None and grown else ""
            yield (
                f"| {one.title} | {rows[0]['nodes']:,} | {rows[0]['pods']:,} | {rows[0]['placed']:,} "
                f"| {median(rates):,.0f} | {spread(rates)} "
                f"| {median(p50):.3f} | {growth} | {median(p99):.3f} | {median(peak):.0f} |"
            )
            before = one, median(p50)
        yield ""
        yield calibration(row for one in self.cases for row in runs[one])
        yield ""


def spread(values: Sequence[float], digits: int = 0) -> str:
    return f"{min(values):,.{digits}f} – {max(values):,.{digits}f}"


def calibration(rows: Iterable[Mapping[str, Any]]) -> str:
    found = [row["calibration"] for row in rows]
    loops, columns = (sorted(one[name] for one in found) for name in ("loop_per_s", "columns_per_s"))
    low, middle, high = (value / 1e6 for value in (loops[0], median(loops), loops[-1]))
    return (
        f"Calibration meanwhile: loop {middle:.1f} M/s ({low:.1f} – {high:.1f}), "
        f"columns {median(columns):,.0f}/s ({columns[0]:,} – {columns[-1]:,})."
    )


def every_table(sizes: Sequence[int], workloads: Sequence[str]) -> list[Table]:
    made = []
    for mode, title in ((DECISIONS, "Decisions only"), (FAITHFUL, "Faithful trace"), (COMPLETE, "Complete trace")):
        cases = [case(name, mode, nodes) for name in workloads if name != TRACE for nodes in sizes]
        if TRACE in workloads:
            cases.append(Case(TRACE, mode, 0, FEW_PODS.get(mode)))
        made.append(Table(title, cases))
    return [*made, Table("A large cluster", LARGE)]
