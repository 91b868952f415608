"""Recreate: all old pods go before a new one comes. Source: pkg/controller/deployment/recreate.go."""

from kube_controllers.deployment import util
from kube_controllers.deployment.progress import sync_rollout_status
from kube_controllers.deployment.rollout import Rollout
from kube_controllers.pods import is_finished
from kube_objects.manifests import status


def recreate(rollout: Rollout) -> None:
    rollout.sync_revision()
    scaled = [rollout.scale(one, 0) for one in util.active(rollout.old)]
    if any(scaled) or old_pods_run(rollout):
        sync_rollout_status(rollout)
        return
    if rollout.new is None and not rollout.sync_revision(create=True):
        return
    assert rollout.new is not None
    rollout.scale(rollout.new, util.replicas(rollout.deployment))
    if util.is_complete(rollout.deployment, status(rollout.deployment)):
        rollout.clean_up()
    sync_rollout_status(rollout)


def old_pods_run(rollout: Rollout) -> bool:
    """Source: oldPodsRunning: pods that are on their way out still count."""
    if util.sum_of(rollout.old, "replicas") > 0:
        return True
    return any(not is_finished(pod) for one in rollout.old for pod in rollout.view.owned(one, "Pod"))
