"""Which services select which pods: worked out when somebody first asks, and kept up to date from then on."""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from kube_objects.manifests import Manifest, key, kind, labels, namespace, spec

_NOTHING: Mapping[str, Any] = {}


class Listed(Protocol):
    """An object that is there, and when it came."""

    @property
    def born(self) -> int: ...

    @property
    def obj(self) -> Manifest: ...


Of = TypeVar("Of", bound=Listed)
_born: Callable[[Any], int] = attrgetter("born")


class _Selection(Generic[Of]):
    """A service and its pods, by key."""

    __slots__ = ("born", "namespace", "pods", "selector", "service")

    def __init__(self, service: Manifest, born: int) -> None:
        self.service, self.born, self.namespace = key(service), born, namespace(service)
        self.selector = selector_of(service)
        self.pods: dict[str, Of] = {}

    @property
    def place(self) -> tuple[str, str, str]:
        """Where it is looked for: pods that it selects have this label, too."""
        name, value = next(iter(self.selector.items()))
        return self.namespace, name, value

    def selects(self, found: Mapping[str, str]) -> bool:
        return self.selector.items() <= found.items()


class Selections(Generic[Of]):
    """Of services that select nothing there is nothing in here."""

    def __init__(self, services: Iterable[Of], pods: Callable[[str], Iterable[Of]]) -> None:
        """`pods`: those of a namespace."""
        self._pods = pods
        self._by_label: dict[tuple[str, str, str], dict[str, _Selection[Of]]] = {}
        self._of: dict[str, _Selection[Of]] = {}
        self._last: tuple[Mapping[str, str], str, list[str]] = ({}, "", [])  # what was asked last, and the answer
        for one in services:
            self._enter(one)

    def services(self, inside: str, of: Mapping[str, str]) -> list[str]:
        """The keys of those that select pods with these labels, in the order in which they were created."""
        labels_of_last, namespace_of_last, answer = self._last
        if labels_of_last is of and namespace_of_last == inside:
            return answer
        found = self._selecting(inside, of)
        if len(found) > 1:
            found.sort(key=_born)
        answer = [one.service for one in found]
        self._last = of, inside, answer
        return answer

    def pods(self, service: str) -> list[Manifest]:
        """In the order of their creation."""
        found = self._of.get(service)
        return [] if found is None else [one.obj for one in sorted(found.pods.values(), key=_born)]

    def changed(self, listed: Of, before: Manifest | None, now: Manifest | None) -> None:
        """An object has come, changed or gone."""
        obj = before if now is None else now
        if obj is None or kind(obj) not in ("Pod", "Service"):
            return
        if kind(obj) == "Pod":
            self._pod_changed(listed, before, now)
        elif before is None or now is None or selector_of(before) != selector_of(now):
            self._leave(key(obj))
            if now is not None:
                self._enter(listed)

    def _enter(self, service: Of) -> None:
        if not selector_of(service.obj):
            return
        self._last = {}, "", []
        made: _Selection[Of] = _Selection(service.obj, service.born)
        self._of[made.service] = made
        self._by_label.setdefault(made.place, {})[made.service] = made
        for one in self._pods(made.namespace):
            if made.selects(labels(one.obj)):
                made.pods[key(one.obj)] = one

    def _leave(self, service: str) -> None:
        found = self._of.pop(service, None)
        if found is not None:
            self._last = {}, "", []
            there = self._by_label[found.place]
            del there[service]
            if not there:
                del self._by_label[found.place]

    def _pod_changed(self, pod: Of, before: Manifest | None, now: Manifest | None) -> None:
        was = None if before is None else labels(before)
        given = None if now is None else labels(now)
        if was is given or (was is not None and was == given):
            return
        obj = before if now is None else now
        assert obj is not None
        at, inside = key(obj), namespace(obj)
        for one in () if was is None else self._selecting(inside, was):
            one.pods.pop(at, None)
        for one in () if given is None else self._selecting(inside, given):
            one.pods[at] = pod

    def _selecting(self, inside: str, of: Mapping[str, str]) -> list[_Selection[Of]]:
        places, found = self._by_label, []
        for name, value in of.items():
            there = places.get((inside, name, value))
            if there is not None:
                found += [one for one in there.values() if one.selects(of)]
        return found


def selector_of(service: Manifest) -> Mapping[str, str]:
    """Nobody has to have one; an empty one selects nothing either, as what is stored of it is nothing."""
    found: Mapping[str, str] = spec(service).get("selector") or _NOTHING
    return found
