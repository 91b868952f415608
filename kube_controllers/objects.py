"""Objects: what the actors see of a cluster, by kind and key, with the indexes that they ask for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

from kube_apiserver.admission.built_in import quotas
from kube_controllers.counting import Counted, Taken, Tally
from kube_controllers.endpoints.selections import Selections
from kube_controllers.hashing import HASHES, UPSTREAM, Hashes
from kube_objects.identity import Known
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


class _Listed:
    """An object in all the lists that it is in. `born` orders them: no two objects were born at once."""

    __slots__ = ("born", "counted", "lists", "obj")

    def __init__(self, born: int, obj: Manifest) -> None:
        self.born, self.obj = born, obj
        self.lists: Sequence[_List] = ()  # by namespace, controller and node
        self.counted: Counted | None = None  # of a pod that has a controller


class _List(dict[Any, _Listed]):
    """Some objects by key. It is part of an index as long as there are any."""

    __slots__ = ("index", "place")

    def __init__(self, index: "_Index", place: Any) -> None:
        self.index, self.place = index, place

    def leave(self, at: Any) -> None:
        self.pop(at, None)
        if not self:
            self.index.pop(self.place, None)


_MOST_KNOWN = 16384
_Index = dict[Any, _List]
_NOBODY: dict[Any, _Listed] = {}
_NO_CONTROLLER = "", None
_born = attrgetter("born")


def _list_of(index: _Index, place: Any) -> _List:
    """The list at this place of an index; one who has it made puts something in."""
    found = index.get(place)
    if found is None:
        found = index[place] = _List(index, place)
    return found


class Chance(Protocol):
    """What names and uids are drawn from: `random.Random`, seeded."""

    def choice(self, of: str) -> str: ...
    def getrandbits(self, bits: int) -> int: ...


class Objects:
    """A mirror of the cluster's objects, as manifests, in the order of their creation."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, _Listed]] = {}
        self._in_namespace: _Index = {}  # (kind, namespace)
        self._owned: _Index = {}  # (controller's uid, kind)
        self._orphans: _Index = {}  # (kind, namespace), without a controller
        self._dependents: _Index = {}  # by the uid of any owner: by kind and key
        self._on_node: _Index = {}
        self._tallies: dict[str, Tally] = {}  # of the pods of those who asked, by their uid
        self._spendings: dict[str, dict[str, quotas.Spending]] = {}  # by namespace, by quota: of those asked for
        self._places: dict[str, dict[str, int]] = {}  # by kind, until one of it comes or goes: by key
        self.addresses = Taken()
        self._selections: Selections[_Listed] | None = None  # until somebody asks
        self._births = 0
        self.appearances = 0  # one more whenever there is something of a kind for the first time, or nothing any more
        self.once = Known(_MOST_KNOWN).once  # of specs and templates, which outlive the versions of their owners

    def put(self, obj: Manifest) -> Manifest | None:
        """Store it; the version before, or None."""
        of, at = kind(obj), key(obj)
        objects = self._kinds.get(of)
        if objects is None:
            objects = self._kinds[of] = {}
        listed = objects.get(at)
        if listed is None:
            self._births += 1
            self.appearances += not objects
            self._places.pop(of, None)
            previous, listed = None, _Listed(self._births, obj)
            objects[at] = listed
        else:
            previous, listed.obj = listed.obj, obj
        if of == "Pod":
            self._count(listed, obj)
            self.addresses.changed(previous, obj)
        if self._spendings:
            self._spend(obj, previous, obj)
        if self._selections is not None:
            self._selections.changed(listed, previous, obj)
        if previous is None or not _has_same_place(previous, obj):
            self._list(listed, of, at)
            self._list_dependents(listed, of, at, () if previous is None else owners(previous), owners(obj))
        return previous

    def _count(self, listed: _Listed, obj: Manifest | None) -> None:
        """What there is to count of a pod, which has come, changed or gone."""
        before = listed.counted
        if before is not None and (tally := self._tallies.get(before.controller)) is not None:
            tally.add(before, -1)
        listed.counted = None
        controller = None if obj is None else controller_of(obj)
        if obj is not None and controller is not None:
            counted = listed.counted = Counted(obj, before, str(controller.get("uid")))
            if (tally := self._tallies.get(counted.controller)) is not None:
                tally.add(counted, 1)

    def selected(self, service: Manifest) -> list[Manifest]:
        """The pods that a service selects."""
        return self._selecting().pods(key(service))

    def services_of(self, pod: Manifest) -> list[str]:
        """The keys of the services that select a pod."""
        return self._selecting().services(namespace(pod), labels(pod))

    def _selecting(self) -> Selections[_Listed]:
        if self._selections is None:
            services = self._kinds.get("Service", _NOBODY).values()
            self._selections = Selections(
                services, lambda inside: self._in_namespace.get(("Pod", inside), _NOBODY).values()
            )
        return self._selections

    def tally(self, owner: Manifest) -> Tally:
        """Of the pods that it controls, from now on kept up to date."""
        of = uid(owner)
        found = self._tallies.get(of)
        if found is None:
            owned = self._owned.get((of, "Pod"), _NOBODY).values()
            found = self._tallies[of] = Tally(one.counted for one in owned if one.counted is not None)
        return found

    def spending(self, quota: Manifest) -> quotas.Spending:
        """What of a quota is used, from now on kept up to date."""
        here = self._spendings.setdefault(namespace(quota), {})
        if key(quota) not in here:
            here[key(quota)] = quotas.spending(quota, self.of_kind)
        return here[key(quota)]

    def _spend(self, about: Manifest, previous: Manifest | None, obj: Manifest | None) -> None:
        here = self._spendings.get(namespace(about))
        if here:
            if kind(about) == "ResourceQuota":
                here.pop(key(about), None)  # another version may ask for something else
            for one in here.values():
                one.change(kind(about), previous, obj)

    def _list(self, listed: _Listed, of: str, at: str) -> None:
        """Put it in the lists where it is to be found by now, and take it out of the others."""
        lists = self._lists(of, listed.obj)
        for one in listed.lists:
            if not any(one is other for other in lists):
                one.leave(at)
        for one in lists:
            one[at] = listed
        listed.lists = lists

    def _list_dependents(
        self, listed: _Listed, of: str, at: str, before: Sequence[Owner], now: Sequence[Owner]
    ) -> None:
        if before is not now and before != now:
            for owner in before:
                if (dependents := self._dependents.get(str(owner.get("uid")))) is not None:
                    dependents.leave((of, at))
            for owner in now:
                _list_of(self._dependents, str(owner.get("uid")))[of, at] = listed

    def remove(self, of: str, at: str) -> Manifest | None:
        objects = self._kinds.get(of, _NOBODY)
        listed: _Listed | None = objects.pop(at, None)
        if listed is None:
            return None
        self.appearances += not objects
        found = listed.obj
        self._places.pop(of, None)
        for one in listed.lists:
            one.leave(at)
        self._list_dependents(listed, of, at, owners(found), ())
        if of == "Pod":
            self._count(listed, None)
            self.addresses.changed(found, None)
        self._tallies.pop(uid(found), None)
        if self._spendings:
            self._spend(found, found, None)
        if self._selections is not None:
            self._selections.changed(listed, found, None)
        return found

    def _lists(self, of: str, obj: Manifest) -> Sequence[_List]:
        controller = controller_of(obj)
        inside = namespace(obj)
        found = [_list_of(self._in_namespace, (of, inside))]
        if controller is None:
            found.append(_list_of(self._orphans, (of, inside)))
        else:
            found.append(_list_of(self._owned, (str(controller.get("uid")), of)))
        if of == "Pod" and spec(obj).get("nodeName"):
            found.append(_list_of(self._on_node, str(spec(obj)["nodeName"])))
        return found

    @staticmethod
    def _in_order(found: Iterable[_Listed]) -> list[Manifest]:
        """In the order of their creation, whatever has become of them since."""
        return [one.obj for one in sorted(found, key=_born)]

    def get(self, of: str, at: str) -> Manifest | None:
        listed = self._kinds.get(of, _NOBODY).get(at)
        return None if listed is None else listed.obj

    def has(self, of: str) -> bool:
        """Whether there is any of this kind."""
        return bool(self._kinds.get(of))

    def count(self, of: str) -> int:
        """Return how many there are of this kind."""
        return len(self._kinds.get(of, _NOBODY))

    def of_kind(self, of: str, in_namespace: str | None = None) -> list[Manifest]:
        if in_namespace is None:
            return [one.obj for one in self._kinds.get(of, _NOBODY).values()]
        return self._in_order(self._in_namespace.get((of, in_namespace), _NOBODY).values())

    def place(self, of: str, at: str) -> int:
        """How many there are of this kind that were created before it."""
        places = self._places.get(of)
        if places is None:
            places = self._places[of] = {known: place for place, known in enumerate(self._kinds.get(of, _NOBODY))}
        return places.get(at, 0)

    def owned(self, by: Manifest, of: str) -> list[Manifest]:
        """Those that `by` controls."""
        return self.owned_by(uid(by), of)

    def owned_by(self, owner_uid: str, of: str) -> list[Manifest]:
        return self._in_order(self._owned.get((owner_uid, of), _NOBODY).values())

    def counted(self, pod: Manifest) -> Counted:
        """What there is to count of it; of the pods that are here it is known."""
        listed = self._kinds.get("Pod", _NOBODY).get(key(pod))
        known = None if listed is None or listed.obj is not pod else listed.counted
        return known or Counted(pod)

    def counted_of(self, owner: Manifest) -> list[Counted]:
        """The same of all pods that it controls, in the order of their creation."""
        owned = self._owned.get((uid(owner), "Pod"), _NOBODY).values()
        return [one.counted for one in sorted(owned, key=_born) if one.counted is not None]

    def orphans(self, of: str, in_namespace: str) -> list[Manifest]:
        """Those that no controller looks after."""
        return self._in_order(self._orphans.get((of, in_namespace), _NOBODY).values())

    def has_orphans(self, of: str, in_namespace: str) -> bool:
        return bool(self._orphans.get((of, in_namespace)))

    def dependents(self, owner_uid: str) -> list[Manifest]:
        return self._in_order(self._dependents.get(owner_uid, _NOBODY).values())

    def pods_on(self, node: str) -> list[Manifest]:
        return self._in_order(self._on_node.get(node, _NOBODY).values())

    def all(self) -> Iterable[Manifest]:
        for found in self._kinds.values():
            yield from (one.obj for one in found.values())

    @property
    def kinds(self) -> list[str]:
        return list(self._kinds)


def _has_same_place(one: Manifest, other: Manifest) -> bool:
    """Whether two versions of an object are listed in the same places."""
    if one.get("metadata") is not other.get("metadata") and owners(one) is not owners(other):
        return False
    return one.get("spec") is other.get("spec") or spec(one).get("nodeName") == spec(other).get("nodeName")


class View:
    """What a reconcile may look at: the objects, the time (seconds since the Unix epoch), and chance for names."""

    def __init__(self, objects: Objects, now: float, chance: Chance) -> None:
        self.objects = objects
        self.now = now
        self.chance = chance
        self.snapshot: Callable[[], Any] | None = None  # the cluster as the scheduler's filters see it, to plan with
        self.problem_of: Callable[[Manifest], Problem | None] | None = None  # why an API server would refuse an object
        self.remembered: Any = None  # what the actor that looks remembers of the object that it looks at
        self.get, self.of_kind, self.owned, self.orphans = objects.get, objects.of_kind, objects.owned, objects.orphans
        self.dependents, self.pods_on, self.owned_by = objects.dependents, objects.pods_on, objects.owned_by
        self.counted, self.tally, self.has_orphans = objects.counted, objects.tally, objects.has_orphans
        self.has, self.spending, self.counted_of = objects.has, objects.spending, objects.counted_of
        self.place, self.addresses, self.once = objects.place, objects.addresses, objects.once
        self.count = objects.count
        self.selected, self.services_of = objects.selected, objects.services_of
        self.hashes: Hashes = HASHES[UPSTREAM]
        self.memory: Mapping[tuple[str, str], Any] = {}  # what all actors remember, by their name and by key

    def with_objects(self, objects: Objects) -> "View":
        other = View(objects, self.now, self.chance)
        other.hashes = self.hashes
        return other

    def controllers(self, of: str, old: Manifest | None, new: Manifest | None) -> list[str]:
        """The keys of those of this kind that an object had and has, each once."""
        if old is not None and new is not None and old.get("metadata") is not new.get("metadata"):
            both = (self._controller(of, old)[0], self._controller(of, new)[0])
            return [at for at in dict.fromkeys(both) if at]
        obj = old if new is None else new
        at = "" if obj is None else self._controller(of, obj)[0]
        return [at] if at else []

    def controller(self, of: str, obj: Manifest) -> Manifest | None:
        """The object's controller, if it is of this kind and still the same one. Source: resolveControllerRef."""
        return self._controller(of, obj)[1]

    def _controller(self, of: str, obj: Manifest) -> tuple[str, Manifest | None]:
        """With its key."""
        reference = controller_of(obj)
        if reference is None or reference.get("kind") != of:
            return _NO_CONTROLLER
        inside, named = obj["metadata"].get("namespace"), reference["name"]
        at = f"{inside}/{named}" if inside else str(named)
        found = self.get(of, at)
        return (at, found) if found is not None and uid(found) == reference.get("uid") else _NO_CONTROLLER
