"""Cluster events, and queueing hints: a plugin's answer whether an event may help a pod that it rejected.

Source: kube-scheduler/framework/types.go, pkg/scheduler/framework/events.go.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntFlag, StrEnum
from typing import Any

from kube_objects.pod import Pod


class ActionType(IntFlag):
    """Upstream's ActionType in v1.34's order; later ones follow. Store it by name, because ALL grows."""

    ADD = 1 << 0
    DELETE = 1 << 1
    UPDATE_NODE_ALLOCATABLE = 1 << 2
    UPDATE_NODE_LABEL = 1 << 3
    UPDATE_NODE_TAINT = 1 << 4
    UPDATE_NODE_CONDITION = 1 << 5
    UPDATE_NODE_ANNOTATION = 1 << 6
    UPDATE_POD_LABEL = 1 << 7
    UPDATE_POD_SCALE_DOWN = 1 << 8
    UPDATE_POD_TOLERATION = 1 << 9
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 1 << 10
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 1 << 11
    UPDATE_NODE_DECLARED_FEATURE = 1 << 12
    UPDATE = ((1 << 13) - 1) & ~3
    ALL = (1 << 13) - 1

    @property
    def upstream_name(self) -> str:
        """Return the name in logs and metrics: `UpdateNodeLabel`, `Add`, `Update`, …"""
        return "".join(part.capitalize() for part in (self.name or "").split("_"))


class EventResource(StrEnum):
    POD = "Pod"
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULABLE_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    POD_GROUP = "scheduling.k8s.io/PodGroup"
    WILDCARD = "*"


@dataclass(slots=True, frozen=True)
class ClusterEvent:
    """A change of a resource. `custom_label` replaces the label of special events such as the unschedulable timeout."""

    resource: EventResource
    action: ActionType
    custom_label: str = ""

    @property
    def label(self) -> str:
        return self.custom_label or f"{self.resource.value}{self.action.upstream_name}"


class QueueingHint(Enum):
    SKIP = "QueueSkip"
    QUEUE = "Queue"


# (rejected pod, old object or None, new object or None) → hint. A PluginError counts as Queue.
QueueingHintFn = Callable[[Pod, Any, Any], QueueingHint]


@dataclass(slots=True, frozen=True)
class ClusterEventWithHint:
    """An event that a plugin registers; without a hint function the event always queues the pod."""

    event: ClusterEvent
    hint: QueueingHintFn | None = None
