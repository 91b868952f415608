"""The strategy RollingUpdate. Source: pkg/controller/deployment/rolling.go."""

from collections.abc import Collection

from kube_controllers.deployment import util
from kube_controllers.deployment.progress import sync_rollout_status
from kube_controllers.deployment.rollout import Rollout
from kube_objects.manifests import by_creation, status, uid


def roll_out(rollout: Rollout) -> None:
    """Run one step of the strategy.

    1. Find or create the new ReplicaSet.
    2. Scale it up; if nothing changes, scale old ReplicaSets down.
    3. If neither scales and the rollout is complete, clean up old ReplicaSets.
    4. Write the status.
    """
    if not rollout.sync_revision(create=True):
        return
    scaled = scale_up_new(rollout) or scale_down_old(rollout)
    if not scaled and util.is_complete(rollout.deployment, status(rollout.deployment)):
        rollout.clean_up()
    has_changed = bool(rollout.api.changes)
    sync_rollout_status(rollout)
    rollout.only_waits = not has_changed and not util.is_complete(rollout.deployment, status(rollout.deployment))


def scale_up_new(rollout: Rollout) -> bool:
    """Scale the new ReplicaSet towards the target, within maxSurge. Source: reconcileNewReplicaSet."""
    new = rollout.new
    assert new is not None
    now = util.replicas(new)
    if now == rollout.wanted:
        return False
    if now > rollout.wanted:
        return rollout.scale(new, rollout.wanted)
    return rollout.scale(new, util.grow_replicas(now, rollout.wanted, rollout.surge, util.total_replicas(rollout.all)))


def scale_down_old(rollout: Rollout) -> bool:
    """Scale old ReplicaSets down: unavailable Pods first, then within maxUnavailable. Source:
    reconcileOldReplicaSets.
    """
    new = rollout.new
    assert new is not None
    if util.total_replicas(util.active_replica_sets(rollout.old)) == 0:
        return False
    least = rollout.wanted - rollout.unavailable
    new_unavailable = util.replicas(new) - util.status_number(new, "availableReplicas")
    most = util.total_replicas(rollout.all) - least - new_unavailable
    if most <= 0:
        return False
    counted_uids = {uid(replica_set) for replica_set in [*util.active_replica_sets(rollout.old), new]}
    cleaned = clean_up_unhealthy(rollout, most)
    return cleaned is not None and cleaned + scale_down_available(rollout, least, counted_uids) > 0


def clean_up_unhealthy(rollout: Rollout, most: int) -> int | None:
    """Remove unavailable Pods of old ReplicaSets, and return how many.

    Return None if a ReplicaSet still reports Pods that it is about to delete. Source: cleanupUnhealthyReplicas.
    """
    removed = 0
    for replica_set in sorted(util.active_replica_sets(rollout.old), key=by_creation):
        if removed >= most:
            break
        count = min(most - removed, util.replicas(replica_set) - util.status_number(replica_set, "availableReplicas"))
        if count < 0:
            return None
        if count > 0:
            rollout.scale(replica_set, util.replicas(replica_set) - count)
            removed += count
    return removed


def scale_down_available(rollout: Rollout, least: int, counted: Collection[str]) -> int:
    """Scale the ReplicaSets whose uids are in `counted` down until `least` available Pods are left.

    The others were at zero before; the available Pods in their status are being deleted already. Source:
    scaleDownOldReplicaSetsForRollingUpdate.
    """
    counting = [replica_set for replica_set in rollout.all if replica_set is not None and uid(replica_set) in counted]
    surplus = util.sum_status(counting, "availableReplicas") - least
    removed = 0
    for replica_set in sorted(util.active_replica_sets(rollout.old), key=by_creation):
        if removed >= surplus:
            break
        count = min(util.replicas(replica_set), surplus - removed)
        rollout.scale(replica_set, util.replicas(replica_set) - count)
        removed += count
    return removed
