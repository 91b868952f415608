"""Which events may help a pod whose claims found no volumes.

Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
"""

from kube_objects.kinds.storage.csi_driver import CSIDriver
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.csi_storage_capacity import CSIStorageCapacity
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from scheduler_core.framework.events import Hint
from scheduler_core.plugins.csi_migration import MIGRATED_PLUGINS
from scheduler_core.plugins.volume_binding.provisioning import volume_limit


def after_csi_node_change(pod: Pod, old: CSINode | None, new: CSINode) -> Hint:
    """The node is new, or handles the volumes of other in-tree plugins through CSI."""
    if old is None or old.annotations.get(MIGRATED_PLUGINS, "") != new.annotations.get(MIGRATED_PLUGINS, ""):
        return Hint.QUEUE
    return Hint.SKIP


def after_class_change(pod: Pod, old: StorageClass | None, new: StorageClass) -> Hint:
    """The class is new, or makes volumes elsewhere."""
    return Hint.QUEUE if old is None or old.allowed_topologies != new.allowed_topologies else Hint.SKIP


def after_capacity_change(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> Hint:
    """The report is new, or larger volumes can be made."""
    if old is None:
        return Hint.QUEUE
    before, after = volume_limit(old), volume_limit(new)
    return Hint.QUEUE if after is not None and (before is None or after > before) else Hint.SKIP


def after_driver_change(pod: Pod, old: CSIDriver, new: CSIDriver) -> Hint:
    """A driver that the pod names itself ceased to report its capacity, so that it is not checked any more."""
    names_it = any(volume.source == "csi" and volume.spec.get("driver") == new.name for volume in pod.volumes)
    return Hint.QUEUE if names_it and old.storage_capacity and not new.storage_capacity else Hint.SKIP
