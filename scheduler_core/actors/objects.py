"""Objects: what the actors see of a cluster, by kind and key, with the indexes that they ask for."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from scheduler_core.actors.counting import Counted, Tally
from scheduler_core.actors.manifests import Manifest, controller_of, key, key_of, kind, namespace, owners, spec, uid
from scheduler_core.admission import quotas
from scheduler_core.text.problems import Problem

_NONE: Mapping[str, Manifest] = {}
# Of a list of objects: when each was born, which orders them, and the object.
_Listed = dict[str, tuple[int, Manifest]]
_NOBODY: _Listed = {}


class Chance(Protocol):
    """What names and uids are drawn from: `random.Random`, seeded."""

    def choice(self, of: str) -> str: ...
    def getrandbits(self, bits: int) -> int: ...


class Objects:
    """A mirror of the cluster's objects, as manifests, in the order of their creation."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, Manifest]] = {}
        self._in_namespace: dict[tuple[str, str], _Listed] = {}
        self._owned: dict[tuple[str, str], _Listed] = {}  # (controller's uid, kind)
        self._orphans: dict[tuple[str, str], _Listed] = {}  # (kind, namespace), without a controller
        self._dependents: dict[str, dict[tuple[str, str], tuple[int, Manifest]]] = {}  # by the uid of any owner
        self._on_node: dict[str, _Listed] = {}
        self._counted: dict[int, Counted] = {}  # of the pods, by the id of their manifest
        self._tallies: dict[str, Tally] = {}  # of the pods of those who asked, by their uid
        self._spendings: dict[str, dict[str, quotas.Spending]] = {}  # by namespace, by quota: of those asked for
        self._born: dict[tuple[str, str], int] = {}
        self._births = 0

    def put(self, obj: Manifest) -> Manifest | None:
        """Store it; the version before, or None."""
        of, at = kind(obj), key(obj)
        objects = self._kinds.setdefault(of, {})
        previous = objects.get(at)
        if previous is None:
            self._births += 1
            self._born[of, at] = self._births
        objects[at] = obj
        entry = (self._born[of, at], obj)
        if of == "Pod":
            self._count(previous, obj)
        if self._spendings:
            self._spend(obj, previous, obj)
        indexes = self._indexes(of, obj)
        if previous is not None and not _has_same_place(previous, obj):
            for index in self._indexes(of, previous):
                if not any(index is one for one in indexes):
                    index.pop(at, None)
        for index in indexes:
            index[at] = entry
        self._list_dependents(previous, of, at, entry)
        return previous

    def _count(self, previous: Manifest | None, obj: Manifest | None) -> None:
        """What there is to count of a pod, which has come, changed or gone."""
        before = None if previous is None else self._counted.pop(id(previous), None)
        if before is not None and (tally := self._tally_of(before.pod)) is not None:
            tally.add(before, -1)
        if obj is not None:
            counted = self._counted[id(obj)] = Counted(obj, before)
            if (tally := self._tally_of(obj)) is not None:
                tally.add(counted, 1)

    def _tally_of(self, pod: Manifest) -> Tally | None:
        controller = controller_of(pod)
        return None if controller is None else self._tallies.get(str(controller.get("uid")))

    def tally(self, owner: Manifest) -> Tally:
        """Of the pods that it controls, from now on kept up to date."""
        of = uid(owner)
        found = self._tallies.get(of)
        if found is None:
            found = Tally(self._counted[id(pod)] for _, pod in self._owned.get((of, "Pod"), _NOBODY).values())
            self._tallies[of] = found
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

    def _list_dependents(self, previous: Manifest | None, of: str, at: str, entry: tuple[int, Manifest] | None) -> None:
        now = () if entry is None else owners(entry[1])
        if previous is not None and (before := owners(previous)) is not now and before != now:
            for owner in owners(previous):
                self._dependents.get(str(owner.get("uid")), {}).pop((of, at), None)
        if entry is not None:
            for owner in now:
                self._dependents.setdefault(str(owner.get("uid")), {})[of, at] = entry

    def remove(self, of: str, at: str) -> Manifest | None:
        found = self._kinds.get(of, {}).pop(at, None)
        if found is not None:
            for index in self._indexes(of, found):
                index.pop(at, None)
            self._list_dependents(found, of, at, None)
            if of == "Pod":
                self._count(found, None)
            self._tallies.pop(uid(found), None)
            if self._spendings:
                self._spend(found, found, None)
        return found

    def _indexes(self, of: str, obj: Manifest) -> list[_Listed]:
        controller = controller_of(obj)
        inside = namespace(obj)
        found = [self._in_namespace.setdefault((of, inside), {})]
        if controller is None:
            found.append(self._orphans.setdefault((of, inside), {}))
        else:
            found.append(self._owned.setdefault((str(controller.get("uid")), of), {}))
        if of == "Pod" and spec(obj).get("nodeName"):
            found.append(self._on_node.setdefault(str(spec(obj)["nodeName"]), {}))
        return found

    @staticmethod
    def _in_order(found: Iterable[tuple[int, Manifest]]) -> list[Manifest]:
        """In the order of their creation, whatever has become of them since; no two were born at once."""
        return [obj for _, obj in sorted(found)]

    def get(self, of: str, at: str) -> Manifest | None:
        return self._kinds.get(of, _NONE).get(at)

    def has(self, of: str) -> bool:
        """Whether there is any of this kind."""
        return bool(self._kinds.get(of))

    def of_kind(self, of: str, in_namespace: str | None = None) -> list[Manifest]:
        if in_namespace is None:
            return list(self._kinds.get(of, _NONE).values())
        return self._in_order(self._in_namespace.get((of, in_namespace), _NOBODY).values())

    def owned(self, by: Manifest, of: str) -> list[Manifest]:
        """Those that `by` controls."""
        return self.owned_by(uid(by), of)

    def owned_by(self, owner_uid: str, of: str) -> list[Manifest]:
        return self._in_order(self._owned.get((owner_uid, of), _NOBODY).values())

    def counted(self, pod: Manifest) -> Counted:
        """What there is to count of it; of the pods that are here it is known."""
        return self._counted.get(id(pod)) or Counted(pod)

    def orphans(self, of: str, in_namespace: str) -> list[Manifest]:
        """Those that no controller looks after."""
        return self._in_order(self._orphans.get((of, in_namespace), _NOBODY).values())

    def has_orphans(self, of: str, in_namespace: str) -> bool:
        return bool(self._orphans.get((of, in_namespace)))

    def dependents(self, owner_uid: str) -> list[Manifest]:
        return self._in_order(self._dependents.get(owner_uid, {}).values())

    def pods_on(self, node: str) -> list[Manifest]:
        return self._in_order(self._on_node.get(node, _NOBODY).values())

    def all(self) -> Iterable[Manifest]:
        for found in self._kinds.values():
            yield from found.values()

    @property
    def kinds(self) -> list[str]:
        return list(self._kinds)


def _has_same_place(one: Manifest, other: Manifest) -> bool:
    """Whether two versions of an object are listed in the same places."""
    if one is other:
        return True
    same_node = one.get("spec") is other.get("spec") or spec(one).get("nodeName") == spec(other).get("nodeName")
    return same_node and owners(one) is owners(other)


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
        self.has, self.spending = objects.has, objects.spending

    def with_objects(self, objects: Objects) -> "View":
        return View(objects, self.now, self.chance)

    def controllers(self, of: str, old: Manifest | None, new: Manifest | None) -> list[Manifest]:
        """Those of this kind that an object had and has, each once."""
        before = None if old is None else self.controller(of, old)
        if new is None or (old is not None and owners(old) is owners(new)):
            return [] if before is None else [before]
        after = self.controller(of, new)
        found = {key(one): one for one in (before, after) if one is not None}
        return list(found.values())

    def controller(self, of: str, obj: Manifest) -> Manifest | None:
        """The object's controller, if it is of this kind and still the same one. Source: resolveControllerRef."""
        reference = controller_of(obj)
        if reference is None or reference.get("kind") != of:
            return None
        found = self.get(of, key_of(namespace(obj), str(reference["name"])))
        return found if found is not None and uid(found) == reference.get("uid") else None
