"""Arrivals over virtual time: when they come, what comes, what is said of it, and what is refused."""

import csv
import io
import math
from itertools import pairwise
from typing import Any

import pytest

from kube_controllers.arrivals.arrival_times import Curve, poisson
from kube_controllers.kubelet import RUN
from playground.__main__ import main
from simulator.simulation import Record, Simulation
from tests.core.controllers.chaos import template
from tests.core.controllers.test_living import run, simulation_of

JOB = {"spec": {"template": template("batch")}}


def arrivals(named: str = "load", **asked: Any) -> dict[str, Any]:
    given = asked if "jobTemplate" in asked else {"template": template("load"), **asked}
    return {
        "apiVersion": "playground.kube-scheduler/v1",
        "kind": "Arrivals",
        "metadata": {"name": named},
        "spec": {one: value for one, value in given.items() if value is not None},
    }


def came(records: list[Record]) -> list[tuple[float, str]]:
    """When, and as which sentence."""
    found = [one.data for one in records if one.data.get("actor") == "arrivals"]
    return [(one["t"], one["reason"]["text"]) for one in found]


def played(seconds: float, *objects: dict[str, Any]) -> tuple[Simulation, list[Record]]:
    """With the records of the command that brought the objects."""
    simulation = simulation_of()
    records = list(simulation.apply({"kind": "create", "objects": list(objects)}))
    return simulation, [*records, *run(simulation, seconds)]


def moments(**asked: Any) -> list[float]:
    return [round(at, 3) for at, _ in came(played(7200, arrivals(**asked))[1])]


def test_the_times_of_a_trace_are_kept_and_each_arrival_is_a_record_with_a_sentence() -> None:
    simulation = simulation_of(arrivals(times=["1m", 5, {"at": "12.5", "runSeconds": 40}]))
    records = run(simulation, 120)
    pods = simulation.cluster.store.list("Pod")
    assert came(records) == [
        (at, f"Arrival {number} of load: creates Pod {pod.name}")
        for number, (at, pod) in enumerate(zip((5.0, 12.5, 60.0), pods, strict=True), 1)
    ]
    assert [pod.phase for pod in pods] == ["Running", "Succeeded", "Running"]
    assert [pod.labels["playground.kube-scheduler/arrivals"] for pod in pods] == ["load"] * 3


def test_bursts_come_at_once_or_spread() -> None:
    assert moments(bursts={"every": "10m", "count": 2}, **{"for": "20m"}) == [0, 0, 600, 600, 1200, 1200]
    spread = moments(bursts={"every": "10m", "count": 3, "over": "30s"}, after="1m", most=5)
    parts = [(at - start) // 10 for at, start in zip(spread, (60, 60, 60, 660, 660), strict=True)]
    assert parts == [0, 1, 2, 0, 1]


def test_a_poisson_process_has_its_rate_and_its_exponential_gaps() -> None:
    """Mean and deviation of 20,000 gaps are within four standard errors; no gap follows from the one before."""
    process, at, found_at = poisson(600.0), 0.0, [0.0]
    for number in range(20_000):
        found = process.next(number, at, 7)
        assert found is not None
        at = found
        found_at.append(at)
    gaps = [after - before for before, after in pairwise(found_at)]
    mean = sum(gaps) / len(gaps)
    assert mean == pytest.approx(0.1, abs=4 * 0.1 / math.sqrt(20_000))
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / len(gaps))
    assert deviation == pytest.approx(0.1, abs=4 * 0.1 * math.sqrt(2 / 20_000))
    together = sum((one - mean) * (other - mean) for one, other in pairwise(gaps))
    assert abs(together / len(gaps) / deviation**2) < 4 / math.sqrt(20_000)


def test_a_curve_brings_what_is_under_it_and_begins_again() -> None:
    """From 0 up to 120 a minute in an hour, and nothing in the next: 3,600 in each period, a quarter in its half."""
    process = Curve([(0.0, 0.0), (3600.0, 120.0), (3600.001, 0.0)], 7200.0)
    at, number, found_at = 0.0, 0, []
    while (found := process.next(number, at, 3)) is not None and found < 5 * 7200:
        at, number = found, number + 1
        found_at.append(at)
    assert len(found_at) == pytest.approx(5 * 3600, abs=4 * math.sqrt(5 * 3600))
    assert sum(at % 7200 < 1800 for at in found_at) == pytest.approx(5 * 900, abs=4 * math.sqrt(5 * 900))
    assert all(at % 7200 <= 3600.001 for at in found_at)
    assert Curve([(0.0, 0.0)]).next(0, 0.0, 1) is None


def test_the_seed_decides_and_the_most_is_kept() -> None:
    def drawn(seed: int) -> list[float]:
        simulation = Simulation.create(seed=seed, actors=("arrivals",), record_steps=False)
        given = {"kind": "create", "objects": [arrivals(poisson={"perMinute": 60}, most=7)]}
        return [at for at, _ in came([*simulation.apply(given), *run(simulation, 60)])]

    assert len(drawn(1)) == 7
    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.parametrize(
    "asked",
    [
        {"poisson": {"perMinute": 30}},
        {"curve": "0=0 1m=60 2m=0", "period": "3m"},
        {"bursts": {"every": 20, "count": 3, "over": 9}, "jobTemplate": JOB},
    ],
    ids=["poisson", "curve", "jobs in bursts"],
)
def test_a_checkpoint_in_between_changes_nothing(asked: dict[str, Any]) -> None:
    simulation = simulation_of(arrivals(**asked))
    assert came(run(simulation, 45))
    written = simulation.checkpoint()
    assert written is not None
    restored = Simulation.restore(written, record_steps=False)
    goes_on = run(restored, 200)
    assert [one.data for one in goes_on] == [one.data for one in run(simulation, 200)]
    assert came(goes_on)


def test_jobs_arrive_and_are_done() -> None:
    simulation = simulation_of(arrivals(times=[1, 2], jobTemplate=JOB))
    run(simulation, 120)
    assert [pod.phase for pod in simulation.cluster.store.list("Pod")] == ["Succeeded"] * 2
    assert len(simulation.cluster.store.list("Job")) == 2


def test_pods_live_as_long_as_their_template_draws() -> None:
    lasting = template("load") | {"metadata": {"annotations": {RUN: "10..20"}}}
    _, records = played(60, arrivals(template=lasting, times=[0, 0, 0, 0]))
    reasons = [(one.data["t"], one.data.get("reason", {}).get("text", "")) for one in records]
    ended = [at for at, text in reasons if text.endswith(" succeeds")]
    assert len(set(ended)) == 4
    assert all(12 <= at <= 22.5 for at in ended)


def test_another_spec_begins_now_and_without_its_object_nothing_comes() -> None:
    simulation = simulation_of(arrivals(times=[10, 50]))
    assert len(came(run(simulation, 20))) == 1
    list(simulation.apply({"kind": "update", "objects": [arrivals(times=[7])]}))
    assert [at for at, _ in came(run(simulation, 60))] == [27]
    list(simulation.apply({"kind": "update", "objects": [arrivals(times=[7, 8])]}))
    list(
        simulation.apply({"kind": "delete", "objects": [{"kind": "Arrivals", "namespace": "default", "name": "load"}]})
    )
    assert came(run(simulation, 60)) == []


def test_what_a_quota_refuses_is_told_and_the_next_one_comes() -> None:
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "one"}, "spec": {"hard": {"pods": "1"}}}
    said = [text for _, text in came(played(30, quota, arrivals(times=[1, 2, 3]))[1])]
    assert [text.split(":")[0] for text in said] == [
        "Arrival 1 of load",
        "Arrival 2 of load was rejected",
        "Arrival 3 of load was rejected",
    ]
    assert said[1].endswith("exceeded quota: one, requested: pods=1, used: pods=1, limited: pods=1")


def test_a_run_until_idle_does_not_wait_for_arrivals() -> None:
    simulation = simulation_of(arrivals(poisson={"perMinute": 1}))
    list(simulation.apply({"kind": "run", "until": "idle"}))
    assert simulation.now < 60


_WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "spec: must have one of poisson, bursts, curve, times, and not two"),
    ({"times": [1], "poisson": {"perMinute": 1}}, 'spec: "poisson, times": must have one of'),
    ({"poisson": {"perMinute": 60_001}}, "spec.poisson.perMinute: 60001: must be a number above 0 and at most 60,000"),
    ({"poisson": {"perMinute": math.nan}}, "spec.poisson.perMinute: NaN: must be a number above 0"),
    ({"poisson": {"perminute": 1}}, "spec.poisson.perminute: 1: no such field; there are perMinute"),
    ({"poisson": 3}, "spec.poisson: 3: must be a mapping"),
    ({"bursts": {"every": 0, "count": 1}}, "spec.bursts.every: 0: must be a time, such as 90, 90s, 10m or 2h"),
    ({"bursts": {"every": 9, "count": 1.5}}, "spec.bursts.count: 1.5: must be a whole number above 0"),
    ({"bursts": {"every": 9, "count": 2, "over": 10}}, "spec.bursts.over: 10: must end before the next burst"),
    ({"curve": "9h=x"}, "spec.curve: \"9h=x\": '9h=x' is no point of a load"),
    ({"curve": "9h=-1"}, "spec.curve: -1.0: must be from 0 to 60,000 arrivals a minute"),
    ({"curve": "9h=1", "period": "8h"}, "spec.curve: 32400.0: must be within the period, which has 28800 seconds"),
    ({"times": [1], "period": "8h"}, 'spec.period: "8h": only a curve has a period'),
    ({"times": [1, "soon"]}, 'spec.times[1]: "soon": must be a time'),
    ({"times": []}, "spec.times: (a list of 0 items): must be a list of 1 to 20,000 times"),
    ({"times": [1], "most": 200_001}, "spec.most: 200001: must be a whole number above 0 and at most 200,000"),
    ({"times": [1], "template": None}, "spec: must have one of template, jobTemplate, and not two"),
    (
        {"times": [1], "template": {"spec": {"containers": [{"name": "a", "resources": {"requests": {"cpu": "x"}}}]}}},
        'spec.template.spec.containers[0].resources.requests.cpu: "x": ',
    ),
    ({"times": [1], "jobTemplate": {"spec": {}}}, "spec.jobTemplate.spec.template: must be a mapping"),
    (
        {"times": [{"at": 1, "runSeconds": 2}], "jobTemplate": JOB},
        "spec.times: (a list of 1 item): runSeconds are of pods",
    ),
]


@pytest.mark.parametrize(
    ("asked", "told"), _WRONG, ids=[f"{at} {told.split(':')[0]}" for at, (_, told) in enumerate(_WRONG)]
)
def test_what_is_wrong_is_named_by_path_value_and_rule(asked: dict[str, Any], told: str) -> None:
    simulation, records = played(600, arrivals(**asked))
    (event,) = [event for record in records for event in record.data.get("events", ())]
    assert (event["reason"], event["message"][: len(told)]) == ("InvalidArrivals", told)
    assert came(records) == [(0.0, f"No objects arrive from load: {event['message']}")]
    assert simulation.cluster.store.list("Pod") == []


def test_the_command_line_plays_them_and_charts_show_them(tmp_path: Any) -> None:
    scenario, charts = tmp_path / "load.yaml", tmp_path / "out.csv"
    scenario.write_text(
        """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "20"}}
---
apiVersion: playground.kube-scheduler/v1
kind: Arrivals
metadata: {name: evening}
spec:
  bursts: {every: 30m, count: 15}
  template:
    metadata: {annotations: {playground.kube-scheduler/run-seconds: "600"}}
    spec: {containers: [{name: main, image: work, resources: {requests: {cpu: 100m}}}]}
"""
    )
    assert main(["run", str(scenario), "--controllers", "all", "--until", "50m", "--charts", str(charts)]) == 0
    rows = list(csv.DictReader(io.StringIO(charts.read_text())))
    assert max(int(row["pods_without_node"]) for row in rows) == 5
