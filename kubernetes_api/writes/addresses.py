"""The addresses and ports of Services. Source: pkg/registry/core/service/storage/alloc.go, ipallocator."""

import ipaddress
from collections.abc import Mapping
from typing import Any

from kubernetes_api import causes, errors
from kubernetes_api.admission.world import World
from kubernetes_api.resources import by_kind

Object = dict[str, Any]

RANGE = ipaddress.IPv4Network("10.96.0.0/16")
FIRST, PORTS = 10, (30_000, 32_767)
"""The first hosts of the range are left for those who choose theirs, as upstream's allocator prefers."""
_WITHOUT = "ExternalName"
_WITH_PORTS = ("NodePort", "LoadBalancer")


def keep(kind: str, value: Object, live: Mapping[str, Any]) -> None:
    """What an update leaves out stays as it was. Source: patchAllocatedValues, defaultOnReadService."""
    spec, was = value.get("spec"), live.get("spec") or {}
    if kind != "Service" or not isinstance(spec, dict) or spec.get("type") == _WITHOUT:
        return
    for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if not spec.get(name) and was.get("type") != _WITHOUT and was.get(name):
            spec[name] = was[name]
    if spec.get("clusterIP") != was.get("clusterIP") and spec.get("clusterIPs") == was.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    if spec.get("type") not in _WITH_PORTS:
        return
    before = {(each.get("protocol"), each.get("port")): each.get("nodePort") for each in was.get("ports") or ()}
    for port in spec.get("ports") or ():
        known = before.get((port.get("protocol"), port.get("port")))
        if not port.get("nodePort") and known:
            port["nodePort"] = known


def allocate(kind: str, value: Object, live: Mapping[str, Any] | None, world: World) -> None:
    """Changes a Service that has been found right; ApiError for what another has already."""
    if kind != "Service":
        return
    spec, name = value["spec"], str(value["metadata"]["name"])
    others = [each for each in world.list("Service") if each["metadata"].get("uid") != value["metadata"].get("uid")]
    if spec.get("type") == _WITHOUT:
        for gone in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
            spec.pop(gone, None)
        return
    spec.setdefault("ipFamilies", ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "SingleStack")
    if live is None or not spec.get("clusterIP"):
        _address(spec, name, others)
    if spec.get("type") in _WITH_PORTS and spec.get("allocateLoadBalancerNodePorts") is not False:
        _ports(spec, name, others)
    elif live is not None and spec.get("type") not in _WITH_PORTS:
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)


def _address(spec: Object, name: str, others: list[Mapping[str, Any]]) -> None:
    taken = {(each.get("spec") or {}).get("clusterIP") for each in others}
    wanted = spec.get("clusterIP") or next(iter(spec.get("clusterIPs") or ()), "")
    if wanted == "None":
        spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]
        return
    if wanted:
        refusal = _why_not(wanted, taken)
        if refusal:
            raise _refused(name, causes.invalid("spec.clusterIPs", [wanted], refusal))
    else:
        hosts = (RANGE.network_address + number for number in range(FIRST, RANGE.num_addresses - 1))
        wanted = next(str(host) for host in hosts if str(host) not in taken)
    spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]


def _why_not(wanted: str, taken: set[Any]) -> str:
    try:
        is_inside = ipaddress.ip_address(wanted) in RANGE
    except ValueError:
        return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    if not is_inside:
        return f"failed to allocate IP {wanted}: the provided network does not match the current range"
    return f"failed to allocate IP {wanted}: provided IP is already allocated" if wanted in taken else ""


def _ports(spec: Object, name: str, others: list[Mapping[str, Any]]) -> None:
    taken = {port.get("nodePort") for each in others for port in (each.get("spec") or {}).get("ports") or ()}
    own: dict[int, set[str]] = {}
    free = (number for number in range(PORTS[0], PORTS[1] + 1) if number not in taken and number not in own)
    for number, port in enumerate(spec.get("ports") or ()):
        wanted = port.get("nodePort")
        if not wanted:
            wanted = port["nodePort"] = next(free)
        elif not PORTS[0] <= wanted <= PORTS[1]:
            refusal = f"provided port is not in the valid range. The range of valid ports is {PORTS[0]}-{PORTS[1]}"
            raise _refused(name, causes.invalid(f"spec.ports[{number}].nodePort", wanted, refusal))
        elif wanted in taken:
            refusal = "provided port is already allocated"
            raise _refused(name, causes.invalid(f"spec.ports[{number}].nodePort", wanted, refusal))
        own.setdefault(wanted, set()).add(str(port.get("protocol")))


def _refused(name: str, cause: causes.Cause) -> errors.ApiError:
    return errors.invalid(by_kind("Service"), name, [cause])
