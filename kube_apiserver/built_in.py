"""Objects that every control plane has from the start.

Source: pkg/controlplane, pkg/apis/scheduling/helpers.go, pkg/controlplane/controller/kubernetesservice.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from kube_apiserver import api_services, flow_control, roles
from kube_apiserver.time_format import TIME_FORMAT
from kube_objects.epoch import EPOCH_SECONDS
from kube_objects.kinds.scheduling.priority_class import SYSTEM_CLASSES

Object = Mapping[str, Any]

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
SYSTEM_PRIORITIES = {
    "system-cluster-critical": (
        SYSTEM_CLASSES["system-cluster-critical"],
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    "system-node-critical": (
        SYSTEM_CLASSES["system-node-critical"],
        "Used for system critical pods that must not be moved from their current node.",
    ),
}
SERVICE_ADDRESS, ADDRESS, PORT = "10.96.0.1", "192.0.2.10", 6443
"""The address of the `kubernetes` Service, and its endpoint, which is an address reserved for documentation."""
# Objects that controllers create in every namespace, by kind: name and content. Source: pkg/controller/serviceaccount,
# pkg/controller/certificates/rootcacertpublisher.
OF_NAMESPACES: Mapping[str, tuple[str, Object]] = {
    "ConfigMap": (
        "kube-root-ca.crt",
        {
            "metadata": {
                "annotations": {
                    "kubernetes.io/description": "Contains a CA bundle that can be used to verify the kube-apiserver "
                    "when using internal endpoints such as the internal service IP or kubernetes.default.svc. "
                    "No other usage is guaranteed across distributions of Kubernetes clusters."
                }
            },
            "data": {"ca.crt": ""},
        },
    ),
    "ServiceAccount": ("default", {}),
}
SERVICE_RANGE = "10.96.0.0/16"
"""The range of the cluster IPs of Services."""
_NAME = "kubernetes"
_BEGINNING = datetime.fromtimestamp(EPOCH_SECONDS, UTC).strftime(TIME_FORMAT)
# Source: the namespaces of admission/plugin/namespace/lifecycle.
_IMMORTAL = frozenset(["default", "kube-public", "kube-system"])
_LABELS = {"component": "apiserver", "provider": "kubernetes"}


@cache
def objects_of(kind: str) -> Mapping[str, Object]:
    """Return the built-in objects of a kind by their keys, without the fields that every read adds."""
    match kind:
        case "Namespace":
            return {name: _namespace(name) for name in NAMESPACES}
        case "PriorityClass":
            return {name: _priority(name) for name in SYSTEM_PRIORITIES}
        case "Service":
            return {f"default/{_NAME}": _service()}
        case "Endpoints":
            subset = {"addresses": [{"ip": ADDRESS}], "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}]}
            labels = {"endpointslice.kubernetes.io/skip-mirror": "true"}
            return {f"default/{_NAME}": {"metadata": {"labels": labels}, "subsets": [subset]}}
        case "ComponentStatus":
            healthy = {"type": "Healthy", "status": "True", "message": "ok"}
            return {name: {"conditions": [healthy]} for name in ("controller-manager", "etcd-0", "scheduler")}
        case api_services.KIND:
            return api_services.built_in_services(_BEGINNING)
        case flow_control.SCHEMA | flow_control.LEVEL:
            return flow_control.bootstrap_objects(kind, _BEGINNING)
        case "EndpointSlice":
            return {f"default/{_NAME}": _slice()}
        case "ServiceCIDR":
            return {_NAME: _service_range()}
        case "IPAddress":
            return {SERVICE_ADDRESS: service_address("default", _NAME, SERVICE_ADDRESS)}
    return roles.bootstrap_objects(kind) if kind in roles.KINDS else {}


def why_it_stays(kind: str, key: str) -> str:
    """Return why an object can't be deleted, or "" if it can.

    Upstream's API server restores a deleted bootstrap role when it restarts. Here the deletion isn't stored, so it is
    refused.
    """
    if kind == "Namespace" and key in _IMMORTAL:
        return "this namespace may not be deleted"
    if kind == "PriorityClass" and key in SYSTEM_PRIORITIES:
        return "this is a system priority class and cannot be deleted"
    return (
        "every cluster has it, and it cannot be deleted here"
        if kind in roles.KINDS and key in roles.bootstrap_objects(kind)
        else ""
    )


def _namespace(name: str) -> Object:
    labels = {"kubernetes.io/metadata.name": name}
    return {"metadata": {"labels": labels}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}


def _priority(name: str) -> Object:
    value, description = SYSTEM_PRIORITIES[name]
    return {
        "metadata": {"generation": 1},
        "value": value,
        "description": description,
        "preemptionPolicy": "PreemptLowerPriority",
    }


def _service() -> Object:
    return {
        "metadata": {"labels": dict(_LABELS)},
        "spec": {
            "clusterIP": SERVICE_ADDRESS,
            "clusterIPs": [SERVICE_ADDRESS],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": PORT}],
            "sessionAffinity": "None",
            "type": "ClusterIP",
        },
        "status": {"loadBalancer": {}},
    }


def _service_range() -> Object:
    ready = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": _BEGINNING,
        "reason": "",
        "message": "Kubernetes default Service CIDR is ready",
    }
    return {"spec": {"cidrs": [SERVICE_RANGE]}, "status": {"conditions": [ready]}}


def service_address(namespace: str, name: str, address: str, **metadata: Any) -> Object:
    """Return the IPAddress object of a Service's address.

    Source: pkg/registry/core/service/ipallocator/cidrallocator.go.
    """
    labels = {
        "ipaddress.kubernetes.io/ip-family": "IPv6" if ":" in address else "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    }
    parent = {"resource": "services", "namespace": namespace, "name": name}
    return {"metadata": {"labels": labels, **metadata}, "spec": {"parentRef": parent}}


def _slice() -> Object:
    return {
        "metadata": {"generation": 1, "labels": {"kubernetes.io/service-name": _NAME}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [ADDRESS], "conditions": {"ready": True}}],
        "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}],
    }
