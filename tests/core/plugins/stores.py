"""A handle with a lister, for plugins that read Services, owners and Namespaces."""

from collections.abc import Iterable
from typing import Any

from kube_objects.parse import parse_object
from scheduler_core.cache.nodes import Nodes
from simulator.simulation.store import ObjectStore


class StoreHandle:
    """The part of a Handle that such plugins use. `manifests` are the other objects of the cluster."""

    def __init__(self, nodes: Nodes, manifests: Iterable[dict[str, Any]] = ()) -> None:
        self.nodes = nodes
        self.lister = ObjectStore()
        for manifest in manifests:
            self.lister.put(parse_object(manifest))


def namespace(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def service(name: str, **selector: str) -> dict[str, Any]:
    spec = {"selector": selector} if selector else {}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def replica_set(name: str, kind: str = "ReplicaSet", **selector: str) -> dict[str, Any]:
    template = {"metadata": {"labels": selector}, "spec": {"containers": [{"name": "main", "image": "app:v1"}]}}
    spec = {"selector": {"matchLabels": selector}, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def replication_controller(name: str, **selector: str) -> dict[str, Any]:
    template = {"metadata": {"labels": selector}, "spec": {"containers": [{"name": "main", "image": "app:v1"}]}}
    spec = {"selector": selector, "template": template}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ReplicationController", "metadata": metadata, "spec": spec}
