"""The addresses and ports of Services. Source: pkg/registry/core/service/storage/alloc.go, ipallocator."""

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubernetes_api import causes, errors
from kubernetes_api.admission.world import World
from kubernetes_api.resources import by_kind
from kubernetes_api.writes import families

Object = dict[str, Any]

RANGE = ipaddress.IPv4Network("10.96.0.0/16")
FIRST, PORTS = 10, (30_000, 32_767)
"""The first hosts of the range are left for those who choose theirs, as upstream's allocator prefers."""
_WITHOUT = "ExternalName"
_WITH_PORTS = ("NodePort", "LoadBalancer")


def keep(kind: str, value: Object, live: Mapping[str, Any]) -> None:
    """What an update leaves out stays as it was, and what its type has no more goes.

    Source: patchAllocatedValues, dropTypeDependentFields.
    """
    spec, was = value.get("spec"), live.get("spec") or {}
    if kind != "Service" or not isinstance(spec, dict):
        return
    if spec.get("type") != _WITHOUT:
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if not spec.get(name) and was.get("type") != _WITHOUT and was.get(name):
                spec[name] = was[name]
        if spec.get("clusterIP") != was.get("clusterIP") and spec.get("clusterIPs") == was.get("clusterIPs"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        refused = families.wrong(spec, was)
        if refused:
            raise errors.invalid(by_kind("Service"), str(live["metadata"].get("name")), refused)
    if _has_ports(spec) and _has_ports(was):
        _keep_ports(spec, was)
    _drop(spec, was)
    if spec.get("type") != "LoadBalancer" and isinstance(value.get("status"), dict):
        value["status"] = {**value["status"], "loadBalancer": {}}


def _has_ports(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in _WITH_PORTS and spec.get("allocateLoadBalancerNodePorts") is not False


def _keep_ports(spec: Object, was: Mapping[str, Any]) -> None:
    """By the names of the ports."""
    before = {str(each.get("name") or ""): each.get("nodePort") for each in was.get("ports") or ()}
    used = _numbers(was) & _numbers(spec)
    for port in _ports_of(spec):
        known = before.get(str(port.get("name") or ""))
        if not port.get("nodePort") and known and known not in used:
            port["nodePort"] = known


def _drop(spec: Object, was: Mapping[str, Any]) -> None:
    """Fields that only the type before has, unless they were changed, too."""
    kind, before = spec.get("type"), was.get("type")
    if before in _WITH_PORTS and kind not in _WITH_PORTS and _numbers(spec) == _numbers(was):
        for port in _ports_of(spec):
            port.pop("nodePort", None)
    gone = {
        "allocateLoadBalancerNodePorts": before == "LoadBalancer" != kind,
        "loadBalancerClass": before == "LoadBalancer" != kind,
        "externalTrafficPolicy": _is_external(was) and not _is_external(spec),
        "healthCheckNodePort": _is_checked(was) and not _is_checked(spec),
    }
    for name, is_left in gone.items():
        if is_left and spec.get(name) == was.get(name):
            spec.pop(name, None)


def _is_external(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in _WITH_PORTS or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def _is_checked(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _numbers(spec: Mapping[str, Any]) -> set[Any]:
    return {port["nodePort"] for port in _ports_of(spec) if port.get("nodePort")}


def _ports_of(spec: Mapping[str, Any]) -> list[Object]:
    ports = spec.get("ports")
    return [each for each in ports if isinstance(each, dict)] if isinstance(ports, list) else []


def allocate_first(kind: str, value: Object, world: World) -> None:
    """For a new Service, before anything of it is checked; ApiError for what cannot be had. Source: allocateCreate."""
    spec = value.get("spec")
    if kind != "Service" or not isinstance(spec, dict) or spec.get("type") == _WITHOUT:
        return
    name = str(value["metadata"].get("name") or "")
    refused = families.wrong(spec, {})
    if refused:
        raise errors.invalid(by_kind("Service"), name, refused)
    families.fill_in(spec)
    others = world.list("Service")
    _address(spec, name, others)
    _node_ports(spec, name, others, is_new=True)


def allocate(kind: str, value: Object, live: Mapping[str, Any] | None, world: World) -> None:
    """Changes a Service that has been found right; ApiError for what another has already."""
    if kind != "Service":
        return
    spec, name = value["spec"], str(value["metadata"]["name"])
    if spec.get("type") == _WITHOUT:
        for gone in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
            spec.pop(gone, None)
        return
    if live is None:
        return
    others = [each for each in world.list("Service") if each["metadata"].get("uid") != value["metadata"].get("uid")]
    families.fill_in(spec)
    if not spec.get("clusterIP"):
        _address(spec, name, others)
    _node_ports(spec, name, others, is_new=False)


def _address(spec: Object, name: str, others: Sequence[Mapping[str, Any]]) -> None:
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


def _node_ports(spec: Object, name: str, others: Sequence[Mapping[str, Any]], *, is_new: bool) -> None:
    """Of each port, and the one at which a balancer asks how nodes are. Source: initNodePorts, updateNodePorts."""
    taken = {port.get("nodePort") for each in others for port in (each.get("spec") or {}).get("ports") or ()}
    taken |= {(each.get("spec") or {}).get("healthCheckNodePort") for each in others}
    own = _numbers(spec)
    free = (number for number in range(PORTS[0], PORTS[1] + 1) if number not in taken and number not in own)
    if spec.get("type") in _WITH_PORTS:
        for number, port, wanted in _wanted(spec, is_new=is_new):
            if not wanted:
                wanted = next(free)
            elif refusal := _why_no_port(wanted, taken):
                raise _refused(name, causes.invalid(f"spec.ports[{number}].nodePort", wanted, refusal))
            port["nodePort"] = wanted
            if is_new:
                taken.add(wanted)
    if _is_checked(spec):
        check_port = int(spec.get("healthCheckNodePort") or 0)
        if check_port and (refusal := _why_no_port(check_port, taken)):
            raise errors.internal(f"failed to allocate requested HealthCheck NodePort {check_port}: {refusal}")
        spec["healthCheckNodePort"] = check_port or next(free)


def _wanted(spec: Object, *, is_new: bool) -> Iterator[tuple[int, Object, int]]:
    """Number, port and the number that it shall have, 0 for any.

    Ports of a new Service that differ in their protocols alone have the same, which any of them may say.
    """
    known, ports = dict[Any, int](), _ports_of(spec)
    is_free = spec.get("allocateLoadBalancerNodePorts") is not False or spec.get("type") != "LoadBalancer"
    for number, port in enumerate(ports):
        own, same = int(port.get("nodePort") or 0), port.get("port")
        if not own and not is_free:
            continue
        if not is_new:
            yield number, port, own
        elif same not in known:
            numbers = (each["nodePort"] for each in ports if each.get("port") == same and each.get("nodePort"))
            yield number, port, next(numbers, 0)
            known[same] = port["nodePort"]
        elif not own:
            port["nodePort"] = known[same]
        elif own != known[same]:
            yield number, port, own


def _why_no_port(wanted: int, taken: set[Any]) -> str:
    if not PORTS[0] <= wanted <= PORTS[1]:
        return f"provided port is not in the valid range. The range of valid ports is {PORTS[0]}-{PORTS[1]}"
    return "provided port is already allocated" if wanted in taken else ""


def _refused(name: str, cause: causes.Cause) -> errors.ApiError:
    return errors.invalid(by_kind("Service"), name, [cause])
