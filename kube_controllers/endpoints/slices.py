"""The distribution of a Service's endpoints over slices, with as few changes as possible.

Source: staging/src/k8s.io/endpointslice/reconciler.go reconcileByAddressType, reconcileByPortMapping.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kube_controllers.endpoints import ports
from kube_controllers.endpoints.hints import Endpoint, traffic_distribution, with_hints
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


class SliceChange:
    """The new content of a stored slice (`live`), or of one to create."""

    __slots__ = ("endpoints", "labels", "live", "ports", "takes_over")

    def __init__(self, live: Manifest | None, of: Ports, found: list[Endpoint], labelled: Mapping[str, str]) -> None:
        self.live, self.ports, self.endpoints, self.labels = live, of, found, labelled
        self.takes_over = False  # replaces a stored slice, including its annotations

    @property
    def is_full(self) -> bool:
        return len(self.endpoints) >= MOST


class SlicePlan:
    """The slices of one family to create, update, delete and keep."""

    def __init__(self, service: Manifest, family: str) -> None:
        self.service, self.family = service, family
        self.labels = labels_for(service)
        self.create: list[SliceChange] = []
        self.update: list[SliceChange] = []
        self.delete: list[Manifest] = []
        self.same: list[SliceChange] = []

    def make(self, existing: Sequence[Manifest], wanted: Mapping[Ports, Wanted]) -> None:
        """Plan the slices.

        1. For each set of ports, fill existing slices, then new ones.
        2. If no slice would be left, keep or create an empty placeholder.
        3. Update the topology hints.
        4. Reuse slices that would be deleted for new ones.
        """
        live_by_ports: dict[Ports, list[Manifest]] = {}
        for live in existing:
            if is_owned(live, self.service):
                live_by_ports.setdefault(ports.sort_for_slices(ports.read_ports(live.get("ports"))), []).append(live)
            else:
                self.delete.append(live)
        for sorted_ports, endpoints in wanted.items():
            self._plan_ports(sorted_ports, live_by_ports.get(sorted_ports, ()), endpoints)
        for sorted_ports, left in live_by_ports.items():
            if sorted_ports not in wanted:
                self.delete += left
        if len(existing) == len(self.delete) and not self.create:
            self._keep_placeholder()
        self._update_hints()
        self._reuse_deleted()

    def _plan_ports(self, sorted_ports: Ports, existing: Iterable[Manifest], wanted: Wanted) -> None:
        """Plan the slices of one set of ports. It empties `wanted`."""
        changed: list[SliceChange] = []
        same: list[SliceChange] = []
        for live in existing:
            before = list(mappings(live.get("endpoints")))
            remaining, is_new = _split_remaining(before, wanted)
            change = SliceChange(live, sorted_ports, remaining, self.labels)
            if is_new and not remaining:
                self.delete.append(live)
            elif is_new or not _has_labels(live, self.labels):
                changed.append(change)
            else:
                change.endpoints, change.labels = before, labels(live)
                same.append(change)
        if wanted:
            for change in sorted(changed, key=lambda item: -len(item.endpoints)):
                _fill_slice(change, wanted)
        while wanted:
            target = _find_slice_to_fill(same, len(wanted)) if len(wanted) < MOST else None
            if target is None:
                target = SliceChange(None, sorted_ports, [], self.labels)
                self.create.append(target)
            else:
                same.remove(target)
                changed.append(target)
            _fill_slice(target, wanted)
        self.update += changed
        self.same += same

    def _keep_placeholder(self) -> None:
        """Keep an empty slice, so that the Service always has one."""
        if len(self.delete) == 1 and self._is_placeholder(self.delete[0]):
            self.delete = []
        else:
            self.create.append(SliceChange(None, (), [], self.labels))

    def _is_placeholder(self, live: Manifest) -> bool:
        is_empty = not live.get("endpoints") and not live.get("ports")
        return is_empty and labels(live) == self.labels

    def _update_hints(self) -> None:
        wanted = traffic_distribution(self.service)
        for change in (*self.create, *self.update):
            change.endpoints = [with_hints(endpoint, wanted) for endpoint in change.endpoints]
        for change in list(self.same):
            hinted = [with_hints(endpoint, wanted) for endpoint in change.endpoints]
            if any(after is not before for after, before in zip(hinted, change.endpoints, strict=True)):
                change.endpoints = hinted
                self.same.remove(change)
                self.update.append(change)

    def _reuse_deleted(self) -> None:
        """Reuse a slice that would be deleted instead of creating one. Source: finalize."""
        left = []
        for live in self.delete:
            if self.create and is_owned(live, self.service):
                change = self.create.pop()
                change.live, change.takes_over = live, True
                self.update.append(change)
            else:
                left.append(live)
        self.delete = left


def _split_remaining(before: Sequence[Endpoint], wanted: Wanted) -> tuple[list[Endpoint], bool]:
    """Return the new versions of a slice's endpoints that are still wanted, and whether any differs or is gone."""
    remaining, is_new = [], False
    for endpoint in before:
        updated = wanted.pop(endpoint_identity(endpoint), None) if _is_readable(endpoint) else None
        if updated is None:
            is_new = True
        else:
            remaining.append(updated)
            is_new = is_new or not has_same_fields(updated, endpoint)
    return remaining, is_new


def _is_readable(endpoint: Endpoint) -> bool:
    """Return whether an endpoint has valid fields. Stored ones may have bypassed validation."""
    parts = endpoint.get("conditions"), endpoint.get("targetRef")
    return isinstance(endpoint.get("addresses"), list) and all(
        part is None or isinstance(part, Mapping) for part in parts
    )


def has_same_fields(one: Endpoint, other: Endpoint) -> bool:
    """Return whether two endpoints of one identity have equal fields. Source: EndpointsEqualBeyondHash."""
    if any(one.get(field) != other.get(field) for field in _SEEN):
        return False
    conditions, known = one["conditions"], other.get("conditions") or {}
    if any(conditions.get(field) != known.get(field) for field in _CONDITIONS):
        return False
    return bool(one.get("targetRef") == other.get("targetRef"))


def endpoint_identity(endpoint: Endpoint) -> Identity:
    """Return the fields by which versions of an endpoint are recognized. Source: hashEndpoint."""
    target = endpoint.get("targetRef") or {}
    addresses = sorted(str(address) for address in endpoint.get("addresses") or ())
    named = (endpoint.get("hostname"), target.get("namespace"), target.get("name"))
    return *addresses, *(str(field or "") for field in named)


def _fill_slice(change: SliceChange, wanted: Wanted) -> None:
    while wanted and not change.is_full:
        change.endpoints.append(wanted.pop(next(iter(wanted))))


def _find_slice_to_fill(changes: Sequence[SliceChange], count: int) -> SliceChange | None:
    """Return the slice that is fullest after adding `count` endpoints; None if none has room. Source:
    getSliceToFill.
    """
    best, least = None, MOST
    for change in changes:
        left = MOST - count - len(change.endpoints)
        if 0 <= left < least:
            best, least = change, left
    return best


def labels_for(service: Manifest) -> dict[str, str]:
    """Return the labels of the Service's slices. Source: setEndpointSliceLabels."""
    own = {key: value for key, value in labels(service).items() if key not in _RESERVED}
    return own | ({HEADLESS: ""} if is_headless(service) else {}) | {SERVICE: name(service), MANAGED_BY: CONTROLLER}


def _has_labels(live: Manifest, wanted: Mapping[str, str]) -> bool:
    """Return whether a slice has the labels. Changes of reserved labels are not repaired."""
    present = labels(live)
    return {key: value for key, value in present.items() if key not in _RESERVED} == {
        key: value for key, value in wanted.items() if key not in _RESERVED
    }


def is_owned(live: Manifest, service: Manifest) -> bool:
    service_uid = uid(service)
    return any(
        owner.get("uid") == service_uid and owner.get("kind") == "Service" and owner.get("apiVersion") == "v1"
        for owner in owners(live)
    )
