"""Manifests of storage objects, and a handle that stores written objects."""

from collections.abc import Iterable, Mapping
from typing import Any

from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from scheduler_core.cache.nodes import Nodes
from tests.conformance.testing import PodBuilder
from tests.core.plugins.stores import StoreHandle

Manifest = dict[str, Any]
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


class StorageHandle(StoreHandle):
    """A handle that is its own Writer. `written` are the objects that plugins wrote, in order."""

    def __init__(self, nodes: Nodes, manifests: Iterable[Manifest] = ()) -> None:
        super().__init__(nodes, manifests)
        self.written: list[KubeObject] = []
        self.writer = self

    def update(self, obj: KubeObject) -> None:
        self.written.append(obj)
        self.lister.put(obj)

    def get(self, kind: str, key: str) -> Any:
        return self.lister.get(kind, key)


def parse(manifest: Manifest) -> Any:
    return parse_object(manifest)


def volume(
    name: str,
    size: str = "10Gi",
    class_name: str = "local",
    on: Mapping[str, str] | None = None,
    phase: str = "Available",
    modes: Iterable[str] = ("ReadWriteOnce",),
    claim_ref: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    source: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Manifest:
    """Return a PersistentVolume. `on`: only Nodes with one of these labels can use it."""
    fields: Manifest = {
        "capacity": {"storage": size},
        "accessModes": list(modes),
        "storageClassName": class_name,
        **(source or {"csi": {"driver": "local.csi", "volumeHandle": name}}),
        **spec,
    }
    if on is not None:
        terms = [
            {"matchExpressions": [{"key": key, "operator": "In", "values": values.split(",")}]}
            for key, values in on.items()
        ]
        fields["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if claim_ref is not None:
        fields["claimRef"] = {"namespace": "default", **claim_ref}
    metadata = {"name": name, "labels": dict(labels or {})}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": metadata,
        "spec": fields,
        "status": {"phase": phase},
    }


def claim(
    name: str,
    size: str = "5Gi",
    class_name: str | None = "local",
    bound_to: str = "",
    selected_node: str = "",
    modes: Iterable[str] = ("ReadWriteOnce",),
    namespace: str = "default",
    phase: str = "",
    metadata: Manifest | None = None,
    **spec: Any,
) -> Manifest:
    """Return a PersistentVolumeClaim. With `bound_to` it is completely bound to that volume."""
    annotations = {}
    if bound_to:
        annotations[BIND_COMPLETED] = "yes"
    if selected_node:
        annotations[SELECTED_NODE] = selected_node
    fields: Manifest = {"accessModes": list(modes), "resources": {"requests": {"storage": size}}, **spec}
    if class_name is not None:
        fields["storageClassName"] = class_name
    if bound_to:
        fields["volumeName"] = bound_to
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations, **(metadata or {})},
        "spec": fields,
        "status": {"phase": phase or ("Bound" if bound_to else "Pending")},
    }


def storage_class(
    name: str = "local",
    provisioner: str = "kubernetes.io/no-provisioner",
    waits: bool = True,
    allowed: Iterable[Mapping[str, str]] = (),
) -> Manifest:
    """Return a StorageClass.

    It `waits` for the first consumer; `allowed` topologies: label → values, joined by commas.
    """
    manifest: Manifest = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
    }
    terms = [
        {"matchLabelExpressions": [{"key": key, "values": values.split(",")} for key, values in term.items()]}
        for term in allowed
    ]
    return {**manifest, "allowedTopologies": terms} if terms else manifest


def csi_node(name: str, limits: Mapping[str, int | None] | None = None, migrated: str = "") -> Manifest:
    """Return a CSINode. `limits`: driver → how many volumes it can attach, None for no limit."""
    drivers = [
        {
            "name": driver,
            "nodeID": name,
            "topologyKeys": None,
            **({} if count is None else {"allocatable": {"count": count}}),
        }
        for driver, count in (limits or {}).items()
    ]
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": migrated} if migrated else {}
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": metadata, "spec": {"drivers": drivers}}


def csi_driver(name: str, reports_capacity: bool = True) -> Manifest:
    spec = {"storageCapacity": reports_capacity}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec}


def capacity(
    name: str, class_name: str, size: str | None, selector: Manifest | None = None, largest: str | None = None
) -> Manifest:
    """Return a CSIStorageCapacity for the Nodes that `selector` (a label selector) selects."""
    manifest: Manifest = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIStorageCapacity",
        "metadata": {"name": name, "namespace": "kube-system"},
        "storageClassName": class_name,
    }
    fields = {"capacity": size, "maximumVolumeSize": largest, "nodeTopology": selector}
    return {**manifest, **{key: value for key, value in fields.items() if value is not None}}


def attachment(name: str, attacher: str, node: str, volume_name: str) -> Manifest:
    spec = {"attacher": attacher, "nodeName": node, "source": {"persistentVolumeName": volume_name}}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": name}, "spec": spec}


def using(pod: PodBuilder, *claims: str) -> PodBuilder:
    for name in claims:
        pod.claim(name)
    return pod


def with_volume(pod: PodBuilder, name: str, **source: Any) -> PodBuilder:
    """Add a volume with its source as in YAML."""
    volumes = pod.manifest()["spec"].get("volumes", [])
    return pod.spec(volumes=[*volumes, {"name": name, **source}])
