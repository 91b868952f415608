"""ObjectStore: the API server's objects, by kind and key, in the order of creation."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scheduler_core.objects.meta import KubeObject


class ObjectStore:
    """Implements `Lister`. Objects are never changed in place; `put` replaces."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, KubeObject]] = {}

    def put(self, obj: KubeObject) -> KubeObject | None:
        """Store `obj`; the previous version, or None."""
        objects = self._kinds.setdefault(obj.kind, {})
        previous = objects.get(obj.key)
        objects[obj.key] = obj
        return previous

    def remove(self, kind: str, key: str) -> KubeObject | None:
        return self._kinds.get(kind, {}).pop(key, None)

    def get(self, kind: str, key: str) -> Any | None:
        return self._kinds.get(kind, {}).get(key)

    def list(self, kind: str, namespace: str | None = None) -> Sequence[Any]:
        objects = self._kinds.get(kind, {}).values()
        return [obj for obj in objects if namespace is None or obj.namespace == namespace]

    def namespace_labels(self, namespace: str) -> Mapping[str, str]:
        found = self.get("Namespace", namespace)
        return {} if found is None else found.labels

    def __iter__(self) -> Iterator[KubeObject]:
        """All objects, kind by kind in the order in which the kinds first appeared."""
        for objects in self._kinds.values():
            yield from objects.values()
