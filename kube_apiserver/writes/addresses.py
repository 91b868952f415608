"""The addresses of Services. Source: pkg/registry/core/service/storage/alloc.go, ipallocator."""

import ipaddress
from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver import built_in, causes, errors
from kube_apiserver.admission.world import World
from kube_apiserver.resources import by_kind
from kube_apiserver.writes import families, node_ports

Object = dict[str, Any]

RANGE = ipaddress.IPv4Network(built_in.SERVICE_RANGE)
FIRST = 10
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
    used = node_ports.of_ports(was) & node_ports.of_ports(spec)
    for port in node_ports.ports_of(spec):
        known = before.get(str(port.get("name") or ""))
        if not port.get("nodePort") and known and known not in used:
            port["nodePort"] = known


def _drop(spec: Object, was: Mapping[str, Any]) -> None:
    """Fields that only the type before has, unless they were changed, too."""
    kind, before = spec.get("type"), was.get("type")
    if kind == _WITHOUT != before:
        for names in (("clusterIP", "clusterIPs"), ("ipFamilies",), ("ipFamilyPolicy",)):
            if all(spec.get(name) == was.get(name) for name in names):
                for name in names:
                    spec.pop(name, None)
    if before in _WITH_PORTS and kind not in _WITH_PORTS and node_ports.of_ports(spec) <= node_ports.of_ports(was):
        for port in node_ports.ports_of(spec):
            port.pop("nodePort", None)
    gone = {
        "allocateLoadBalancerNodePorts": before == "LoadBalancer" != kind,
        "loadBalancerClass": before == "LoadBalancer" != kind,
        "externalTrafficPolicy": _is_external(was) and not _is_external(spec),
        "healthCheckNodePort": node_ports.is_checked(was) and not node_ports.is_checked(spec),
    }
    for name, is_left in gone.items():
        if is_left and spec.get(name) == was.get(name):
            spec.pop(name, None)


def _is_external(spec: Mapping[str, Any]) -> bool:
    return spec.get("type") in _WITH_PORTS or (spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs")))


def allocate(kind: str, value: Object, live: Mapping[str, Any] | None, world: World, *, is_dry_run: bool) -> None:
    """Before anything of a Service is checked; ApiError for what another has already.

    Source: allocateCreate, allocateUpdate.
    """
    spec, uid = value.get("spec"), value["metadata"].get("uid")
    if kind != "Service" or not isinstance(spec, dict):
        return
    name, was = str(value["metadata"].get("name") or ""), (live or {}).get("spec") or {}
    if spec.get("type") == _WITHOUT:
        return
    if live is None and (refused := families.wrong(spec, {})):
        raise errors.invalid(by_kind("Service"), name, refused)
    families.fill_in(spec)
    others = [each for each in world.list("Service") if live is None or each["metadata"].get("uid") != uid]
    if live is None or was.get("type") == _WITHOUT or not spec.get("clusterIP"):
        _address(spec, name, others, world)
    numbers = node_ports.Numbers(others, is_dry_run=is_dry_run)
    if live is None:
        node_ports.of_new(spec, name, numbers)
    else:
        node_ports.of_changed(spec, was, name, numbers)


def leave(kind: str, value: Object) -> None:
    """What a Service that is only a name elsewhere does not have."""
    if kind == "Service" and value["spec"].get("type") == _WITHOUT:
        for gone in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
            value["spec"].pop(gone, None)


def _address(spec: Object, name: str, others: Sequence[Mapping[str, Any]], world: World) -> None:
    taken = {(each.get("spec") or {}).get("clusterIP") for each in others}
    wanted = spec.get("clusterIP") or next(iter(spec.get("clusterIPs") or ()), "")
    if wanted == "None":
        spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]
        return
    if wanted:
        is_taken = wanted in taken or world.get("IPAddress", wanted) is not None
        refusal = _why_not(wanted, is_taken=is_taken)
        if refusal:
            raise _refused(name, causes.invalid("spec.clusterIPs", [wanted], refusal))
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


def _refused(name: str, cause: causes.Cause) -> errors.ApiError:
    return errors.invalid(by_kind("Service"), name, [cause])
