"""The addresses that a kubelet tells of a pod when it starts, as a network plugin gives them out of its node's range.

Source: pkg/kubelet/kubelet_pods.go (podIP, podIPs, hostIP, hostIPs).
"""

import ipaddress
from collections.abc import Mapping
from typing import Any

from scheduler_core.actors.manifests import Manifest, key, kind, name, spec, status
from scheduler_core.actors.objects import View
from scheduler_core.actors.pods import is_finished

# Of clusters whose nodes have no podCIDR: each has so many addresses, and keeps the first few for itself.
_RANGE = ipaddress.IPv4Address("10.2.0.0")
_OF_A_NODE, _FIRST = 256, 9


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
    """One that no other pod there has, behind as many as there are; "" behind the very last one.

    A finished pod only has it to be read.
    """
    there = (status(each).get("podIP") for each in view.pods_on(name(node)) if not is_finished(each))
    taken = {str(given) for given in there if given}
    try:
        found = _first(node, view) + len(taken)
        while str(found) in taken:
            found += 1
    except ipaddress.AddressValueError:
        return ""
    return str(found)


def _first(node: Manifest, view: View) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Of the node's range; without a podCIDR the ranges go by the order of the nodes."""
    given = str(spec(node).get("podCIDR") or "")
    try:
        if given:
            return ipaddress.ip_network(given)[_FIRST]
    except (ValueError, IndexError):
        pass
    return _RANGE + view.place(kind(node), key(node)) * _OF_A_NODE + _FIRST
