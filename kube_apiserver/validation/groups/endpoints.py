"""Validation of Endpoints and EndpointSlices.

Source: ValidateEndpoints of pkg/apis/core, pkg/apis/discovery/validation.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, texts
from kube_apiserver.validation.metadata import report_broken_rules, validate_immutable_field, validate_labels
from kube_objects import names

Object = Mapping[str, Any]

_FAMILIES = ("FQDN", "IPv4", "IPv6")
_MOST_ENDPOINTS, _MOST_ADDRESSES, _MOST_PORTS, _MOST_TOPOLOGY, _MOST_HINTS = 1000, 100, 20000, 16, 8


def validate_endpoints(value: Object) -> Iterator[Cause]:
    for number, subset in enumerate(value.get("subsets") or ()):
        subset_path = f"subsets[{number}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            yield causes.required(subset_path, "must specify `addresses` or `notReadyAddresses`")
        for name in ("addresses", "notReadyAddresses"):
            for item_number, item in enumerate(subset.get(name) or ()):
                yield from _validate_endpoint_address(item, f"{subset_path}.{name}[{item_number}]")
        subset_ports = subset.get("ports") or ()
        for item_number, item in enumerate(subset_ports):
            yield from _validate_endpoint_port(
                item, f"{subset_path}.ports[{item_number}]", is_named=len(subset_ports) > 1
            )


def validate_endpoints_update(live: Object, value: Object) -> Iterator[Cause]:
    if (live.get("subsets") or []) != (value.get("subsets") or []):
        yield from validate_endpoints(value)


def _validate_endpoint_address(address: Object, path: str) -> Iterator[Cause]:
    text, host, node = str(address.get("ip") or ""), str(address.get("hostname") or ""), address.get("nodeName")
    yield from texts.validate_ip(text, f"{path}.ip")
    if host:
        yield from report_broken_rules(f"{path}.hostname", host, names.dns_label(host))
    if node is not None:
        yield from report_broken_rules(f"{path}.nodeName", node, names.dns_subdomain(str(node)))
    yield from texts.validate_endpoint_ip(text, f"{path}.ip")


def _validate_endpoint_port(port: Object, path: str, *, is_named: bool) -> Iterator[Cause]:
    name, protocol = str(port.get("name") or ""), port.get("appProtocol")
    if name:
        yield from report_broken_rules(f"{path}.name", name, names.dns_label(name))
    elif is_named:
        yield causes.required(f"{path}.name")
    yield from ports.validate_port_number(port.get("port") or 0, f"{path}.port")
    yield from ports.validate_protocol(port.get("protocol"), f"{path}.protocol")
    if protocol is not None:
        yield from report_broken_rules(f"{path}.appProtocol", protocol, names.qualified_name(str(protocol)))


def validate_endpoint_slice(value: Object) -> Iterator[Cause]:
    yield from _validate_slice_fields(value)
    yield from _validate_slice_endpoints(value)


def validate_endpoint_slice_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from _validate_slice_fields(value)
    if (live.get("endpoints") or []) != (value.get("endpoints") or []):
        yield from _validate_slice_endpoints(value)
    yield from validate_immutable_field("addressType", live.get("addressType"), value.get("addressType"))


def _validate_slice_fields(value: Object) -> Iterator[Cause]:
    family = value.get("addressType")
    if not family:
        yield causes.required("addressType")
    elif family not in _FAMILIES:
        yield causes.unsupported("addressType", family, _FAMILIES)
    slice_ports, seen = value.get("ports") or (), set[str]()
    if len(slice_ports) > _MOST_PORTS:
        yield causes.too_many("ports", len(slice_ports), _MOST_PORTS)
        return
    for number, port in enumerate(slice_ports):
        port_path, name, protocol = f"ports[{number}]", str(port.get("name") or ""), port.get("appProtocol")
        if name:
            yield from report_broken_rules(f"{port_path}.name", name, names.dns_label(name))
        if name in seen:
            yield causes.duplicate(f"{port_path}.name", name)
        seen.add(name)
        yield from ports.validate_protocol(port.get("protocol"), f"{port_path}.protocol")
        if protocol is not None:
            yield from report_broken_rules(f"{port_path}.appProtocol", protocol, names.qualified_name(str(protocol)))


def _validate_slice_endpoints(value: Object) -> Iterator[Cause]:
    items = value.get("endpoints") or ()
    if len(items) > _MOST_ENDPOINTS:
        yield causes.too_many("endpoints", len(items), _MOST_ENDPOINTS)
        return
    for number, endpoint in enumerate(items):
        yield from _validate_slice_endpoint(endpoint, f"endpoints[{number}]", str(value.get("addressType") or ""))


def _validate_slice_endpoint(endpoint: Object, path: str, family: str) -> Iterator[Cause]:
    addresses, addresses_path = endpoint.get("addresses") or (), f"{path}.addresses"
    if not addresses:
        yield causes.required(addresses_path, "must contain at least 1 address")
    elif len(addresses) > _MOST_ADDRESSES:
        yield causes.too_many(addresses_path, len(addresses), _MOST_ADDRESSES)
    for number, address in enumerate(addresses):
        yield from _validate_address_of_family(str(address), family, addresses_path, f"{addresses_path}[{number}]")
    node, host, hints = endpoint.get("nodeName"), endpoint.get("hostname"), endpoint.get("hints")
    if node is not None:
        yield from report_broken_rules(f"{path}.nodeName", node, names.dns_subdomain(str(node)))
    topology = endpoint.get("deprecatedTopology") or {}
    if len(topology) > _MOST_TOPOLOGY:
        yield causes.too_many(f"{path}.deprecatedTopology", len(topology), _MOST_TOPOLOGY)
    yield from validate_labels(topology, f"{path}.deprecatedTopology")
    if host is not None:
        yield from report_broken_rules(f"{path}.hostname", host, names.dns_label(str(host)))
    if hints is not None:
        yield from _validate_hints(hints, f"{path}.hints")


def _validate_address_of_family(text: str, family: str, path: str, item_path: str) -> Iterator[Cause]:
    if family == "FQDN":
        yield from _validate_fqdn(text, item_path)
        return
    if family not in ("IPv4", "IPv6"):
        return
    wrong = [*texts.validate_ip(text, item_path)]
    yield from wrong
    if wrong:
        return
    address = ipaddress.ip_address(text)
    if family == "IPv6" and str(address) != text:
        yield causes.invalid(item_path, text, f'must be in canonical form ("{address}")')
        return
    if f"IPv{address.version}" != family:
        yield causes.invalid(path, text, f"must be an {family} address")
    yield from texts.validate_endpoint_ip(text, item_path)


def _validate_fqdn(text: str, path: str) -> Iterator[Cause]:
    """Source: IsFullyQualifiedDomainName."""
    name = text.removesuffix(".")
    if not text:
        yield causes.required(path)
    elif rule := names.dns_subdomain(name):
        yield causes.invalid(path, name, rule)
    elif "." not in name:
        yield causes.invalid(path, name, "should be a domain with at least two segments separated by dots")
    else:
        wrong = next(((part, rule) for part in name.split(".") if (rule := names.dns_label(part))), None)
        if wrong is not None:
            yield causes.invalid(path, *wrong)


def _validate_hints(hints: Object, path: str) -> Iterator[Cause]:
    for key, rule in (("forZones", names.label_value), ("forNodes", names.dns_subdomain)):
        targets, seen = hints.get(key) or (), set[str]()
        if len(targets) > _MOST_HINTS:
            yield causes.too_many(f"{path}.{key}", len(targets), _MOST_HINTS)
            return
        for number, target in enumerate(targets):
            name_path, name = f"{path}.{key}[{number}].name", str(target.get("name") or "")
            if name in seen:
                yield causes.duplicate(name_path, name)
            seen.add(name)
            yield from report_broken_rules(name_path, name, rule(name))
