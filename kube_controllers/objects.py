"""The controllers' cache of a cluster's objects, with its indexes, and the view of it that a reconcile gets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

from kube_apiserver.admission import resource_quota
from kube_controllers.counting import CountedPod, PodAddresses, Tally
from kube_controllers.endpoints.selections import Selections
from kube_controllers.hashing import HASHES, UPSTREAM, Hashes
from kube_objects.identity import IdentityCache
from kube_objects.manifests import (
    Manifest,
    Owner,
    controller_of,
    key,
    kind,
    labels,
    namespace,
    owners,
    spec,
    uid,
)
from kube_objects.text.problems import Problem


class _Entry:
    """An object, and the buckets that contain it. `born` is its unique position in the order of creation."""

    __slots__ = ("born", "counted", "lists", "obj")

    def __init__(self, born: int, obj: Manifest) -> None:
        self.born, self.obj = born, obj
        self.lists: Sequence[_Bucket] = ()  # of its namespace, controller and Node
        self.counted: CountedPod | None = None  # for a Pod that has a controller


class _Bucket(dict[Any, _Entry]):
    """The objects at one place of an index, by key. It removes itself from the index when it is empty."""

    __slots__ = ("index", "place")

    def __init__(self, index: "_Index", place: Any) -> None:
        self.index, self.place = index, place

    def leave(self, entry_key: Any) -> None:
        self.pop(entry_key, None)
        if not self:
            self.index.pop(self.place, None)


_MOST_KNOWN = 16384
_Index = dict[Any, _Bucket]
_EMPTY: dict[Any, _Entry] = {}
_NO_CONTROLLER = "", None
_born = attrgetter("born")


def _bucket_at(index: _Index, place: Any) -> _Bucket:
    """Return the bucket at a place of an index, created if it is missing. The caller must add an object to it."""
    bucket = index.get(place)
    if bucket is None:
        bucket = index[place] = _Bucket(index, place)
    return bucket


class Chance(Protocol):
    """A seeded source of random names and uids, such as `random.Random`."""

    def choice(self, seq: str) -> str: ...
    def getrandbits(self, bits: int) -> int: ...


class Objects:
    """A cluster's objects as manifests, in the order of their creation."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, _Entry]] = {}
        self._in_namespace: _Index = {}  # (kind, namespace)
        self._owned: _Index = {}  # (controller's uid, kind)
        self._orphans: _Index = {}  # (kind, namespace), without a controller
        self._dependents: _Index = {}  # owner's uid -> (kind, key)
        self._on_node: _Index = {}
        self._tallies: dict[str, Tally] = {}  # by the controller's uid, once requested
        self._spendings: dict[str, dict[str, resource_quota.Spending]] = {}  # by namespace and quota, once requested
        self._positions: dict[str, dict[str, int]] = {}  # kind -> key -> position, computed when needed
        self.addresses = PodAddresses()
        self._selections: Selections[_Entry] | None = None  # built at the first request
        self._sequence = 0
        self.appearances = 0  # increases when a kind gets its first object or loses its last
        self.once = IdentityCache(_MOST_KNOWN).once  # caches results for specs and templates

    def put(self, obj: Manifest) -> Manifest | None:
        """Store an object, and return its version before, or None."""
        obj_kind, obj_key = kind(obj), key(obj)
        objects = self._kinds.get(obj_kind)
        if objects is None:
            objects = self._kinds[obj_kind] = {}
        entry = objects.get(obj_key)
        if entry is None:
            self._sequence += 1
            self.appearances += not objects
            self._positions.pop(obj_kind, None)
            previous, entry = None, _Entry(self._sequence, obj)
            objects[obj_key] = entry
        else:
            previous, entry.obj = entry.obj, obj
        if obj_kind == "Pod":
            self._count_pod(entry, obj)
            self.addresses.changed(previous, obj)
        if self._spendings:
            self._count_usage(obj, previous, obj)
        if self._selections is not None:
            self._selections.changed(entry, previous, obj)
        if previous is None or not _has_same_buckets(previous, obj):
            self._update_buckets(entry, obj_kind, obj_key)
            self._index_dependents(entry, obj_kind, obj_key, () if previous is None else owners(previous), owners(obj))
        return previous

    def _count_pod(self, entry: _Entry, obj: Manifest | None) -> None:
        """Update the tallies for a Pod that was added, changed or removed."""
        before = entry.counted
        if before is not None and (tally := self._tallies.get(before.controller)) is not None:
            tally.add(before, -1)
        entry.counted = None
        controller = None if obj is None else controller_of(obj)
        if obj is not None and controller is not None:
            counted = entry.counted = CountedPod(obj, before, str(controller.get("uid")))
            if (tally := self._tallies.get(counted.controller)) is not None:
                tally.add(counted, 1)

    def selected(self, service: Manifest) -> list[Manifest]:
        """Return the Pods that a Service selects."""
        return self._load_selections().pods(key(service))

    def services_of(self, pod: Manifest) -> list[str]:
        """Return the keys of the Services that select a Pod."""
        return self._load_selections().services(namespace(pod), labels(pod))

    def _load_selections(self) -> Selections[_Entry]:
        if self._selections is None:
            services = self._kinds.get("Service", _EMPTY).values()
            self._selections = Selections(
                services, lambda inside: self._in_namespace.get(("Pod", inside), _EMPTY).values()
            )
        return self._selections

    def tally(self, owner: Manifest) -> Tally:
        """Return the tally of the Pods that `owner` controls. It is kept up to date from then on."""
        owner_uid = uid(owner)
        tally = self._tallies.get(owner_uid)
        if tally is None:
            owned = self._owned.get((owner_uid, "Pod"), _EMPTY).values()
            tally = self._tallies[owner_uid] = Tally(entry.counted for entry in owned if entry.counted is not None)
        return tally

    def spending(self, quota: Manifest) -> resource_quota.Spending:
        """Return the usage of a quota. It is kept up to date from then on."""
        usages = self._spendings.setdefault(namespace(quota), {})
        if key(quota) not in usages:
            usages[key(quota)] = resource_quota.spending(quota, self.of_kind)
        return usages[key(quota)]

    def _count_usage(self, changed: Manifest, previous: Manifest | None, obj: Manifest | None) -> None:
        usages = self._spendings.get(namespace(changed))
        if usages:
            if kind(changed) == "ResourceQuota":
                usages.pop(key(changed), None)  # a new version may limit other resources
            for usage in usages.values():
                usage.change(kind(changed), previous, obj)

    def _update_buckets(self, entry: _Entry, obj_kind: str, obj_key: str) -> None:
        """Put the entry into the buckets that fit its object, and remove it from all others."""
        buckets = self._buckets_for(obj_kind, entry.obj)
        for bucket in entry.lists:
            if not any(bucket is other for other in buckets):
                bucket.leave(obj_key)
        for bucket in buckets:
            bucket[obj_key] = entry
        entry.lists = buckets

    def _index_dependents(
        self, entry: _Entry, obj_kind: str, obj_key: str, before: Sequence[Owner], now: Sequence[Owner]
    ) -> None:
        if before is not now and before != now:
            for owner in before:
                if (dependents := self._dependents.get(str(owner.get("uid")))) is not None:
                    dependents.leave((obj_kind, obj_key))
            for owner in now:
                _bucket_at(self._dependents, str(owner.get("uid")))[obj_kind, obj_key] = entry

    def remove(self, obj_kind: str, obj_key: str) -> Manifest | None:
        objects = self._kinds.get(obj_kind, _EMPTY)
        entry: _Entry | None = objects.pop(obj_key, None)
        if entry is None:
            return None
        self.appearances += not objects
        removed = entry.obj
        self._positions.pop(obj_kind, None)
        for bucket in entry.lists:
            bucket.leave(obj_key)
        self._index_dependents(entry, obj_kind, obj_key, owners(removed), ())
        if obj_kind == "Pod":
            self._count_pod(entry, None)
            self.addresses.changed(removed, None)
        self._tallies.pop(uid(removed), None)
        if self._spendings:
            self._count_usage(removed, removed, None)
        if self._selections is not None:
            self._selections.changed(entry, removed, None)
        return removed

    def _buckets_for(self, obj_kind: str, obj: Manifest) -> Sequence[_Bucket]:
        controller = controller_of(obj)
        obj_namespace = namespace(obj)
        buckets = [_bucket_at(self._in_namespace, (obj_kind, obj_namespace))]
        if controller is None:
            buckets.append(_bucket_at(self._orphans, (obj_kind, obj_namespace)))
        else:
            buckets.append(_bucket_at(self._owned, (str(controller.get("uid")), obj_kind)))
        if obj_kind == "Pod" and spec(obj).get("nodeName"):
            buckets.append(_bucket_at(self._on_node, str(spec(obj)["nodeName"])))
        return buckets

    @staticmethod
    def _in_order(entries: Iterable[_Entry]) -> list[Manifest]:
        """Return the objects in the order of their creation."""
        return [entry.obj for entry in sorted(entries, key=_born)]

    def get(self, obj_kind: str, obj_key: str) -> Manifest | None:
        entry = self._kinds.get(obj_kind, _EMPTY).get(obj_key)
        return None if entry is None else entry.obj

    def has(self, obj_kind: str) -> bool:
        """Return whether there is an object of this kind."""
        return bool(self._kinds.get(obj_kind))

    def count(self, obj_kind: str) -> int:
        """Return the number of objects of this kind."""
        return len(self._kinds.get(obj_kind, _EMPTY))

    def of_kind(self, obj_kind: str, in_namespace: str | None = None) -> list[Manifest]:
        if in_namespace is None:
            return [entry.obj for entry in self._kinds.get(obj_kind, _EMPTY).values()]
        return self._in_order(self._in_namespace.get((obj_kind, in_namespace), _EMPTY).values())

    def place(self, obj_kind: str, obj_key: str) -> int:
        """Return how many objects of this kind were created before this one."""
        positions = self._positions.get(obj_kind)
        if positions is None:
            positions = self._positions[obj_kind] = {
                other_key: position for position, other_key in enumerate(self._kinds.get(obj_kind, _EMPTY))
            }
        return positions.get(obj_key, 0)

    def owned(self, by: Manifest, of: str) -> list[Manifest]:
        """Return the objects of kind `of` that `by` controls."""
        return self.owned_by(uid(by), of)

    def owned_by(self, owner_uid: str, of: str) -> list[Manifest]:
        return self._in_order(self._owned.get((owner_uid, of), _EMPTY).values())

    def counted(self, pod: Manifest) -> CountedPod:
        """Return the counted state of a Pod, which is cached for stored Pods."""
        entry = self._kinds.get("Pod", _EMPTY).get(key(pod))
        known = None if entry is None or entry.obj is not pod else entry.counted
        return known or CountedPod(pod)

    def counted_of(self, owner: Manifest) -> list[CountedPod]:
        """Return the counted state of all Pods that `owner` controls, in the order of their creation."""
        owned = self._owned.get((uid(owner), "Pod"), _EMPTY).values()
        return [entry.counted for entry in sorted(owned, key=_born) if entry.counted is not None]

    def orphans(self, obj_kind: str, in_namespace: str) -> list[Manifest]:
        """Return the objects of a kind and namespace that have no controller."""
        return self._in_order(self._orphans.get((obj_kind, in_namespace), _EMPTY).values())

    def has_orphans(self, obj_kind: str, in_namespace: str) -> bool:
        return bool(self._orphans.get((obj_kind, in_namespace)))

    def dependents(self, owner_uid: str) -> list[Manifest]:
        return self._in_order(self._dependents.get(owner_uid, _EMPTY).values())

    def pods_on(self, node: str) -> list[Manifest]:
        return self._in_order(self._on_node.get(node, _EMPTY).values())

    def all(self) -> Iterable[Manifest]:
        for entries in self._kinds.values():
            yield from (entry.obj for entry in entries.values())

    @property
    def kinds(self) -> list[str]:
        return list(self._kinds)


def _has_same_buckets(old: Manifest, new: Manifest) -> bool:
    """Return whether two versions of an object belong into the same buckets."""
    if old.get("metadata") is not new.get("metadata") and owners(old) is not owners(new):
        return False
    return old.get("spec") is new.get("spec") or spec(old).get("nodeName") == spec(new).get("nodeName")


class View:
    """A reconcile's read access: the objects, the time in seconds since the Unix epoch, and a random source."""

    def __init__(self, objects: Objects, now: float, chance: Chance) -> None:
        self.objects = objects
        self.now = now
        self.chance = chance
        self.snapshot: Callable[[], Any] | None = None  # the scheduler's view of the cluster, for planning
        self.problem_of: Callable[[Manifest], Problem | None] | None = None  # validates an object
        self.remembered: Any = None  # the controller's memory of the object
        self.get, self.of_kind, self.owned, self.orphans = objects.get, objects.of_kind, objects.owned, objects.orphans
        self.dependents, self.pods_on, self.owned_by = objects.dependents, objects.pods_on, objects.owned_by
        self.counted, self.tally, self.has_orphans = objects.counted, objects.tally, objects.has_orphans
        self.has, self.spending, self.counted_of = objects.has, objects.spending, objects.counted_of
        self.place, self.addresses, self.once = objects.place, objects.addresses, objects.once
        self.count = objects.count
        self.selected, self.services_of = objects.selected, objects.services_of
        self.hashes: Hashes = HASHES[UPSTREAM]
        self.memory: Mapping[tuple[str, str], Any] = {}  # the memory of all controllers, by name and key

    def with_objects(self, objects: Objects) -> "View":
        other = View(objects, self.now, self.chance)
        other.hashes = self.hashes
        return other

    def controllers(self, owner_kind: str, old: Manifest | None, new: Manifest | None) -> list[str]:
        """Return the keys of the controllers of this kind that an object had and has."""
        if old is not None and new is not None and old.get("metadata") is not new.get("metadata"):
            keys = (self._resolve_controller(owner_kind, old)[0], self._resolve_controller(owner_kind, new)[0])
            return [owner_key for owner_key in dict.fromkeys(keys) if owner_key]
        obj = old if new is None else new
        owner_key = "" if obj is None else self._resolve_controller(owner_kind, obj)[0]
        return [owner_key] if owner_key else []

    def controller(self, owner_kind: str, obj: Manifest) -> Manifest | None:
        """Return the object's controller if it is of this kind and has the expected uid. Source:
        resolveControllerRef.
        """
        return self._resolve_controller(owner_kind, obj)[1]

    def _resolve_controller(self, owner_kind: str, obj: Manifest) -> tuple[str, Manifest | None]:
        """Return the controller's key and the controller."""
        reference = controller_of(obj)
        if reference is None or reference.get("kind") != owner_kind:
            return _NO_CONTROLLER
        obj_namespace, owner_name = obj["metadata"].get("namespace"), reference["name"]
        owner_key = f"{obj_namespace}/{owner_name}" if obj_namespace else str(owner_name)
        owner = self.get(owner_kind, owner_key)
        return (owner_key, owner) if owner is not None and uid(owner) == reference.get("uid") else _NO_CONTROLLER
