"""Validation of Endpoints and EndpointSlices.

Source: ValidateEndpoints of pkg/apis/core, pkg/apis/discovery/validation.
"""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import ports, texts
from kube_apiserver.validation.metadata import broken, immutable, labels
from kube_objects import names

Object = Mapping[str, Any]

_FAMILIES = ("FQDN", "IPv4", "IPv6")
_MOST_ENDPOINTS, _MOST_ADDRESSES, _MOST_PORTS, _MOST_TOPOLOGY, _MOST_HINTS = 1000, 100, 20000, 16, 8


def endpoints(value: Object) -> Iterator[Cause]:
    for number, subset in enumerate(value.get("subsets") or ()):
        subset_path = f"subsets[{number}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            yield causes.required(subset_path, "must specify `addresses` or `notReadyAddresses`")
        for name in ("addresses", "notReadyAddresses"):
            for place, each in enumerate(subset.get(name) or ()):
                yield from _address(each, f"{subset_path}.{name}[{place}]")
        given = subset.get("ports") or ()
        for place, each in enumerate(given):
            yield from _port(each, f"{subset_path}.ports[{place}]", is_named=len(given) > 1)


def endpoints_changed(live: Object, value: Object) -> Iterator[Cause]:
    if (live.get("subsets") or []) != (value.get("subsets") or []):
        yield from endpoints(value)


def _address(given: Object, path: str) -> Iterator[Cause]:
    text, host, node = str(given.get("ip") or ""), str(given.get("hostname") or ""), given.get("nodeName")
    yield from texts.address(text, f"{path}.ip")
    if host:
        yield from broken(f"{path}.hostname", host, names.dns_label(host))
    if node is not None:
        yield from broken(f"{path}.nodeName", node, names.dns_subdomain(str(node)))
    yield from texts.not_of_endpoints(text, f"{path}.ip")


def _port(given: Object, path: str, *, is_named: bool) -> Iterator[Cause]:
    name, protocol = str(given.get("name") or ""), given.get("appProtocol")
    if name:
        yield from broken(f"{path}.name", name, names.dns_label(name))
    elif is_named:
        yield causes.required(f"{path}.name")
    yield from ports.number(given.get("port") or 0, f"{path}.port")
    yield from ports.protocol(given.get("protocol"), f"{path}.protocol")
    if protocol is not None:
        yield from broken(f"{path}.appProtocol", protocol, names.qualified_name(str(protocol)))


def endpoint_slice(value: Object) -> Iterator[Cause]:
    yield from _of_slice(value)
    yield from _endpoints(value)


def endpoint_slice_changed(live: Object, value: Object) -> Iterator[Cause]:
    yield from _of_slice(value)
    if (live.get("endpoints") or []) != (value.get("endpoints") or []):
        yield from _endpoints(value)
    yield from immutable("addressType", live.get("addressType"), value.get("addressType"))


def _of_slice(value: Object) -> Iterator[Cause]:
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
            yield from broken(f"{port_path}.name", name, names.dns_label(name))
        if name in seen:
            yield causes.duplicate(f"{port_path}.name", name)
        seen.add(name)
        yield from ports.protocol(port.get("protocol"), f"{port_path}.protocol")
        if protocol is not None:
            yield from broken(f"{port_path}.appProtocol", protocol, names.qualified_name(str(protocol)))


def _endpoints(value: Object) -> Iterator[Cause]:
    items = value.get("endpoints") or ()
    if len(items) > _MOST_ENDPOINTS:
        yield causes.too_many("endpoints", len(items), _MOST_ENDPOINTS)
        return
    for number, endpoint in enumerate(items):
        yield from _endpoint(endpoint, f"endpoints[{number}]", str(value.get("addressType") or ""))


def _endpoint(given: Object, path: str, family: str) -> Iterator[Cause]:
    addresses, addresses_path = given.get("addresses") or (), f"{path}.addresses"
    if not addresses:
        yield causes.required(addresses_path, "must contain at least 1 address")
    elif len(addresses) > _MOST_ADDRESSES:
        yield causes.too_many(addresses_path, len(addresses), _MOST_ADDRESSES)
    for number, address in enumerate(addresses):
        yield from _of_family(str(address), family, addresses_path, f"{addresses_path}[{number}]")
    node, host, hints = given.get("nodeName"), given.get("hostname"), given.get("hints")
    if node is not None:
        yield from broken(f"{path}.nodeName", node, names.dns_subdomain(str(node)))
    topology = given.get("deprecatedTopology") or {}
    if len(topology) > _MOST_TOPOLOGY:
        yield causes.too_many(f"{path}.deprecatedTopology", len(topology), _MOST_TOPOLOGY)
    yield from labels(topology, f"{path}.deprecatedTopology")
    if host is not None:
        yield from broken(f"{path}.hostname", host, names.dns_label(str(host)))
    if hints is not None:
        yield from _hints(hints, f"{path}.hints")


def _of_family(text: str, family: str, path: str, at: str) -> Iterator[Cause]:
    if family == "FQDN":
        yield from _domain(text, at)
        return
    if family not in ("IPv4", "IPv6"):
        return
    wrong = [*texts.address(text, at)]
    yield from wrong
    if wrong:
        return
    address = ipaddress.ip_address(text)
    if family == "IPv6" and str(address) != text:
        yield causes.invalid(at, text, f'must be in canonical form ("{address}")')
        return
    if f"IPv{address.version}" != family:
        yield causes.invalid(path, text, f"must be an {family} address")
    yield from texts.not_of_endpoints(text, at)


def _domain(text: str, path: str) -> Iterator[Cause]:
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


def _hints(hints: Object, path: str) -> Iterator[Cause]:
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
            yield from broken(name_path, name, rule(name))
