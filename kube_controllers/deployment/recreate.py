"""The strategy Recreate: all old Pods are deleted before new ones are created. Source:
pkg/controller/deployment/recreate.go.
"""

from kube_controllers.deployment import util
from kube_controllers.deployment.progress import sync_rollout_status
from kube_controllers.deployment.rollout import Rollout
from kube_controllers.pods import is_finished
from kube_objects.manifests import status


def recreate_pods(rollout: Rollout) -> None:
    """Run one step of the strategy.

    1. Scale all old ReplicaSets to zero.
    2. While old Pods still run, write the status only.
    3. Create the new ReplicaSet and scale it up.
    4. Clean up old ReplicaSets when the rollout is complete, and write the status.
    """
    rollout.sync_revision()
    scaled = [rollout.scale(replica_set, 0) for replica_set in util.active_replica_sets(rollout.old)]
    if any(scaled) or has_running_old_pods(rollout):
        sync_rollout_status(rollout)
        return
    if rollout.new is None and not rollout.sync_revision(create=True):
        return
    assert rollout.new is not None
    rollout.scale(rollout.new, util.replicas(rollout.deployment))
    if util.is_complete(rollout.deployment, status(rollout.deployment)):
        rollout.clean_up()
    sync_rollout_status(rollout)


def has_running_old_pods(rollout: Rollout) -> bool:
    """Return whether Pods of old ReplicaSets still run; terminating Pods count. Source: oldPodsRunning."""
    if util.sum_status(rollout.old, "replicas") > 0:
        return True
    return any(not is_finished(pod) for replica_set in rollout.old for pod in rollout.view.owned(replica_set, "Pod"))
