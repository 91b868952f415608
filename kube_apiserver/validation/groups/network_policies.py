"""Validation of NetworkPolicies, IPAddresses and ServiceCIDRs. Source: pkg/apis/networking/validation."""

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, ports, texts
from kube_apiserver.validation.metadata import (
    find_path_segment_error,
    report_broken_rules,
    validate_immutable_field,
    validate_label_selector,
)
from kube_objects import names

Object = Mapping[str, Any]

_PROTOCOLS = ("TCP", "UDP", "SCTP")
_TYPES = ("Ingress", "Egress")
_WAYS = (("ingress", "from"), ("egress", "to"))


def validate_network_policy(value: Object, there: frozenset[str] = frozenset()) -> Iterator[Cause]:
    """Validate a NetworkPolicy.

    `there` are the CIDRs of the stored policy, which may stay even if their form is invalid.
    """
    spec = value.get("spec") or {}
    yield from validate_label_selector(spec.get("podSelector"), "spec.podSelector")
    for direction, peers_key in _WAYS:
        for number, rule in enumerate(spec.get(direction) or ()):
            rule_path = f"spec.{direction}[{number}]"
            for place, port in enumerate(rule.get("ports") or ()):
                yield from _validate_port(port, f"{rule_path}.ports[{place}]")
            for place, peer in enumerate(rule.get(peers_key) or ()):
                yield from _validate_peer(peer, f"{rule_path}.{peers_key}[{place}]", there)
    types = spec.get("policyTypes") or ()
    if len(types) > len(_TYPES):
        yield causes.invalid("spec.policyTypes", list(types), "may not specify more than two policyTypes")
        return
    for number, each in enumerate(types):
        if each not in _TYPES:
            yield causes.unsupported(f"spec.policyTypes[{number}]", each, _TYPES)


def validate_network_policy_update(live: Object, value: Object) -> Iterator[Cause]:
    spec = live.get("spec") or {}
    blocks = [
        peer["ipBlock"]
        for way, who in _WAYS
        for rule in spec.get(way) or ()
        for peer in rule.get(who) or ()
        if peer.get("ipBlock")
    ]
    there = {text for each in blocks for text in (each.get("cidr"), *(each.get("except") or ()))}
    yield from validate_network_policy(value, frozenset(there))


def _validate_port(policy_port: Object, path: str) -> Iterator[Cause]:
    protocol, port, end = (policy_port.get(key) for key in ("protocol", "port", "endPort"))
    if protocol is not None and protocol not in _PROTOCOLS:
        yield causes.unsupported(f"{path}.protocol", protocol, _PROTOCOLS)
    if port is None:
        if end is not None:
            yield causes.invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified")
    elif isinstance(port, str):
        if end is not None:
            yield causes.invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric")
        yield from ports.validate_port_name(port, f"{path}.port")
    else:
        yield from ports.validate_port_number(port, f"{path}.port")
        if end is not None and end < port:
            yield causes.invalid(f"{path}.endPort", port, "must be greater than or equal to `port`")
        if end is not None:
            yield from ports.validate_port_number(end, f"{path}.endPort")


def _validate_peer(peer: Object, path: str, there: frozenset[str]) -> Iterator[Cause]:
    sources = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(name) is not None]
    for name in ("podSelector", "namespaceSelector"):
        yield from validate_label_selector(peer.get(name), f"{path}.{name}")
    if "ipBlock" in sources:
        yield from _validate_ip_block(peer["ipBlock"], f"{path}.ipBlock", there)
    if not sources:
        yield causes.required(path, "must specify a peer")
    elif len(sources) > 1 and "ipBlock" in sources:
        yield causes.forbidden(path, "may not specify both ipBlock and another peer")


def _validate_ip_block(block: Object, path: str, there: frozenset[str]) -> Iterator[Cause]:
    text = str(block.get("cidr") or "")
    if not text:
        yield causes.required(f"{path}.cidr")
        return
    yield from texts.validate_cidr(text, f"{path}.cidr", there)
    whole = _parse_network(text)
    if whole is None:
        return
    for number, excluded in enumerate(block.get("except") or ()):
        excluded_path, part = f"{path}.except[{number}]", _parse_network(str(excluded))
        yield from texts.validate_cidr(str(excluded), excluded_path, there)
        if part is not None and not _is_within(part, whole):
            yield causes.invalid(excluded_path, excluded, "must be a strict subset of `cidr`")


_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _parse_network(text: str) -> _Network | None:
    try:
        return ipaddress.ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        return None


def _is_within(part: _Network, whole: _Network) -> bool:
    is_same_family = part.version == whole.version
    return is_same_family and part.network_address in whole and whole.prefixlen < part.prefixlen


def validate_ip_address(value: Object) -> Iterator[Cause]:
    parent, parent_path = (value.get("spec") or {}).get("parentRef"), "spec.parentRef"
    if parent is None:
        yield causes.required(parent_path)
        return
    if parent.get("group"):
        yield from report_broken_rules(
            f"{parent_path}.group", parent["group"], names.dns_subdomain(str(parent["group"]))
        )
    for key in ("resource", "name", "namespace"):
        text = str(parent.get(key) or "")
        if text:
            yield from report_broken_rules(f"{parent_path}.{key}", text, find_path_segment_error(text))
        elif key != "namespace":
            yield causes.required(f"{parent_path}.{key}")


def validate_ip_address_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_ip_address(value)
    yield from validate_immutable_field(
        "spec.parentRef", *(_to_go_parent((each.get("spec") or {}).get("parentRef")) for each in (live, value))
    )


def _to_go_parent(parent: Object | None) -> Any:
    fields = ("Group", "Resource", "Namespace", "Name")
    return parent and go_values.Ordered({name: parent.get(name.lower()) or "" for name in fields})


def validate_service_cidr(value: Object) -> Iterator[Cause]:
    yield from _validate_cidrs((value.get("spec") or {}).get("cidrs") or [])


def _validate_cidrs(cidrs: list[Any]) -> Iterator[Cause]:
    path = "spec.cidrs"
    if not cidrs:
        yield causes.required(path, "at least one CIDR required")
        return
    if len(cidrs) > 2:
        yield causes.invalid(path, {"CIDRs": cidrs}, "may only hold up to 2 values")
        return
    for number, text in enumerate(cidrs):
        wrong = [*texts.validate_cidr(str(text), f"{path}[{number}]")]
        yield from wrong
        network = _parse_network(str(text))
        if not wrong and network is not None and str(network) != text:
            yield causes.invalid(f"{path}[{number}]", text, f'must be in canonical form ("{network}")')
    families = [network.version for text in cidrs if (network := _parse_network(str(text))) is not None]
    if len(families) == 2 and families[0] == families[1]:
        detail = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
        yield causes.invalid(path, cidrs, detail)


def validate_service_cidr_update(live: Object, value: Object) -> Iterator[Cause]:
    old_cidrs, new_cidrs = ((each.get("spec") or {}).get("cidrs") or [] for each in (live, value))
    if len(old_cidrs) != len(new_cidrs) and (len(old_cidrs), len(new_cidrs)) != (1, 2):
        yield causes.invalid("spec.cidrs", new_cidrs, causes.IMMUTABLE)
        return
    for number, (old, new) in enumerate(zip(old_cidrs, new_cidrs, strict=False)):
        if old != new:
            yield causes.invalid(f"spec.cidrs[{number}]", new, causes.IMMUTABLE)
    if len(old_cidrs) != len(new_cidrs):
        yield from _validate_cidrs(new_cidrs)
