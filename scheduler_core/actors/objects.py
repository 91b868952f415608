"""Objects: what the actors see of a cluster, by kind and key, with the indexes that they ask for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from scheduler_core.actors.manifests import Manifest, controller_of, key, kind, namespace, owners, spec, uid

_NONE: Mapping[str, Manifest] = {}


class Chance(Protocol):
    """What names and uids are drawn from: `random.Random`, seeded."""

    def choice(self, of: str) -> str: ...
    def getrandbits(self, bits: int) -> int: ...


class Objects:
    """A mirror of the cluster's objects, as manifests, in the order of their creation."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, Manifest]] = {}
        self._in_namespace: dict[tuple[str, str], dict[str, Manifest]] = {}
        self._owned: dict[tuple[str, str], dict[str, Manifest]] = {}  # (controller's uid, kind)
        self._orphans: dict[tuple[str, str], dict[str, Manifest]] = {}  # (kind, namespace), without a controller
        self._dependents: dict[str, dict[tuple[str, str], Manifest]] = {}  # by the uid of any owner
        self._on_node: dict[str, dict[str, Manifest]] = {}
        self._born: dict[tuple[str, str], int] = {}
        self._births = 0

    def put(self, obj: Manifest) -> Manifest | None:
        """Store it; the version before, or None."""
        of, at = kind(obj), key(obj)
        previous = self._kinds.setdefault(of, {}).get(at)
        if previous is None:
            self._births += 1
            self._born[of, at] = self._births
        if previous is not None:
            self._unlist(previous)
        self._kinds[of][at] = obj
        for index in self._indexes(of, obj):
            index[at] = obj
        for owner in owners(obj):
            self._dependents.setdefault(str(owner.get("uid")), {})[of, at] = obj
        return previous

    def remove(self, of: str, at: str) -> Manifest | None:
        found = self._kinds.get(of, {}).pop(at, None)
        if found is not None:
            self._unlist(found)
        return found

    def _indexes(self, of: str, obj: Manifest) -> Iterator[dict[str, Manifest]]:
        controller = controller_of(obj)
        yield self._in_namespace.setdefault((of, namespace(obj)), {})
        if controller is None:
            yield self._orphans.setdefault((of, namespace(obj)), {})
        else:
            yield self._owned.setdefault((str(controller.get("uid")), of), {})
        if of == "Pod" and spec(obj).get("nodeName"):
            yield self._on_node.setdefault(str(spec(obj)["nodeName"]), {})

    def _unlist(self, obj: Manifest) -> None:
        of, at = kind(obj), key(obj)
        for index in self._indexes(of, obj):
            index.pop(at, None)
        for owner in owners(obj):
            self._dependents.get(str(owner.get("uid")), {}).pop((of, at), None)

    def _in_order(self, found: Iterable[Manifest]) -> list[Manifest]:
        """In the order of their creation, whatever has become of them since."""
        return sorted(found, key=lambda obj: self._born[kind(obj), key(obj)])

    def get(self, of: str, at: str) -> Manifest | None:
        return self._kinds.get(of, _NONE).get(at)

    def of_kind(self, of: str, in_namespace: str | None = None) -> list[Manifest]:
        if in_namespace is None:
            return list(self._kinds.get(of, _NONE).values())
        return self._in_order(self._in_namespace.get((of, in_namespace), _NONE).values())

    def owned(self, by: Manifest, of: str) -> list[Manifest]:
        """Those that `by` controls."""
        return self.owned_by(uid(by), of)

    def owned_by(self, owner_uid: str, of: str) -> list[Manifest]:
        return self._in_order(self._owned.get((owner_uid, of), _NONE).values())

    def orphans(self, of: str, in_namespace: str) -> list[Manifest]:
        """Those that no controller looks after."""
        return self._in_order(self._orphans.get((of, in_namespace), _NONE).values())

    def dependents(self, owner_uid: str) -> list[Manifest]:
        return self._in_order(self._dependents.get(owner_uid, {}).values())

    def pods_on(self, node: str) -> list[Manifest]:
        return self._in_order(self._on_node.get(node, _NONE).values())

    def all(self) -> Iterable[Manifest]:
        for found in self._kinds.values():
            yield from found.values()

    @property
    def kinds(self) -> list[str]:
        return list(self._kinds)


class View:
    """What a reconcile may look at: the objects, the time (seconds since the Unix epoch), and chance for names."""

    def __init__(self, objects: Objects, now: float, chance: Chance) -> None:
        self.objects = objects
        self.now = now
        self.chance = chance
        self.snapshot: Callable[[], Any] | None = None  # the cluster as the scheduler's filters see it, to plan with
        self.remembered: Any = None  # what the actor that looks remembers of the object that it looks at
        self.get, self.of_kind, self.owned, self.orphans = objects.get, objects.of_kind, objects.owned, objects.orphans
        self.dependents, self.pods_on, self.owned_by = objects.dependents, objects.pods_on, objects.owned_by

    def with_objects(self, objects: Objects) -> "View":
        return View(objects, self.now, self.chance)

    def controller(self, of: str, obj: Manifest) -> Manifest | None:
        """The object's controller, if it is of this kind and still the same one. Source: resolveControllerRef."""
        reference = controller_of(obj)
        if reference is None or reference.get("kind") != of:
            return None
        at = f"{namespace(obj)}/{reference['name']}" if namespace(obj) else str(reference["name"])
        found = self.get(of, at)
        return found if found is not None and uid(found) == reference.get("uid") else None
