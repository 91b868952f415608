"""Validation of the claim statuses in a Pod's status.

Source: pkg/apis/core/validation validatePodResourceClaimStatuses, validatePodExtendedResourceClaimStatus.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.causes import Cause
from kube_apiserver.validation.metadata import report_broken_rules
from kube_objects import names

Object = Mapping[str, Any]

_EITHER = "spec.initContainers{0} or spec.containers{0}"
_NO_CLAIM = "must match the name of an entry in `spec.resourceClaims`"
_NO_CONTAINER = f"must match the name of an entry in {_EITHER.format('.name')}"
_NO_REQUEST = f"must match the extended resource name of an entry in {_EITHER.format('.resources.requests')}"


def validate_claim_statuses(spec: Object, status: Object) -> Iterator[Cause]:
    yield from _validate_resource_claim_statuses(
        spec, status.get("resourceClaimStatuses") or (), "status.resourceClaimStatuses"
    )
    extended = status.get("extendedResourceClaimStatus")
    if extended is not None:
        yield from _validate_extended_claim_status(spec, extended, "status.extendedResourceClaimStatus")


def _validate_resource_claim_statuses(spec: Object, statuses: Any, path: str) -> Iterator[Cause]:
    known, seen = {claim_status.get("name") for claim_status in spec.get("resourceClaims") or ()}, set[str]()
    for number, claim_status in enumerate(statuses):
        status_path, name, claim = (
            f"{path}[{number}]",
            str(claim_status.get("name") or ""),
            claim_status.get("resourceClaimName"),
        )
        if name not in known:
            yield causes.invalid(f"{status_path}.name", name, _NO_CLAIM)
        if name in seen:
            yield causes.duplicate(f"{status_path}.name", name)
        seen.add(name)
        if claim is not None:
            yield from report_broken_rules(f"{status_path}.resourceClaimName", claim, names.dns_subdomain(claim))


def _validate_extended_claim_status(spec: Object, extended: Object, path: str) -> Iterator[Cause]:
    mappings, claim = extended.get("requestMappings") or (), str(extended.get("resourceClaimName") or "")
    if not mappings:
        yield causes.required(f"{path}.requestMappings", "at least one request mapping is required")
    requests_of = {
        mapping.get("name"): (mapping.get("resources") or {}).get("requests") or {}
        for part in ("initContainers", "containers")
        for mapping in spec.get(part) or ()
    }
    seen = set[tuple[str, ...]]()
    for number, mapping in enumerate(mappings):
        mapping_path = f"{path}.requestMappings[{number}]"
        fields = {key: str(mapping.get(key) or "") for key in ("containerName", "resourceName", "requestName")}
        if fields["containerName"] not in requests_of:
            yield causes.invalid(f"{mapping_path}.containerName", fields["containerName"], _NO_CONTAINER)
        elif fields["resourceName"] not in requests_of[fields["containerName"]]:
            yield causes.invalid(f"{mapping_path}.resourceName", fields["resourceName"], _NO_REQUEST)
        # Upstream's path has no index here.
        yield from report_broken_rules(
            f"{path}.requestName", fields["requestName"], names.dns_label(fields["requestName"])
        )
        if (key_of_mapping := tuple(fields.values())) in seen:
            yield from (causes.duplicate(f"{mapping_path}.{key}", value) for key, value in fields.items())
        seen.add(key_of_mapping)
    if not claim:
        yield causes.required(f"{path}.resourceClaimName")
    else:
        yield from report_broken_rules(f"{path}.resourceClaimName", claim, names.dns_subdomain(claim))
