"""The namespace controller, which deletes the content of a terminating namespace, Pods first.

Source: pkg/controller/namespace/namespace_controller.go, deletion/namespaced_resources_deleter.go.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kube_controllers.admission import plural
from kube_controllers.api import DEFAULT_GRACE, NAMESPACE_FINALIZER, Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_controllers.statuses import set_condition
from kube_objects.manifests import (
    Manifest,
    conditions,
    finalizers,
    is_deleted,
    key,
    kind,
    meta,
    name,
    number,
    parse_time,
    spec,
    status,
    with_spec,
    without_finalizer,
)
from kube_objects.sentences import say

GRACE = 5.0  # seconds until other components have seen the deletion
_FINALIZERS_TAKE = 15
_SUCCESS = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}
_GROUPED = "/"


class _Remaining(NamedTuple):
    """The objects of a kind that remain after deletion, and the estimated seconds they need (0 if unknown)."""

    objects: Sequence[Manifest]
    estimate: int

    @property
    def is_stuck(self) -> bool:
        """Return whether objects remain without an estimate."""
        return bool(self.objects) and not self.estimate


class NamespaceController:
    name = "namespace"
    kind = "Namespace"
    watches = frozenset({"Namespace"})
    backoff = Backoff(0.005, 60.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None and kind(new) == self.kind and is_deleted(new):
            yield ReconcileRequest(key(new), GRACE)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_deleted(obj) or not _has_finalizer(obj):
            return Outcome()
        api = Api(view)
        inside = name(obj)
        count = sum(
            1 for obj_kind in view.objects.kinds for obj_ in view.of_kind(obj_kind, inside) if not is_deleted(obj_)
        )
        pods = _delete_content("Pod", obj, api, view)
        waits_for_pods = bool(pods.objects)
        left = {"Pod": pods} if waits_for_pods else {}
        if not waits_for_pods:
            others = [
                obj_kind
                for obj_kind in view.objects.kinds
                if obj_kind != "Pod" and any(True for _ in view.of_kind(obj_kind, inside))
            ]
            left = {
                obj_kind: found for obj_kind in others if (found := _delete_content(obj_kind, obj, api, view)).objects
            }
        stuck = [remaining for remaining in left.values() if remaining.is_stuck]
        new_conditions = _conditions(
            obj, {} if waits_for_pods else left, [_stuck_message(inside, remaining) for remaining in stuck], view.now
        )
        if new_conditions != conditions(obj):
            api.update_status(obj, {**status(obj), "conditions": new_conditions})
        reason = say("Deleting Namespace {name} and its {count} objects", name=inside, count=count) if count else ""
        if stuck:
            return Outcome(api.changes, reason, failed=True)
        estimate = max((remaining.estimate for remaining in left.values()), default=0)
        if estimate:
            return Outcome(api.changes, reason, requeue_at=view.now + estimate // 2 + 1)
        api.update(_without_finalizer(api.get(self.kind, key(obj)) or obj))
        return Outcome(api.changes, reason or say("Namespace {name} is empty: deleted", name=inside))


def _has_finalizer(namespace: Manifest) -> bool:
    return NAMESPACE_FINALIZER in (*finalizers(namespace), *(spec(namespace).get("finalizers") or ()))


def _without_finalizer(namespace: Manifest) -> Manifest:
    if others := spec(namespace).get("finalizers"):
        namespace = with_spec(
            namespace, finalizers=[finalizer for finalizer in others if finalizer != NAMESPACE_FINALIZER]
        )
    return without_finalizer(namespace, NAMESPACE_FINALIZER)


def _delete_content(obj_kind: str, namespace: Manifest, api: Api, view: View) -> _Remaining:
    """Delete the objects of a kind, and return those that remain. Source: deleteAllContentForGroupVersionResource."""
    objects = view.of_kind(obj_kind, name(namespace))
    estimate = _grace(objects, namespace, view.now) if obj_kind == "Pod" else 0
    for obj in objects:
        if not is_deleted(obj):
            api.delete(obj)
    left = [found for obj in objects if (found := api.get(obj_kind, key(obj))) is not None]
    if left and not estimate and any(finalizers(obj) for obj in left):
        estimate = _FINALIZERS_TAKE
    return _Remaining(left, estimate)


def _grace(pods: Iterable[Manifest], namespace: Manifest, now: float) -> int:
    """Return the longest grace of the Pods, counted from the namespace's deletion; 0 if it is over."""
    periods = [
        number(spec(pod).get("terminationGracePeriodSeconds"), DEFAULT_GRACE) for pod in pods if not is_finished(pod)
    ]
    longest = max(periods, default=0)
    deleted = parse_time(meta(namespace).get("deletionTimestamp"))
    return longest if deleted is None or now - deleted < longest else 0


def _stuck_message(namespace: str, left: _Remaining) -> str:
    group, _, version = str(left.objects[0].get("apiVersion") or "").rpartition(_GROUPED)
    resource = plural(str(left.objects[0].get("kind")))
    message = f"unexpected items still remain in namespace: {namespace} for gvr: {group}/{version}, Resource={resource}"
    return f"failed to delete pods for namespace: {namespace}, err: {message}" if resource == "pods" else message


def _conditions(
    namespace: Manifest, left: dict[str, _Remaining], errors: Sequence[str], now: float
) -> Sequence[Manifest]:
    """Return the namespace's conditions, false ones included. Source: namespaceConditionUpdater."""
    failures: dict[str, tuple[str, str]] = {}
    if errors:
        message = f"Failed to delete all resource types, {len(errors)} remaining: {', '.join(sorted(errors))}"
        failures["NamespaceDeletionContentFailure"] = "ContentDeletionFailed", message
    if left:
        counts = sorted(
            f"{_qualified_resource(item.objects[0])} has {len(item.objects)} resource instances"
            for item in left.values()
        )
        failures["NamespaceContentRemaining"] = (
            "SomeResourcesRemain",
            f"Some resources are remaining: {', '.join(counts)}",
        )
    by_finalizer: dict[str, int] = {}
    for finalizer in (name_ for remaining in left.values() for item in remaining.objects for name_ in finalizers(item)):
        by_finalizer[finalizer] = by_finalizer.get(finalizer, 0) + 1
    if by_finalizer:
        counts = sorted(f"{finalizer} in {count} resource instances" for finalizer, count in by_finalizer.items())
        message = f"Some content in the namespace has finalizers remaining: {', '.join(counts)}"
        failures["NamespaceFinalizersRemaining"] = "SomeFinalizersRemain", message
    made: Sequence[Manifest] = conditions(namespace)
    for type_, success in _SUCCESS.items():
        value = "True" if type_ in failures else "False"
        made = set_condition(made, type_, value, *failures.get(type_, success), now)
    return made


def _qualified_resource(obj: Manifest) -> str:
    """Return the resource as upstream prints it: with a dot even without a group."""
    return f"{plural(str(obj.get('kind')))}.{str(obj.get('apiVersion') or '').rpartition(_GROUPED)[0]}"
