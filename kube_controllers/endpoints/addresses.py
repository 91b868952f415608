"""The addresses of a pod, by family, and whether it is to be found at them.

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


def of(pod: Manifest, family: str) -> Sequence[str]:
    status = pod.get("status") or _NOTHING
    # What no API server has seen may have but the one.
    given = status.get("podIPs") or [{"ip": status.get("podIP")}]
    found = []
    for one in given if isinstance(given, list) else ():
        parsed = canonical(str(one.get("ip"))) if isinstance(one, Mapping) else None
        if parsed is not None and parsed[0] == family:
            found.append(parsed[1])
    return found


def family_of(text: str) -> str:
    """The family of an address; "" of what is none."""
    found = canonical(text)
    return "" if found is None else found[0]


@lru_cache(maxsize=16384)
def canonical(text: str) -> tuple[str, str] | None:
    """The family of an address, and how it is written; None for what is none."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    return (IPV4 if found.version == 4 else IPV6), str(found)
