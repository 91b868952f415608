"""What a Deployment asks for, and counts over its replica sets. Source: pkg/controller/deployment/util."""

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
    found = (obj.get("spec") or _NOTHING).get("replicas")
    return 1 if found is None else int(found)


def counted(obj: Manifest, of: str) -> int:
    """A number of its status."""
    return int((obj.get("status") or _NOTHING).get(of) or 0)


def strategy(deployment: Manifest) -> str:
    return str((spec(deployment).get("strategy") or {}).get("type") or "RollingUpdate")


def is_rolling(deployment: Manifest) -> bool:
    return strategy(deployment) == "RollingUpdate"


def resolve_fenceposts(surge: int | str | None, unavailable: int | str | None, desired: int) -> tuple[int, int]:
    """maxSurge and maxUnavailable as numbers; both zero would stand still. Source: ResolveFenceposts."""
    most, fewest = scaled(surge, desired, round_up=True), scaled(unavailable, desired, round_up=False)
    return most, 1 if most == 0 and fewest == 0 else fewest


def fences(deployment: Manifest) -> tuple[int, int]:
    """How many more pods than it asks for may be there, and how many of those may be missing."""
    return fences_of(spec(deployment))


def fences_of(deployment_spec: Mapping[str, Any]) -> tuple[int, int]:
    """The same by the spec, which many versions of a deployment share."""
    given = deployment_spec.get("strategy") or _NOTHING
    if (given.get("type") or "RollingUpdate") != "RollingUpdate":
        return 0, 0
    wanted, rolling = number(deployment_spec.get("replicas"), 1), given.get("rollingUpdate") or _NOTHING
    surge, unavailable = rolling.get("maxSurge", "25%"), rolling.get("maxUnavailable", "25%")
    surge, unavailable = resolve_fenceposts(surge, unavailable, wanted)
    return surge, min(unavailable, wanted)


def max_surge(deployment: Manifest) -> int:
    return fences(deployment)[0]


def max_unavailable(deployment: Manifest) -> int:
    return fences(deployment)[1]


def min_available(deployment: Manifest) -> int:
    return replicas(deployment) - max_unavailable(deployment) if is_rolling(deployment) else 0


def revision(replica_set: Manifest) -> int:
    try:
        return int(annotations(replica_set).get(REVISION, 0))
    except ValueError:
        return 0


def max_revision(replica_sets: Iterable[Manifest]) -> int:
    return max((revision(one) for one in replica_sets), default=0)


def annotated_number(replica_set: Manifest, of: str) -> int | None:
    """Source: getNonNegativeInt32FromAnnotation."""
    text = annotations(replica_set).get(of, "")
    return int(text) if text.isascii() and text.isdigit() and int(text) <= NO_LIMIT else None


def total(replica_sets: Iterable[Manifest | None]) -> int:
    """What is asked of all of them."""
    return sum([replicas(one) for one in replica_sets if one is not None])


def sum_of(replica_sets: Iterable[Manifest | None], of: str) -> int:
    """What all of them say they have."""
    return sum([counted(one, of) for one in replica_sets if one is not None])


def terminating(replica_sets: Iterable[Manifest | None]) -> int | None:
    """Source: GetTerminatingReplicaCountForReplicaSets: unknown if one that was looked at does not say."""
    found = 0
    for one in replica_sets:
        counts: Mapping[str, Any] = _NOTHING if one is None else one.get("status") or _NOTHING
        if counts.get("terminatingReplicas") is not None:
            found += int(counts["terminatingReplicas"])
        elif counts.get("observedGeneration"):
            return None
    return found


def active(replica_sets: Iterable[Manifest | None]) -> list[Manifest]:
    return [one for one in replica_sets if one is not None and replicas(one) > 0]


def without_hash(template: Template) -> Template:
    """What of two templates has to be the same for a replica set to be that of its Deployment."""
    given = {name: value for name, value in (template.get("metadata") or {}).items() if value}
    given["labels"] = {name: value for name, value in (given.get("labels") or {}).items() if name != HASH_LABEL}
    given.pop("creationTimestamp", None)
    return {**template, "metadata": {name: value for name, value in given.items() if value}}


def same_template(one: Template, other: Template, compared: Callable[[Template], Template] = without_hash) -> bool:
    """`compared`: as `without_hash`. Source: EqualIgnoreHash."""
    spec_of_one, spec_of_other = one.get("spec"), other.get("spec")
    if spec_of_one is not spec_of_other and spec_of_one != spec_of_other:
        return False
    return compared(one) == compared(other)


def find_new(
    deployment: Manifest,
    replica_sets: Sequence[Manifest],
    compared: Callable[[Template], Template] = without_hash,
) -> Manifest | None:
    """The oldest one that has the deployment's template. Source: FindNewReplicaSet."""
    wanted = spec(deployment).get("template") or {}
    found = [one for one in replica_sets if same_template(spec(one).get("template") or {}, wanted, compared)]
    return found[0] if len(found) == 1 else min(found, key=by_creation, default=None)


def new_replicas(deployment: Manifest, replica_sets: Iterable[Manifest | None], now: int) -> int:
    """How many the new replica set, which has `now`, should have. Source: NewRSNewReplicas."""
    if not is_rolling(deployment):
        return replicas(deployment)
    return grown(now, replicas(deployment), max_surge(deployment), total(replica_sets))


def grown(now: int, wanted: int, surge: int, there: int) -> int:
    """The same where replicas roll and all replica sets have `there`."""
    room = wanted + surge - there
    return now if room <= 0 else now + min(room, wanted - now)


def find_active_or_latest(new: Manifest | None, old: Sequence[Manifest]) -> Manifest | None:
    """The only one that has replicas, or the latest if none has. Source: FindActiveOrLatest."""
    latest_first = sorted(old, key=by_creation, reverse=True)
    found = active([*latest_first, new])
    if len(found) == 1:
        return found[0]
    if found:
        return None
    return new if new is not None or not old else latest_first[0]


def is_saturated(deployment: Manifest, new: Manifest | None) -> bool:
    if new is None:
        return False
    wanted = replicas(deployment)
    return (
        replicas(new) == wanted
        and annotated_number(new, DESIRED) == wanted
        and counted(new, "availableReplicas") == wanted
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
    """Source: DeploymentComplete; `of` is a status."""
    wanted = replicas(deployment)
    return (
        (of.get("updatedReplicas") or 0) == wanted
        and (of.get("replicas") or 0) == wanted
        and (of.get("availableReplicas") or 0) == wanted
        and number(of.get("observedGeneration"), 0) >= generation(deployment)
    )


def is_progressing(deployment: Manifest, new: Mapping[str, Any]) -> bool:
    """Source: DeploymentProgressing."""
    old = status(deployment)
    for counts in ("updatedReplicas", "readyReplicas", "availableReplicas"):
        if (new.get(counts) or 0) > (old.get(counts) or 0):
            return True
    return _left(new) < _left(old)


def _left(of: Mapping[str, Any]) -> int:
    """How many pods of old revisions there are."""
    return number(of.get("replicas"), 0) - number(of.get("updatedReplicas"), 0)


def has_timed_out(deployment: Manifest, of: Mapping[str, Any], now: float) -> bool:
    """Source: DeploymentTimedOut."""
    seconds = progress_deadline(deployment)
    found = condition(of.get("conditions") or (), "Progressing")
    if seconds is None or found is None or found.get("reason") == NEW_AVAILABLE:
        return False
    if found.get("reason") == TIMED_OUT:
        return True
    since = parse_time(found.get("lastUpdateTime"))
    return since is not None and since + seconds < now


def new_condition(type_: str, value: str, reason: str, message: str, now: float) -> dict[str, Any]:
    at = format_time(now)
    return {
        "type": type_,
        "status": value,
        "lastUpdateTime": at,
        "lastTransitionTime": at,
        "reason": reason,
        "message": message,
    }


def says(found: Sequence[Condition], type_: str, value: str, reason: str) -> bool:
    """Whether a condition would be no news."""
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
    """This replica set's share of what a scaled deployment adds or takes. Source: GetReplicaSetProportion."""
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
        before = counted(deployment, "replicas")
        if before == 0:
            return 0
    size = replicas(replica_set) * most / before
    return int(size + 0.5) - replicas(replica_set)
