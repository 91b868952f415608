"""The objects of every cluster before the first step, and those of each namespace.

Source: pkg/controlplane (bootstrap), pkg/controller/serviceaccount, pkg/controller/certificates/rootcacertpublisher.
"""

from collections.abc import Iterator
from typing import Any

from kube_controllers.objects import View
from kube_objects.kinds.scheduling.priority_class import SYSTEM_CLASSES
from kube_objects.manifests import is_deleted, key_of, name

NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_OF_NAMESPACE = (("ServiceAccount", "default"), ("ConfigMap", "kube-root-ca.crt"))


def first_objects() -> Iterator[dict[str, Any]]:
    for named in NAMESPACES:
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": named}}
    for named, value in SYSTEM_CLASSES.items():
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": named},
            "value": value,
        }
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    yield {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "kubernetes", "namespace": "default"},
        "spec": {"type": "ClusterIP", "clusterIP": "10.96.0.1", "ports": ports},
    }


def missing(view: View) -> dict[str, Any] | None:
    """Return an object that a namespace must have and lacks; None if there is none."""
    for namespace in view.of_kind("Namespace"):
        for kind, named in _OF_NAMESPACE:
            inside = name(namespace)
            if not is_deleted(namespace) and view.get(kind, key_of(inside, named)) is None:
                return {"apiVersion": "v1", "kind": kind, "metadata": {"name": named, "namespace": inside}}
    return None
