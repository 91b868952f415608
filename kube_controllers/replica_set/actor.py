"""The ReplicaSet controller. Source: pkg/controller/replicaset/replica_set.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.claims import claim
from kube_controllers.contract import (
    CAME,
    DELETED,
    FINISHED,
    GONE,
    LABELS,
    OWNERS,
    READY,
    Backoff,
    Outcome,
    Wake,
    subject,
)
from kube_controllers.counting import Counted, Tally, deletion_order
from kube_controllers.creating import create_pod, in_batches, limit_burst
from kube_controllers.objects import View
from kube_controllers.pods import describe, from_template, is_active
from kube_controllers.selecting import UNSELECTED, Selector, selects_its_own
from kube_objects.manifests import (
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
    name,
    namespace,
    number,
    spec,
    status,
    without_condition,
)
from kube_objects.selectors import as_label_selector, selects
from kube_objects.sentences import say

_COMPONENTS = {"ReplicaSet": "replicaset-controller", "ReplicationController": "replication-controller"}
BURST = 500


class ReplicaSetActor:
    name = "replicaset"
    kind = "ReplicaSet"
    watches = frozenset({"ReplicaSet", "Pod"})
    controls = frozenset({"Pod"})
    # Not that a pod was bound, or starts: nothing that a replica set counts. What decides who goes first is asked when
    # it is needed.
    heeds: Mapping[str, int] = {"Pod": CAME | GONE | LABELS | OWNERS | DELETED | FINISHED | READY}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        obj = subject(old, new)
        of = kind(obj)
        if of == self.kind:
            return () if _is_known(old, new) else (Wake(key(obj)),)
        return self.of_pod(old, new, view) if of == "Pod" else ()

    def selector(self, obj: Manifest) -> Selector | None:
        return spec(obj).get("selector")

    def of_pod(self, old: Manifest | None, new: Manifest | None, view: View) -> list[Wake]:
        """Source: addPod, updatePod, deletePod."""
        found = [Wake(at) for at in view.controllers(self.kind, old, new)]
        if new is None or controller_of(new) is not None:
            return found
        if old is None or labels(old) != labels(new) or controller_of(old) is not None:
            every = view.of_kind(self.kind, namespace(new))
            found += [Wake(key(one)) for one in every if selects(self.selector(one), labels(new))]
        return found

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncReplicaSet."""
        api = Api(view)
        selector = as_label_selector(spec(obj).get("selector"))
        pods, tally = None, view.tally(obj)
        leaving = tally.leaving(selector)
        if view.has_orphans("Pod", namespace(obj)) or not tally.is_selected(selector):
            pods = [view.counted(pod) for pod in claim(obj, "Pod", api, is_active)]
            tally = Tally(pods)
        reason, problem = "", ""
        if not is_deleted(obj) and tally.active != replicas(obj):
            if pods is None and tally.active > replicas(obj):
                pods = [one for one in view.counted_of(obj) if one.active]
            reason, problem = _manage(obj, tally.active, pods or (), api)
        new = status_of(obj, tally, leaving, problem, view.now)
        _write_status(obj, new, api)
        wake_at = None
        min_ready = number(spec(obj).get("minReadySeconds"), 0)
        if (
            not problem
            and min_ready > 0
            and number(new.get("readyReplicas"), 0) != number(new.get("availableReplicas"), 0)
        ):
            wake_at = tally.next_availability(min_ready, view.now)
        return Outcome(api.changes, reason, wake_at, failed=bool(problem))


def _component(obj: Manifest) -> str:
    return _COMPONENTS[kind(obj)]


def replicas(obj: Manifest) -> int:
    return number(spec(obj).get("replicas"), 1)


def _manage(obj: Manifest, there: int, pods: Sequence[Counted], api: Api) -> tuple[str, str]:
    """Create or delete what is missing or too much: why, and what went wrong. Source: manageReplicas.

    `there` are active; which ones (`pods`) is asked only if some have to go.
    """
    wanted, missing = replicas(obj), replicas(obj) - there
    if missing > 0:
        count = min(missing, limit_burst(spec(obj).get("template") or {}, BURST))
        reason = say(
            "{object} has {now} of {wanted} pods: creates {count}",
            object=describe(obj),
            now=there,
            wanted=wanted,
            count=count,
        )
        # Otherwise it would make pods for ever, and own none of them.
        return reason, create_pods(obj, count, api) if selects_its_own(spec(obj)) else UNSELECTED
    if missing < 0:
        count = min(-missing, BURST)
        reason = say(
            "{object} has {now} pods where {wanted} are wanted: deletes {count}",
            object=describe(obj),
            now=there,
            wanted=wanted,
            count=count,
        )
        for pod in to_delete(pods, related_pods(obj, api.view), count, api.view.now):
            api.delete(pod)
            api.tell(obj, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", _component(obj))
        return reason, ""
    return "", ""


def create_pods(obj: Manifest, count: int, api: Api) -> str:
    """Why not all of them could be created."""
    made, by = from_template(spec(obj).get("template") or {}, obj), _component(obj)
    return in_batches(count, lambda _: create_pod(made, obj, api, by))[1]


def related_pods(obj: Manifest, view: View) -> list[Tally]:
    """Pods of all replica sets of the same owner. Source: getIndirectlyRelatedPods."""
    controller = controller_of(obj)
    siblings = [obj] if controller is None else view.owned_by(str(controller.get("uid")), "ReplicaSet")
    return [view.tally(one) for one in siblings]


def to_delete(pods: Sequence[Counted], related: Sequence[Tally], count: int, now: float) -> list[Manifest]:
    """Source: getPodsToDelete."""
    return [one.pod for one in (deletion_order(pods, related, now, count) if count < len(pods) else pods)]


def status_of(obj: Manifest, pods: Tally, leaving: int, problem: str, now: float) -> dict[str, Any]:
    """Source: calculateStatus. `leaving` pods are terminating; `problem`: why pods could not be created or deleted."""
    template = (((spec(obj).get("template") or {}).get("metadata") or {}).get("labels")) or {}
    min_ready = number(spec(obj).get("minReadySeconds"), 0)
    new: dict[str, Any] = {"replicas": pods.active}
    for field, count in (
        ("fullyLabeledReplicas", pods.labelled(template)),
        ("readyReplicas", pods.ready),
        ("availableReplicas", pods.available(min_ready, now)),
    ):
        if count:
            new[field] = count
    new["terminatingReplicas"] = leaving
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
                "reason": "FailedCreate" if pods.active < replicas(obj) else "FailedDelete",
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


def _is_known(old: Manifest | None, new: Manifest | None) -> bool:
    """Only what it has just counted itself is new: looking again would come to the same.

    But one that was refused tries once more, as upstream's does whenever it hears of itself.
    """
    if old is None or new is None or condition(conditions(new), "ReplicaFailure") is not None:
        return False
    return _is_same(old, new, "spec") and _is_same(old, new, "metadata")


def _is_same(old: Manifest, new: Manifest, part: str) -> bool:
    return old.get(part) is new.get(part) or old.get(part) == new.get(part)
