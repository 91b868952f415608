"""Which families of addresses a Service may ask for in a cluster that has IPv4 only.

Source: pkg/registry/core/service/storage/alloc.go initIPFamilyFields.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import service_addresses

_SERVED = "IPv4"
_SINGLE, _BOTH = "SingleStack", "RequireDualStack"
_POLICY = "spec.ipFamilyPolicy"


def wrong(spec: Mapping[str, Any], was: Mapping[str, Any]) -> list[Cause]:
    """What the allocator refuses before anything else is looked at; `was` is empty for a new Service."""
    is_free = service_addresses.is_headless(spec) and not spec.get("selector")
    policy = spec.get("ipFamilyPolicy") or was.get("ipFamilyPolicy") or (_BOTH if is_free else _SINGLE)
    found = list(service_addresses.right(spec)) or list(_numbers(spec, was, policy))
    return found if found or is_free else list(_served(spec, policy))


def fill_in(spec: dict[str, Any]) -> None:
    """What a Service that has been found right leaves to the server."""
    is_free = service_addresses.is_headless(spec) and not spec.get("selector")
    spec.setdefault("ipFamilyPolicy", _BOTH if is_free else _SINGLE)
    spec["ipFamilies"] = spec.get("ipFamilies") or [_SERVED]
    if is_free and len(spec["ipFamilies"]) == 1 and spec["ipFamilyPolicy"] != _SINGLE:
        spec["ipFamilies"] = [*spec["ipFamilies"], "IPv6" if spec["ipFamilies"] == [_SERVED] else _SERVED]


def _numbers(spec: Mapping[str, Any], was: Mapping[str, Any], policy: str) -> Iterator[Cause]:
    for name, one, many in (
        ("clusterIPs", "cluster IP", "cluster IPs"),
        ("ipFamilies", "IP family", "IP families"),
    ):
        given, before = spec.get(name) or [], was.get(name) or []
        if policy != _SINGLE and 0 < len(given) < len(before):
            yield causes.invalid(_POLICY, policy, f"must be 'SingleStack' to release the secondary {one}")
        if policy == _SINGLE and len(given) == 2 and given != before:
            detail = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {many} are specified"
            yield causes.invalid(_POLICY, policy, detail)
    given, known = spec.get("clusterIPs") or [], spec.get("ipFamilies") or []
    for number, address in enumerate(given[len(known) :], len(known)):
        if ":" in address:
            yield causes.invalid(f"spec.clusterIPs[{number}]", given, "IPv6 is not configured on this cluster")


def _served(spec: Mapping[str, Any], policy: str) -> Iterator[Cause]:
    if policy == _BOTH:
        yield causes.invalid(_POLICY, policy, "this cluster is not configured for dual-stack services")
    for number, family in enumerate(spec.get("ipFamilies") or ()):
        if family != _SERVED:
            yield causes.invalid(f"spec.ipFamilies[{number}]", family, "not configured on this cluster")
