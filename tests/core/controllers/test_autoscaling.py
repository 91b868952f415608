"""A workload whose replicas follow a load."""

from itertools import pairwise
from typing import Any

import pytest

from kube_apiserver.admission import scaling
from kube_controllers.horizontal_pod_autoscaler import load
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, workload
from tests.core.controllers.test_living import run, simulation_of

APPLIED = {"manager": "kubectl", "operation": "Apply", "apiVersion": "apps/v1", "fieldsType": "FieldsV1"}
OWNER = {**APPLIED, "fieldsV1": {"f:spec": {"f:paused": {}, "f:replicas": {}}}}
OF_REPLICAS = {**APPLIED, "fieldsV1": {"f:spec": {"f:replicas": {}}}}
SCALE = {**OF_REPLICAS, "manager": "kube-controller-manager", "operation": "Update", "subresource": "scale"}


def autoscaler(curve: str, **asked: Any) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": 50}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "annotations": {load.PREFIX + "cpu": curve}},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 1,
            "maxReplicas": 8,
            "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
            **asked,
        },
    }


def replicas(simulation: Simulation) -> int:
    (found,) = simulation.cluster.store.list("Deployment")
    return int(found.manifest["spec"]["replicas"])


def loaded(curve: str, **asked: Any) -> Simulation:
    web = workload("Deployment", "web", replicas=2)
    web["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "500m"}}
    return simulation_of(node(2), web, autoscaler(curve, **asked))


def test_replicas_follow_the_load_up_at_once_and_down_after_five_minutes() -> None:
    simulation = loaded("0=500m 10m=500m 11m=2 20m=2 21m=500m")
    run(simulation, 600)
    assert replicas(simulation) == 2
    run(simulation, 300)
    assert replicas(simulation) == 8
    run(simulation, 600)
    assert replicas(simulation) == 8, "the recommendations of the last five minutes were higher"
    run(simulation, 600)
    assert replicas(simulation) == 2


def test_a_size_that_no_metric_asks_for_has_no_reason() -> None:
    """From 4 to 5 the older recommendation applies, while the metric asks for 4. Source: reconcileAutoscaler."""
    web = workload("Deployment", "web", replicas=2)
    web["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "500m"}}
    hpa = autoscaler("0=2")
    hpa["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] = 80
    records = run(simulation_of(node(2), web, hpa), 180)
    told = [event["message"] for record in records for event in record.data.get("events", ())]
    assert [message for message in told if message.startswith("New size")] == [
        "New size: 4; reason: cpu resource utilization (percentage of request) above target",
        "New size: 5; reason: ",
    ]


def test_a_policy_slows_it_down() -> None:
    policy = {"type": "Pods", "value": 1, "periodSeconds": 60}
    simulation = loaded("0=2", behavior={"scaleUp": {"policies": [policy]}})
    run(simulation, 20)
    assert replicas(simulation) == 2, "pods that have just started say nothing yet"
    run(simulation, 60)
    found = [replicas(simulation)]
    for _ in range(3):
        run(simulation, 60)
        found.append(replicas(simulation))
    assert [after - before for before, after in pairwise(found)] == [1, 1, 1]


def test_without_a_load_it_says_so_as_without_a_metrics_server() -> None:
    simulation = loaded("0=1")
    del simulation.cluster.store.list("HorizontalPodAutoscaler")[0].manifest["metadata"]["annotations"]
    records = run(simulation, 60)
    told = [event for record in records for event in record.data.get("events", ())]
    assert any("the server could not find the requested resource" in event["message"] for event in told)


def test_a_curve_is_a_straight_line_between_its_points() -> None:
    points = load.curve_of("10m=4 0=1 1h=2")
    assert [load.value_at(points, at) for at in (0, 300, 600, 3600, 9999)] == [1000, 2500, 4000, 2000, 2000]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], []),
        ([OWNER], [{**OWNER, "fieldsV1": {"f:spec": {"f:paused": {}}}}, SCALE]),
        ([OF_REPLICAS], [SCALE]),
        ([SCALE], [SCALE]),
        ([{"fieldsV1": "x"}, {"fieldsV1": {"f:spec": 1}}], [{"fieldsV1": "x"}, {"fieldsV1": {"f:spec": 1}}, SCALE]),
    ],
    ids=[
        "nobody manages it",
        "one who manages more",
        "one who manages nothing else",
        "the autoscaler itself",
        "unreadable",
    ],
)
def test_the_size_that_an_autoscaler_writes_is_managed(before: list[Any], after: list[Any]) -> None:
    """Source: managedfields/scalehandler.go."""
    target = {"apiVersion": "apps/v1", "metadata": {"managedFields": before}, "spec": {"replicas": 2}}
    scaled = scaling.scale(target, 5)
    assert scaled["spec"] == {"replicas": 5}
    assert scaled["metadata"]["managedFields"] == after
