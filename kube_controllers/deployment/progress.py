"""The progress of a rollout, and its deadline. Source: pkg/controller/deployment/progress.go."""

from collections.abc import Mapping
from typing import Any

from kube_controllers.deployment import util
from kube_controllers.deployment.rollout import Rollout
from kube_objects.manifests import (
    Manifest,
    condition,
    conditions,
    name,
    number,
    parse_time,
    status,
    without_condition,
)


def sync_rollout_status(rollout: Rollout) -> None:
    new = rollout.status_now()
    deployment = rollout.deployment
    if util.progress_deadline(deployment) is None:
        new["conditions"] = without_condition(new["conditions"], "Progressing")
    else:
        current = condition(conditions(deployment), "Progressing")
        done = number(new.get("replicas"), 0) == number(new.get("updatedReplicas"), 0)
        if not (done and current is not None and current.get("reason") == util.NEW_AVAILABLE):
            _set_progressing(rollout, new, current)
    failures = _replica_failures(rollout)
    if failures:
        new["conditions"] = util.set_condition(new["conditions"], failures[0])
    else:
        new["conditions"] = without_condition(new["conditions"], "ReplicaFailure")
    if status(deployment) == new:
        rollout.requeue_at, rollout.rate_limited = next_check(deployment, new, rollout.view.now)
    else:
        rollout.write_status(new)


def _set_progressing(rollout: Rollout, new: dict[str, Any], current: Mapping[str, Any] | None) -> None:
    deployment, now = rollout.deployment, rollout.view.now
    described = f'ReplicaSet "{name(rollout.new)}"' if rollout.new is not None else f'Deployment "{name(deployment)}"'
    listed = new["conditions"]
    if util.is_complete(deployment, new):
        progress = ("True", util.NEW_AVAILABLE, f"{described} has successfully progressed.")
        new["conditions"] = util.set_condition(listed, util.new_condition("Progressing", *progress, now))
    elif util.is_progressing(deployment, new):
        updated = util.new_condition("Progressing", "True", "ReplicaSetUpdated", f"{described} is progressing.", now)
        if current is not None and current.get("status") == "True":
            updated["lastTransitionTime"] = current.get("lastTransitionTime")
        # Written even when nothing but its time is new: that is what the deadline counts from.
        new["conditions"] = [*without_condition(listed, "Progressing"), updated]
    elif util.has_timed_out(deployment, new, now):
        progress = ("False", util.TIMED_OUT, f"{described} has timed out progressing.")
        new["conditions"] = util.set_condition(listed, util.new_condition("Progressing", *progress, now))


def _replica_failures(rollout: Rollout) -> list[Mapping[str, Any]]:
    """Return the ReplicaFailure conditions of the new ReplicaSet, or else of all. Source: getReplicaFailures."""
    if not any(replica_set is not None and conditions(replica_set) for replica_set in rollout.all):
        return []
    for group in ([rollout.new], rollout.all):
        failures: list[Mapping[str, Any]] = [
            {
                "type": failure["type"],
                "status": failure["status"],
                "lastUpdateTime": failure.get("lastTransitionTime"),
                "lastTransitionTime": failure.get("lastTransitionTime"),
                "reason": failure.get("reason"),
                "message": failure.get("message"),
            }
            for replica_set in group
            if replica_set is not None
            for failure in conditions(replica_set)
            if failure["type"] == "ReplicaFailure"
        ]
        if failures:
            return failures
    return []


def next_check(deployment: Manifest, new: Mapping[str, Any], now: float) -> tuple[float | None, bool]:
    """Return when to check the deadline if nothing changes, and whether the check is due within a second.

    Source: requeueStuckDeployment.
    """
    seconds = util.progress_deadline(deployment)
    current = condition(conditions(deployment), "Progressing")
    if seconds is None or current is None:
        return None, False
    if util.is_complete(deployment, new) or current.get("reason") == util.TIMED_OUT:
        return None, False
    since = parse_time(current.get("lastUpdateTime")) or now
    after = since + seconds - now
    return (None, True) if after < 1.0 else (now + after + 1.0, False)
