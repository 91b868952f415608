"""Addresses, IP families and node ports of Services.

Source: pkg/registry/core/service/storage/alloc.go, ipallocator, portallocator.
"""

import copy
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import built_in, causes, errors
from kube_apiserver.admission.attributes import ClusterReader
from kube_apiserver.causes import Cause
from kube_apiserver.resources import by_kind
from kube_apiserver.validation import service_addresses

Object = dict[str, Any]

RANGE = ipaddress.IPv4Network(built_in.SERVICE_RANGE)
FIRST = 10
"""The number of hosts at the start of the range that only explicit requests get, as in upstream's allocator."""
_WITHOUT = "ExternalName"
_NOT_OF_NAMES = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy")
_WITH_PORTS = ("NodePort", "LoadBalancer")


def allocated(value: Object, live: Mapping[str, Any] | None, world: ClusterReader, *, is_dry_run: bool) -> Object:
    """Return a new Service with its addresses and ports, or raise ApiError if they are in use.

    Source: beginCreate and beginUpdate of pkg/registry/core/service/storage.
    """
    service = copy.deepcopy(value)
    if live is not None:
        _keep(service, live)
    _allocate(service, live, world, is_dry_run=is_dry_run)
    return service


def _keep(value: Object, live: Mapping[str, Any]) -> None:
    """Restore fields that an update leaves out, and drop those that the new type doesn't have.

    Source: patchAllocatedValues, dropTypeDependentFields.
    """
    spec, was = value.get("spec"), live.get("spec") or {}
    if not isinstance(spec, dict):
        return
    if spec.get("type") != _WITHOUT:
        for name in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if not spec.get(name) and was.get("type") != _WITHOUT and was.get(name):
                spec[name] = was[name]
        if spec.get("clusterIP") != was.get("clusterIP") and spec.get("clusterIPs") == was.get("clusterIPs"):
            spec["clusterIPs"] = [spec["clusterIP"]]
        refused = family_problems(spec, was)
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
    """Restore node ports by the names of the ports."""
    before = {str(each.get("name") or ""): each.get("nodePort") for each in was.get("ports") or ()}
    used = node_ports_of(was) & node_ports_of(spec)
    for port in ports_of(spec):
        known = before.get(str(port.get("name") or ""))
        if not port.get("nodePort") and known and known not in used:
            port["nodePort"] = known


def _drop(spec: Object, was: Mapping[str, Any]) -> None:
    """Drop fields that only the previous type has, unless the update changed them."""
    kind, before = spec.get("type"), was.get("type")
    if kind == _WITHOUT != before:
        for names in (("clusterIP", "clusterIPs"), ("ipFamilies",), ("ipFamilyPolicy",)):
            if all(spec.get(name) == was.get(name) for name in names):
                for name in names:
                    spec.pop(name, None)
    if before in _WITH_PORTS and kind not in _WITH_PORTS and node_ports_of(spec) <= node_ports_of(was):
        for port in ports_of(spec):
            port.pop("nodePort", None)
    gone = {
        "allocateLoadBalancerNodePorts": before == "LoadBalancer" != kind,
        "loadBalancerClass": before == "LoadBalancer" != kind,
        "externalTrafficPolicy": _is_external(was) and not _is_external(spec),
        "healthCheckNodePort": is_checked(was) and not is_checked(spec),
    }
    for name, is_left in gone.items():
        if is_left and spec.get(name) == was.get(name):
            spec.pop(name, None)


def _is_external(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in _WITH_PORTS or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def _allocate(value: Object, live: Mapping[str, Any] | None, world: ClusterReader, *, is_dry_run: bool) -> None:
    """Allocate addresses and ports before the Service is validated. Raise ApiError if they are in use.

    Source: allocateCreate, allocateUpdate.
    """
    spec, uid = value.get("spec"), value["metadata"].get("uid")
    if not isinstance(spec, dict):
        return
    name, was = str(value["metadata"].get("name") or ""), (live or {}).get("spec") or {}
    if spec.get("type") == _WITHOUT:
        return
    if live is None and (refused := family_problems(spec, {})):
        raise errors.invalid(by_kind("Service"), name, refused)
    default_families(spec)
    others = [each for each in world.list("Service") if live is None or each["metadata"].get("uid") != uid]
    if live is None or was.get("type") == _WITHOUT or not spec.get("clusterIP"):
        _address(spec, name, others, world)
    numbers = PortAllocator(others, is_dry_run=is_dry_run)
    if live is None:
        allocate_ports(spec, name, numbers)
    else:
        reallocate_ports(spec, was, name, numbers)


def canonical(value: Object) -> Object:
    """Return a Service of type ExternalName without the fields that it does not have."""
    if value["spec"].get("type") != _WITHOUT:
        return value
    return {**value, "spec": {name: item for name, item in value["spec"].items() if name not in _NOT_OF_NAMES}}


def _address(spec: Object, name: str, others: Sequence[Mapping[str, Any]], world: ClusterReader) -> None:
    taken = {(each.get("spec") or {}).get("clusterIP") for each in others}
    wanted = spec.get("clusterIP") or next(iter(spec.get("clusterIPs") or ()), "")
    if wanted == "None":
        spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]
        return
    if wanted:
        is_taken = wanted in taken or world.get("IPAddress", wanted) is not None
        refusal = _why_not(wanted, is_taken=is_taken)
        if refusal:
            raise errors.invalid(by_kind("Service"), name, [causes.invalid("spec.clusterIPs", [wanted], refusal)])
    else:
        hosts = (RANGE.network_address + number for number in range(FIRST, RANGE.num_addresses - 1))
        free = (str(host) for host in hosts if str(host) not in taken)
        wanted = next(host for host in free if world.get("IPAddress", host) is None)
    spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]


def _why_not(wanted: str, *, is_taken: bool) -> str:
    try:
        is_inside = ipaddress.ip_address(wanted) in RANGE
    except ValueError:
        return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    if not is_inside:
        return f"failed to allocate IP {wanted}: the provided network does not match the current range"
    return f"failed to allocate IP {wanted}: provided IP is already allocated" if is_taken else ""


_SERVED = "IPv4"
_SINGLE, _BOTH = "SingleStack", "RequireDualStack"
_POLICY = "spec.ipFamilyPolicy"


def family_problems(spec: Mapping[str, Any], was: Mapping[str, Any]) -> list[Cause]:
    """Return the errors of the allocator before any other validation. `was` is empty for a new Service."""
    is_free = service_addresses.is_headless(spec) and not spec.get("selector")
    policy = spec.get("ipFamilyPolicy") or was.get("ipFamilyPolicy") or (_BOTH if is_free else _SINGLE)
    found = list(service_addresses.validate_cluster_ips(spec)) or list(_family_counts(spec, was, policy))
    return found if found or is_free else list(_unserved_families(spec, policy))


def default_families(spec: dict[str, Any]) -> None:
    """Add the default IP families of a valid Service."""
    is_free = service_addresses.is_headless(spec) and not spec.get("selector")
    spec.setdefault("ipFamilyPolicy", _BOTH if is_free else _SINGLE)
    spec["ipFamilies"] = spec.get("ipFamilies") or [_SERVED]
    if is_free and len(spec["ipFamilies"]) == 1 and spec["ipFamilyPolicy"] != _SINGLE:
        spec["ipFamilies"] = [*spec["ipFamilies"], "IPv6" if spec["ipFamilies"] == [_SERVED] else _SERVED]


def _family_counts(spec: Mapping[str, Any], was: Mapping[str, Any], policy: str) -> Iterator[Cause]:
    for name, singular, plural in (
        ("clusterIPs", "cluster IP", "cluster IPs"),
        ("ipFamilies", "IP family", "IP families"),
    ):
        values, before = spec.get(name) or [], was.get(name) or []
        if policy != _SINGLE and 0 < len(values) < len(before):
            yield causes.invalid(_POLICY, policy, f"must be 'SingleStack' to release the secondary {singular}")
        if policy == _SINGLE and len(values) == 2 and values != before:
            detail = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {plural} are specified"
            yield causes.invalid(_POLICY, policy, detail)
    values, known = spec.get("clusterIPs") or [], spec.get("ipFamilies") or []
    for number, address in enumerate(values[len(known) :], len(known)):
        if ":" in address:
            yield causes.invalid(f"spec.clusterIPs[{number}]", values, "IPv6 is not configured on this cluster")


def _unserved_families(spec: Mapping[str, Any], policy: str) -> Iterator[Cause]:
    if policy == _BOTH:
        yield causes.invalid(_POLICY, policy, "this cluster is not configured for dual-stack services")
    for number, family in enumerate(spec.get("ipFamilies") or ()):
        if family != _SERVED:
            yield causes.invalid(f"spec.ipFamilies[{number}]", family, "not configured on this cluster")


_FIRST_PORT, _LAST_PORT = 30_000, 32_767
_TAKEN = "provided port is already allocated"
_OUTSIDE = f"provided port is not in the valid range. The range of valid ports is {_FIRST_PORT}-{_LAST_PORT}"


class PortAllocator:
    """An allocator of node ports for one Service of a cluster. A dry run reserves nothing, so it accepts any port."""

    def __init__(self, others: Sequence[Mapping[str, Any]], *, is_dry_run: bool) -> None:
        specs = [each.get("spec") or {} for each in others]
        self._taken = {port.get("nodePort") for spec in specs for port in spec.get("ports") or ()}
        self._taken |= {spec.get("healthCheckNodePort") for spec in specs}
        self._own: list[int] = []
        self._is_dry_run = is_dry_run

    def take(self, wanted: int) -> str:
        """Reserve a port. Return "" or the reason why it is unavailable."""
        if not self._is_dry_run and not _FIRST_PORT <= wanted <= _LAST_PORT:
            return _OUTSIDE
        if wanted in self._taken or wanted in self._own:
            return _TAKEN
        self._own.append(wanted)
        return ""

    def any(self, spec: Mapping[str, Any]) -> int:
        """Reserve and return a free port that the Service doesn't request itself."""
        free: int | None
        if self._is_dry_run:
            free = max(self._own, default=_LAST_PORT + 1) + 1
        else:
            used = {*self._taken, *self._own, *node_ports_of(spec)}
            free = next((number for number in range(_FIRST_PORT, _LAST_PORT + 1) if number not in used), None)
        if free is None:
            raise errors.internal("failed to allocate a nodePort: range is full")
        self._own.append(free)
        return free


def ports_of(spec: Mapping[str, Any]) -> list[Object]:
    ports = spec.get("ports")
    return [each for each in ports if isinstance(each, dict)] if isinstance(ports, list) else []


def node_ports_of(spec: Mapping[str, Any]) -> set[Any]:
    return {port["nodePort"] for port in ports_of(spec) if port.get("nodePort")}


def is_checked(spec: Mapping[str, Any]) -> bool:
    """Return True if the load balancer checks the health of the Nodes."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def allocate_ports(spec: Object, name: str, numbers: PortAllocator) -> None:
    """Allocate the node ports of a new Service, or raise ApiError."""
    if spec.get("type") in _WITH_PORTS:
        for number, port, wanted in _wanted(spec):
            port["nodePort"] = _had(spec, name, numbers, number, wanted)
    _check_port(spec, numbers)


def reallocate_ports(spec: Object, was: Mapping[str, Any], name: str, numbers: PortAllocator) -> None:
    """Allocate new node ports of an updated Service and leave the others, or raise ApiError."""
    known, seen = node_ports_of(was), set[tuple[Any, int]]()
    for number, port in enumerate(ports_of(spec) if spec.get("type") in _WITH_PORTS else ()):
        wanted = int(port.get("nodePort") or 0)
        if not wanted and not _is_free(spec):
            continue
        if wanted not in known:
            port["nodePort"] = wanted = _had(spec, name, numbers, number, wanted)
            known = {*known, wanted}
        if (pair := (port.get("protocol"), wanted)) in seen:
            raise errors.ApiError(500, "", f"duplicate nodePort: {{{pair[0]} {pair[1]}}}")
        seen.add(pair)
    if not is_checked(was):
        _check_port(spec, numbers)


def _had(spec: Object, name: str, numbers: PortAllocator, number: int, wanted: int) -> int:
    if not wanted:
        return numbers.any(spec)
    if refusal := numbers.take(wanted):
        cause = causes.invalid(f"spec.ports[{number}].nodePort", wanted, refusal)
        raise errors.invalid(by_kind("Service"), name, [cause])
    return wanted


def _is_free(spec: Mapping[str, Any]) -> bool:
    """Return True if the server may choose a node port."""
    return spec.get("type") != "LoadBalancer" or spec.get("allocateLoadBalancerNodePorts") is not False


def _check_port(spec: Object, numbers: PortAllocator) -> None:
    if not is_checked(spec):
        return
    wanted = int(spec.get("healthCheckNodePort") or 0)
    if wanted and (refusal := numbers.take(wanted)):
        raise errors.internal(f"failed to allocate requested HealthCheck NodePort {wanted}: {refusal}")
    spec["healthCheckNodePort"] = wanted or numbers.any(spec)


def _wanted(spec: Object) -> Iterator[tuple[int, Object, int]]:
    """Yield index, port and requested node port (0 for any) of a new Service.

    Ports that differ only in their protocol share a node port. Any of them may request it.
    """
    known, ports = dict[Any, int](), ports_of(spec)
    for number, port in enumerate(ports):
        own, same = int(port.get("nodePort") or 0), port.get("port")
        if not own and not _is_free(spec):
            continue
        if same not in known:
            wanted = (each["nodePort"] for each in ports if each.get("port") == same and each.get("nodePort"))
            yield number, port, next(wanted, 0)
            known[same] = port["nodePort"]
        elif not own:
            port["nodePort"] = known[same]
        elif own != known[same]:
            yield number, port, own
