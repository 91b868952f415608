"""The addresses of a service by the ports that they have in common. Source: pkg/api/v1/endpoints/util.go."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kube_controllers.endpoints import ports
from kube_controllers.endpoints.ports import Port, Ports

Subset = Mapping[str, Any]
Address = Mapping[str, Any]

MOST = 1000  # addresses of one object
_READY, _NOT_READY = "addresses", "notReadyAddresses"
_WITHOUT = Port("", "", -1)


class At(NamedTuple):
    """A pod that answers at an address."""

    address: Address
    ports: Ports | None
    ready: bool


def packed(found: Iterable[At]) -> list[Subset]:
    """Ports that the very same addresses have, as ready as each other, are in one subset.

    Upstream's order of subsets is that of hashes, in which the uids of pods decide; here the first pod does.
    """
    by_port: dict[Port, dict[tuple[str, str], At]] = {}
    for one in found:
        for port in (_WITHOUT,) if one.ports is None else one.ports:
            there = by_port.setdefault(port, {})
            before = there.get(_key(one.address))
            if before is None or before.ready:  # what is not ready counts
                there[_key(one.address)] = one
    by_addresses: dict[Any, list[Port]] = {}
    for port, there in by_port.items():
        by_addresses.setdefault(frozenset((at, one.ready) for at, one in there.items()), []).append(port)
    return [_subset(tuple(given), by_port[given[0]].values()) for given in by_addresses.values()]


def _key(address: Address) -> tuple[str, str]:
    return str(address.get("ip")), str((address.get("targetRef") or {}).get("uid") or "")


def _subset(given: Ports, found: Iterable[At]) -> Subset:
    in_order = sorted(found, key=lambda one: _key(one.address))
    ready, others = [one.address for one in in_order if one.ready], [one.address for one in in_order if not one.ready]
    of = ports.of_subset(ports.in_subsets(tuple(port for port in given if port is not _WITHOUT)))
    parts = {_READY: ready, _NOT_READY: others, "ports": of}
    return {name: part for name, part in parts.items() if part}


def count(subsets: Iterable[Subset]) -> int:
    return sum(len(one.get(_READY) or ()) + len(one.get(_NOT_READY) or ()) for one in subsets)


def truncated(subsets: Sequence[Subset]) -> list[Subset]:
    """No more than there may be, of each subset its share, those that are ready first. Source: truncateEndpoints."""
    ready = sum(len(one.get(_READY) or ()) for one in subsets)
    if count(subsets) <= MOST:
        return list(subsets)
    cut = _READY if ready > MOST else _NOT_READY
    most = MOST if ready > MOST else MOST - ready
    total, left = sum(len(one.get(cut) or ()) for one in subsets), most
    found: list[Subset] = []
    for one in subsets:
        here = one.get(cut) or ()
        added = min(math.ceil(len(here) / total * most), left)
        remaining = here[:added]
        left -= len(remaining)
        parts = {**one, cut: remaining}
        if cut == _READY:
            parts[_NOT_READY] = []
        found.append({name: part for name, part in parts.items() if part})
    return found
