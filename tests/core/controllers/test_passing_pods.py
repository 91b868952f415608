"""A kubelet that does not look at a pod which runs on misses nothing."""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_controllers.contract import Outcome, ReconcileRequest
from kube_controllers.kubelet import KubeletController
from kube_controllers.names import CONTROLLERS
from kube_controllers.objects import View
from kube_controllers.pods import node_of
from kube_objects.manifests import Manifest, kind
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, template, workload

RUN, EXIT = "playground.kube-scheduler/run-seconds", "playground.kube-scheduler/exit-code"


class Compared(KubeletController):
    """Whatever it would not look at, it looks at all the same: nothing may come of it, now or later."""

    def __init__(self) -> None:
        self.passed = self.looked = 0

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        found = super().map_event(old, new, view)
        if new is not None and kind(new) == "Pod" and node_of(new):
            if found:
                self.looked += 1
            else:
                self.passed += 1
                assert self.reconcile(new, view) == Outcome()
        return found


def annotated(**annotations: str) -> dict[str, Any]:
    made = template("web")
    made["metadata"]["annotations"] = {RUN if key == "run" else EXIT: value for key, value in annotations.items()}
    return made


def played(made: Mapping[str, Any]) -> Compared:
    """Three pods of a Deployment come up, lose a node and get it back, and are watched for minutes."""
    simulation = Simulation.create(seed=1, actors=tuple(CONTROLLERS), record_steps=False)
    assert simulation.cluster.controllers is not None
    manager = simulation.cluster.controllers.manager
    actor = Compared()
    manager.controllers = {**manager.controllers, "kubelet": actor}
    web = workload("Deployment", "web", replicas=3)
    web["spec"]["template"] = made
    for command in (
        {"kind": "create", "objects": [*map(node, range(2)), web]},
        {"kind": "run", "until": {"seconds": 60}},
        {"kind": "fail_node", "node": "node-0"},
        {"kind": "run", "until": {"seconds": 120}},
        {"kind": "recover_node", "node": "node-0"},
        {"kind": "run", "until": {"seconds": 300}},
    ):
        for _ in simulation.apply(command):
            pass
    return actor


def test_of_pods_that_run_for_ever() -> None:
    actor = played(template("web"))
    assert actor.passed >= 3
    assert actor.looked > actor.passed


def test_of_pods_that_end_again_and_again() -> None:
    actor = played(annotated(run="20", exit="1"))
    assert actor.passed == 0
    assert actor.looked > 20
