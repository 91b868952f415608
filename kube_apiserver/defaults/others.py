"""Defaults of core kinds other than workloads, and of storage, RBAC and DRA kinds.

Source: pkg/apis/core/v1/defaults.go and the defaults.go of each group.
"""

import base64
from typing import Any

from kube_apiserver.admission.limit_ranger import with_defaults
from kube_apiserver.defaults.fields import Object, fill, objects, part
from kube_apiserver.defaults.pods import VOLUME_SOURCE


def namespace(value: Object) -> None:
    metadata = value["metadata"]
    labels = metadata.get("labels") or {}
    if isinstance(labels, dict):
        metadata["labels"] = {**labels, "kubernetes.io/metadata.name": metadata.get("name", "")}


def node(value: Object) -> None:
    """Fill in a Node.

    If `podCIDR` and `podCIDRs` disagree, the older `podCIDR` wins. Source: SetDefaults_NodeStatus.
    """
    spec, status = value.setdefault("spec", {}), part(value, "status")
    first, ranges = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not ranges or ranges[0] != first):
        spec["podCIDRs"] = [first]
    elif ranges and ranges[0]:
        spec["podCIDR"] = ranges[0]
    if status.get("capacity") and not status.get("allocatable"):
        status["allocatable"] = dict(status["capacity"])


def service(value: Object) -> None:
    """Fill in a Service. `kube_apiserver.services` allocates its addresses. Source: SetDefaults_Service."""
    spec = value.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    fill(spec, {"sessionAffinity": "None", "type": "ClusterIP"})
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if spec["sessionAffinity"] == "ClientIP":
        fill(spec, {"sessionAffinityConfig!.clientIP!.timeoutSeconds": 10800})
    for port in objects(spec.get("ports")):
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
        balancer(value)


def balancer(value: Object) -> None:
    """Fill in the load balancer's addresses in a Service's status."""
    for point in objects(part(part(value, "status"), "loadBalancer").get("ingress")):
        if point.get("ip"):
            fill(point, {"ipMode": "VIP"})


def secret(value: Object) -> None:
    if not value.get("type"):
        value["type"] = "Opaque"
    plain = value.pop("stringData", None)
    if isinstance(plain, dict) and plain:
        encoded = {name: base64.b64encode(str(text).encode()).decode() for name, text in plain.items()}
        value["data"] = {**(value.get("data") or {}), **encoded}


def volume(value: Object) -> None:
    fill(
        value.setdefault("spec", {}),
        {
            "persistentVolumeReclaimPolicy": "Retain",
            "volumeMode": "Filesystem",
            **VOLUME_SOURCE,
        },
    )


def claim(value: Object) -> None:
    fill(value.setdefault("spec", {}), {"volumeMode": "Filesystem"})


def storage_class(value: Object) -> None:
    fill(value, {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})


def priority_class(value: Object) -> None:
    fill(value, {"preemptionPolicy": "PreemptLowerPriority"})


def csi_driver(value: Object) -> None:
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


def limit_range(value: Object) -> None:
    for item in objects(part(value.get("spec") or {}, "limits", list)):
        item.update(with_defaults(item))


def role_binding(value: Object) -> None:
    fill(value, {"roleRef!.apiGroup": "rbac.authorization.k8s.io"})
    for subject in objects(value.get("subjects")):
        if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = "rbac.authorization.k8s.io"


def resource_claim(value: Object) -> None:
    _claim_spec(value.setdefault("spec", {}))


def resource_claim_template(value: Object) -> None:
    _claim_spec(part(part(value, "spec"), "spec"))


def device_class(value: Object) -> None:
    value.setdefault("spec", {})


def _claim_spec(spec: Any) -> None:
    for request in objects(part(part(spec, "devices"), "requests", list)):
        for exact in (*objects([request.get("exactly")]), *objects(request.get("firstAvailable"))):
            fill(exact, {"allocationMode": "ExactCount"})
            if exact.get("allocationMode") == "ExactCount" and not exact.get("count"):
                exact["count"] = 1
            fill(exact, {"tolerations[].operator": "Equal"})


def endpoints(value: Object) -> None:
    for subset in objects(value.get("subsets")):
        fill(subset, {"ports[].protocol": "TCP"})


def endpoint_slice(value: Object) -> None:
    fill(value, {"ports[].protocol": "TCP", "ports[].name": ""})
