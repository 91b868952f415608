"""AssumeCache: objects with the scheduler's own pending writes.

Source: pkg/scheduler/util/assumecache/assume_cache.go, pkg/scheduler/framework/plugins/volumebinding/assume_cache.go.
"""

from typing import Generic, TypeVar

from kube_objects.meta import KubeObject
from scheduler_core.framework.handle import Lister

T = TypeVar("T", bound=KubeObject)


class AssumeCache(Generic[T]):
    """Objects of one kind. An assumption lasts until it is restored, or the stored object changes."""

    def __init__(self, kind: str, lister: Lister) -> None:
        self._kind = kind
        self._lister = lister
        self._assumed: dict[str, tuple[T, T]] = {}  # key → (the stored object that was changed, the assumed one)

    def get(self, key: str) -> T | None:
        stored = self.stored(key)
        return None if stored is None else self._latest(stored)

    def stored(self, key: str) -> T | None:
        """Return the object without assumptions."""
        stored: T | None = self._lister.get(self._kind, key)
        return stored

    def list(self) -> list[T]:
        """Return all objects in the order of creation."""
        return [self._latest(stored) for stored in self._lister.list(self._kind)]

    def _latest(self, stored: T) -> T:
        if stored.key not in self._assumed:
            return stored
        changed, assumed = self._assumed[stored.key]
        return assumed if changed is stored else stored

    def assume(self, obj: T) -> None:
        stored = self.stored(obj.key)
        if stored is not None:
            self._assumed[obj.key] = (stored, obj)

    def restore(self, key: str) -> None:
        self._assumed.pop(key, None)
