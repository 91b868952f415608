"""Comparisons as their owner sees them: progress of each run, metrics, and the differences of two sides."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict

from django.db.models import QuerySet
from django.db.models.functions import Now

from kube_objects.sentences import say
from playground import limits, user_files
from playground.engine.lease_answers import LeaseAnswer, format_lease
from playground.models import Cluster
from playground.models.comparisons import UNFINISHED, Comparison, ComparisonRun, ComparisonState
from playground.problems import Problem, Refused, problem
from playground.response_types import Anything, named
from simulator.comparison import difference

State = Literal["queued", "running", "done", "failed", "cancelled"]


@named("ComparisonSide")
class Side(TypedDict):
    label: str
    source: Literal["current", "default", "version", "yaml"]
    cluster: int
    yaml: NotRequired[str]


@named("RunAnswer")
class Run(TypedDict):
    side: int
    seed: int
    state: State
    cycles: int
    total: int
    seconds: float | None
    decisions_per_second: float | None
    lease: LeaseAnswer | None
    metrics: dict[str, Anything] | None
    problems: list[Problem]


class ComparisonAnswer(TypedDict):
    id: int
    created: str
    at: Anything
    sides: list[Side]
    seeds: list[int]
    state: State
    progress: float
    runs: NotRequired[list[Run]]


class Difference(TypedDict):
    a: int
    b: int
    seed: int
    divergence: difference.ComparedDivergence | None
    moved_total: int
    moved: list[difference.MovedPod]


def comparisons_of(cluster: Cluster) -> QuerySet[Comparison]:
    """Return the cluster's comparisons, newest first."""
    return Comparison.objects.filter(cluster=cluster).order_by("-pk")


def list_comparisons(cluster: Cluster) -> list[ComparisonAnswer]:
    """Return the answer of `comparisons/`: each comparison without its runs."""
    return [_describe_without_runs(comparison, _runs(comparison)) for comparison in comparisons_of(cluster)]


def describe_comparison(comparison: Comparison) -> ComparisonAnswer:
    """Return the whole comparison without its decisions: sides, and each run with progress, worker and metrics."""
    runs = _runs(comparison)
    answer = _describe_without_runs(comparison, runs)
    answer["runs"] = [_run(run) for run in runs]
    for shown, side in zip(answer["sides"], comparison.sides, strict=True):
        shown["yaml"] = side["yaml"]
    return answer


def _runs(comparison: Comparison) -> list[ComparisonRun]:
    runs = ComparisonRun.objects.filter(comparison=comparison).defer("body").annotate(db_now=Now())
    return list(runs.order_by("side", "pk"))


def _describe_without_runs(comparison: Comparison, runs: list[ComparisonRun]) -> ComparisonAnswer:
    return {
        "id": comparison.pk,
        "created": comparison.created.isoformat(),
        "at": comparison.at,
        "sides": [
            {"label": side["label"], "source": _name_of(side["source"]), "cluster": side["cluster"]}
            for side in comparison.sides
        ],
        "seeds": comparison.seeds,
        "state": _state(runs),
        "progress": sum(map(_share_done, runs)) / len(runs),
    }


def _name_of(source: Any) -> Any:
    """Return current, default, version or yaml."""
    return source if isinstance(source, str) else next(iter(source))


def _state(runs: list[ComparisonRun]) -> State:
    states = {run.state for run in runs}
    if states & set(UNFINISHED):
        return "queued" if states == {ComparisonState.QUEUED} else "running"
    if ComparisonState.CANCELLED in states:
        return "cancelled"
    return "failed" if ComparisonState.FAILED in states else "done"


def _share_done(run: ComparisonRun) -> float:
    if run.state not in UNFINISHED:
        return 1.0
    return min(run.cycles / run.total, 0.99) if run.total else 0.0


def _run(run: ComparisonRun) -> Run:
    now: datetime = run.db_now  # type: ignore[attr-defined]  # annotated by the query
    rate = run.cycles / run.seconds if run.seconds else None
    return {
        "side": run.side,
        "seed": run.seed,
        "state": run.state,  # type: ignore[typeddict-item]  # one of ComparisonState
        "cycles": run.cycles,
        "total": run.total,
        "seconds": run.seconds,
        "decisions_per_second": None if rate is None else round(rate, 1),
        "lease": format_lease(run.lease_holder, run.lease_expires, now),
        "metrics": run.metrics,
        "problems": run.problems,
    }


def compare_sides(
    comparison: Comparison, a: int, b: int, seed: int, most: int | None = limits.COMPARISON_MOVED
) -> Difference:
    """Return `{divergence, moved, moved_total}` of two sides with one seed, with at most `most` Pods; None is all.

    Raises Refused, with status 409, before both are done.
    """
    results = _results(comparison, a, b, seed)
    moved = difference.find_moved_pods(*results)
    return {
        "a": a,
        "b": b,
        "seed": seed,
        "divergence": difference.find_divergence(*results),
        "moved_total": len(moved),
        "moved": moved[:most],
    }


def moved_as_csv(comparison: Comparison, a: int, b: int, seed: int) -> str:
    """Return all Pods whose Node differs: Pod, Node in `a`, Node in `b`."""
    rows = [
        (each["pod"], each["a"] or "", each["b"] or "")
        for each in difference.find_moved_pods(*_results(comparison, a, b, seed))
    ]
    return user_files.table(("pod", comparison.sides[a]["label"], comparison.sides[b]["label"]), rows)


def metrics_as_csv(comparison: Comparison) -> str:
    """Return a row per run and metric: side, label, seed, metric, value."""
    return user_files.table(("side", "label", "seed", "metric", "value"), _metric_rows(comparison))


def _metric_rows(comparison: Comparison) -> Iterator[tuple[Any, ...]]:
    for run in _runs(comparison):
        if run.metrics is None:
            continue
        label = comparison.sides[run.side]["label"]
        rate = _run(run)["decisions_per_second"]
        for name, value in [*_flat(run.metrics, ""), ("decisions_per_second", rate)]:
            yield run.side, label, run.seed, name, value


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(inner, f"{path}[{index}]")
    elif value is not None:
        yield path, value


def _results(comparison: Comparison, a: int, b: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    done = ComparisonRun.objects.filter(comparison=comparison, seed=seed, state=ComparisonState.DONE)
    bodies: dict[int, Any] = dict(done.filter(side__in={a, b}).values_list("side", "body"))
    missing = [side for side in (a, b) if side not in bodies]
    if missing:
        rule = say("side {missing} has no result with seed {seed}", missing=missing[0], seed=seed)
        raise Refused(
            [problem("", rule, hint=say("the run has not finished or was canceled, or the side does not exist"))], 409
        )
    return bodies[a], bodies[b]
