"""Volumes of pods, and the storage objects that decide where such a pod may run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler_core.objects.meta import KubeObject
from scheduler_core.objects.selectors import LabelSelector, NodeSelector, NodeSelectorTerm


@dataclass(slots=True, frozen=True)
class PodVolume:
    """`source` is the kind of volume (`persistentVolumeClaim`, `gcePersistentDisk`, …), `spec` that part's JSON."""

    name: str
    source: str
    spec: Mapping[str, object] = field(default_factory=dict, hash=False)
    claim_name: str = ""  # the claim's name: given, or `<pod>-<volume>` for an ephemeral volume
    read_only: bool = False


@dataclass(slots=True, kw_only=True)
class PersistentVolume(KubeObject):
    """`capacity` in bytes; `source` as in PodVolume."""

    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    volume_mode: str = "Filesystem"
    node_affinity: NodeSelector | None = None
    claim_ref: tuple[str, str, str] | None = None  # (namespace, name, uid)
    phase: str = ""
    source: str = ""
    source_spec: Mapping[str, object] = field(default_factory=dict)
    volume_attributes_class_name: str | None = None


@dataclass(slots=True, kw_only=True)
class PersistentVolumeClaim(KubeObject):
    """`request` in bytes; `storage_class_name` None means unset (distinct from "")."""

    access_modes: tuple[str, ...] = ()
    storage_class_name: str | None = None
    volume_mode: str = "Filesystem"
    volume_name: str = ""
    request: int = 0
    selector: LabelSelector | None = None
    phase: str = ""
    volume_attributes_class_name: str | None = None


@dataclass(slots=True, kw_only=True)
class StorageClass(KubeObject):
    provisioner: str = ""
    volume_binding_mode: str = "Immediate"
    allowed_topologies: tuple[NodeSelectorTerm, ...] = ()


@dataclass(slots=True, frozen=True)
class CSINodeDriver:
    name: str
    node_id: str = ""
    allocatable_count: int | None = None


@dataclass(slots=True, kw_only=True)
class CSINode(KubeObject):
    drivers: tuple[CSINodeDriver, ...] = ()


@dataclass(slots=True, kw_only=True)
class CSIDriver(KubeObject):
    storage_capacity: bool = False


@dataclass(slots=True, kw_only=True)
class CSIStorageCapacity(KubeObject):
    """`capacity`, `maximum_volume_size` in bytes; None when absent."""

    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: int | None = None
    maximum_volume_size: int | None = None


@dataclass(slots=True, kw_only=True)
class VolumeAttachment(KubeObject):
    attacher: str = ""
    node_name: str = ""
    persistent_volume_name: str | None = None
