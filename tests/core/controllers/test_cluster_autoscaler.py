"""Nodes that come when pods find none, and go when they are not needed."""

from typing import Any

import pytest

from kube_controllers.cluster_autoscaler.static_autoscaler import COMPONENT
from kube_controllers.names import CONTROLLERS
from simulator.simulation import Record, Simulation
from simulator.simulation.charts import Meter
from tests.core.controllers.chaos import workload
from tests.core.controllers.test_living import run, simulation_of


def group(named: str, cpu: str, **asked: Any) -> dict[str, Any]:
    has = {"cpu": cpu, "memory": "16Gi", "pods": "50"}
    template = {"status": {"capacity": has}}
    return {
        "apiVersion": "playground.kube-scheduler/v1",
        "kind": "NodeGroup",
        "metadata": {"name": named},
        "spec": {"maxSize": 4, "provisionSeconds": 90, "template": template, **asked},
    }


def settings(**asked: Any) -> dict[str, Any]:
    return {
        "apiVersion": "playground.kube-scheduler/v1",
        "kind": "ClusterAutoscaler",
        "metadata": {"name": "default"},
        "spec": asked,
    }


def web(replicas: int, cpu: str = "3") -> dict[str, Any]:
    made = workload("Deployment", "web", replicas=replicas)
    made["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
    return made


def nodes(simulation: Simulation) -> list[str]:
    return sorted(node.name for node in simulation.cluster.store.list("Node") if not node.name.startswith("node-"))


def told(records: list[Record], reason: str) -> list[str]:
    events = (event for record in records for event in record.data.get("events", ()))
    return [event["message"] for event in events if event["reason"] == reason and event.get("from") == COMPONENT]


def test_a_group_is_never_above_its_most_when_nodes_arrive_while_others_are_wanted() -> None:
    agent = workload("DaemonSet", "agent")
    simulation = simulation_of(settings(), group("pool", "4", maxSize=3), web(6, "2"), agent)
    run(simulation, 60)
    assert list(simulation.apply({"kind": "update", "objects": [web(30, "2")]}))
    run(simulation, 900)
    assert nodes(simulation) == ["pool-1", "pool-2", "pool-3"]


def templated(**parts: Any) -> dict[str, Any]:
    return {"template": {"status": {"capacity": {"cpu": "4", "pods": "50"}}, **parts}}


BROKEN: list[tuple[str, dict[str, Any], str]] = [
    # name, spec, what the Event says
    ("g" * 60, {}, "must be no more than 63 bytes"),
    ("Big_Pool", {}, "a lowercase RFC 1123 subdomain"),
    ("price", {"price": "cheap"}, "spec.price: must be a number"),
    ("infinite", {"price": "inf"}, "spec.price: must be a number"),
    ("size", {"maxSize": {}}, "spec.maxSize: must be a number"),
    ("template", {"template": ["a"]}, "spec.template: must be a mapping"),
    ("labels", templated(metadata={"labels": ["a"]}), "spec.template.metadata.labels: must be a mapping"),
    ("label", templated(metadata={"labels": {"a b": "c"}}), "metadata.labels: "),
    ("taint", templated(spec={"taints": [{"key": "a b"}]}), "spec.taints[0].key: "),
    ("cpu", templated(status={"capacity": {"cpu": "many"}}), "status.capacity.cpu: "),
    ("capacity", templated(status={"capacity": "4"}), "spec.template.status.capacity: must be a mapping"),
]


@pytest.mark.parametrize(("named", "spec", "said"), BROKEN, ids=[case[0][:10] for case in BROKEN])
def test_a_group_that_cannot_be_read_is_left_out_and_told_once(named: str, spec: dict[str, Any], said: str) -> None:
    """The other groups grow, and no command fails."""
    simulation = simulation_of(
        settings(scanIntervalSeconds="soon"), group(named, "4", **spec), group("pool", "4"), web(4)
    )
    run(simulation, 30)
    list(simulation.apply({"kind": "update", "objects": [settings()]}))
    records = run(simulation, 600)
    assert nodes(simulation) == ["pool-1", "pool-2"]
    (message,) = told(records, "InvalidNodeGroup")
    assert said in message
    assert not any("the engine failed" in str(record.data.get("reason")) for record in records)
    assert Meter(simulation).point()["price"] == 0.0


def test_a_group_grows_after_its_delay_and_shrinks_when_it_is_empty() -> None:
    simulation = simulation_of(settings(), group("pool", "4"), web(4))
    before = run(simulation, 60)
    assert nodes(simulation) == []
    assert set(told(before, "TriggeredScaleUp")) == {"pod triggered scale-up: [{pool 0->2 (max: 4)}]"}
    run(simulation, 60)
    assert nodes(simulation) == ["pool-1", "pool-2"]
    assert all(pod.node_name for pod in simulation.cluster.store.list("Pod"))
    assert list(simulation.apply({"kind": "update", "objects": [web(2)]}))
    run(simulation, 500)
    assert nodes(simulation) == ["pool-1", "pool-2"], "ten minutes after the last node was asked for"
    run(simulation, 1200)
    assert nodes(simulation) == []


def test_what_it_said_of_each_group() -> None:
    full, small = group("full", "8", maxSize=0), group("small", "1")
    simulation = simulation_of(settings(), full, small, web(3))
    messages = told(run(simulation, 120), "NotTriggerScaleUp")
    assert messages == ["pod didn't trigger scale-up: full: max node group size reached; small: 1 Insufficient cpu"]
    assert nodes(simulation) == []


def test_the_expander_decides() -> None:
    dear, cheap = group("dear", "4", price=9), group("cheap", "8", price=0.1)
    simulation = simulation_of(settings(expander="price"), dear, cheap, web(3))
    run(simulation, 300)
    assert nodes(simulation) == ["cheap-1"]


def test_a_balloon_makes_room_at_once() -> None:
    """A pod of low priority keeps a node that a more important one takes at once; the balloon waits for the next."""
    balloon = workload("Deployment", "balloon", replicas=1)
    balloon["spec"]["template"]["spec"] |= {"priorityClassName": "balloon"}
    balloon["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "3"}}
    low = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "balloon"},
        "value": -5,
    }
    simulation = simulation_of(low, settings(), group("pool", "4"), web(2), balloon)
    run(simulation, 200)
    assert nodes(simulation) == ["pool-1"]
    assert list(simulation.apply({"kind": "update", "objects": [web(3)]}))
    run(simulation, 20)
    placed = {pod.name.split("-")[0]: pod.node_name for pod in simulation.cluster.store.list("Pod")}
    assert placed["web"] and not placed["balloon"]
    run(simulation, 200)
    assert nodes(simulation) == ["pool-1", "pool-2"]


def test_a_checkpoint_in_between_changes_nothing() -> None:
    simulation = simulation_of(settings(), group("pool", "4"), web(4))
    run(simulation, 60)
    written = simulation.checkpoint()
    assert written is not None
    restored = Simulation.restore(written, record_steps=False)
    assert [one.data for one in run(restored, 400)] == [one.data for one in run(simulation, 400)]


def test_a_pod_that_a_trial_places_can_be_taken_out_of_it_again() -> None:
    """A Pod is placed on a group's node in a trial, and the next trial takes that node away."""
    spread = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    container = {"name": "c", "image": "c", "resources": {"requests": {"cpu": "3"}}}

    def pod(named: str, **asked: Any) -> dict[str, Any]:
        about = {"name": named, "namespace": "default", "labels": {"app": "web"}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": {"containers": [container], **asked}}

    def zoned(named: str, zone: str, cpu: str, **labels: str) -> dict[str, Any]:
        about = {"name": named, "labels": {"zone": zone, **labels}}
        allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "10"}
        return {"apiVersion": "v1", "kind": "Node", "metadata": about, "status": {"allocatable": allocatable}}

    template = {
        "metadata": {"labels": {"zone": "b"}},
        "status": {"capacity": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
    }
    simulation = Simulation.create(seed=1, actors=tuple(CONTROLLERS), record_steps=False)
    objects = [
        *(settings(), group("pool", "4", minSize=0, maxSize=2, template=template)),
        zoned("in-pool", "a", "4", **{"playground.kube-scheduler/node-group": "pool"}),
        *(zoned("full", "b", "0"), zoned("other", "a", "3")),
        pod("p1", nodeName="other"),
        *(pod(named, topologySpreadConstraints=[spread]) for named in ("p2", "p3")),
    ]
    assert list(simulation.apply({"kind": "create", "objects": objects}))
    assert [record.data["error"] for record in run(simulation, 1800) if "error" in record.data] == []
    assert all(one.node_name for one in simulation.cluster.store.list("Pod"))
