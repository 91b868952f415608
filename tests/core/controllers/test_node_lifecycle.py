"""Nodes that register, fall silent and come back; upstream's own tables (`tables/nodelifecycle.json`)."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kube_controllers.contract import PutObject
from kube_controllers.names import CONTROLLERS
from kube_controllers.node_lifecycle import node_conditions as rules
from kube_controllers.node_lifecycle import zones
from kube_controllers.node_lifecycle.node_lifecycle_controller import NodeLifecycleController
from kube_objects.manifests import condition, conditions, name, parse_time, with_meta
from kube_objects.serialize import manifest_of
from simulator.simulation import Record, Simulation
from tests.core.controllers.chaos import node, workload
from tests.core.controllers.upstream_cases import cases_of, differences, families_of, view_of

NOW = 1_400_000_000.0
NOT_READY = {"key": rules.NOT_READY, "effect": "NoSchedule"}


def states(given: Any) -> Any:
    """By zone; upstream counts a node that nobody has reported on as not ready."""
    nodes = [_node(f"node{at}", zone, told, excluded) for at, (zone, told, excluded) in enumerate(given)]
    return {"/".join(zone).strip("/"): state for zone, (state, _) in zones.zone_states(nodes).items()}


def _node(named: str, zone: str, told: str | None, excluded: bool = False) -> dict[str, Any]:
    region, _, part = zone.partition("/")
    labels = {"topology.kubernetes.io/region": region, "topology.kubernetes.io/zone": part} if zone else {}
    if excluded:
        labels[zones.EXCLUDED_LABEL] = ""
    found = [] if told is None else [{"type": "Ready", "status": told}]
    return {"kind": "Node", "metadata": {"name": named, "labels": labels}, "status": {"conditions": found}}


def schedule_taints(given: Any) -> Any:
    taints = rules.with_schedule_taints(_manifest(given), NOW)
    return sorted([one["key"], one["effect"]] for one in taints)


def evicting_taints(given: Any) -> Any:
    """After each status of the node in turn; one taint of each kind at most."""
    taints, found = given["taints"], []
    for told in given["ready"]:
        manifest = {**_node("node0", "", told), "spec": {"taints": taints}}
        taints = rules.with_evicting_taint(taints, rules.evicting_key(manifest), NOW)
        found.append(sorted(one["key"] for one in taints))
    return found


def lost(given: Any) -> Any:
    """Its conditions when its kubelet has been silent for `seconds`, None as they were; whether its pod is changed."""
    registered = {"taints": [(NOT_READY["key"], NOT_READY["effect"])]} if not given["conditions"] else {}
    silent = with_meta(_manifest({**given, **registered}), annotations={"playground.kube-scheduler/kubelet": "stopped"})
    pod = {
        "kind": "Pod",
        "metadata": {"name": "pod0", "namespace": "default", "uid": "pod0"},
        "spec": {"nodeName": "node0"},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    }
    view = view_of(silent, pod, now=NOW)
    view.remembered = NOW - given["seconds"]
    written = [
        change.obj
        for change in NodeLifecycleController().reconcile(silent, view).changes
        if isinstance(change, PutObject)
    ]
    changed = next((obj for obj in written if obj["kind"] == "Node"), None)
    told = changed and [[one["type"], one["status"], one["reason"]] for one in conditions(changed)]
    return {"conditions": told, "pods": any(obj["kind"] == "Pod" for obj in written)}


def _manifest(given: Mapping[str, Any]) -> dict[str, Any]:
    found = [{"type": type_, "status": told} for type_, told in given["conditions"]]
    spec = {"unschedulable": True} if given.get("unschedulable") else {}
    return {
        "kind": "Node",
        "metadata": {"name": "node0", "uid": "node0", "creationTimestamp": "2012-01-01T00:00:00Z"},
        "spec": {**spec, "taints": [{"key": key, "effect": effect} for key, effect in given.get("taints", ())]},
        "status": {"conditions": found},
    }


PLAYS: dict[str, Callable[[Any], Any]] = {
    "zone states": states,
    "excluded": lambda labels: zones.is_excluded({"metadata": {"labels": labels}}),
    "no schedule": schedule_taints,
    "no execute": evicting_taints,
    "lost": lost,
}


def test_every_family_is_played() -> None:
    assert families_of("nodelifecycle") == set(PLAYS)
    assert len(cases_of("nodelifecycle")) == 36


@pytest.mark.parametrize("family", PLAYS)
def test_nodes_come_out_as_upstreams_tables_have_them(family: str) -> None:
    assert differences("nodelifecycle", family, PLAYS[family]) == []


# In a cluster


def cluster(*objects: dict[str, Any]) -> Simulation:
    made = Simulation.create(seed=1, actors=tuple(CONTROLLERS), record_steps=False)
    create(made, *objects)
    return made


def create(simulation: Simulation, *objects: dict[str, Any]) -> list[Record]:
    return list(simulation.apply({"kind": "create", "objects": list(objects)}))


def update(simulation: Simulation, changed: dict[str, Any]) -> None:
    list(simulation.apply({"kind": "update", "objects": [changed]}))


def run(simulation: Simulation, seconds: float) -> list[Record]:
    return list(simulation.apply({"kind": "run", "until": {"seconds": seconds}}))


def found(simulation: Simulation, named: str) -> dict[str, Any]:
    known = simulation.cluster.store.get("Node", named)
    assert known is not None
    return dict(manifest_of(known))


def taints(simulation: Simulation, named: str) -> list[tuple[str, str]]:
    return [(one["key"], one["effect"]) for one in found(simulation, named).get("spec", {}).get("taints", ())]


def silence(simulation: Simulation, named: str, value: str | None = "stopped") -> None:
    told = {} if value is None else {"playground.kube-scheduler/kubelet": value}
    update(simulation, with_meta(found(simulation, named), annotations=told or None))


def test_a_node_that_registers_is_ready_after_a_while_and_takes_pods() -> None:
    registered = {**node(0), "spec": {"taints": [NOT_READY]}}
    simulation = cluster(registered, workload("Deployment", "web", replicas=2))
    run(simulation, 1)
    assert [pod.node_name for pod in simulation.cluster.store.list("Pod")] == ["", ""]
    reasons = [record.data["reason"]["text"] for record in run(simulation, 60) if "reason" in record.data]
    assert "The kubelet of node node-0 reports ready" in reasons
    assert taints(simulation, "node-0") == []
    assert rules.readiness(found(simulation, "node-0")) == "True"
    assert [pod.node_name for pod in simulation.cluster.store.list("Pod")] == ["node-0", "node-0"]


def test_nodes_that_are_as_they_were_given_cost_nothing() -> None:
    simulation = cluster(node(0), node(1))
    assert [record.data["kind"] for record in run(simulation, 3600)] == ["clock"]


def test_conditions_become_taints_and_go_with_them() -> None:
    pressed = {**node(0)}
    pressed["status"] = {**pressed["status"], "conditions": [{"type": "DiskPressure", "status": "True"}]}
    simulation = cluster(pressed)
    run(simulation, 1)
    assert taints(simulation, "node-0") == [("node.kubernetes.io/disk-pressure", "NoSchedule")]
    well = found(simulation, "node-0")
    update(simulation, {**well, "status": {**well["status"], "conditions": []}})
    run(simulation, 1)
    assert taints(simulation, "node-0") == []


def test_a_silent_kubelet_makes_its_node_unreachable_and_its_pods_go_after_five_minutes() -> None:
    simulation = cluster(node(0), node(1), workload("StatefulSet", "db", replicas=1))
    run(simulation, 10)
    (pod,) = simulation.cluster.store.list("Pod")
    lost_node = pod.node_name
    silence(simulation, lost_node)
    run(simulation, 49)
    assert rules.readiness(found(simulation, lost_node)) != "Unknown"
    run(simulation, 2)
    assert rules.readiness(found(simulation, lost_node)) == "Unknown"
    assert taints(simulation, lost_node) == [(rules.UNREACHABLE, "NoSchedule"), (rules.UNREACHABLE, "NoExecute")]
    (pod,) = simulation.cluster.store.list("Pod")
    assert condition(conditions(manifest_of(pod)), "Ready")["status"] == "False"  # type: ignore[index]
    run(simulation, 290)
    assert not simulation.cluster.store.list("Pod")[0].terminating
    run(simulation, 600)
    (pod,) = simulation.cluster.store.list("Pod")
    assert (pod.node_name, pod.terminating) == (lost_node, True), "nobody has heard that it has stopped"
    silence(simulation, lost_node, None)
    run(simulation, 30)
    assert (taints(simulation, lost_node), rules.readiness(found(simulation, lost_node))) == ([], "True")
    (again,) = simulation.cluster.store.list("Pod")
    assert (again.uid != pod.uid, again.phase, again.terminating) == (True, "Running", False)


def test_the_nodes_of_a_zone_are_emptied_one_after_the_other() -> None:
    simulation = cluster(*(node(at) for at in range(6)))
    for at in (0, 1):
        silence(simulation, f"node-{at}")
    run(simulation, 120)
    times = [
        parse_time(one["timeAdded"])
        for at in (0, 1)
        for one in found(simulation, f"node-{at}")["spec"]["taints"]
        if one["effect"] == "NoExecute"
    ]
    assert times[1] - times[0] == zones.SECONDS  # type: ignore[operator]


def test_nothing_is_evicted_where_every_node_is_lost() -> None:
    simulation = cluster(node(0), node(1))
    for at in (0, 1):
        silence(simulation, f"node-{at}")
    run(simulation, 600)
    effects = [effect for at in (0, 1) for _, effect in taints(simulation, f"node-{at}")]
    assert effects.count("NoSchedule") == 2
    assert effects.count("NoExecute") <= 1, "the second was lost when all were"


def test_recovering_a_node_starts_its_kubelet() -> None:
    simulation = cluster(node(0), node(1))
    silence(simulation, "node-0")
    run(simulation, 100)
    list(simulation.apply({"kind": "recover_node", "node": "node-0"}))
    run(simulation, 100)
    assert (taints(simulation, "node-0"), name(found(simulation, "node-0"))) == ([], "node-0")
    assert rules.readiness(found(simulation, "node-0")) == "True"


def test_a_failed_node_is_tainted_anew_when_somebody_takes_its_taints_away() -> None:
    simulation = cluster(node(0), node(1))
    list(simulation.apply({"kind": "fail_node", "node": "node-0"}))
    run(simulation, 1)
    update(simulation, {**found(simulation, "node-0"), "spec": {}})
    run(simulation, 1)
    assert taints(simulation, "node-0") == [(rules.NOT_READY, "NoSchedule"), (rules.NOT_READY, "NoExecute")]
