"""The subsets of Endpoints: addresses grouped by their ports. Source: pkg/api/v1/endpoints/util.go."""

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


class ServedAddress(NamedTuple):
    """An address of a Pod, with its ports and readiness."""

    address: Address
    ports: Ports | None
    ready: bool


def repack_subsets(addresses: Iterable[ServedAddress]) -> list[Subset]:
    """Return subsets in which ports with equal addresses and readiness are together.

    Upstream orders subsets by hashes of Pod uids; here the first Pod decides.
    """
    by_port: dict[Port, dict[tuple[str, str], ServedAddress]] = {}
    for served in addresses:
        for port in (_WITHOUT,) if served.ports is None else served.ports:
            by_address = by_port.setdefault(port, {})
            before = by_address.get(_key(served.address))
            if before is None or before.ready:  # an address that isn't ready wins
                by_address[_key(served.address)] = served
    by_addresses: dict[Any, list[Port]] = {}
    for port, by_address in by_port.items():
        by_addresses.setdefault(
            frozenset((address_key, entry.ready) for address_key, entry in by_address.items()), []
        ).append(port)
    return [_subset(tuple(group), by_port[group[0]].values()) for group in by_addresses.values()]


def _key(address: Address) -> tuple[str, str]:
    return str(address.get("ip")), str((address.get("targetRef") or {}).get("uid") or "")


def _subset(group: Ports, addresses: Iterable[ServedAddress]) -> Subset:
    in_order = sorted(addresses, key=lambda served: _key(served.address))
    ready, others = (
        [served.address for served in in_order if served.ready],
        [served.address for served in in_order if not served.ready],
    )
    written_ports = ports.subset_ports(ports.sort_for_subsets(tuple(port for port in group if port is not _WITHOUT)))
    parts = {_READY: ready, _NOT_READY: others, "ports": written_ports}
    return {name: part for name, part in parts.items() if part}


def count_addresses(subsets: Iterable[Subset]) -> int:
    return sum(len(subset.get(_READY) or ()) + len(subset.get(_NOT_READY) or ()) for subset in subsets)


def truncate_subsets(subsets: Sequence[Subset]) -> list[Subset]:
    """Return at most MOST addresses, shared by all subsets, ready ones first. Source: truncateEndpoints."""
    ready = sum(len(subset.get(_READY) or ()) for subset in subsets)
    if count_addresses(subsets) <= MOST:
        return list(subsets)
    cut = _READY if ready > MOST else _NOT_READY
    most = MOST if ready > MOST else MOST - ready
    total, left = sum(len(subset.get(cut) or ()) for subset in subsets), most
    result: list[Subset] = []
    for subset in subsets:
        addresses = subset.get(cut) or ()
        added = min(math.ceil(len(addresses) / total * most), left)
        remaining = addresses[:added]
        left -= len(remaining)
        parts = {**subset, cut: remaining}
        if cut == _READY:
            parts[_NOT_READY] = []
        result.append({name: part for name, part in parts.items() if part})
    return result
