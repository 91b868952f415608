"""A life in which a pod waits at Permit: one attempt with two records, and a node before it is bound."""

from typing import Any

from scheduler_core.plugins.table import IN_TREE
from simulator.explain.pod_history import PodHistory
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.simulation.test_breakpoints import PATIENT, Patient


def test_a_pod_that_waits_has_a_node_and_one_attempt() -> None:
    simulation = Simulation.create(registry=IN_TREE.merged((Patient,)), config=PATIENT)
    life = PodHistory("default/p")

    def do(**command: Any) -> dict[str, Any]:
        for record in simulation.apply(command):
            life.add_record(record)
        return life.describe()

    do(kind="create", objects=[dict(make_node("n").manifest()), dict(make_pod("p").manifest())])
    told = do(kind="schedule_one")
    assert (told["lane"], told["node"], told["cycles"][0]["outcome"]) == ("waiting", "n", "waiting")
    told = do(kind="permit", pod="default/p", decision="reject", message="not today")
    assert (told["lane"], told["node"]) == ("backoff", None)
    (attempt,) = told["cycles"]
    assert (attempt["number"], attempt["outcome"], attempt["node"]) == (1, "unschedulable", None)
    assert "not today" in attempt["message"]
    assert [move["to"] for move in told["moves"]] == ["active", "inFlight", "waiting", "unschedulable", "backoff"]
    told = do(kind="delete", objects=[{"kind": "Pod", "namespace": "default", "name": "p"}])
    assert (told["lane"], told["manifest"], told["requests"]) == ("gone", None, {})
    assert told["cycles"] == [attempt]
