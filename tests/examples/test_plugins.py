"""The example plugins, driven as the playground drives them: a gang at Permit, and a filter that also scores."""

from typing import Any

import pytest

from examples.plugins import PLUGINS
from scheduler_core.framework.registry import DuplicatePluginError, Registry
from scheduler_core.plugins.table import IN_TREE
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
GANG = (
    HEADER
    + """profiles:
- schedulerName: default-scheduler
  plugins:
    multiPoint:
      enabled:
      - name: Gang
  pluginConfig:
  - name: Gang
    args:
      timeoutSeconds: 10
"""
)
RACK = (
    HEADER
    + """profiles:
- schedulerName: default-scheduler
- schedulerName: racks-only
  plugins:
    multiPoint:
      disabled:
      - name: "*"
      enabled:
      - name: PrioritySort
      - name: DefaultBinder
      - name: Rack
        weight: 5
"""
)


def start(config: str, *objects: dict[str, Any]) -> Simulation:
    simulation = Simulation.create(config=config, registry=IN_TREE.merged(PLUGINS))
    apply(simulation, {"kind": "create", "objects": list(objects)})
    return simulation


def apply(simulation: Simulation, command: dict[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def member(i: int) -> dict[str, Any]:
    labels = {"gang.example.com/name": "train", "gang.example.com/size": "3"}
    return dict(make_pod(f"train-{i}").cpu("1").labels(**labels).manifest())


def node(name: str, **labels: str) -> dict[str, Any]:
    return dict(make_node(name).cpu("8").memory("16Gi").labels(**labels).manifest())


def outcomes(records: list[Record]) -> list[tuple[str, str]]:
    """(pod, outcome) of every cycle and binding."""
    return [(r.data["cycle"]["pod"], r.data["cycle"]["outcome"]) for r in records if "cycle" in r.data]


def lanes(simulation: Simulation) -> dict[str, int]:
    waiting = len(simulation.cluster.scheduler.waiting)
    bound = sum(1 for pod in simulation.cluster.store.list("Pod") if pod.node_name)
    return {"waiting": waiting, "bound": bound}


def test_a_gang_is_bound_when_its_last_member_has_a_node() -> None:
    simulation = start(GANG, node("a"), member(0), member(1))
    assert outcomes(apply(simulation, {"kind": "run", "until": "idle"})) == [
        ("default/train-0", "waiting"),
        ("default/train-1", "waiting"),
    ]
    assert lanes(simulation) == {"waiting": 2, "bound": 0}
    apply(simulation, {"kind": "create", "objects": [member(2)]})
    assert outcomes(apply(simulation, {"kind": "run", "until": "idle"})) == [
        ("default/train-2", "scheduled"),
        ("default/train-0", "scheduled"),
        ("default/train-1", "scheduled"),
    ]
    assert lanes(simulation) == {"waiting": 0, "bound": 3}


def test_a_gang_times_out_together_and_gives_its_room_back() -> None:
    simulation = start(GANG, node("a"), member(0), member(1))
    apply(simulation, {"kind": "run", "until": "idle"})
    records = apply(simulation, {"kind": "advance_clock", "seconds": 10})
    assert outcomes(records) == [("default/train-0", "unschedulable"), ("default/train-1", "unschedulable")]
    messages = [record.data["cycle"]["message"] for record in records if "cycle" in record.data]
    assert messages == [
        "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Gang.",
        "0/1 nodes are available: 1 default/train-0 of the same gang was not bound.",
    ]
    assert lanes(simulation) == {"waiting": 0, "bound": 0}
    assert simulation.cluster.cache.table.pod_count.values.tolist() == [0]


def test_a_member_rejected_by_hand_takes_the_others_along() -> None:
    simulation = start(GANG, node("a"), member(0), member(1))
    apply(simulation, {"kind": "run", "until": "idle"})
    command = {"kind": "permit", "pod": "default/train-1", "decision": "reject", "message": "not today"}
    assert outcomes(apply(simulation, command)) == [
        ("default/train-1", "unschedulable"),
        ("default/train-0", "unschedulable"),
    ]


def test_a_member_allowed_by_hand_does_not_wait_for_the_others() -> None:
    simulation = start(GANG, node("a"), member(0), member(1))
    apply(simulation, {"kind": "run", "until": "idle"})
    records = apply(simulation, {"kind": "permit", "pod": "default/train-0", "decision": "allow"})
    assert outcomes(records) == [("default/train-0", "scheduled")]
    assert records[-1].data["cycle"]["steps"][0]["point"] == "WaitOnPermit"
    assert lanes(simulation) == {"waiting": 1, "bound": 1}


def test_a_waiting_pod_that_is_deleted_leaves_nothing_behind() -> None:
    simulation = start(GANG, node("a"), member(0))
    apply(simulation, {"kind": "run", "until": "idle"})
    apply(simulation, {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "train-0"}]})
    assert lanes(simulation) == {"waiting": 0, "bound": 0}
    assert simulation.cluster.cache.table.pod_count.values.tolist() == [0]


def test_no_checkpoint_while_a_pod_waits() -> None:
    simulation = start(GANG, node("a"), member(0))
    apply(simulation, {"kind": "run", "until": "idle"})
    assert simulation.checkpoint() is None


def test_rack_filters_and_scores_beside_the_default_profile() -> None:
    nodes = [node("n1", rack="r1"), node("n2", rack="r2"), node("n3", rack="r3")]
    crowd = [dict(make_pod(f"web-{i}").label("app", "web").node("n2").manifest()) for i in range(2)]
    picky = make_pod("picky").label("app", "web").scheduler("racks-only").annotation("rack.example.com/avoid", "r1")
    simulation = start(RACK, *nodes, *crowd, dict(picky.manifest()))
    (record,) = apply(simulation, {"kind": "schedule_one"})
    cycle = record.data["cycle"]
    assert (cycle["outcome"], cycle["node"]) == ("scheduled", "n3")
    assert {step["plugin"] for step in cycle["steps"] if step["point"] in ("PreFilter", "Filter", "Score")} == {"Rack"}
    matrix = record.matrix.to_json(simulation.node_names)
    assert matrix["statuses"][1]["reasons"] == ["node(s) are in a rack that the pod avoids"]
    assert (matrix["raw"], matrix["normalized"], matrix["totals"]) == ([[2, 0]], [[0, 100]], [0, 500])


def test_rack_wakes_its_pods_only_for_nodes() -> None:
    picky = make_pod("picky").scheduler("racks-only").annotation("rack.example.com/avoid", "r1")
    simulation = start(RACK, node("n1", rack="r1"), dict(picky.manifest()))
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record.data["cycle"]["message"] == "0/1 nodes are available: 1 node(s) are in a rack that the pod avoids."
    apply(simulation, {"kind": "create", "objects": [dict(make_pod("other").node("n1").manifest())]})
    assert simulation.cluster.queue.where("default/picky").value == "unschedulable"
    apply(simulation, {"kind": "create", "objects": [node("n2", rack="r2")]})
    assert simulation.cluster.queue.where("default/picky").value == "backoff"


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(DuplicatePluginError, match="a plugin named Gang already exists"):
        Registry(PLUGINS).merged([PLUGINS[0]])
