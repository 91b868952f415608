"""Controllers in a simulation: what switches them on, what they leave alone, what a user sees of them."""

from typing import Any

import pytest

from kube_controllers.names import CONTROLLERS
from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.manifests import format_time
from kube_objects.serialize import manifest_of
from playground.__main__ import main
from simulator.simulation import CommandError, Record, Simulation
from tests.core.controllers.chaos import node, workload


def simulation_of(*objects: dict[str, Any], actors: tuple[str, ...] = tuple(CONTROLLERS)) -> Simulation:
    made = Simulation.create(seed=1, actors=actors, record_steps=False)
    for _ in made.apply({"kind": "create", "objects": [node(0), node(1), *objects]}):
        pass
    return made


def run(simulation: Simulation, seconds: float) -> list[Record]:
    return list(simulation.apply({"kind": "run", "until": {"seconds": seconds}}))


def test_without_actors_a_deployment_makes_no_pods() -> None:
    quiet = simulation_of(workload("Deployment", "web", replicas=2), actors=())
    assert run(quiet, 60) == []
    assert quiet.cluster.store.list("Pod") == []


def test_a_deployment_has_its_pods_and_says_why() -> None:
    simulation = simulation_of(workload("Deployment", "web", replicas=2))
    reasons = [record.data["reason"]["text"] for record in run(simulation, 60) if "reason" in record.data]
    assert sum(reason.endswith("is ready") for reason in reasons) == 2
    assert [pod.phase for pod in simulation.cluster.store.list("Pod")] == ["Running", "Running"]


def test_only_the_actors_that_are_on_act() -> None:
    simulation = simulation_of(workload("Deployment", "web", replicas=2), actors=("deployment",))
    records = run(simulation, 60)
    assert {record.data.get("actor", "deployment") for record in records} <= {"deployment"}
    assert [one.name.rpartition("-")[0] for one in simulation.cluster.store.list("ReplicaSet")] == ["web"]
    assert simulation.cluster.store.list("Pod") == []


def test_objects_of_all_namespaced_kinds_get_the_default_namespace() -> None:
    kinds = ("ConfigMap", "Secret", "Service")
    simulation = simulation_of(*({"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}} for kind in kinds))
    assert [simulation.cluster.store.list(kind)[0].key for kind in kinds] == ["default/x"] * 3


def test_the_taint_eviction_controller_alone_empties_a_failed_node() -> None:
    """Its Pods are marked and get their grace period. Source: addConditionAndDeletePod."""
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db", "namespace": "default"}}
    toleration = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 20}
    tolerations = [{**toleration, "effect": "NoExecute"}]
    pod["spec"] = {"nodeName": "node-0", "containers": [{"name": "c", "image": "c"}], "tolerations": tolerations}
    simulation = simulation_of(pod)
    run(simulation, 10)
    failed = next(iter(simulation.apply({"kind": "fail_node", "node": "node-0"})))
    assert "evicted" not in failed.data and "later" not in failed.data
    records = run(simulation, 60)
    assert not [record for record in records if record.data["kind"] == "eviction"]
    (evicted,) = (record for record in records if record.data.get("actor") == "taint-eviction")
    (written,) = (changed for _, kind, _, changed in evicted.manifests if kind == "Pod" and changed is not None)
    assert [one["reason"] for one in written["status"]["conditions"] if one["type"] == "DisruptionTarget"] == [
        "DeletionByTaintManager"
    ]
    assert written["metadata"]["deletionGracePeriodSeconds"] == 30
    assert simulation.cluster.find_pod("default/db") is None


def test_a_budget_that_its_controller_has_not_seen_refuses_an_eviction() -> None:
    """Source: checkAndDecrement."""
    simulation = simulation_of(
        workload("Deployment", "web", replicas=2), actors=("deployment", "replicaset", "kubelet")
    )
    run(simulation, 60)
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "web", "namespace": "default", "generation": 2},
        "spec": {"selector": {}, "minAvailable": 1},
        "status": {"observedGeneration": 1, "disruptionsAllowed": 1},
    }
    list(simulation.apply({"kind": "create", "objects": [budget]}))
    pod = simulation.cluster.store.list("Pod")[0]
    with pytest.raises(CommandError, match="violate the pod's disruption budget"):
        simulation.apply({"kind": "evict", "pod": pod.key})


def test_a_pod_of_a_node_that_is_gone_goes_after_forty_seconds() -> None:
    simulation = simulation_of(workload("Deployment", "web", replicas=1))
    run(simulation, 10)
    (pod,) = simulation.cluster.store.list("Pod")
    gone = {"kind": "delete", "objects": [{"kind": "Node", "name": pod.node_name}]}
    assert list(simulation.apply(gone))
    run(simulation, 39)
    assert simulation.cluster.find_pod(pod.key) is not None
    run(simulation, 10)
    (other,) = simulation.cluster.store.list("Pod")
    assert other.node_name not in ("", pod.node_name)


def test_the_command_line_says_what_has_become_of_workloads(tmp_path: Any, capsys: Any) -> None:
    scenario = tmp_path / "web.yaml"
    scenario.write_text(
        """
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "2"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web}]}
"""
    )
    wanted = ["--assert-ready", "deployment/web", "--assert-rollout", "deployment/default/other"]
    assert main(["run", str(scenario), "--controllers", "all", "--until", "1m", *wanted]) == 1
    printed = capsys.readouterr().out
    assert "default     Deployment   web    2/3     3         2\n" in printed
    assert (
        "FAILED --assert-ready deployment/web: Deployment default/web has 2/3 ready, 3 updated, 2 available" in printed
    )
    assert "FAILED --assert-rollout deployment/default/other: no such workload" in printed


def test_a_budget_gives_up_an_eviction_that_nobody_carried_out() -> None:
    """At one moment of virtual time, at which it must not look again and again."""
    guard = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"}}
    simulation = simulation_of(
        workload("Deployment", "web", replicas=1),
        {**guard, "spec": {"minAvailable": 0, "selector": {"matchLabels": {"app": "web"}}}},
    )
    run(simulation, 60)
    budget = manifest_of(simulation.cluster.store.list("PodDisruptionBudget")[0])
    (pod,) = simulation.cluster.store.list("Pod")
    disrupted = {pod.name: format_time(EPOCH_SECONDS + 60)}
    evicted = {**budget, "status": {**budget["status"], "disruptedPods": disrupted}}
    list(simulation.apply({"kind": "update", "objects": [evicted]}))
    assert list(simulation.apply({"kind": "run", "until": "idle"}))
    left = manifest_of(simulation.cluster.store.list("PodDisruptionBudget")[0])
    assert "disruptedPods" not in left["status"]


def test_pods_that_came_before_the_first_node_are_tried_again_when_it_is_there() -> None:
    """No event brings them back from their backoff: a run until idle waits for its end, but not without nodes."""
    simulation = Simulation.create(seed=0, actors=tuple(CONTROLLERS), record_steps=False)
    assert list(simulation.apply({"kind": "create", "objects": [workload("Deployment", "web", replicas=2)]}))
    tried = [one for one in simulation.apply({"kind": "run", "until": "idle"}) if one.data["kind"] == "cycle"]
    assert len(tried) < 10
    assert list(simulation.apply({"kind": "create", "objects": [node(0)]}))
    assert list(simulation.apply({"kind": "run", "until": "idle"}))
    assert [pod.phase for pod in simulation.cluster.store.list("Pod")] == ["Running", "Running"]


def test_of_what_has_gone_no_list_is_left() -> None:
    simulation = simulation_of()
    assert simulation.cluster.controllers is not None
    objects = simulation.cluster.controllers.manager.objects

    def lists() -> dict[str, int]:
        """How many of each sort there are, and how many addresses are taken."""
        known = {name: len(kept) for name, kept in vars(objects).items() if isinstance(kept, dict)}
        del known["_kinds"], known["_positions"]  # by kind
        return known | {"addresses": len(vars(objects.addresses)["_counts"])}

    before = lists()
    for _ in simulation.apply({"kind": "create", "objects": [workload("Deployment", "web", replicas=4)]}):
        pass
    run(simulation, 10)
    assert lists()["addresses"] == 4
    assert all(count > before[name] for name, count in lists().items() if name in ("_owned", "_dependents", "_on_node"))
    for _ in simulation.apply({"kind": "delete", "objects": [{"kind": "Deployment", "name": "web"}]}):
        pass
    run(simulation, 60)
    assert objects.of_kind("Pod") == []
    assert lists() == before


def test_a_budget_counts_pods_whenever_it_comes() -> None:
    """Who hears of pods is kept for as long as the same kinds are there."""
    simulation = simulation_of(workload("Deployment", "web", replicas=2))
    run(simulation, 10)
    for replicas in (3, 4):
        budget = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 1},
        }
        list(simulation.apply({"kind": "create", "objects": [budget]}))
        run(simulation, 10)
        scaled = workload("Deployment", "web", replicas=replicas)
        list(simulation.apply({"kind": "update", "objects": [scaled]}))
        run(simulation, 30)
        (counted,) = simulation.cluster.store.list("PodDisruptionBudget")
        assert manifest_of(counted)["status"]["currentHealthy"] == replicas
        gone = {"kind": "PodDisruptionBudget", "name": "web", "namespace": "default"}
        list(simulation.apply({"kind": "delete", "objects": [gone]}))
        run(simulation, 10)
