"""How far a rollout is, and whether it has come to a stop. Source: pkg/controller/deployment/progress.go."""

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
            _judge(rollout, new, current)
    failures = _failures(rollout)
    if failures:
        new["conditions"] = util.set_condition(new["conditions"], failures[0])
    else:
        new["conditions"] = without_condition(new["conditions"], "ReplicaFailure")
    if status(deployment) == new:
        rollout.wake_at, rollout.rate_limited = next_look(deployment, new, rollout.view.now)
    else:
        rollout.write_status(new)


def _judge(rollout: Rollout, new: dict[str, Any], current: Mapping[str, Any] | None) -> None:
    deployment, now = rollout.deployment, rollout.view.now
    subject = f'ReplicaSet "{name(rollout.new)}"' if rollout.new is not None else f'Deployment "{name(deployment)}"'
    found = new["conditions"]
    if util.is_complete(deployment, new):
        progress = ("True", util.NEW_AVAILABLE, f"{subject} has successfully progressed.")
        new["conditions"] = util.set_condition(found, util.new_condition("Progressing", *progress, now))
    elif util.is_progressing(deployment, new):
        made = util.new_condition("Progressing", "True", "ReplicaSetUpdated", f"{subject} is progressing.", now)
        if current is not None and current.get("status") == "True":
            made["lastTransitionTime"] = current.get("lastTransitionTime")
        # Written even when nothing but its time is new: that is what the deadline counts from.
        new["conditions"] = [*without_condition(found, "Progressing"), made]
    elif util.has_timed_out(deployment, new, now):
        progress = ("False", util.TIMED_OUT, f"{subject} has timed out progressing.")
        new["conditions"] = util.set_condition(found, util.new_condition("Progressing", *progress, now))


def _failures(rollout: Rollout) -> list[Mapping[str, Any]]:
    """Why replica sets could not create pods, the new one's reasons first. Source: getReplicaFailures."""
    if not any(one is not None and conditions(one) for one in rollout.all):
        return []
    for group in ([rollout.new], rollout.all):
        found: list[Mapping[str, Any]] = [
            {
                "type": one["type"],
                "status": one["status"],
                "lastUpdateTime": one.get("lastTransitionTime"),
                "lastTransitionTime": one.get("lastTransitionTime"),
                "reason": one.get("reason"),
                "message": one.get("message"),
            }
            for replica_set in group
            if replica_set is not None
            for one in conditions(replica_set)
            if one["type"] == "ReplicaFailure"
        ]
        if found:
            return found
    return []


def next_look(deployment: Manifest, new: Mapping[str, Any], now: float) -> tuple[float | None, bool]:
    """When it is to be seen whether it has come to a stop, if nothing changes; or (True) that it is about to be.

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
