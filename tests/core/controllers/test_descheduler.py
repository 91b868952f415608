"""The descheduler in a cluster that lives: a policy runs when it is given, and each interval."""

from typing import Any

from kube_controllers.descheduler.policy import INTERVAL
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, workload
from tests.core.controllers.test_living import run, simulation_of


def policy(strategy: str, point: str = "balance", **meta: Any) -> dict[str, Any]:
    return {
        "apiVersion": "descheduler/v1alpha2",
        "kind": "DeschedulerPolicy",
        "metadata": {"name": "default", **meta},
        "profiles": [{"name": "all", "plugins": {point: {"enabled": [strategy]}}}],
    }


def placed(simulation: Simulation) -> list[str]:
    return sorted(pod.node_name for pod in simulation.cluster.store.list("Pod") if not pod.terminating)


def crowded() -> Simulation:
    """Both pods on one node, as the other one came later."""
    simulation = simulation_of(workload("Deployment", "web", replicas=2))
    for named in ("node-0", "node-1"):
        list(simulation.apply({"kind": "cordon", "node": named}))
    return simulation


def test_duplicates_leave_when_the_policy_is_given_and_each_is_explained() -> None:
    simulation = crowded()
    run(simulation, 30)
    assert placed(simulation) == ["", ""]
    assert list(simulation.apply({"kind": "create", "objects": [node(2)]}))
    run(simulation, 30)
    assert placed(simulation) == ["node-2", "node-2"]
    list(simulation.apply({"kind": "uncordon", "node": "node-0"}))
    records = list(simulation.apply({"kind": "create", "objects": [policy("RemoveDuplicates")]}))
    records += run(simulation, 30)
    assert placed(simulation) == ["node-0", "node-2"]
    reasons = [record.data["reason"]["text"] for record in records if record.data.get("actor") == "descheduler"]
    assert len(reasons) == 1
    assert "its node has 2 Pods of its owner; an even share is 1" in reasons[0]


def test_on_a_schedule_it_looks_again() -> None:
    simulation = crowded()
    given = policy("RemoveDuplicates", annotations={INTERVAL: "300"})
    assert list(simulation.apply({"kind": "create", "objects": [node(2), given]}))
    run(simulation, 60)
    assert placed(simulation) == ["node-2", "node-2"]
    list(simulation.apply({"kind": "uncordon", "node": "node-0"}))
    run(simulation, 200)
    assert placed(simulation) == ["node-2", "node-2"]
    run(simulation, 60)
    assert placed(simulation) == ["node-0", "node-2"]


def test_a_strategy_that_is_none_is_told() -> None:
    simulation = simulation_of()
    records = list(simulation.apply({"kind": "create", "objects": [policy("RemoveEverything")]}))
    records += run(simulation, 5)
    (told,) = [event for record in records for event in record.data.get("events", ())]
    assert told["reason"] == "InvalidPolicy"
    assert told["message"].startswith("'RemoveEverything' is no strategy; there are RemovePodsHavingTooManyRestarts")
