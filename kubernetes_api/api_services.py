"""The APIServices of an API server's own groups. Source: pkg/controlplane/apiserver/aggregator.go."""

from collections.abc import Mapping
from typing import Any

KIND = "APIService"
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
"""Group → how it is preferred, and its versions each; the aggregator's own group has none."""
_LOCAL = {
    "type": "Available",
    "status": "True",
    "reason": "Local",
    "message": "Local APIServices are always available",
}


def all_of_them(time: str) -> Mapping[str, Mapping[str, Any]]:
    return {
        f"{version}.{group}": {
            "metadata": {"labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"}},
            "spec": {
                **({"group": group} if group else {}),
                "groupPriorityMinimum": least,
                "version": version,
                "versionPriority": priority,
            },
            "status": {"conditions": [{"lastTransitionTime": time, **_LOCAL}]},
        }
        for group, (least, versions) in _GROUPS.items()
        for version, priority in versions.items()
    }
