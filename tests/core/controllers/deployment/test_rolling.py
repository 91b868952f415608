"""Which replica sets a rolling update counts. Source: pkg/controller/deployment/rolling.go."""

from kube_controllers.deployment import rolling, util
from tests.core.controllers.test_upstream_tables import deployment, replica_set, rollout


def test_what_was_scaled_to_nothing_before_is_not_there_to_be_replaced() -> None:
    """Its status still says that three pods are available: without them only the one that is not may go."""
    new, old, oldest = replica_set("new", 4, 4), replica_set("old", 5, 4), replica_set("oldest", 0, 3)
    step = rollout(deployment(10, 0, 2), new, old, oldest)
    assert rolling.scale_down_old(step)
    assert sorted(map(util.replicas, step.old)) == [0, 4]
