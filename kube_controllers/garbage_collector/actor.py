"""Garbage collector: objects go with their owners. Source: pkg/controller/garbagecollector/garbagecollector.go.

There is an actor for each of the kinds of Kubernetes that mostly are owned, or own others, and one for all other kinds:
it came later, and is switched on by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.api import FOREGROUND, ORPHAN, Api
from kube_controllers.contract import (
    ANY,
    CAME,
    DELETED,
    EVERY_KIND,
    FINALIZERS,
    GONE,
    OWNERS,
    Backoff,
    Outcome,
    Wake,
    named,
    subject,
)
from kube_controllers.garbage_collector.owners import DEFINITION, is_known, places
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

NAME, OF_OTHERS = "garbage-collector", "garbage-collector-of-others"
# What may be of interest to who looks at what an object owns.
_ABOUT_DEPENDENTS = GONE | OWNERS | DELETED | FINALIZERS


class GarbageCollector:
    """For the objects of one kind. The first of them hears of all changes, and wakes the others."""

    watches = EVERY_KIND
    heeds: Mapping[str, int] = {ANY: CAME | _ABOUT_DEPENDENTS}
    backoff = Backoff()

    def __init__(self, of: str, kinds: Sequence[str] = ()) -> None:
        """`kinds`: those of all collectors, for the first of them."""
        self.name, self.kind, self.kinds = f"{NAME}/{of}", of, kinds
        if not kinds:
            self.watches = frozenset({"nothing"})

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        found = _to_look_at(old, new, view)
        if len(found) > 1:
            found.sort(key=lambda one: self.kinds.index(one[0]) if one[0] in self.kinds else -1)
        return [Wake(at, by=f"{NAME}/{of}") for of, at in found if of in self.kinds]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        if is_deleted(obj) and ORPHAN in finalizers(obj):
            return _orphan(obj, api)
        if _is_waiting(obj):
            return _wait_for_dependents(obj, api)
        if owners(obj):
            return _go_with_owners(obj, api)
        return Outcome()


class CollectorOfOthers(GarbageCollector):
    """For objects of every kind but `kinds`."""

    def __init__(self, kinds: Sequence[str]) -> None:
        super().__init__("", kinds)
        self.name, self.heeds = OF_OTHERS, {**dict.fromkeys(kinds, _ABOUT_DEPENDENTS), ANY: CAME | _ABOUT_DEPENDENTS}

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        return [Wake(named(of, at)) for of, at in _to_look_at(old, new, view) if of not in self.kinds]


def _to_look_at(old: Manifest | None, new: Manifest | None, view: View) -> list[tuple[str, str]]:
    """Kind and key of each object of which this change may decide whether it stays."""
    obj = subject(old, new)
    found: list[tuple[str, str]] = []
    if new is not None and _is_to_be_judged(old, new, view):
        found.append((kind(new), key(new)))
    if new is None or _is_waiting(new):
        found += [(kind(one), key(one)) for one in view.dependents(uid(obj))]
    if new is None or owners(new) != owners(old or {}):
        found += [(kind(owner), at) for owner in owners(old or {}) for at in places(owner, namespace(obj))]
    return found


def _is_to_be_judged(old: Manifest | None, new: Manifest, view: View) -> bool:
    """Whether anything may come of looking at it. Owners that go, or begin to wait, wake what they own."""
    if is_deleted(new):
        known = finalizers(new)
        may_change = ORPHAN in known or FOREGROUND in known
    else:
        may_change = any(not _stays(owner, namespace(new), view) for owner in owners(new))
    return may_change and (old is None or _relevant(old) != _relevant(new))


def _stays(owner: Mapping[str, Any], inside: str, view: View) -> bool:
    found = _find(owner, inside, view)
    if found is None and not is_known(owner, view.of_kind(DEFINITION)):
        return True
    return found is not None and uid(found) == owner.get("uid") and not _is_waiting(found)


def _find(owner: Mapping[str, Any], inside: str, view: View) -> Manifest | None:
    """The owner, beside what it owns or in no namespace; whether it is the same one its uid says."""
    beside, alone = places(owner, inside)
    return view.get(kind(owner), beside) or view.get(kind(owner), alone)


def _relevant(obj: Manifest) -> tuple[Any, ...]:
    """What decides whether it stays."""
    return owners(obj), is_deleted(obj), finalizers(obj)


def _is_waiting(obj: Manifest) -> bool:
    return is_deleted(obj) and FOREGROUND in finalizers(obj)


def _orphan(obj: Manifest, api: Api) -> Outcome:
    """Source: orphanDependents."""
    for one in api.view.dependents(uid(obj)):
        others = [owner for owner in owners(one) if owner.get("uid") != uid(obj)]
        api.update(with_meta(one, ownerReferences=others or None))
    api.update(without_finalizer(obj, ORPHAN))
    return Outcome(api.changes, say("{object} goes and leaves what it owns behind", object=f"{kind(obj)} {name(obj)}"))


def _wait_for_dependents(obj: Manifest, api: Api) -> Outcome:
    """Source: processDeletingDependentsItem: those that block go first."""
    waiting = [
        one
        for one in api.view.dependents(uid(obj))
        if any(owner.get("uid") == uid(obj) and owner.get("blockOwnerDeletion") for owner in owners(one))
    ]
    if not waiting:
        api.update(without_finalizer(obj, FOREGROUND))
        return Outcome(api.changes, say("{object} owns nothing any more: it goes", object=f"{kind(obj)} {name(obj)}"))
    return Outcome()


def _unblocked(owner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Source: unblockOwnerReferencesStrategicMergePatch."""
    return {**owner, "blockOwnerDeletion": False} if owner.get("blockOwnerDeletion") else owner


def _go_with_owners(obj: Manifest, api: Api) -> Outcome:
    """Source: attemptToDeleteItem."""
    if is_deleted(obj) and not _is_waiting(obj):
        return Outcome()
    solid, dangling, waiting = [], [], []
    for owner in owners(obj):
        found = _find(owner, namespace(obj), api.view)
        if found is None and not is_known(owner, api.view.of_kind(DEFINITION)):
            return Outcome()
        if found is None or uid(found) != owner.get("uid"):
            dangling.append(owner)
        elif _is_waiting(found):
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
        # Owners in a cycle would wait for each other.
        api.update(with_meta(obj, ownerReferences=[_unblocked(owner) for owner in owners(obj)]))
    if ORPHAN in finalizers(obj):
        policy = "Orphan"
    api.delete(obj, policy)
    owner = (waiting or dangling)[0]
    reason = say(
        "{object} goes with its owner {owner}",
        object=f"{kind(obj)} {name(obj)}",
        owner=f"{owner['kind']} {owner['name']}",
    )
    return Outcome(api.changes, reason)
