"""The addresses that a kubelet tells of a pod when it starts, as a network plugin gives them out of its node's range.

Source: pkg/kubelet/kubelet_pods.go (podIP, podIPs, hostIP, hostIPs).
"""

import ipaddress
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from kube_controllers.objects import View
from kube_objects.manifests import Manifest, key, kind, name, spec, status

# Of clusters whose nodes have no podCIDR: each has so many addresses, and keeps the first few for itself.
_RANGE = int(ipaddress.IPv4Address("10.2.0.0"))
_OF_A_NODE, _FIRST = 256, 9
_LAST = int(ipaddress.IPv4Address("255.255.255.255"))


def of(pod: Manifest, node: Manifest, view: View) -> dict[str, Any]:
    """Fields of the pod's status."""
    host = _internal(node)
    own = host if spec(pod).get("hostNetwork") else _free(node, view)
    found: dict[str, Any] = {"hostIP": host, "hostIPs": [{"ip": host}]} if host else {}
    return found | ({"podIP": own, "podIPs": [{"ip": own}]} if own else {})


def _internal(node: Manifest) -> str:
    given = status(node).get("addresses")
    # Nobody has looked yet at what is written there: scheduling does not read it.
    found = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    return next((str(each.get("address") or "") for each in found if each.get("type") == "InternalIP"), "")


def _free(node: Manifest, view: View) -> str:
    """One that no other pod has, behind as many as there are on the node; "" where its range has no more.

    A range that goes by the order of the nodes may have been another's before nodes came and went.
    """
    found = _range(node, view, view.addresses.on(name(node)))
    return next((address for address in found if not view.addresses.has(address)), "")


def _range(node: Manifest, view: View, there: int) -> Iterator[str]:
    """The node's addresses but those that it keeps and as many as are `there`; without a podCIDR it has no end."""
    network = _network(str(spec(node).get("podCIDR") or ""))
    behind = _FIRST + there
    if network is None:
        first = _RANGE + view.place(kind(node), key(node)) * _OF_A_NODE
        return map(_dotted, range(first + behind, _LAST))
    return (str(network[number]) for number in range(behind, network.num_addresses))


def _dotted(number: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


@lru_cache(maxsize=8192)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None
