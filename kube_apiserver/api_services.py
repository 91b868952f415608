"""APIServices of the API server's own groups, and the availability of others.

Source: pkg/controlplane/apiserver/aggregator.go.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kube_apiserver.admission.attributes import ClusterReader

Object = Mapping[str, Any]

KIND = "APIService"
MANAGER = "kube-apiserver"
"""The field manager of their conditions."""
_GROUPS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "": (18000, {"v1": 1}),
    "admissionregistration.k8s.io": (16700, {"v1": 15}),
    "apiextensions.k8s.io": (16700, {"v1": 15}),
    "apps": (17800, {"v1": 15}),
    "authentication.k8s.io": (17700, {"v1": 15}),
    "authorization.k8s.io": (17600, {"v1": 15}),
    "autoscaling": (17500, {"v1": 15, "v2": 30}),
    "batch": (17400, {"v1": 15}),
    "certificates.k8s.io": (17300, {"v1": 15}),
    "coordination.k8s.io": (16500, {"v1": 15}),
    "discovery.k8s.io": (16200, {"v1": 15}),
    "events.k8s.io": (17750, {"v1": 15}),
    "flowcontrol.apiserver.k8s.io": (16100, {"v1": 21}),
    "networking.k8s.io": (17200, {"v1": 15}),
    "node.k8s.io": (16300, {"v1": 15}),
    "policy": (17100, {"v1": 15}),
    "rbac.authorization.k8s.io": (17000, {"v1": 15}),
    "resource.k8s.io": (16200, {"v1": 21}),
    "scheduling.k8s.io": (16600, {"v1": 15}),
    "storage.k8s.io": (16800, {"v1": 15}),
}
"""Group → its priority, and the priority of each version. The aggregator's own group has none."""
_LOCAL = {
    "type": "Available",
    "status": "True",
    "reason": "Local",
    "message": "Local APIServices are always available",
}


def built_in_services(time: str) -> Mapping[str, Mapping[str, Any]]:
    return {
        f"{version}.{group}": {
            "metadata": {"labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"}},
            "spec": {
                **({"group": group} if group else {}),
                "groupPriorityMinimum": least,
                "version": version,
                "versionPriority": priority,
            },
            "status": local(time),
        }
        for group, (least, versions) in _GROUPS.items()
        for version, priority in versions.items()
    }


def is_local(value: Mapping[str, Any]) -> bool:
    return (value.get("spec") or {}).get("service") is None


def local(time: str) -> Mapping[str, Any]:
    """Return the status of an APIService that the API server serves itself."""
    return {"conditions": [{"lastTransitionTime": time, **_LOCAL}]}


def outdated(services: Iterable[Object], world: ClusterReader) -> Iterator[tuple[Object, Object]]:
    """Yield the APIServices whose Available condition is outdated, each with its new condition."""
    for service in services:
        if is_local(service):
            continue
        condition = {"type": "Available", "status": "False", **_why_not(service["spec"], world)}
        conditions: Sequence[Object] = (service.get("status") or {}).get("conditions") or ()
        known: Object = next((one for one in conditions if one.get("type") == "Available"), {})
        if any(known.get(name) != condition[name] for name in ("status", "reason", "message")):
            yield service, condition


def _why_not(spec: Object, world: ClusterReader) -> Object:
    """Return reason and message of an APIService that isn't available.

    Source: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
    """
    name, namespace, number = (spec["service"].get(key) for key in ("name", "namespace", "port"))
    service, place = world.get("Service", str(name), str(namespace)), f'service/{name} in "{namespace}"'
    if service is None:
        return {"reason": "ServiceNotFound", "message": f"{place} is not present"}
    if (service.get("spec") or {}).get("type") == "ClusterIP":
        ports = [each for each in service["spec"].get("ports") or () if each.get("port") == number]
        if not ports:
            return {"reason": "ServicePortError", "message": f"{place} is not listening on port {number}"}
        slices = [each for each in world.list("EndpointSlice", str(namespace)) if _is_of(each, str(name))]
        if not slices:
            return {"reason": "EndpointsNotFound", "message": f"cannot find endpointslices for {place}"}
        port = str(ports[0].get("name") or "")
        if not any(_is_ready(each, port) for each in slices):
            message = f'endpointslices for {place} have no addresses with port name "{port}"'
            return {"reason": "MissingEndpoints", "message": message}
    message = f"failing or missing response from {place}: nothing runs in this cluster that could answer"
    return {"reason": "FailedDiscoveryCheck", "message": message}


def _is_of(endpoint_slice: Object, service: str) -> bool:
    return (endpoint_slice["metadata"].get("labels") or {}).get("kubernetes.io/service-name") == service


def _is_ready(endpoint_slice: Object, port: str) -> bool:
    has_port = any((each.get("name") or "") == port for each in endpoint_slice.get("ports") or ())
    endpoints = endpoint_slice.get("endpoints") or ()
    return has_port and any(
        each.get("addresses") and (each.get("conditions") or {}).get("ready") is not False for each in endpoints
    )
