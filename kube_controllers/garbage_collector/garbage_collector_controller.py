"""The garbage collector. Source: pkg/controller/garbagecollector/garbagecollector.go.

Each of the kinds in `COLLECTED` has a controller. One more handles all other kinds, and is enabled separately because
older clusters lack it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import FOREGROUND, ORPHAN, Api
from kube_controllers.contract import (
    ADDED,
    ANY,
    DELETED,
    EVERY_KIND,
    FINALIZERS,
    OWNERS,
    REMOVED,
    Backoff,
    Outcome,
    ReconcileRequest,
    kind_and_key,
    latest_version,
)
from kube_controllers.garbage_collector.owners import DEFINITION, is_kind_known, owner_keys
from kube_controllers.objects import View
from kube_objects.manifests import (
    Manifest,
    finalizers,
    is_deleted,
    key,
    kind,
    name,
    namespace,
    owners,
    uid,
    with_meta,
    without_finalizer,
)
from kube_objects.sentences import say

NAME, OTHER_KINDS = "garbage-collector", "garbage-collector-of-others"
# Aspects that matter for the dependents of an object.
_ABOUT_DEPENDENTS = REMOVED | OWNERS | DELETED | FINALIZERS


class GarbageCollector:
    """The garbage collector of one kind. The first one receives all events and enqueues for the others."""

    watches = EVERY_KIND
    event_filter: Mapping[str, int] = {ANY: ADDED | _ABOUT_DEPENDENTS}
    backoff = Backoff()

    def __init__(self, of: str, kinds: Sequence[str] = ()) -> None:
        """Take the kind. The first collector takes the kinds of all collectors, too."""
        self.name, self.kind, self.kinds = f"{NAME}/{of}", of, kinds
        if not kinds:
            self.watches = frozenset({"nothing"})

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        affected = _affected_objects(old, new, view)
        if len(affected) > 1:
            affected.sort(key=lambda item: self.kinds.index(item[0]) if item[0] in self.kinds else -1)
        return [
            ReconcileRequest(obj_key, by=f"{NAME}/{obj_kind}")
            for obj_kind, obj_key in affected
            if obj_kind in self.kinds
        ]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        if is_deleted(obj) and ORPHAN in finalizers(obj):
            return _orphan_dependents(obj, api)
        if _is_waiting(obj):
            return _wait_for_dependents(obj, api)
        if owners(obj):
            return _collect(obj, api)
        return Outcome()


class OtherKindsCollector(GarbageCollector):
    """The garbage collector of all kinds outside of `kinds`."""

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__("", kinds)
        self.name, self.event_filter = (
            OTHER_KINDS,
            {**dict.fromkeys(kinds, _ABOUT_DEPENDENTS), ANY: ADDED | _ABOUT_DEPENDENTS},
        )

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        return [
            ReconcileRequest(kind_and_key(obj_kind, obj_key))
            for obj_kind, obj_key in _affected_objects(old, new, view)
            if obj_kind not in self.kinds
        ]


def _affected_objects(old: Manifest | None, new: Manifest | None, view: View) -> list[tuple[str, str]]:
    """Return kind and key of each object that this event may cause to be collected."""
    obj = latest_version(old, new)
    affected: list[tuple[str, str]] = []
    if new is not None and _may_be_collected(old, new, view):
        affected.append((kind(new), key(new)))
    if new is None or _is_waiting(new):
        affected += [(kind(dependent), key(dependent)) for dependent in view.dependents(uid(obj))]
    if new is None or owners(new) != owners(old or {}):
        affected += [
            (kind(owner), owner_key) for owner in owners(old or {}) for owner_key in owner_keys(owner, namespace(obj))
        ]
    return affected


def _may_be_collected(old: Manifest | None, new: Manifest, view: View) -> bool:
    """Return whether a reconcile may change the object. Events of its owners enqueue it separately."""
    if is_deleted(new):
        known = finalizers(new)
        may_change = ORPHAN in known or FOREGROUND in known
    else:
        may_change = any(not _has_live_owner(owner, namespace(new), view) for owner in owners(new))
    return may_change and (old is None or _collection_fields(old) != _collection_fields(new))


def _has_live_owner(owner: Mapping[str, Any], obj_namespace: str, view: View) -> bool:
    """Return whether the owner keeps the object: it exists, or its kind is unknown."""
    live = _find_owner(owner, obj_namespace, view)
    if live is None and not is_kind_known(owner, view.of_kind(DEFINITION)):
        return True
    return live is not None and uid(live) == owner.get("uid") and not _is_waiting(live)


def _find_owner(owner: Mapping[str, Any], obj_namespace: str, view: View) -> Manifest | None:
    """Return the object with the owner's kind and name, in the dependent's namespace or cluster-scoped. Its uid may
    differ.
    """
    namespaced_key, cluster_key = owner_keys(owner, obj_namespace)
    return view.get(kind(owner), namespaced_key) or view.get(kind(owner), cluster_key)


def _collection_fields(obj: Manifest) -> tuple[Any, ...]:
    """Return the fields that decide whether the object is collected."""
    return owners(obj), is_deleted(obj), finalizers(obj)


def _is_waiting(obj: Manifest) -> bool:
    return is_deleted(obj) and FOREGROUND in finalizers(obj)


def _orphan_dependents(obj: Manifest, api: Api) -> Outcome:
    """Remove the owner references of all dependents, then the finalizer. Source: orphanDependents."""
    for dependent in api.view.dependents(uid(obj)):
        others = [owner for owner in owners(dependent) if owner.get("uid") != uid(obj)]
        api.update(with_meta(dependent, ownerReferences=others or None))
    api.update(without_finalizer(obj, ORPHAN))
    return Outcome(
        api.changes, say("{object} is deleted, and its dependents are orphaned", object=f"{kind(obj)} {name(obj)}")
    )


def _wait_for_dependents(obj: Manifest, api: Api) -> Outcome:
    """Remove the finalizer when no dependent blocks the deletion. Source: processDeletingDependentsItem."""
    waiting = [
        dependent
        for dependent in api.view.dependents(uid(obj))
        if any(owner.get("uid") == uid(obj) and owner.get("blockOwnerDeletion") for owner in owners(dependent))
    ]
    if not waiting:
        api.update(without_finalizer(obj, FOREGROUND))
        return Outcome(api.changes, say("{object} has no dependents left: deleted", object=f"{kind(obj)} {name(obj)}"))
    return Outcome()


def _without_block(owner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Source: unblockOwnerReferencesStrategicMergePatch."""
    return {**owner, "blockOwnerDeletion": False} if owner.get("blockOwnerDeletion") else owner


def _collect(obj: Manifest, api: Api) -> Outcome:
    """Delete the object if it has no live owner, or remove the references of absent owners. Source:
    attemptToDeleteItem.
    """
    if is_deleted(obj) and not _is_waiting(obj):
        return Outcome()
    solid, dangling, waiting = [], [], []
    for owner in owners(obj):
        live = _find_owner(owner, namespace(obj), api.view)
        if live is None and not is_kind_known(owner, api.view.of_kind(DEFINITION)):
            return Outcome()
        if live is None or uid(live) != owner.get("uid"):
            dangling.append(owner)
        elif _is_waiting(live):
            waiting.append(owner)
        else:
            solid.append(owner)
    if solid:
        if dangling or waiting:
            api.update(with_meta(obj, ownerReferences=solid))
        return Outcome(api.changes)
    if is_deleted(obj):
        return Outcome()
    dependents = api.view.dependents(uid(obj))
    policy = "Foreground" if waiting and dependents else "Background"
    if waiting and any(map(_is_waiting, dependents)):
        # Break a possible cycle of owners that wait for each other.
        api.update(with_meta(obj, ownerReferences=[_without_block(owner) for owner in owners(obj)]))
    if ORPHAN in finalizers(obj):
        policy = "Orphan"
    api.delete(obj, policy)
    owner = (waiting or dangling)[0]
    reason = say(
        "{object} is deleted with its owner {owner}",
        object=f"{kind(obj)} {name(obj)}",
        owner=f"{owner['kind']} {owner['name']}",
    )
    return Outcome(api.changes, reason)
