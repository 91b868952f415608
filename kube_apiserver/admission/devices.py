"""Requests for admin access to devices. Source: pkg/registry/resource/utils.go AuthorizedForAdmin."""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import causes
from kube_apiserver.admission.attributes import ClusterReader
from kube_apiserver.causes import Cause
from kube_apiserver.resources import Resource

_LABEL = "resource.kubernetes.io/admin-access"
_NOT_ALLOWED = f"admin access to devices requires the `{_LABEL}: true` label on the containing namespace"
_SPECS = {"ResourceClaim": ("spec",), "ResourceClaimTemplate": ("spec", "spec")}


def unauthorized(resource: Resource, value: Mapping[str, Any], world: ClusterReader) -> Iterator[Cause]:
    """Yield the first request of a new ResourceClaim or template that needs admin access in a namespace without it."""
    if resource.kind not in _SPECS or resource.custom is not None:
        return
    spec: Any = value
    for name in _SPECS[resource.kind]:
        spec = spec.get(name) or {}
    requests = (spec.get("devices") or {}).get("requests") or ()
    asking = [number for number, each in enumerate(requests) if (each.get("exactly") or {}).get("adminAccess")]
    if not asking:
        return
    namespace = world.get("Namespace", str(value["metadata"].get("namespace") or "")) or {}
    if ((namespace.get("metadata") or {}).get("labels") or {}).get(_LABEL) != "true":
        yield causes.forbidden(f"spec.devices.requests[{asking[0]}].adminAccess", _NOT_ALLOWED)
