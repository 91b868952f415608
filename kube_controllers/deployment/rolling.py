"""RollingUpdate. Source: pkg/controller/deployment/rolling.go."""

from collections.abc import Collection

from kube_controllers.deployment import util
from kube_controllers.deployment.progress import sync_rollout_status
from kube_controllers.deployment.rollout import Rollout
from kube_objects.manifests import by_creation, status, uid


def roll(rollout: Rollout) -> None:
    """One step: up, or else down, or else what is left to do at the end."""
    if not rollout.sync_revision(create=True):
        return
    scaled = scale_up_new(rollout) or scale_down_old(rollout)
    if not scaled and util.is_complete(rollout.deployment, status(rollout.deployment)):
        rollout.clean_up()
    has_changed = bool(rollout.api.changes)
    sync_rollout_status(rollout)
    rollout.waits = not has_changed and not util.is_complete(rollout.deployment, status(rollout.deployment))


def scale_up_new(rollout: Rollout) -> bool:
    """Source: reconcileNewReplicaSet."""
    new = rollout.new
    assert new is not None
    now = util.replicas(new)
    if now == rollout.wanted:
        return False
    if now > rollout.wanted:
        return rollout.scale(new, rollout.wanted)
    return rollout.scale(new, util.grown(now, rollout.wanted, rollout.surge, util.total(rollout.all)))


def scale_down_old(rollout: Rollout) -> bool:
    """Source: reconcileOldReplicaSets: pods that are not available first, then as many as may be missing."""
    new = rollout.new
    assert new is not None
    if util.total(util.active(rollout.old)) == 0:
        return False
    least = rollout.wanted - rollout.unavailable
    new_unavailable = util.replicas(new) - util.counted(new, "availableReplicas")
    most = util.total(rollout.all) - least - new_unavailable
    if most <= 0:
        return False
    counted = {uid(one) for one in [*util.active(rollout.old), new]}
    cleaned = clean_up_unhealthy(rollout, most)
    return cleaned is not None and cleaned + scale_down_available(rollout, least, counted) > 0


def clean_up_unhealthy(rollout: Rollout, most: int) -> int | None:
    """How many went; None if a replica set still counts pods that it is to delete, so that nothing is known for sure.

    Source: cleanupUnhealthyReplicas.
    """
    gone = 0
    for one in sorted(util.active(rollout.old), key=by_creation):
        if gone >= most:
            break
        count = min(most - gone, util.replicas(one) - util.counted(one, "availableReplicas"))
        if count < 0:
            return None
        if count > 0:
            rollout.scale(one, util.replicas(one) - count)
            gone += count
    return gone


def scale_down_available(rollout: Rollout, least: int, counted: Collection[str]) -> int:
    """Down to `least`, of the replica sets with the uids in `counted`.

    The others had been scaled to nothing before; what their statuses still say is available is going already.
    Source: scaleDownOldReplicaSetsForRollingUpdate.
    """
    counting = [one for one in rollout.all if one is not None and uid(one) in counted]
    to_go = util.sum_of(counting, "availableReplicas") - least
    gone = 0
    for one in sorted(util.active(rollout.old), key=by_creation):
        if gone >= to_go:
            break
        count = min(util.replicas(one), to_go - gone)
        rollout.scale(one, util.replicas(one) - count)
        gone += count
    return gone
