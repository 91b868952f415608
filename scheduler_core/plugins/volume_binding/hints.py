"""Queueing hints for pods that VolumeBinding rejected.

Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
"""

from kube_objects.kinds.storage.csi_driver import CSIDriver
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.csi_storage_capacity import CSIStorageCapacity
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.plugins.csi_migration import MIGRATED_PLUGINS
from scheduler_core.plugins.volume_binding.provisioning import volume_limit


def after_csi_node_change(pod: Pod, old: CSINode | None, new: CSINode) -> QueueingHint:
    """Return Queue if the CSINode is new, or its migrated plugins changed."""
    if old is None or old.annotations.get(MIGRATED_PLUGINS, "") != new.annotations.get(MIGRATED_PLUGINS, ""):
        return QueueingHint.QUEUE
    return QueueingHint.SKIP


def after_class_change(pod: Pod, old: StorageClass | None, new: StorageClass) -> QueueingHint:
    """Return Queue if the StorageClass is new, or its allowed topologies changed."""
    return QueueingHint.QUEUE if old is None or old.allowed_topologies != new.allowed_topologies else QueueingHint.SKIP


def after_capacity_change(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> QueueingHint:
    """Return Queue if the CSIStorageCapacity is new, or larger volumes are possible."""
    if old is None:
        return QueueingHint.QUEUE
    before, after = volume_limit(old), volume_limit(new)
    return QueueingHint.QUEUE if after is not None and (before is None or after > before) else QueueingHint.SKIP


def after_driver_change(pod: Pod, old: CSIDriver, new: CSIDriver) -> QueueingHint:
    """Return Queue if the driver of an inline volume no longer reports capacity, so that it isn't checked."""
    names_it = any(volume.source == "csi" and volume.spec.get("driver") == new.name for volume in pod.volumes)
    return QueueingHint.QUEUE if names_it and old.storage_capacity and not new.storage_capacity else QueueingHint.SKIP
