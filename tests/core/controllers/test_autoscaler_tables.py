"""The horizontal pod autoscaler, held against upstream's own tables (`tables/podautoscaler.json`), and over a load."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kube_controllers.horizontal_pod_autoscaler import calculator, limits
from kube_controllers.horizontal_pod_autoscaler.calculator import MetricError, Sample, Tolerances
from tests.core.controllers.upstream_cases import cases_of, differences, families_of


@pytest.fixture(autouse=True)
def times_of_upstreams_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Source: defaultTestingCPUInitializationPeriod, defaultTestingDelayOfInitialReadinessStatus."""
    monkeypatch.setattr(calculator, "INITIALIZATION_SECONDS", 120.0)
    monkeypatch.setattr(calculator, "INITIAL_READINESS_SECONDS", 10.0)


def replicas(given: Any) -> Any:
    try:
        found = _proposed(given)
    except MetricError as error:
        return {"error": _part(str(error), given), "replicas": None, "utilization": None, "value": None}
    return {"replicas": found.replicas, "utilization": found.utilization, "value": found.value, "error": None}


def _part(told: str, given: Any) -> str:
    """Upstream looks for a part of the message."""
    parts = (case["wanted"].get("error") for case in cases_of("podautoscaler") if case["given"] is given)
    return next((part for part in parts if part and part in told), told)


def _proposed(given: Any) -> calculator.Proposal:
    tolerances = Tolerances(*given["tolerances"]) if given["tolerances"] else Tolerances()
    current, target, pods, now = given["current"], given["target"], given["pods"], given["now"]
    if given["kind"] == "resource":
        names = given["names"] or [f"test-pod-{at}" for at in range(len(given["levels"]))]
        wanted = [0, 1] if not given["container"] else [int(given["container"][-1]) - 1]
        metrics = {
            name: Sample(sum(levels[at] for at in wanted if at < len(levels)), given["at"])
            for name, levels in zip(names, given["levels"], strict=False)
        }
        return calculator.resource_replicas(
            current, target, pods, metrics, given["resource"], now, tolerances, given["container"]
        )
    match given["kind"]:
        case "pods":
            metrics = {f"test-pod-{at}": Sample(level, given["at"]) for at, level in enumerate(given["levels"])}
            return calculator.average_replicas(current, target, pods, metrics, "", now, tolerances)
        case "object" | "external":
            return calculator.total_replicas(current, target, sum(given["levels"]), pods, tolerances)
        case _:
            return calculator.shared_replicas(current, target, sum(given["levels"]), tolerances)


def within(given: Any) -> Any:
    found = limits.limit_replicas(*given)
    return [found.replicas, found.reason]


def _events(found: Any) -> list[limits.Event]:
    return [(at, count) for at, count in found]


def stabilized(given: Any) -> Any:
    most, known = limits.stabilize(_events(given["known"]), given["wanted"], given["now"])
    return [most, len(known)]


def stabilized_by(given: Any) -> Any:
    up, down = ({"stabilizationWindowSeconds": given[field]} for field in ("up", "down"))
    known = _events(given["known"])
    found, after = limits.stabilize_with_behavior(known, given["current"], given["wanted"], given["now"], up, down)
    return {"replicas": found, "known": [count for _, count in after]}


def within_rates(given: Any) -> Any:
    up, down = (
        limits.rules_of({"scaleUp": given["up"]}, "scaleUp"),
        limits.rules_of({"scaleDown": given["down"]}, "scaleDown"),
    )
    ups, downs = _events(given["ups"]), _events(given["downs"])
    bounds = (given["current"], given["wanted"], given["least"], given["most"])
    found = limits.limit_replicas_by_rate(*bounds, ups, downs, given["now"], up, down)
    return [found.replicas, found.reason]


def with_event(given: Any) -> Any:
    found = limits.with_event(_events(given["known"]), given["change"], given["now"], given["rules"])
    return [count for _, count in found]


FAMILIES: Mapping[str, Callable[[Any], Any]] = {
    "replicas": replicas,
    "within": within,
    "stabilized": stabilized,
    "stabilized_by": stabilized_by,
    "within_rates": within_rates,
    "with_event": with_event,
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_upstreams_cases(family: str) -> None:
    assert differences("podautoscaler", family, FAMILIES[family]) == []


def test_every_case_has_a_family() -> None:
    assert families_of("podautoscaler") == set(FAMILIES)
