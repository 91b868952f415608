"""Defaults of core kinds other than workloads, and of storage, RBAC and DRA kinds.

Source: pkg/apis/core/v1/defaults.go and the defaults.go of each group.
"""

import base64
from typing import Any

from kube_apiserver.admission.limit_ranger import with_defaults
from kube_apiserver.defaults.fields import Object, fill, get_part, list_objects
from kube_apiserver.defaults.pods import VOLUME_SOURCE


def set_namespace_defaults(value: Object) -> None:
    metadata = value["metadata"]
    labels = metadata.get("labels") or {}
    if isinstance(labels, dict):
        metadata["labels"] = {**labels, "kubernetes.io/metadata.name": metadata.get("name", "")}


def set_node_defaults(value: Object) -> None:
    """Fill in a Node.

    If `podCIDR` and `podCIDRs` disagree, the older `podCIDR` wins. Source: SetDefaults_NodeStatus.
    """
    spec, status = value.setdefault("spec", {}), get_part(value, "status")
    first, ranges = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not ranges or ranges[0] != first):
        spec["podCIDRs"] = [first]
    elif ranges and ranges[0]:
        spec["podCIDR"] = ranges[0]
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])


def set_service_defaults(value: Object) -> None:
    """Fill in a Service. `kube_apiserver.services` allocates its addresses. Source: SetDefaults_Service."""
    spec = value.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    fill(spec, {"sessionAffinity": "None", "type": "ClusterIP"})
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["sessionAffinity"] == "ClientIP":
        fill(spec, {"sessionAffinityConfig!.clientIP!.timeoutSeconds": 10800})
    for port in list_objects(spec.get("ports")):
        fill(port, {"protocol": "TCP"})
        if port.get("targetPort") in (None, 0, ""):
            port["targetPort"] = port.get("port")
    is_external = spec["type"] in ("NodePort", "LoadBalancer") or (
        spec["type"] == "ClusterIP" and bool(spec.get("externalIPs"))
    )
    if is_external:
        fill(spec, {"externalTrafficPolicy": "Cluster"})
    if spec["type"] in ("NodePort", "LoadBalancer", "ClusterIP"):
        fill(spec, {"internalTrafficPolicy": "Cluster"})
    if spec["type"] == "LoadBalancer":
        fill(spec, {"allocateLoadBalancerNodePorts": True})
        set_load_balancer_defaults(value)


def set_load_balancer_defaults(value: Object) -> None:
    """Fill in the load balancer's addresses in a Service's status."""
    for point in list_objects(get_part(get_part(value, "status"), "loadBalancer").get("ingress")):
        if point.get("ip"):
            fill(point, {"ipMode": "VIP"})


def set_secret_defaults(value: Object) -> None:
    if not value.get("type"):
        value["type"] = "Opaque"
    plain = value.pop("stringData", None)
    if isinstance(plain, dict) and plain:
        encoded = {name: base64.b64encode(str(text).encode()).decode() for name, text in plain.items()}
        value["data"] = {**(value.get("data") or {}), **encoded}


def set_volume_defaults(value: Object) -> None:
    fill(
        value.setdefault("spec", {}),
        {
            "persistentVolumeReclaimPolicy": "Retain",
            "volumeMode": "Filesystem",
            **VOLUME_SOURCE,
        },
    )


def set_claim_defaults(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"volumeMode": "Filesystem"})


def set_storage_class_defaults(value: Object) -> None:
    fill(value, {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})


def set_priority_class_defaults(value: Object) -> None:
    fill(value, {"preemptionPolicy": "PreemptLowerPriority"})


def set_csi_driver_defaults(value: Object) -> None:
    fill(
        value.setdefault("spec", {}),
        {
            "attachRequired": True,
            "podInfoOnMount": False,
            "storageCapacity": False,
            "fsGroupPolicy": "ReadWriteOnceWithFSType",
            "volumeLifecycleModes": ["Persistent"],
            "requiresRepublish": False,
            "seLinuxMount": False,
        },
    )


def set_limit_range_defaults(value: Object) -> None:
    for item in list_objects(get_part(value.get("spec") or {}, "limits", list)):
        item.update(with_defaults(item))


def set_role_binding_defaults(value: Object) -> None:
    fill(value, {"roleRef!.apiGroup": "rbac.authorization.k8s.io"})
    for subject in list_objects(value.get("subjects")):
        if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = "rbac.authorization.k8s.io"


def set_resource_claim_defaults(value: Object) -> None:
    _set_claim_spec_defaults(value.setdefault("spec", {}))


def set_resource_claim_template_defaults(value: Object) -> None:
    _set_claim_spec_defaults(get_part(get_part(value, "spec"), "spec"))


def set_device_class_defaults(value: Object) -> None:
    value.setdefault("spec", {})


def _set_claim_spec_defaults(spec: Any) -> None:
    for request in list_objects(get_part(get_part(spec, "devices"), "requests", list)):
        for exact in (*list_objects([request.get("exactly")]), *list_objects(request.get("firstAvailable"))):
            fill(exact, {"allocationMode": "ExactCount"})
            if exact.get("allocationMode") == "ExactCount" and not exact.get("count"):
                exact["count"] = 1
            fill(exact, {"tolerations[].operator": "Equal"})


def set_endpoints_defaults(value: Object) -> None:
    for subset in list_objects(value.get("subsets")):
        fill(subset, {"ports[].protocol": "TCP"})


def set_endpoint_slice_defaults(value: Object) -> None:
    fill(value, {"ports[].protocol": "TCP", "ports[].name": ""})
