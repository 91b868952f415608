"""Which slices of a service have which endpoints: as little of what is there is changed as can be.

Source: staging/src/k8s.io/endpointslice/reconciler.go reconcileByAddressType, reconcileByPortMapping.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.endpoints import ports
from kube_controllers.endpoints.hints import Endpoint, distribution, hinted
from kube_controllers.endpoints.ports import Ports
from kube_controllers.endpoints.service import HEADLESS, is_headless, mappings
from kube_objects.manifests import Manifest, labels, name, owners, uid

SERVICE, MANAGED_BY = "kubernetes.io/service-name", "endpointslice.kubernetes.io/managed-by"
CONTROLLER = "endpointslice-controller.k8s.io"
MOST = 100  # endpoints of a slice
_RESERVED = (SERVICE, MANAGED_BY, HEADLESS)
_SEEN = ("nodeName", "zone")
_CONDITIONS = ("ready", "serving", "terminating")

Identity = tuple[Any, ...]
Wanted = dict[Identity, Endpoint]


class Slice:
    """One that is there (`live`), or that is to be made; what is new about it."""

    __slots__ = ("endpoints", "labels", "live", "ports", "takes_over")

    def __init__(self, live: Manifest | None, of: Ports, found: list[Endpoint], labelled: Mapping[str, str]) -> None:
        self.live, self.ports, self.endpoints, self.labels = live, of, found, labelled
        self.takes_over = False  # the place of the one that is there, of which nothing stays

    @property
    def is_full(self) -> bool:
        return len(self.endpoints) >= MOST


class Plan:
    """What becomes of the slices of one family."""

    def __init__(self, service: Manifest, family: str) -> None:
        self.service, self.family = service, family
        self.labels = labels_for(service)
        self.create: list[Slice] = []
        self.update: list[Slice] = []
        self.delete: list[Manifest] = []
        self.same: list[Slice] = []

    def make(self, existing: Sequence[Manifest], wanted: Mapping[Ports, Wanted]) -> None:
        there: dict[Ports, list[Manifest]] = {}
        for one in existing:
            if is_owned(one, self.service):
                there.setdefault(ports.in_slices(ports.read(one.get("ports"))), []).append(one)
            else:
                self.delete.append(one)
        for of, found in wanted.items():
            self._of_ports(of, there.get(of, ()), found)
        for of, left in there.items():
            if of not in wanted:
                self.delete += left
        if len(existing) == len(self.delete) and not self.create:
            self._keep_a_place()
        self._hint()
        self._take_over()

    def _of_ports(self, of: Ports, existing: Iterable[Manifest], wanted: Wanted) -> None:
        """`wanted` is emptied."""
        changed: list[Slice] = []
        same: list[Slice] = []
        for live in existing:
            before = list(mappings(live.get("endpoints")))
            remaining, is_new = _remaining(before, wanted)
            one = Slice(live, of, remaining, self.labels)
            if is_new and not remaining:
                self.delete.append(live)
            elif is_new or not _has_labels(live, self.labels):
                changed.append(one)
            else:
                one.endpoints, one.labels = before, labels(live)
                same.append(one)
        if wanted:
            for one in sorted(changed, key=lambda one: -len(one.endpoints)):
                _fill(one, wanted)
        while wanted:
            found = _fitting(same, len(wanted)) if len(wanted) < MOST else None
            if found is None:
                found = Slice(None, of, [], self.labels)
                self.create.append(found)
            else:
                same.remove(found)
                changed.append(found)
            _fill(found, wanted)
        self.update += changed
        self.same += same

    def _keep_a_place(self) -> None:
        """Where there would be none there is an empty one, the same as before if it was alone."""
        if len(self.delete) == 1 and self._is_place(self.delete[0]):
            self.delete = []
        else:
            self.create.append(Slice(None, (), [], self.labels))

    def _is_place(self, live: Manifest) -> bool:
        is_empty = not live.get("endpoints") and not live.get("ports")
        return is_empty and labels(live) == self.labels

    def _hint(self) -> None:
        wanted = distribution(self.service)
        for one in (*self.create, *self.update):
            one.endpoints = [hinted(each, wanted) for each in one.endpoints]
        for one in list(self.same):
            found = [hinted(each, wanted) for each in one.endpoints]
            if any(after is not before for after, before in zip(found, one.endpoints, strict=True)):
                one.endpoints = found
                self.same.remove(one)
                self.update.append(one)

    def _take_over(self) -> None:
        """One that would go is what one that would come becomes. Source: finalize."""
        left = []
        for live in self.delete:
            if self.create and is_owned(live, self.service):
                found = self.create.pop()
                found.live, found.takes_over = live, True
                self.update.append(found)
            else:
                left.append(live)
        self.delete = left


def _remaining(before: Sequence[Endpoint], wanted: Wanted) -> tuple[list[Endpoint], bool]:
    """Of the endpoints of a slice those that are still wanted, as they are by now, and whether anything is new."""
    remaining, is_new = [], False
    for endpoint in before:
        found = wanted.pop(identity(endpoint), None) if _is_readable(endpoint) else None
        if found is None:
            is_new = True
        else:
            remaining.append(found)
            is_new = is_new or not is_same(found, endpoint)
    return remaining, is_new


def _is_readable(endpoint: Endpoint) -> bool:
    """Of one that somebody brought nobody has looked at it."""
    parts = endpoint.get("conditions"), endpoint.get("targetRef")
    return isinstance(endpoint.get("addresses"), list) and all(
        part is None or isinstance(part, Mapping) for part in parts
    )


def is_same(one: Endpoint, other: Endpoint) -> bool:
    """Whether nothing is new about an endpoint but what makes it another one. Source: EndpointsEqualBeyondHash."""
    if any(one.get(field) != other.get(field) for field in _SEEN):
        return False
    conditions, known = one["conditions"], other.get("conditions") or {}
    if any(conditions.get(field) != known.get(field) for field in _CONDITIONS):
        return False
    return bool(one.get("targetRef") == other.get("targetRef"))


def identity(endpoint: Endpoint) -> Identity:
    """What makes it the same one, whatever is new about it. Source: hashEndpoint."""
    about = endpoint.get("targetRef") or {}
    at = sorted(str(one) for one in endpoint.get("addresses") or ())
    named = (endpoint.get("hostname"), about.get("namespace"), about.get("name"))
    return *at, *(str(one or "") for one in named)


def _fill(one: Slice, wanted: Wanted) -> None:
    while wanted and not one.is_full:
        one.endpoints.append(wanted.pop(next(iter(wanted))))


def _fitting(found: Sequence[Slice], count: int) -> Slice | None:
    """The one that is fullest when so many are added. Source: getSliceToFill."""
    best, least = None, MOST
    for one in found:
        left = MOST - count - len(one.endpoints)
        if 0 <= left < least:
            best, least = one, left
    return best


def labels_for(service: Manifest) -> dict[str, str]:
    """Those of the service, and what its slices are found by. Source: setEndpointSliceLabels."""
    found = {key: value for key, value in labels(service).items() if key not in _RESERVED}
    return found | ({HEADLESS: ""} if is_headless(service) else {}) | {SERVICE: name(service), MANAGED_BY: CONTROLLER}


def _has_labels(live: Manifest, wanted: Mapping[str, str]) -> bool:
    """But for the reserved ones, which nobody mends."""
    given = labels(live)
    return {key: value for key, value in given.items() if key not in _RESERVED} == {
        key: value for key, value in wanted.items() if key not in _RESERVED
    }


def is_owned(one: Manifest, service: Manifest) -> bool:
    of = uid(service)
    return any(
        owner.get("uid") == of and owner.get("kind") == "Service" and owner.get("apiVersion") == "v1"
        for owner in owners(one)
    )
