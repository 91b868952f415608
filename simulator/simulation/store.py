"""The object store of a simulated API server: objects by kind and key, in the order of creation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_objects.meta import KubeObject

# The kinds with a log of changes, which the DRA plugin's inventory reads.
LOGGED_KINDS = frozenset({"DeviceClass", "ResourceClaim", "ResourceSlice"})


class ObjectStore:
    """The stored objects. Implements `Lister`. Objects are never changed in place; `put` replaces."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, KubeObject]] = {}
        self._changes: dict[str, dict[str, int]] = {kind: {} for kind in LOGGED_KINDS}  # key → revision, latest last
        self._revision = 0

    def copied(self) -> "ObjectStore":
        """Return an independent store with the same objects."""
        copy = ObjectStore()
        copy._kinds = {kind: dict(objects) for kind, objects in self._kinds.items()}
        copy._changes = {kind: dict(changes) for kind, changes in self._changes.items()}
        copy._revision = self._revision
        return copy

    def put(self, obj: KubeObject) -> KubeObject | None:
        """Store `obj`, and return the previous version or None."""
        objects, key = self._kinds.setdefault(obj.kind, {}), obj.key
        previous = objects.get(key)
        objects[key] = obj
        if obj.kind in LOGGED_KINDS:
            self._log_change(obj.kind, key)
        return previous

    @property
    def size(self) -> int:
        """The number of objects."""
        return sum(map(len, self._kinds.values()))

    def remove(self, kind: str, key: str) -> KubeObject | None:
        if kind in LOGGED_KINDS:
            self._log_change(kind, key)
        return self._kinds.get(kind, {}).pop(key, None)

    def _log_change(self, kind: str, key: str) -> None:
        self._revision += 1
        changes = self._changes[kind]
        changes.pop(key, None)
        changes[key] = self._revision

    def revision(self, kind: str) -> int:
        return next(reversed(self._changes[kind].values()), 0)

    def changed_since(self, kind: str, revision: int) -> Sequence[str]:
        """Return the keys of the objects that changed after `revision`, the last change first."""
        keys = []
        for key, changed in reversed(self._changes[kind].items()):
            if changed <= revision:
                break
            keys.append(key)
        return keys

    def get(self, kind: str, key: str) -> Any | None:
        return self._kinds.get(kind, {}).get(key)

    def of_other_groups(self, kind: str, key: str) -> Sequence[KubeObject]:
        """Return the objects with this key that are stored under `kind.group`."""
        prefix = f"{kind}."
        return [objects[key] for name, objects in self._kinds.items() if name.startswith(prefix) and key in objects]

    def list(self, kind: str, namespace: str | None = None) -> Sequence[Any]:
        objects = self._kinds.get(kind, {}).values()
        return [obj for obj in objects if namespace is None or obj.namespace == namespace]

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        obj = self.get("Namespace", namespace)
        return {} if obj is None else obj.labels

    def __iter__(self) -> Iterator[KubeObject]:
        """Yield all objects, kind by kind in the order in which the kinds first appeared."""
        for objects in self._kinds.values():
            yield from objects.values()
