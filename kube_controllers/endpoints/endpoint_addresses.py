"""The IP addresses of a Pod by family, and the rule for publishing them.

Source: staging/src/k8s.io/endpointslice/util ShouldPodBeInEndpoints, utils.go getEndpointAddresses.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from kube_controllers.pods import is_finished
from kube_objects.manifests import Manifest, is_deleted

IPV4, IPV6 = "IPv4", "IPv6"
_NOTHING: Mapping[str, Any] = {}


def is_published(pod: Manifest, with_terminating: bool) -> bool:
    status = pod.get("status") or _NOTHING
    if not status.get("podIP") and not status.get("podIPs"):
        return False
    return not is_finished(pod) and (with_terminating or not is_deleted(pod))


def addresses_in_family(pod: Manifest, family: str) -> Sequence[str]:
    status = pod.get("status") or _NOTHING
    # A manifest that bypassed the API server may have `podIP` only.
    listed = status.get("podIPs") or [{"ip": status.get("podIP")}]
    addresses = []
    for entry in listed if isinstance(listed, list) else ():
        parsed = parse_address(str(entry.get("ip"))) if isinstance(entry, Mapping) else None
        if parsed is not None and parsed[0] == family:
            addresses.append(parsed[1])
    return addresses


def family_of(text: str) -> str:
    """Return the family of an address, or "" if it is invalid."""
    parsed = parse_address(text)
    return "" if parsed is None else parsed[0]


@lru_cache(maxsize=16384)
def parse_address(text: str) -> tuple[str, str] | None:
    """Return the family of an address and its canonical text; None if it is invalid."""
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    return (IPV4 if parsed.version == 4 else IPV6), str(parsed)
