"""Fields of Deployments, and sums over their ReplicaSets. Source: pkg/controller/deployment/util."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kube_objects.manifests import (
    Manifest,
    annotations,
    by_creation,
    condition,
    format_time,
    generation,
    number,
    parse_time,
    scaled,
    spec,
    status,
    without_condition,
)

REVISION = "deployment.kubernetes.io/revision"
REVISION_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS = "deployment.kubernetes.io/max-replicas"
HASH_LABEL = "pod-template-hash"
NEW_AVAILABLE, TIMED_OUT, PAUSED, RESUMED = (
    "NewReplicaSetAvailable",
    "ProgressDeadlineExceeded",
    "DeploymentPaused",
    "DeploymentResumed",
)
NO_LIMIT = 2**31 - 1

Condition = Mapping[str, Any]
Template = Mapping[str, Any]
_NOTHING: Mapping[str, Any] = {}


def replicas(obj: Manifest) -> int:
    count = (obj.get("spec") or _NOTHING).get("replicas")
    return 1 if count is None else int(count)


def status_number(obj: Manifest, field: str) -> int:
    """Return a number of the object's status, 0 if it is missing."""
    return int((obj.get("status") or _NOTHING).get(field) or 0)


def strategy(deployment: Manifest) -> str:
    return str((spec(deployment).get("strategy") or {}).get("type") or "RollingUpdate")


def is_rolling(deployment: Manifest) -> bool:
    return strategy(deployment) == "RollingUpdate"


def resolve_fenceposts(surge: int | str | None, unavailable: int | str | None, desired: int) -> tuple[int, int]:
    """Return maxSurge and maxUnavailable as numbers. If both are zero, one Pod may be unavailable. Source:
    ResolveFenceposts.
    """
    most, fewest = scaled(surge, desired, round_up=True), scaled(unavailable, desired, round_up=False)
    return most, 1 if most == 0 and fewest == 0 else fewest


def surge_and_unavailable(deployment: Manifest) -> tuple[int, int]:
    """Return how many Pods more than desired may exist, and how many of the desired ones may be missing."""
    return surge_and_unavailable_of_spec(spec(deployment))


def surge_and_unavailable_of_spec(deployment_spec: Mapping[str, Any]) -> tuple[int, int]:
    """Return the same for a spec, which many versions of a Deployment share."""
    strategy_fields = deployment_spec.get("strategy") or _NOTHING
    if (strategy_fields.get("type") or "RollingUpdate") != "RollingUpdate":
        return 0, 0
    wanted, rolling = number(deployment_spec.get("replicas"), 1), strategy_fields.get("rollingUpdate") or _NOTHING
    surge, unavailable = rolling.get("maxSurge", "25%"), rolling.get("maxUnavailable", "25%")
    surge, unavailable = resolve_fenceposts(surge, unavailable, wanted)
    return surge, min(unavailable, wanted)


def max_surge(deployment: Manifest) -> int:
    return surge_and_unavailable(deployment)[0]


def max_unavailable(deployment: Manifest) -> int:
    return surge_and_unavailable(deployment)[1]


def min_available(deployment: Manifest) -> int:
    return replicas(deployment) - max_unavailable(deployment) if is_rolling(deployment) else 0


def revision(replica_set: Manifest) -> int:
    try:
        return int(annotations(replica_set).get(REVISION, 0))
    except ValueError:
        return 0


def max_revision(replica_sets: Iterable[Manifest]) -> int:
    return max((revision(replica_set) for replica_set in replica_sets), default=0)


def annotated_number(replica_set: Manifest, annotation: str) -> int | None:
    """Source: getNonNegativeInt32FromAnnotation."""
    text = annotations(replica_set).get(annotation, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) <= NO_LIMIT else None


def total_replicas(replica_sets: Iterable[Manifest | None]) -> int:
    """Return the sum of the desired replicas."""
    return sum([replicas(replica_set) for replica_set in replica_sets if replica_set is not None])


def sum_status(replica_sets: Iterable[Manifest | None], field: str) -> int:
    """Return the sum of a number in the statuses."""
    return sum([status_number(replica_set, field) for replica_set in replica_sets if replica_set is not None])


def terminating(replica_sets: Iterable[Manifest | None]) -> int | None:
    """Return the number of terminating Pods; None if an observed ReplicaSet doesn't report it.

    Source: GetTerminatingReplicaCountForReplicaSets.
    """
    total = 0
    for replica_set in replica_sets:
        counts: Mapping[str, Any] = _NOTHING if replica_set is None else replica_set.get("status") or _NOTHING
        if counts.get("terminatingReplicas") is not None:
            total += int(counts["terminatingReplicas"])
        elif counts.get("observedGeneration"):
            return None
    return total


def active_replica_sets(replica_sets: Iterable[Manifest | None]) -> list[Manifest]:
    return [replica_set for replica_set in replica_sets if replica_set is not None and replicas(replica_set) > 0]


def without_hash(template: Template) -> Template:
    """Return the template without the hash label and empty metadata, for comparing templates."""
    metadata = {name: value for name, value in (template.get("metadata") or {}).items() if value}
    metadata["labels"] = {name: value for name, value in (metadata.get("labels") or {}).items() if name != HASH_LABEL}
    metadata.pop("creationTimestamp", None)
    return {**template, "metadata": {name: value for name, value in metadata.items() if value}}


def same_template(one: Template, other: Template, compared: Callable[[Template], Template] = without_hash) -> bool:
    """Return whether two templates are equal after `compared`, such as `without_hash`. Source: EqualIgnoreHash."""
    spec_of_one, spec_of_other = one.get("spec"), other.get("spec")
    if spec_of_one is not spec_of_other and spec_of_one != spec_of_other:
        return False
    return compared(one) == compared(other)


def find_new(
    deployment: Manifest,
    replica_sets: Sequence[Manifest],
    compared: Callable[[Template], Template] = without_hash,
) -> Manifest | None:
    """Return the oldest ReplicaSet with the Deployment's template. Source: FindNewReplicaSet."""
    wanted = spec(deployment).get("template") or {}
    matching = [
        replica_set
        for replica_set in replica_sets
        if same_template(spec(replica_set).get("template") or {}, wanted, compared)
    ]
    return matching[0] if len(matching) == 1 else min(matching, key=by_creation, default=None)


def new_replicas(deployment: Manifest, replica_sets: Iterable[Manifest | None], now: int) -> int:
    """Return the replicas that the new ReplicaSet, which has `now`, should have. Source: NewRSNewReplicas."""
    if not is_rolling(deployment):
        return replicas(deployment)
    return grow_replicas(now, replicas(deployment), max_surge(deployment), total_replicas(replica_sets))


def grow_replicas(now: int, wanted: int, surge: int, there: int) -> int:
    """Return the same for a rolling update if all ReplicaSets together have `there` replicas."""
    room = wanted + surge - there
    return now if room <= 0 else now + min(room, wanted - now)


def find_active_or_latest(new: Manifest | None, old: Sequence[Manifest]) -> Manifest | None:
    """Return the only ReplicaSet with replicas, or the latest if none has any; None if several have.

    Source: FindActiveOrLatest.
    """
    latest_first = sorted(old, key=by_creation, reverse=True)
    scaled_up = active_replica_sets([*latest_first, new])
    if len(scaled_up) == 1:
        return scaled_up[0]
    if scaled_up:
        return None
    return new if new is not None or not old else latest_first[0]


def is_saturated(deployment: Manifest, new: Manifest | None) -> bool:
    if new is None:
        return False
    wanted = replicas(deployment)
    return (
        replicas(new) == wanted
        and annotated_number(new, DESIRED) == wanted
        and status_number(new, "availableReplicas") == wanted
    )


# Progress


def progress_deadline(deployment: Manifest) -> int | None:
    seconds = (deployment.get("spec") or _NOTHING).get("progressDeadlineSeconds")
    if seconds is None:
        return 600
    return None if seconds == NO_LIMIT else int(seconds)


def history_limit(deployment: Manifest) -> int | None:
    limit = number(spec(deployment).get("revisionHistoryLimit"), 10)
    return None if limit == NO_LIMIT else limit


def is_complete(deployment: Manifest, of: Mapping[str, Any]) -> bool:
    """Return whether the status `of` shows a complete rollout. Source: DeploymentComplete."""
    wanted = replicas(deployment)
    return (
        (of.get("updatedReplicas") or 0) == wanted
        and (of.get("replicas") or 0) == wanted
        and (of.get("availableReplicas") or 0) == wanted
        and number(of.get("observedGeneration"), 0) >= generation(deployment)
    )


def is_progressing(deployment: Manifest, new: Mapping[str, Any]) -> bool:
    """Return whether the new status shows progress. Source: DeploymentProgressing."""
    old = status(deployment)
    for counts in ("updatedReplicas", "readyReplicas", "availableReplicas"):
        if (new.get(counts) or 0) > (old.get(counts) or 0):
            return True
    return _old_replicas(new) < _old_replicas(old)


def _old_replicas(of: Mapping[str, Any]) -> int:
    """Return the number of Pods of old revisions."""
    return number(of.get("replicas"), 0) - number(of.get("updatedReplicas"), 0)


def has_timed_out(deployment: Manifest, of: Mapping[str, Any], now: float) -> bool:
    """Return whether the progress deadline has passed. Source: DeploymentTimedOut."""
    seconds = progress_deadline(deployment)
    progressing = condition(of.get("conditions") or (), "Progressing")
    if seconds is None or progressing is None or progressing.get("reason") == NEW_AVAILABLE:
        return False
    if progressing.get("reason") == TIMED_OUT:
        return True
    since = parse_time(progressing.get("lastUpdateTime"))
    return since is not None and since + seconds < now


def new_condition(type_: str, value: str, reason: str, message: str, now: float) -> dict[str, Any]:
    moment = format_time(now)
    return {
        "type": type_,
        "status": value,
        "lastUpdateTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def has_condition(found: Sequence[Condition], type_: str, value: str, reason: str) -> bool:
    """Return whether the conditions contain this one already."""
    current = condition(found, type_)
    return current is not None and current.get("status") == value and current.get("reason") == reason


def set_condition(found: Sequence[Condition], new: Condition) -> list[Condition]:
    """Source: SetDeploymentCondition: the same status for the same reason is no news."""
    current = condition(found, str(new["type"]))
    if current is not None and current.get("status") == new["status"]:
        if current.get("reason") == new["reason"]:
            return list(found)
        new = {**new, "lastTransitionTime": current.get("lastTransitionTime")}
    return [*without_condition(found, str(new["type"])), new]


def proportion(replica_set: Manifest, deployment: Manifest, to_add: int, added: int) -> int:
    """Return this ReplicaSet's share of the replicas to add or remove. Source: GetReplicaSetProportion."""
    if replicas(replica_set) == 0 or to_add in (0, added):
        return 0
    share, allowed = fraction(replica_set, deployment), to_add - added
    return min(share, allowed) if to_add > 0 else max(share, allowed)


def fraction(replica_set: Manifest, deployment: Manifest) -> int:
    """Source: getReplicaSetFraction."""
    if replicas(deployment) == 0:
        return -replicas(replica_set)
    most = replicas(deployment) + max_surge(deployment)
    before = annotated_number(replica_set, MAX_REPLICAS)
    if not before:
        before = status_number(deployment, "replicas")
        if before == 0:
            return 0
    size = replicas(replica_set) * most / before
    return int(size + 0.5) - replicas(replica_set)
