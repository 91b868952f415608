"""Namespaces: everything in one that is deleted goes, pods first.

Source: pkg/controller/namespace/namespace_controller.go, deletion/namespaced_resources_deleter.go.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kube_controllers.admission import plural
from kube_controllers.api import DEFAULT_GRACE, NAMESPACE_FINALIZER, Api
from kube_controllers.contract import Backoff, Outcome, Wake
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

GRACE = 5.0  # until whoever creates things has heard that the namespace goes
_FINALIZERS_TAKE = 15
_FINE = {
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


class _Left(NamedTuple):
    """What is still there of one kind after it was deleted. `takes`: seconds that may still be needed, 0 if unknown."""

    objects: Sequence[Manifest]
    takes: int

    @property
    def is_stuck(self) -> bool:
        """Nothing says what it waits for."""
        return bool(self.objects) and not self.takes


class NamespaceActor:
    name = "namespace"
    kind = "Namespace"
    watches = frozenset({"Namespace"})
    backoff = Backoff(0.005, 60.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None and kind(new) == self.kind and is_deleted(new):
            yield Wake(key(new), GRACE)

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_deleted(obj) or not _is_held(obj):
            return Outcome()
        api = Api(view)
        inside = name(obj)
        count = sum(1 for of in view.objects.kinds for one in view.of_kind(of, inside) if not is_deleted(one))
        pods = _emptied("Pod", obj, api, view)
        waits_for_pods = bool(pods.objects)
        left = {"Pod": pods} if waits_for_pods else {}
        if not waits_for_pods:
            others = [of for of in view.objects.kinds if of != "Pod" and any(True for _ in view.of_kind(of, inside))]
            left = {of: found for of in others if (found := _emptied(of, obj, api, view)).objects}
        stuck = [one for one in left.values() if one.is_stuck]
        stand = _conditions(obj, {} if waits_for_pods else left, [_unexpected(inside, one) for one in stuck], view.now)
        if stand != conditions(obj):
            api.update_status(obj, {**status(obj), "conditions": stand})
        reason = say("Namespace {name} goes, and {count} objects in it", name=inside, count=count) if count else ""
        if stuck:
            return Outcome(api.changes, reason, failed=True)
        takes = max((one.takes for one in left.values()), default=0)
        if takes:
            return Outcome(api.changes, reason, wake_at=view.now + takes // 2 + 1)
        api.update(_let_go(api.get(self.kind, key(obj)) or obj))
        return Outcome(api.changes, reason or say("Namespace {name} is empty: it goes", name=inside))


def _is_held(namespace: Manifest) -> bool:
    return NAMESPACE_FINALIZER in (*finalizers(namespace), *(spec(namespace).get("finalizers") or ()))


def _let_go(namespace: Manifest) -> Manifest:
    if others := spec(namespace).get("finalizers"):
        namespace = with_spec(namespace, finalizers=[one for one in others if one != NAMESPACE_FINALIZER])
    return without_finalizer(namespace, NAMESPACE_FINALIZER)


def _emptied(of: str, namespace: Manifest, api: Api, view: View) -> _Left:
    """Source: deleteAllContentForGroupVersionResource."""
    there = view.of_kind(of, name(namespace))
    takes = _grace(there, namespace, view.now) if of == "Pod" else 0
    for one in there:
        if not is_deleted(one):
            api.delete(one)
    left = [found for one in there if (found := api.get(of, key(one))) is not None]
    if left and not takes and any(finalizers(one) for one in left):
        takes = _FINALIZERS_TAKE
    return _Left(left, takes)


def _grace(pods: Iterable[Manifest], namespace: Manifest, now: float) -> int:
    """The longest that one of the pods may take, counted from when the namespace was deleted; 0 if that is over."""
    given = [
        number(spec(pod).get("terminationGracePeriodSeconds"), DEFAULT_GRACE) for pod in pods if not is_finished(pod)
    ]
    longest = max(given, default=0)
    deleted = parse_time(meta(namespace).get("deletionTimestamp"))
    return longest if deleted is None or now - deleted < longest else 0


def _unexpected(inside: str, left: _Left) -> str:
    group, _, version = str(left.objects[0].get("apiVersion") or "").rpartition(_GROUPED)
    what = plural(str(left.objects[0].get("kind")))
    found = f"unexpected items still remain in namespace: {inside} for gvr: {group}/{version}, Resource={what}"
    return f"failed to delete pods for namespace: {inside}, err: {found}" if what == "pods" else found


def _conditions(namespace: Manifest, left: dict[str, _Left], errors: Sequence[str], now: float) -> Sequence[Manifest]:
    """Source: namespaceConditionUpdater: what is not so is said as well."""
    wrong: dict[str, tuple[str, str]] = {}
    if errors:
        message = f"Failed to delete all resource types, {len(errors)} remaining: {', '.join(sorted(errors))}"
        wrong["NamespaceDeletionContentFailure"] = "ContentDeletionFailed", message
    if left:
        counts = sorted(
            f"{_resource(one.objects[0])} has {len(one.objects)} resource instances" for one in left.values()
        )
        wrong["NamespaceContentRemaining"] = "SomeResourcesRemain", f"Some resources are remaining: {', '.join(counts)}"
    held: dict[str, int] = {}
    for finalizer in (each for found in left.values() for one in found.objects for each in finalizers(one)):
        held[finalizer] = held.get(finalizer, 0) + 1
    if held:
        counts = sorted(f"{finalizer} in {count} resource instances" for finalizer, count in held.items())
        message = f"Some content in the namespace has finalizers remaining: {', '.join(counts)}"
        wrong["NamespaceFinalizersRemaining"] = "SomeFinalizersRemain", message
    made: Sequence[Manifest] = conditions(namespace)
    for type_, fine in _FINE.items():
        value = "True" if type_ in wrong else "False"
        made = set_condition(made, type_, value, *wrong.get(type_, fine), now)
    return made


def _resource(obj: Manifest) -> str:
    """As upstream puts it together: the dot stands there without a group, too."""
    return f"{plural(str(obj.get('kind')))}.{str(obj.get('apiVersion') or '').rpartition(_GROUPED)[0]}"
