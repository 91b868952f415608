"""What admission policies of a cluster say of a write."""

from collections.abc import Mapping
from typing import Any

from kubernetes_api.admission import policies
from kubernetes_api.admission.policies import AdmissionRequest
from kubernetes_api.resources import Resource
from kubernetes_api.writes import scales
from kubernetes_api.writes.options import Policies
from playground.kubernetes import reading
from playground.kubernetes.requests import Request

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"


def policed(request: Request, resource: Resource, namespace: str, door: str = "") -> Policies:
    """What a write is shown to: a create where nothing was there before. Of a workload that is scaled, its Scale."""

    def shown(live: Mapping[str, Any] | None, value: Mapping[str, Any]) -> list[str]:
        operation = CREATE if live is None else UPDATE
        if door == "scale" and live is not None:
            live, value = scales.scale(resource, live), scales.scale(resource, value)
        return _checked(request, resource, namespace, operation, live, value, door)

    return shown


def deleted(request: Request, resource: Resource, live: Mapping[str, Any], *, is_dry_run: bool) -> list[str]:
    namespace = str(live["metadata"].get("namespace") or "")
    return _checked(request, resource, namespace, DELETE, live, None, is_dry_run=is_dry_run)


def _checked(
    request: Request,
    resource: Resource,
    namespace: str,
    operation: str,
    live: Mapping[str, Any] | None,
    value: Mapping[str, Any] | None,
    door: str = "",
    *,
    is_dry_run: bool = False,
) -> list[str]:
    name = str((value or live or {})["metadata"].get("name") or "")
    is_dry = is_dry_run or request.is_dry_run
    shown = AdmissionRequest(operation, resource, namespace, name, door, request.caller.who, is_dry)
    return policies.check(shown, live, value, reading.World(request.cluster))
