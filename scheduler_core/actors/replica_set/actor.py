"""The ReplicaSet controller. Source: pkg/controller/replicaset/replica_set.go."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scheduler_core.actors.api import Api, Refused
from scheduler_core.actors.claims import claim
from scheduler_core.actors.contract import Backoff, Outcome, Wake, subject
from scheduler_core.actors.counting import Counted, deletion_order
from scheduler_core.actors.manifests import (
    Manifest,
    condition,
    conditions,
    controller_of,
    format_time,
    generation,
    is_deleted,
    key,
    kind,
    labels,
    meta,
    name,
    namespace,
    nonzero,
    number,
    owners,
    spec,
    status,
    without_condition,
)
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import (
    describe,
    from_template,
    is_active,
    next_availability,
    phase,
)
from scheduler_core.actors.selecting import Selector, matches
from scheduler_core.sentences import say

_COMPONENTS = {"ReplicaSet": "replicaset-controller", "ReplicationController": "replication-controller"}
BURST = 500


class ReplicaSetActor:
    name = "replicaset"
    kind = "ReplicaSet"
    watches = frozenset({"ReplicaSet", "Pod"})
    controls = frozenset({"Pod"})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        if kind(obj) == self.kind:
            return () if _is_own_status(old, new) else (Wake(key(obj)),)
        return self.of_pod(old, new, view) if kind(obj) == "Pod" else ()

    def selector(self, obj: Manifest) -> Selector | None:
        return spec(obj).get("selector")

    def of_pod(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterator[Wake]:
        """Source: addPod, updatePod, deletePod."""
        if old is not None and new is not None and _relevant(old) == _relevant(new):
            return  # it was bound, or starts: nothing that a replica set counts
        before = view.controller(self.kind, old) if old is not None else None
        after = view.controller(self.kind, new) if new is not None else None
        for found in {key(one): one for one in (before, after) if one is not None}.values():
            yield Wake(key(found))
        if new is None or controller_of(new) is not None:
            return
        if old is None or labels(old) != labels(new) or controller_of(old) is not None:
            for one in view.of_kind(self.kind, namespace(new)):
                if matches(self.selector(one), labels(new)):
                    yield Wake(key(one))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncReplicaSet."""
        api = Api(view)
        selector = spec(obj).get("selector")
        owned = [view.counted(pod) for pod in view.owned(obj, "Pod")]
        pods = _claimed(obj, owned, selector, api)
        leaving = sum(one.terminating and one.selected_by(selector) for one in owned)
        reason, problem = "", ""
        if not is_deleted(obj):
            reason, problem = _manage(obj, pods, api)
        new = status_of(obj, pods, leaving, problem, view.now)
        _write_status(obj, new, api)
        wake_at = None
        min_ready = number(spec(obj).get("minReadySeconds"), 0)
        if (
            not problem
            and min_ready > 0
            and number(new.get("readyReplicas"), 0) != number(new.get("availableReplicas"), 0)
        ):
            wake_at = next_availability([one.pod for one in pods], min_ready, view.now)
        return Outcome(api.changes, reason, wake_at, failed=bool(problem))


def _claimed(obj: Manifest, owned: Sequence[Counted], selector: Selector | None, api: Api) -> list[Counted]:
    """The active pods that are its own, which is mostly all of them, and always asked again."""
    active = [one for one in owned if one.active]
    orphans = api.view.orphans("Pod", namespace(obj))
    if not orphans and all(one.selected_by(selector) for one in active):
        return active
    return [api.view.counted(pod) for pod in claim(obj, "Pod", api, is_active, [one.pod for one in owned])]


def _component(obj: Manifest) -> str:
    return _COMPONENTS[kind(obj)]


def replicas(obj: Manifest) -> int:
    return number(spec(obj).get("replicas"), 1)


def _manage(obj: Manifest, pods: Sequence[Counted], api: Api) -> tuple[str, str]:
    """Create or delete what is missing or too much: why, and what went wrong. Source: manageReplicas."""
    wanted, missing = replicas(obj), replicas(obj) - len(pods)
    if missing > 0:
        count = min(missing, BURST)
        reason = say(
            "{object} has {now} of {wanted} pods: creates {count}",
            object=describe(obj),
            now=len(pods),
            wanted=wanted,
            count=count,
        )
        return reason, create_pods(obj, count, api)
    if missing < 0:
        count = min(-missing, BURST)
        reason = say(
            "{object} has {now} pods where {wanted} are wanted: deletes {count}",
            object=describe(obj),
            now=len(pods),
            wanted=wanted,
            count=count,
        )
        for pod in to_delete(pods, related_pods(obj, api.view), count, api.view.now):
            api.delete(pod)
            api.tell(obj, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", _component(obj))
        return reason, ""
    return "", ""


def create_pods(obj: Manifest, count: int, api: Api) -> str:
    """One, then two, then four, … until the API server refuses: why it did. Source: slowStartBatch."""
    size, left = 1, count
    while left > 0:
        refusal = ""
        for _ in range(min(size, left)):
            refusal = _create_pod(obj, api) or refusal
        if refusal:
            return refusal
        left -= min(size, left)
        size *= 2
    return ""


def _create_pod(obj: Manifest, api: Api) -> str:
    try:
        made = api.create(from_template(spec(obj).get("template") or {}, obj))
    except Refused as refused:
        if "is being terminated" in refused.message:
            return ""
        api.tell(obj, "Warning", "FailedCreate", f"Error creating: {refused.message}", _component(obj))
        return refused.message
    api.tell(obj, "Normal", "SuccessfulCreate", f"Created pod: {name(made)}", _component(obj))
    return ""


def related_pods(obj: Manifest, view: View) -> Iterator[Counted]:
    """Pods of all replica sets of the same owner. Source: getIndirectlyRelatedPods."""
    controller = controller_of(obj)
    siblings = [obj] if controller is None else view.owned_by(str(controller.get("uid")), "ReplicaSet")
    return (view.counted(pod) for one in siblings for pod in view.owned(one, "Pod"))


def to_delete(pods: Sequence[Counted], related: Iterable[Counted], count: int, now: float) -> list[Manifest]:
    """Source: getPodsToDelete."""
    ordered = deletion_order(pods, related, now) if count < len(pods) else pods
    return [one.pod for one in ordered[:count]]


def status_of(obj: Manifest, pods: Sequence[Counted], leaving: int, problem: str, now: float) -> dict[str, Any]:
    """Source: calculateStatus. `leaving` pods are terminating; `problem`: why pods could not be created or deleted."""
    template = (((spec(obj).get("template") or {}).get("metadata") or {}).get("labels")) or {}
    min_ready = number(spec(obj).get("minReadySeconds"), 0)
    new: dict[str, Any] = {
        "replicas": len(pods),
        **nonzero(
            {
                "fullyLabeledReplicas": sum(one.has_labels(template) for one in pods),
                "readyReplicas": sum(one.ready for one in pods),
                "availableReplicas": sum(one.is_available(min_ready, now) for one in pods),
            }
        ),
        "terminatingReplicas": leaving,
    }
    if "observedGeneration" in status(obj):
        new["observedGeneration"] = status(obj)["observedGeneration"]
    found = list(conditions(obj))
    failure = condition(found, "ReplicaFailure")
    if problem and failure is None:
        found.append(
            {
                "type": "ReplicaFailure",
                "status": "True",
                "lastTransitionTime": format_time(now),
                "reason": "FailedCreate" if len(pods) < replicas(obj) else "FailedDelete",
                "message": problem,
            }
        )
    elif not problem and failure is not None:
        found = list(without_condition(found, "ReplicaFailure"))
    if found:
        new["conditions"] = found
    return new


def _write_status(obj: Manifest, new: dict[str, Any], api: Api) -> None:
    """Source: updateReplicaSetStatus."""
    if new == dict(status(obj)) and new.get("observedGeneration") == generation(obj):
        return
    api.update_status(obj, {**new, "observedGeneration": generation(obj)})


def _is_own_status(old: Manifest | None, new: Manifest | None) -> bool:
    """Only what it has just counted itself is new: looking again would come to the same."""
    return old is not None and new is not None and spec(old) == spec(new) and meta(old) == meta(new)


def _relevant(pod: Manifest) -> tuple[Any, ...]:
    """What a replica set looks at, but for what decides who goes first, which it asks when it needs it."""
    ready = condition(conditions(pod), "Ready")
    return phase(pod) in ("Succeeded", "Failed"), is_deleted(pod), labels(pod), owners(pod), ready
