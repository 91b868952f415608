"""What the status of a job says besides its counters."""

from typing import Any

from simulator.simulation import Simulation
from tests.core.controllers.chaos import template
from tests.core.controllers.test_living import run, simulation_of


def _job(seconds: str) -> dict[str, Any]:
    made = template("sum")
    made["metadata"]["annotations"] = {"playground.kube-scheduler/run-seconds": seconds}
    made["spec"]["restartPolicy"] = "Never"
    about = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "sum", "namespace": "default"}}
    return {**about, "spec": {"template": made}}


def _status(simulation: Simulation) -> dict[str, Any]:
    (found,) = simulation.cluster.store.list("Job")
    return dict(found.manifest.get("status") or {})


def test_nothing_is_left_to_be_counted() -> None:
    simulation = simulation_of(_job("5"))
    run(simulation, 2)
    assert _status(simulation)["uncountedTerminatedPods"] == {}
    run(simulation, 60)
    found = _status(simulation)
    assert (found["succeeded"], found["uncountedTerminatedPods"]) == (1, {})
