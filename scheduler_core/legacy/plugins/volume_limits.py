"""The number of volumes that a node can attach: NodeVolumeLimits for CSI drivers, and a plugin for each of four
clouds.

CSI migration was off by default, so in-tree volumes count only for their cloud's plugin.
Source (v1.20): pkg/scheduler/framework/plugins/nodevolumelimits, pkg/volume/util/attach_limit.go.
"""

import hashlib
import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.node import Node
from kube_objects.pod import Pod
from kube_objects.volumes import PodVolume
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.handle import Handle
from scheduler_core.framework.interface import PerNodeFilter
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.node_volume_limits.plugin import REASON
from scheduler_core.plugins.volumes import CLAIM, claim_key

# The prefix of the handle of a volume that isn't provisioned yet.
_UNBOUND = "\0"
_LIMIT_PREFIX, _CSI_LIMIT_PREFIX = "attachable-volumes-", "attachable-volumes-csi-"
_LONGEST_KEY = 63
# Provisioners of in-tree plugins, whose volumes never count for NodeVolumeLimits.
_IN_TREE = (
    "kubernetes.io/aws-ebs",
    "kubernetes.io/gce-pd",
    "kubernetes.io/cinder",
    "kubernetes.io/azure-disk",
    "kubernetes.io/azure-file",
    "kubernetes.io/vsphere-volume",
)
_INSTANCE_TYPE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_NITRO = re.compile(r"^[cmr]5.*|t3|z1d")
_NITRO_LIMIT = 25


class _Limits(PerNodeFilter):
    counts_attached: ClassVar[bool] = False
    """A node beyond its limit is refused even if all volumes of the pod are attached there already."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def create(cls, args: Any, handle: Handle) -> Self:
        return cls(handle)

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        return super().filter(state, pod, nodes) if self.volumes([pod]) else Verdicts.all_pass(len(nodes))

    def filter_node(self, state: CycleState, pod: Pod, node: NodeView) -> Status:
        limits = self.limits(node.node)
        attached, wanted = self.volumes(node.pods), self.volumes([pod])
        used = Counter(attached.values())
        new = Counter(limited for volume, limited in wanted.items() if volume not in attached)
        for limited in dict.fromkeys(wanted.values()):
            checked = new[limited] or self.counts_attached
            if checked and limited in limits and used[limited] + new[limited] > limits[limited]:
                return Status.unschedulable(REASON)
        return SUCCESS

    def volumes(self, pods: Iterable[Pod]) -> dict[str, str]:
        """Return volume → the key of its limit, each volume once."""
        limit_keys: dict[str, str] = {}
        for pod in pods:
            for volume in pod.volumes:
                limit_keys.update(self.own(volume))
                if volume.source == CLAIM:
                    claim = self._handle.lister.get("PersistentVolumeClaim", claim_key(pod, volume))
                    limit_keys.update({} if claim is None else self._of_claim(claim))
        return limit_keys

    def _of_claim(self, claim: PersistentVolumeClaim) -> Mapping[str, str]:
        lister = self._handle.lister
        volume: PersistentVolume | None = lister.get("PersistentVolume", claim.volume_name)
        if volume is not None:
            return self.bound(volume)
        made_by: StorageClass | None = lister.get("StorageClass", claim.storage_class_name or "")
        return {} if made_by is None else self.to_be_made(_UNBOUND + claim.key, made_by.provisioner)

    @abstractmethod
    def limits(self, node: Node) -> Mapping[str, int]:
        """Return how many volumes the node can attach, by key."""

    def own(self, volume: PodVolume) -> Mapping[str, str]:
        """Return an inline volume with the key of its limit, or None."""
        return {}

    @abstractmethod
    def bound(self, volume: PersistentVolume) -> Mapping[str, str]:
        """Return the volume that a PVC is bound to, or None."""

    @abstractmethod
    def to_be_made(self, volume: str, provisioner: str) -> Mapping[str, str]:
        """Return the volume that will be provisioned for a PVC, or None."""


class NodeVolumeLimits(_Limits):
    """The plugin for CSI drivers; limits are those of the CSINode, or of the node's allocatable."""

    name = "NodeVolumeLimits"

    def limits(self, node: Node) -> Mapping[str, int]:
        limits = {key: amount for key, amount in node.allocatable.items() if key.startswith(_LIMIT_PREFIX)}
        csi_node: CSINode | None = self._handle.lister.get("CSINode", node.name)
        for driver in () if csi_node is None else csi_node.drivers:
            if driver.allocatable_count is not None:
                limits[limit_key(driver.name)] = driver.allocatable_count
        return limits

    def bound(self, volume: PersistentVolume) -> Mapping[str, str]:
        driver, handle = (str(volume.source_spec.get(field) or "") for field in ("driver", "volumeHandle"))
        return {f"{driver}/{handle}": limit_key(driver)} if volume.source == "csi" and driver and handle else {}

    def to_be_made(self, volume: str, provisioner: str) -> Mapping[str, str]:
        if not provisioner or provisioner in _IN_TREE:
            return {}
        return {f"{provisioner}/{volume}": limit_key(provisioner)}


def limit_key(driver: str) -> str:
    """Return the resource for a driver's limit; long names are cut and hashed. Source: GetCSIAttachLimitKey."""
    if len(_CSI_LIMIT_PREFIX + driver) < _LONGEST_KEY:
        return _CSI_LIMIT_PREFIX + driver
    return f"{_CSI_LIMIT_PREFIX}{driver[:23]}{hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()[:16]}"


class _CloudLimits(_Limits):
    """A cloud's plugin. `source` is the kind of volume, `field` identifies a volume, `most` is the default limit."""

    counts_attached = True
    source: ClassVar[str]
    field: ClassVar[str]
    provisioner: ClassVar[str]
    resource: ClassVar[str]
    most: ClassVar[int]

    def limits(self, node: Node) -> Mapping[str, int]:
        return {self.resource: node.allocatable.get(self.resource, self.default_limit(node))}

    def default_limit(self, node: Node) -> int:
        return self.most

    def own(self, volume: PodVolume) -> Mapping[str, str]:
        return self._found(volume.source, volume.spec)

    def bound(self, volume: PersistentVolume) -> Mapping[str, str]:
        return self._found(volume.source, volume.source_spec)

    def _found(self, source: str, spec: Mapping[str, object]) -> Mapping[str, str]:
        return {str(spec.get(self.field) or ""): self.resource} if source == self.source else {}

    def to_be_made(self, volume: str, provisioner: str) -> Mapping[str, str]:
        return {volume: self.resource} if provisioner == self.provisioner else {}


class EBSLimits(_CloudLimits):
    name = "EBSLimits"
    source, field, provisioner = "awsElasticBlockStore", "volumeID", "kubernetes.io/aws-ebs"
    resource, most = "attachable-volumes-aws-ebs", 39

    def default_limit(self, node: Node) -> int:
        instance_type = next((node.labels[key] for key in _INSTANCE_TYPE if key in node.labels), "")
        return _NITRO_LIMIT if _NITRO.search(instance_type) else self.most


class GCEPDLimits(_CloudLimits):
    name = "GCEPDLimits"
    source, field, provisioner = "gcePersistentDisk", "pdName", "kubernetes.io/gce-pd"
    resource, most = "attachable-volumes-gce-pd", 16


class AzureDiskLimits(_CloudLimits):
    name = "AzureDiskLimits"
    source, field, provisioner = "azureDisk", "diskName", "kubernetes.io/azure-disk"
    resource, most = "attachable-volumes-azure-disk", 16


class CinderLimits(_CloudLimits):
    name = "CinderLimits"
    source, field, provisioner = "cinder", "volumeID", "kubernetes.io/cinder"
    resource, most = "attachable-volumes-cinder", 256
