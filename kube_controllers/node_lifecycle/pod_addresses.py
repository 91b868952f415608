"""The addresses of a Pod, which the kubelet reports and a network plugin allocates from the Node's range.

Source: pkg/kubelet/kubelet_pods.go (podIP, podIPs, hostIP, hostIPs).
"""

import ipaddress
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, kind, name, spec, status

# Without a podCIDR each Node has a range of `_RANGE_SIZE` addresses; those before `_FIRST` are reserved.
_RANGE = int(ipaddress.IPv4Address("10.2.0.0"))
_RANGE_SIZE, _FIRST = 256, 9
_LAST = int(ipaddress.IPv4Address("255.255.255.255"))


def pod_addresses(pod: Manifest, node: Manifest, view: View) -> dict[str, Any]:
    """Return the address fields of the Pod's status."""
    host = _internal_ip(node)
    pod_ip = host if spec(pod).get("hostNetwork") else _free_address(node, view)
    fields: dict[str, Any] = {"hostIP": host, "hostIPs": [{"ip": host}]} if host else {}
    return fields | ({"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]} if pod_ip else {})


def _internal_ip(node: Manifest) -> str:
    listed = status(node).get("addresses")
    # The field was never validated.
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    return next((str(entry.get("address") or "") for entry in entries if entry.get("type") == "InternalIP"), "")


def _free_address(node: Manifest, view: View) -> str:
    """Return an unused address of the Node's range, or "" if it is exhausted. Allocated ranges may overlap."""
    candidates = _address_range(node, view, view.addresses.on(name(node)))
    return next((address for address in candidates if not view.addresses.has(address)), "")


def _address_range(node: Manifest, view: View, used: int) -> Iterator[str]:
    """Return the Node's addresses after the reserved and `used` allocated ones.

    Without a podCIDR the range has no end.
    """
    network = _network(str(spec(node).get("podCIDR") or ""))
    start = _FIRST + used
    if network is None:
        first = _RANGE + view.place(kind(node), key(node)) * _RANGE_SIZE
        return map(_dotted, range(first + start, _LAST))
    return (str(network[number]) for number in range(start, network.num_addresses))


def _dotted(number: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@lru_cache(maxsize=8192)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None
