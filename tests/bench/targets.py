"""The tables of docs/contributing/benchmarks.md: what was asked for beside what was measured."""

from collections.abc import Iterable, Sequence
from statistics import median

from tests.bench import cases
from tests.bench.cases import (
    GO_PODS_PER_S,
    GO_SIZES,
    LARGE,
    REPLICAS,
    THE_TRACE,
    THE_TRACES_WAY,
    WHOLE_WAYS,
    AnyCase,
    Case,
    case,
    go_case,
)
from tests.bench.tables import Runs, calibration, spread
from tests.conformance.bench.measure import COMPLETE, DECISIONS, FAITHFUL

ROWS = [(workload, nodes) for workload in GO_PODS_PER_S for nodes in GO_SIZES]


def target_cases(with_trace: bool) -> list[AnyCase]:
    """Return the rows that a target concerns."""
    table = [go_case(workload, mode, nodes) for workload, nodes in ROWS for mode in (DECISIONS, FAITHFUL)]
    whole = [case(workload, COMPLETE, 5000) for workload in GO_PODS_PER_S]
    trace: list[AnyCase] = [THE_TRACE, THE_TRACES_WAY] if with_trace else []
    return [*table, *whole, REPLICAS, *trace, *LARGE, *WHOLE_WAYS]


def target_lines(runs: Runs) -> Iterable[str]:
    """Return medians, with the lowest and the highest run."""
    yield from _go_lines(runs)
    yield "| what | asked for | measured | spread | met |"
    yield "| --- | ---: | ---: | --- | --- |"
    for what, asked, values, digits, at_least in _others(runs):
        met = median(values) >= asked if at_least else median(values) <= asked
        sign = "≥" if at_least else "≤"
        yield (
            f"| {what} | {sign} {asked:,} | {median(values):,.{digits}f} | {spread(values, digits)} | {_answer(met)} |"
        )
    yield ""
    yield calibration(row for rows in runs.values() for row in rows)


def _go_lines(runs: Runs) -> Iterable[str]:
    yield (
        "| workload | nodes | Go pods/s | decisions only | spread | × Go, scaled | asked for | met "
        "| faithful | of it | met |"
    )
    yield "| --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: | ---: | --- |"
    for workload, nodes in ROWS:
        go, asked = GO_PODS_PER_S[workload][GO_SIZES.index(nodes)], cases.GO_TIMES[nodes]
        rates, faithful = (_of(runs, go_case(workload, mode, nodes), "pods_per_s") for mode in (DECISIONS, FAITHFUL))
        times = median(_scaled(runs, go_case(workload, DECISIONS, nodes))) / go
        share = median(faithful) / median(rates)
        yield (
            f"| {workload} | {nodes:,} | {go:,} | {median(rates):,.0f} | {spread(rates)} | {times:.1f} "
            f"| {asked} | {_answer(times >= asked)} | {median(faithful):,.0f} | {share:.0%} "
            f"| {_answer(share >= cases.FAITHFUL_SHARE)} |"
        )
    yield ""


def _others(runs: Runs) -> Iterable[tuple[str, float, Sequence[float], int, bool]]:
    """Return (name, target, values, shown digits, whether more is better)."""
    replicas = [rate / cases.GO_REPLICAS_PER_S for rate in _scaled(runs, REPLICAS)]
    yield "5,000 equal pods, 5,000 nodes, × Go, scaled", cases.REPLICAS_TIMES, replicas, 1, True
    for workload in GO_PODS_PER_S:
        rates = _of(runs, case(workload, COMPLETE, 5000), "pods_per_s")
        yield f"complete trace, {workload}, 5,000 nodes, cycles/s", cases.COMPLETE_PER_S, rates, 0, True
    if THE_TRACE in runs:
        seconds = [row["pods"] / row["pods_per_s"] for row in runs[THE_TRACE]]
        yield "production trace, decisions only, s", cases.TRACE_SECONDS, seconds, 1, False
        yield f"{THE_TRACES_WAY}, s", cases.WAY_TRACE_SECONDS, _of(runs, THE_TRACES_WAY, "seconds"), 1, False
    small, large = (runs[one] for one in LARGE)
    load = [row["parse_s"] + row["load_s"] for row in large]
    yield "15,000 nodes with 100,000 pods: parse and load, s", cases.LOAD_SECONDS, load, 1, False
    yield "of it: load what was parsed, s", cases.LOAD_SECONDS, [row["load_s"] for row in large], 1, False
    yield "peak memory of it, MiB", cases.PEAK_MIB, [row["peak_mib"] for row in large], 0, False
    growth = [more["p50_ms"] / less["p50_ms"] for less, more in zip(small, large, strict=True)]
    yield "an attempt there, in attempts at 5,000 nodes with 33,000 pods", cases.GROWTH, growth, 2, False
    for way in WHOLE_WAYS:
        rates, p50, p95 = (_of(runs, way, name) for name in ("pods_per_s", "p50_ms", "p95_ms"))
        yield f"{way}, pods/s", cases.WAY_PODS_PER_S[way.nodes], rates, 0, True
        yield f"{way}, one step, p50, ms", cases.STEP_P50_MS, p50, 0, False
        yield f"{way}, one step, p95, ms", cases.STEP_P95_MS, p95, 0, False


def _scaled(runs: Runs, one: Case) -> list[float]:
    """Return pods/s scaled to the machine speed of the Go measurement."""
    return [row["pods_per_s"] * cases.GO_LOOP_PER_S / row["calibration"]["loop_per_s"] for row in runs[one]]


def _of(runs: Runs, one: AnyCase, name: str) -> list[float]:
    return [row[name] for row in runs[one]]


def _answer(met: bool) -> str:
    return "yes" if met else "**no**"
