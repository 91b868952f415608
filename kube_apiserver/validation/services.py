"""Validation of Services. Source: pkg/apis/core/validation validateService, ValidateServiceClusterIPsRelatedFields."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, ports, service_addresses, texts
from kube_apiserver.validation.metadata import report_broken_rules, validate_labels
from kube_objects import names

Object = Mapping[str, Any]

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_TRAFFIC = ("Cluster", "Local")
_DISTRIBUTIONS = ("PreferClose", "PreferSameZone", "PreferSameNode")
_LONGEST_AFFINITY = 86400
_BALANCED = "may only be used when `type` is 'LoadBalancer'"
_IP_MODES = ("Proxy", "VIP")
_CLIENT = "when session affinity type is ClientIP"


def validate_service(value: Object) -> Iterator[Cause]:
    spec = value.get("spec") or {}
    kind, service_ports = spec.get("type"), spec.get("ports") or []
    is_headless = service_addresses.is_headless(spec)
    if not service_ports and not is_headless and kind != "ExternalName":
        yield causes.required("spec.ports")
    if is_headless and kind in ("NodePort", "LoadBalancer"):
        yield causes.invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        yield from _validate_external_name(spec)
    yield from _validate_service_ports(service_ports)
    yield from validate_labels(spec.get("selector"), "spec.selector")
    yield from _validate_session_affinity(spec)
    if kind != "ExternalName":
        yield from service_addresses.validate_cluster_ips(spec)
    for number, address in enumerate(spec.get("externalIPs") or ()):
        yield from texts.validate_endpoint_address(str(address), f"spec.externalIPs[{number}]")
    if kind not in (None, *_TYPES):
        yield causes.unsupported("spec.type", kind, _TYPES)
    yield from _validate_unique_ports(service_ports, kind)
    yield from _validate_load_balancer_fields(spec)
    yield from _validate_traffic_policies(spec)


def validate_service_update(live: Object, value: Object) -> Iterator[Cause]:
    was, spec = live.get("spec") or {}, value.get("spec") or {}
    if "ExternalName" not in (was.get("type"), spec.get("type")):
        yield from service_addresses.validate_cluster_ips_update(was, spec)
    both = [each.get("loadBalancerClass") for each in (was, spec)]
    if both[0] != both[1] and was.get("type") == spec.get("type") == "LoadBalancer":
        yield causes.invalid("spec.loadBalancerClass", both[1], "may not change once set")
    checked = [
        each.get("healthCheckNodePort") or 0 for each in (was, spec) if service_addresses.needs_health_check(each)
    ]
    if len(set(checked)) == 2:
        yield causes.forbidden("spec.healthCheckNodePort", causes.IMMUTABLE)
    yield from validate_service(value)


def _validate_external_name(spec: Object) -> Iterator[Cause]:
    for key in ("clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec.get(key):
            yield causes.forbidden(f"spec.{key}", "may not be set for ExternalName services")
    name = str(spec.get("externalName") or "").removesuffix(".")
    if name:
        yield from report_broken_rules("spec.externalName", name, names.dns_subdomain(name))
    else:
        yield causes.required("spec.externalName")


def _validate_service_ports(service_ports: Sequence[Object]) -> Iterator[Cause]:
    seen: set[str] = set()
    for number, port in enumerate(service_ports):
        path, name = f"spec.ports[{number}]", str(port.get("name") or "")
        if not name and len(service_ports) > 1:
            yield causes.required(f"{path}.name")
        elif name:
            yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
            if name in seen:
                yield causes.duplicate(f"{path}.name", name)
            seen.add(name)
        yield from ports.validate_port_number(port.get("port") or 0, f"{path}.port")
        yield from ports.validate_protocol(port.get("protocol"), f"{path}.protocol")
        if port.get("targetPort") is not None:
            yield from ports.validate_port_number_or_name(port["targetPort"], f"{path}.targetPort")
        protocol = port.get("appProtocol")
        if protocol is not None:
            yield from report_broken_rules(f"{path}.appProtocol", protocol, names.qualified_name(str(protocol)))


def _validate_session_affinity(spec: Object) -> Iterator[Cause]:
    kind, config = spec.get("sessionAffinity"), spec.get("sessionAffinityConfig")
    if kind not in (None, "ClientIP", "None"):
        yield causes.unsupported("spec.sessionAffinity", kind, ("ClientIP", "None"))
    path = "spec.sessionAffinityConfig"
    if kind == "None" and config is not None:
        yield causes.forbidden(path, "must not be set when session affinity is None")
    if kind != "ClientIP":
        return
    client = (config or {}).get("clientIP")
    seconds = (client or {}).get("timeoutSeconds")
    if config is None:
        yield causes.required(path, _CLIENT)
    elif client is None:
        yield causes.required(f"{path}.clientIP", _CLIENT)
    elif seconds is None:
        yield causes.required(f"{path}.clientIP.timeoutSeconds", _CLIENT)
    elif not 0 < seconds <= _LONGEST_AFFINITY:
        detail = f"must be greater than 0 and less than {_LONGEST_AFFINITY}"
        yield causes.invalid(f"{path}.clientIP.timeoutSeconds", seconds, detail)


def _validate_unique_ports(all_ports: Sequence[Object], kind: Any) -> Iterator[Cause]:
    for number, port in enumerate(all_ports):
        if port.get("nodePort") and kind == "ClusterIP":
            yield causes.forbidden(f"spec.ports[{number}].nodePort", "may not be used when `type` is 'ClusterIP'")
    node_ports: set[Any] = set()
    for number, port in enumerate(all_ports):
        pair = (port.get("protocol"), port.get("nodePort"))
        if port.get("nodePort") and pair in node_ports:
            yield causes.duplicate(f"spec.ports[{number}].nodePort", port["nodePort"])
        node_ports.add(pair)
    service_ports: set[Any] = set()
    for number, port in enumerate(all_ports):
        pair = (port.get("protocol"), port.get("port"))
        if pair in service_ports:
            shown = {"Name": "", "Protocol": port.get("protocol"), "AppProtocol": None, "Port": port.get("port")}
            yield causes.duplicate(
                f"spec.ports[{number}]", go_values.Ordered({**shown, "TargetPort": 0, "NodePort": 0})
            )
        service_ports.add(pair)


def _validate_load_balancer_fields(spec: Object) -> Iterator[Cause]:
    """Validate fields that only load balancers may set. Upstream's first path begins with a capital letter."""
    is_balanced = spec.get("type") == "LoadBalancer"
    sources = spec.get("loadBalancerSourceRanges") or ()
    if sources and not is_balanced:
        yield causes.forbidden("spec.LoadBalancerSourceRanges", _BALANCED)
    for number, cidr in enumerate(sources):
        yield from texts.validate_cidr(str(cidr).strip(), f"spec.LoadBalancerSourceRanges[{number}]")
    if spec.get("allocateLoadBalancerNodePorts") is not None and not is_balanced:
        yield causes.forbidden("spec.allocateLoadBalancerNodePorts", _BALANCED)
    name = spec.get("loadBalancerClass")
    if name is not None and not is_balanced:
        yield causes.forbidden("spec.loadBalancerClass", _BALANCED)
    elif name is not None:
        yield from report_broken_rules("spec.loadBalancerClass", name, names.qualified_name(str(name)))


def _validate_traffic_policies(spec: Object) -> Iterator[Cause]:
    kind, outer = spec.get("type"), spec.get("externalTrafficPolicy") or ""
    is_reached = kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
    if outer and not is_reached:
        detail = "may only be set for externally-accessible services"
        yield causes.invalid("spec.externalTrafficPolicy", outer, detail)
    elif outer and outer not in _TRAFFIC:
        yield causes.unsupported("spec.externalTrafficPolicy", outer, _TRAFFIC)
    checked = spec.get("healthCheckNodePort") or 0
    if checked and not (kind == "LoadBalancer" and outer == "Local"):
        detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        yield causes.invalid("spec.healthCheckNodePort", checked, detail)
    if spec.get("internalTrafficPolicy") not in (None, *_TRAFFIC):
        yield causes.unsupported("spec.internalTrafficPolicy", spec["internalTrafficPolicy"], _TRAFFIC)
    if spec.get("trafficDistribution") not in (None, *_DISTRIBUTIONS):
        yield causes.unsupported("spec.trafficDistribution", spec["trafficDistribution"], _DISTRIBUTIONS)


def validate_load_balancer_status(live: Object, value: Object) -> Iterator[Cause]:
    """Source: ValidateLoadBalancerStatus."""
    spec, path = value.get("spec") or {}, "status.loadBalancer.ingress"
    was, is_now = (
        ((point.get("status") or {}).get("loadBalancer") or {}).get("ingress") or () for point in (live, value)
    )
    if spec.get("type") != "LoadBalancer":
        if is_now:
            yield causes.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")
        return
    old_addresses = [str(point["ip"]) for point in was if point.get("ip")]
    for number, point in enumerate(is_now):
        point_path, address, mode = f"{path}[{number}]", point.get("ip"), point.get("ipMode")
        if address:
            yield from texts.validate_ip(str(address), f"{point_path}.ip", old_addresses)
        elif mode is not None:
            yield causes.forbidden(f"{point_path}.ipMode", "may not be specified when `ip` is not set")
        if address and mode not in _IP_MODES:
            yield causes.unsupported(f"{point_path}.ipMode", mode, _IP_MODES)
        if host := point.get("hostname"):
            yield from report_broken_rules(f"{point_path}.hostname", host, names.dns_subdomain(str(host)))
            if not list(texts.validate_ip(str(host), point_path)):
                yield causes.invalid(f"{point_path}.hostname", host, "must be a DNS name, not an IP address")
