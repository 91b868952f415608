"""The Services that select each Pod, computed at the first request and updated from then on."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from kube_objects.manifests import Manifest, key, kind, labels, namespace, spec

_NOTHING: Mapping[str, Any] = {}


class Listed(Protocol):
    """An object with its position in the order of creation."""

    @property
    def born(self) -> int: ...

    @property
    def obj(self) -> Manifest: ...


Of = TypeVar("Of", bound=Listed)
_born: Callable[[Any], int] = attrgetter("born")


class _Selection(Generic[Of]):
    """A Service with a selector, and its Pods by key."""

    __slots__ = ("born", "namespace", "pods", "selector", "service")

    def __init__(self, service: Manifest, born: int) -> None:
        self.service, self.born, self.namespace = key(service), born, namespace(service)
        self.selector = selector_of(service)
        self.pods: dict[str, Of] = {}

    @property
    def index_key(self) -> tuple[str, str, str]:
        """Return the namespace and one label of the selector. All selected Pods have this label."""
        name, value = next(iter(self.selector.items()))
        return self.namespace, name, value

    def selects(self, pod_labels: Mapping[str, str]) -> bool:
        return self.selector.items() <= pod_labels.items()


class Selections(Generic[Of]):
    """The Services with a selector, by label, and the Pods that they select."""

    def __init__(self, services: Iterable[Of], pods: Callable[[str], Iterable[Of]]) -> None:
        """Index the Services. `pods` returns the Pods of a namespace."""
        self._pods = pods
        self._by_label: dict[tuple[str, str, str], dict[str, _Selection[Of]]] = {}
        self._of: dict[str, _Selection[Of]] = {}
        self._last: tuple[Mapping[str, str], str, list[str]] = ({}, "", [])  # the last request and its result
        for service in services:
            self._add_service(service)

    def services(self, obj_namespace: str, pod_labels: Mapping[str, str]) -> list[str]:
        """Return the keys of the Services that select Pods with these labels, in the order of their creation."""
        labels_of_last, namespace_of_last, answer = self._last
        if labels_of_last is pod_labels and namespace_of_last == obj_namespace:
            return answer
        selecting = self._find_selecting(obj_namespace, pod_labels)
        if len(selecting) > 1:
            selecting.sort(key=_born)
        answer = [selection.service for selection in selecting]
        self._last = pod_labels, obj_namespace, answer
        return answer

    def pods(self, service: str) -> list[Manifest]:
        """Return the Service's Pods in the order of their creation."""
        selection = self._of.get(service)
        return [] if selection is None else [entry.obj for entry in sorted(selection.pods.values(), key=_born)]

    def changed(self, listed: Of, before: Manifest | None, now: Manifest | None) -> None:
        """Update the selections for an object that was added, changed or removed."""
        obj = before if now is None else now
        if obj is None or kind(obj) not in ("Pod", "Service"):
            return
        if kind(obj) == "Pod":
            self._pod_changed(listed, before, now)
        elif before is None or now is None or selector_of(before) != selector_of(now):
            self._remove_service(key(obj))
            if now is not None:
                self._add_service(listed)

    def _add_service(self, service: Of) -> None:
        if not selector_of(service.obj):
            return
        self._last = {}, "", []
        selection: _Selection[Of] = _Selection(service.obj, service.born)
        self._of[selection.service] = selection
        self._by_label.setdefault(selection.index_key, {})[selection.service] = selection
        for pod in self._pods(selection.namespace):
            if selection.selects(labels(pod.obj)):
                selection.pods[key(pod.obj)] = pod

    def _remove_service(self, service: str) -> None:
        removed = self._of.pop(service, None)
        if removed is not None:
            self._last = {}, "", []
            neighbors = self._by_label[removed.index_key]
            del neighbors[service]
            if not neighbors:
                del self._by_label[removed.index_key]

    def _pod_changed(self, pod: Of, before: Manifest | None, now: Manifest | None) -> None:
        old_labels = None if before is None else labels(before)
        new_labels = None if now is None else labels(now)
        if old_labels is new_labels or (old_labels is not None and old_labels == new_labels):
            return
        obj = before if now is None else now
        assert obj is not None
        pod_key, obj_namespace = key(obj), namespace(obj)
        for selection in () if old_labels is None else self._find_selecting(obj_namespace, old_labels):
            selection.pods.pop(pod_key, None)
        for selection in () if new_labels is None else self._find_selecting(obj_namespace, new_labels):
            selection.pods[pod_key] = pod

    def _find_selecting(self, obj_namespace: str, pod_labels: Mapping[str, str]) -> list[_Selection[Of]]:
        by_label, selecting = self._by_label, []
        for name, value in pod_labels.items():
            candidates = by_label.get((obj_namespace, name, value))
            if candidates is not None:
                selecting += [selection for selection in candidates.values() if selection.selects(pod_labels)]
        return selecting


def selector_of(service: Manifest) -> Mapping[str, str]:
    """Return the Service's selector. A missing or empty one selects nothing."""
    selector: Mapping[str, str] = spec(service).get("selector") or _NOTHING
    return selector
