"""Kubelets: containers that start again, and times that are drawn."""

from typing import Any

import pytest

from scheduler_core.actors import kubelet
from scheduler_core.simulation import Simulation
from tests.core.actors.storms import template
from tests.core.actors.test_living import run, simulation_of


@pytest.mark.parametrize(("restarts", "seconds"), [(1, 0), (2, 10), (3, 20), (6, 160), (7, 300), (40, 300)])
def test_the_backoff_of_containers(restarts: int, seconds: float) -> None:
    assert kubelet.backoff_after(restarts) == seconds


def job(policy: str, **annotations: str) -> dict[str, Any]:
    pod = template("work", "work:1")
    pod["metadata"]["annotations"] = {
        kubelet.PREFIX + name.replace("_", "-"): text for name, text in annotations.items()
    }
    pod["spec"]["restartPolicy"] = policy
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work", "namespace": "default"},
        "spec": {"template": pod, "backoffLimit": 6},
    }


def pod_of(simulation: Simulation) -> dict[str, Any]:
    (pod,) = simulation.cluster.store.list("Pod")
    return dict(pod.manifest["status"])


def test_a_container_that_fails_starts_again_in_its_pod() -> None:
    simulation = simulation_of(job("OnFailure", run_seconds="5", exit_code="1,1,0"))
    run(simulation, 14)
    assert pod_of(simulation)["containerStatuses"][0]["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert pod_of(simulation)["containerStatuses"][0]["restartCount"] == 2
    run(simulation, 60)
    assert pod_of(simulation)["phase"] == "Succeeded"
    (found,) = simulation.cluster.store.list("Job")
    assert found.manifest["status"]["succeeded"] == 1


def test_a_pod_that_never_starts_again_fails() -> None:
    simulation = simulation_of(job("Never", run_seconds="5", exit_code="3"))
    run(simulation, 9)
    assert pod_of(simulation)["phase"] == "Failed"
    assert pod_of(simulation)["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 3


def test_times_are_drawn_for_each_pod_and_stay() -> None:
    def seconds(named: str, text: str) -> float:
        pod = {"metadata": {"uid": named, "annotations": {kubelet.RUN: text}}}
        return kubelet.seconds_of(pod, kubelet.RUN, 30.0)

    names = [f"pod-{at}" for at in range(400)]
    even = [seconds(named, "10..20") for named in names]
    assert min(even) >= 10
    assert max(even) < 20
    assert 14.5 < sum(even) / len(even) < 15.5
    exponential = [seconds(named, "~30") for named in names]
    assert 25 < sum(exponential) / len(exponential) < 35
    assert even == [seconds(named, "10..20") for named in names]
    assert seconds("any", "soon") == 30.0
