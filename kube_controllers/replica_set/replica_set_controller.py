"""The ReplicaSet controller. Source: pkg/controller/replicaset/replica_set.go."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import (
    ADDED,
    DELETED,
    FINISHED,
    LABELS,
    OWNERS,
    READY,
    REMOVED,
    Backoff,
    Outcome,
    ReconcileRequest,
    latest_version,
)
from kube_controllers.controller_refs import claim_objects
from kube_controllers.counting import CountedPod, Tally, rank_for_deletion
from kube_controllers.creating import create_pod, limit_burst, slow_start_batch
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


class ReplicaSetController:
    name = "replicaset"
    kind = "ReplicaSet"
    watches = frozenset({"ReplicaSet", "Pod"})
    controls = frozenset({"Pod"})
    # Binding and starting a Pod change nothing that a ReplicaSet counts. The deletion order is computed when needed.
    event_filter: Mapping[str, int] = {"Pod": ADDED | REMOVED | LABELS | OWNERS | DELETED | FINISHED | READY}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        obj = latest_version(old, new)
        obj_kind = kind(obj)
        if obj_kind == self.kind:
            return () if _is_own_status_write(old, new) else (ReconcileRequest(key(obj)),)
        return self.requests_for_pod(old, new, view) if obj_kind == "Pod" else ()

    def selector(self, obj: Manifest) -> Selector | None:
        return spec(obj).get("selector")

    def requests_for_pod(self, old: Manifest | None, new: Manifest | None, view: View) -> list[ReconcileRequest]:
        """Return requests for the ReplicaSets of a Pod. Source: addPod, updatePod, deletePod."""
        requests = [ReconcileRequest(owner_key) for owner_key in view.controllers(self.kind, old, new)]
        if new is None or controller_of(new) is not None:
            return requests
        if old is None or labels(old) != labels(new) or controller_of(old) is not None:
            candidates = view.of_kind(self.kind, namespace(new))
            requests += [
                ReconcileRequest(key(candidate))
                for candidate in candidates
                if selects(self.selector(candidate), labels(new))
            ]
        return requests

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncReplicaSet."""
        api = Api(view)
        selector = as_label_selector(spec(obj).get("selector"))
        pods, tally = None, view.tally(obj)
        terminating = tally.count_terminating(selector)
        if view.has_orphans("Pod", namespace(obj)) or not tally.selects_all_active(selector):
            pods = [view.counted(pod) for pod in claim_objects(obj, "Pod", api, is_active)]
            tally = Tally(pods)
        reason, problem = "", ""
        if not is_deleted(obj) and tally.active != replicas(obj):
            if pods is None and tally.active > replicas(obj):
                pods = [pod for pod in view.counted_of(obj) if pod.active]
            reason, problem = _manage_replicas(obj, tally.active, pods or (), api)
        new = status_of(obj, tally, terminating, problem, view.now)
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


def _manage_replicas(obj: Manifest, active: int, pods: Sequence[CountedPod], api: Api) -> tuple[str, str]:
    """Create missing Pods or delete surplus ones; return the reason and the error message. Source: manageReplicas.

    `there` is the number of active Pods; `pods` are needed only to delete some.
    """
    wanted, missing = replicas(obj), replicas(obj) - active
    if missing > 0:
        count = min(missing, limit_burst(spec(obj).get("template") or {}, BURST))
        reason = say(
            "{object} has {now} of {wanted} Pods: creates {count}",
            object=describe(obj),
            now=active,
            wanted=wanted,
            count=count,
        )
        # With such a selector it would create Pods forever and own none of them.
        return reason, create_pods(obj, count, api) if selects_its_own(spec(obj)) else UNSELECTED
    if missing < 0:
        count = min(-missing, BURST)
        reason = say(
            "{object} has {now} of {wanted} Pods: deletes {count}",
            object=describe(obj),
            now=active,
            wanted=wanted,
            count=count,
        )
        for pod in to_delete(pods, related_pods(obj, api.view), count, api.view.now):
            api.delete(pod)
            api.emit_event(obj, "Normal", "SuccessfulDelete", f"Deleted pod: {name(pod)}", _component(obj))
        return reason, ""
    return "", ""


def create_pods(obj: Manifest, count: int, api: Api) -> str:
    """Create Pods; return the error message, or ""."""
    pod, by = from_template(spec(obj).get("template") or {}, obj), _component(obj)
    return slow_start_batch(count, lambda _: create_pod(pod, obj, api, by))[1]


def related_pods(obj: Manifest, view: View) -> list[Tally]:
    """Return the tallies of the Pods of all ReplicaSets with the same owner. Source: getIndirectlyRelatedPods."""
    controller = controller_of(obj)
    siblings = [obj] if controller is None else view.owned_by(str(controller.get("uid")), "ReplicaSet")
    return [view.tally(sibling) for sibling in siblings]


def to_delete(pods: Sequence[CountedPod], related: Sequence[Tally], count: int, now: float) -> list[Manifest]:
    """Source: getPodsToDelete."""
    return [pod.pod for pod in (rank_for_deletion(pods, related, now, count) if count < len(pods) else pods)]


def status_of(obj: Manifest, pods: Tally, leaving: int, problem: str, now: float) -> dict[str, Any]:
    """Return the new status. Source: calculateStatus.

    `leaving` is the number of terminating Pods, `problem` the error message of creating or deleting Pods.
    """
    template = (((spec(obj).get("template") or {}).get("metadata") or {}).get("labels")) or {}
    min_ready = number(spec(obj).get("minReadySeconds"), 0)
    new: dict[str, Any] = {"replicas": pods.active}
    for field, count in (
        ("fullyLabeledReplicas", pods.count_labelled(template)),
        ("readyReplicas", pods.ready),
        ("availableReplicas", pods.available(min_ready, now)),
    ):
        if count:
            new[field] = count
    new["terminatingReplicas"] = leaving
    if "observedGeneration" in status(obj):
        new["observedGeneration"] = status(obj)["observedGeneration"]
    updated_conditions = list(conditions(obj))
    failure = condition(updated_conditions, "ReplicaFailure")
    if problem and failure is None:
        updated_conditions.append(
            {
                "type": "ReplicaFailure",
                "status": "True",
                "lastTransitionTime": format_time(now),
                "reason": "FailedCreate" if pods.active < replicas(obj) else "FailedDelete",
                "message": problem,
            }
        )
    elif not problem and failure is not None:
        updated_conditions = list(without_condition(updated_conditions, "ReplicaFailure"))
    if updated_conditions:
        new["conditions"] = updated_conditions
    return new


def _write_status(obj: Manifest, new: dict[str, Any], api: Api) -> None:
    """Source: updateReplicaSetStatus."""
    if new == dict(status(obj)) and new.get("observedGeneration") == generation(obj):
        return
    api.update_status(obj, {**new, "observedGeneration": generation(obj)})


def _is_own_status_write(old: Manifest | None, new: Manifest | None) -> bool:
    """Return whether only the controller's own status changed, so that a reconcile would change nothing.

    After a failure it reconciles once more, as upstream does on each update of the ReplicaSet.
    """
    if old is None or new is None or condition(conditions(new), "ReplicaFailure") is not None:
        return False
    return _is_same(old, new, "spec") and _is_same(old, new, "metadata")


def _is_same(old: Manifest, new: Manifest, part: str) -> bool:
    return old.get(part) is new.get(part) or old.get(part) == new.get(part)
