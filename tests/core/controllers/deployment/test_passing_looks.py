"""A Deployment that is looked at in passing comes to what a whole look at it would."""

from collections.abc import Mapping
from typing import Any

from kube_controllers.contract import Outcome
from kube_controllers.deployment.deployment_controller import DeploymentController
from kube_controllers.names import CONTROLLERS
from kube_controllers.objects import View
from kube_objects.manifests import Manifest
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, template, workload


class Compared(DeploymentController):
    """Each look that comes to nothing is compared with that of one who has seen nothing before."""

    def __init__(self) -> None:
        super().__init__()
        self.compared = self.passing = 0

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        self.passing += self._only_waits(obj, view)
        outcome = super().reconcile(obj, view)
        if not outcome.changes:
            whole = DeploymentController().reconcile(obj, view)
            assert (whole.changes, whole.requeue_at, whole.failed) == ([], outcome.requeue_at, outcome.failed)
            self.compared += 1
        return outcome


def played(**asked: Any) -> tuple[Compared, Mapping[str, Any]]:
    """It comes up, rolls over to a larger size and is watched for minutes: who watched, and how it stands then."""
    simulation = Simulation.create(seed=1, actors=tuple(CONTROLLERS), record_steps=False)
    assert simulation.cluster.controllers is not None
    manager = simulation.cluster.controllers.manager
    actor = Compared()
    manager.controllers = {**manager.controllers, "deployment": actor}
    web = workload("Deployment", "web", replicas=6, **asked)
    larger = workload("Deployment", "web", replicas=90, **asked)
    larger["spec"]["template"] = template("web", "app:2")
    for command in (
        {"kind": "create", "objects": [*map(node, range(2)), web]},
        {"kind": "run", "until": {"seconds": 60}},
        {"kind": "update", "objects": [larger]},
        {"kind": "run", "until": {"seconds": 300}},
    ):
        for _ in simulation.apply(command):
            pass
    found = manager.objects.get("Deployment", "default/web")
    assert found is not None
    return actor, found["status"]


def test_until_it_has_stood_still_for_too_long() -> None:
    """There is room for 60 of the 90 pods."""
    actor, status = played(progressDeadlineSeconds=30)
    assert actor.compared > actor.passing > 10
    assert any(one.get("reason") == "ProgressDeadlineExceeded" for one in status["conditions"])


def test_without_a_deadline() -> None:
    actor, status = played(progressDeadlineSeconds=2**31 - 1)
    assert actor.compared > actor.passing > 10
    assert not any(one["type"] == "Progressing" for one in status["conditions"])


def test_of_pods_that_are_available_only_later() -> None:
    actor, _ = played(minReadySeconds=5)
    assert actor.compared > actor.passing > 10


def test_where_all_old_pods_go_first() -> None:
    actor, _ = played(strategy={"type": "Recreate"})
    assert actor.compared > 2
    assert actor.passing == 0
