"""Validation of Nodes. Source: pkg/apis/core/validation ValidateNode, ValidateNodeUpdate."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation import go_values, resources, scheduling, texts

Object = Mapping[str, Any]

_LONGEST_FEATURE = 253
_FEATURE = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*")
_NO_FEATURE = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)


def validate_node(value: Object) -> Iterator[Cause]:
    yield from scheduling.validate_taints((value.get("spec") or {}).get("taints"), "metadata.taints")
    yield from _validate_node_status(value)
    for number, cidr in enumerate((value.get("spec") or {}).get("podCIDRs") or ()):
        yield from texts.validate_cidr(str(cidr), f"spec.podCIDRs[{number}]")
    yield from _validate_pod_cidr_families((value.get("spec") or {}).get("podCIDRs") or [])


def _validate_node_status(value: Object) -> Iterator[Cause]:
    status = value.get("status") or {}
    for part in ("capacity", "allocatable"):
        for name, amount in sorted((status.get(part) or {}).items()):
            yield from resources.validate_resource_quantity(name, amount, f"status.{part}.{name}")
    yield from _validate_declared_features(status.get("declaredFeatures") or (), "status.declaredFeatures")


def _validate_declared_features(features: Sequence[str], path: str) -> Iterator[Cause]:
    """Validate the features that a kubelet declares. Source: validateNodeDeclaredFeatures."""
    for number, feature in enumerate(features):
        if len(feature) > _LONGEST_FEATURE:
            detail = f"must be no more than {_LONGEST_FEATURE} characters"
            yield causes.invalid(
                f"{path}[{number}]", feature, f"invalid feature name {causes.quoted(feature)}: {detail}"
            )
        elif not _FEATURE.fullmatch(feature):
            yield causes.invalid(
                f"{path}[{number}]", feature, f"invalid feature name {causes.quoted(feature)}: {_NO_FEATURE}"
            )
        following = features[number + 1] if number + 1 < len(features) else None
        if following is not None and feature == following:
            yield causes.duplicate(f"{path}[{number + 1}]", following)
        elif following is not None and feature > following:
            yield causes.invalid(f"{path}[{number + 1}]", following, "list must be sorted alphabetically")


def _validate_pod_cidr_families(ranges: Sequence[str]) -> Iterator[Cause]:
    """Source: IsDualStackCIDRStrings."""
    if len(ranges) < 2:
        return
    families, path = set(), "spec.podCIDRs"
    for number, cidr in enumerate(ranges):
        if any(texts.validate_cidr(cidr, path)):
            detail = f"invalid CIDR[{number}]: <nil> (invalid CIDR address: {cidr})"
            yield causes.internal(path, f"invalid PodCIDRs. failed to check with dual stack with error:{detail}")
            break
        families.add(":" in cidr)
    if len(families) < 2 or len(ranges) > 2:
        yield causes.invalid(path, list(ranges), "may specify no more than one CIDR for each IP family")


def validate_node_update(live: Object, value: Object) -> Iterator[Cause]:
    yield from validate_node(value)
    old_cidrs, new_cidrs = ((address.get("spec") or {}).get("podCIDRs") or [] for address in (live, value))
    if old_cidrs and old_cidrs != new_cidrs:
        yield causes.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid')
    addresses = (value.get("status") or {}).get("addresses") or []
    for number, address in enumerate(addresses):
        if address in addresses[:number]:
            shown = go_values.Ordered({"Type": address.get("type") or "", "Address": address.get("address") or ""})
            yield causes.duplicate(f"status.addresses[{number}]", shown)
    providers = [(address.get("spec") or {}).get("providerID") or "" for address in (live, value)]
    if providers[0] and providers[0] != providers[1]:
        yield causes.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')
    outside = [(address.get("spec") or {}).get("externalID") or "" for address in (live, value)]
    if outside[0] != outside[1]:
        yield causes.forbidden("spec.externalID", "may not be updated")
