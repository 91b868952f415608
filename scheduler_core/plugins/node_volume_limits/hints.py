"""Queueing hints for pods that NodeVolumeLimits rejected.

Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.volume_attachment import VolumeAttachment
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.plugins.csi_migration import BY_SOURCE, inline_handle
from scheduler_core.plugins.node_volume_limits.attachables import may_be_attached
from scheduler_core.plugins.volumes import CLAIM


def after_csi_node_update(pod: Pod, old: CSINode, new: CSINode) -> QueueingHint:
    """Return Queue if a driver's limit was raised; a driver without a limit counts as 0 here."""
    limits = {driver.name: driver.allocatable_count or 0 for driver in old.drivers}
    raised = any((driver.allocatable_count or 0) > limits.get(driver.name, 0) for driver in new.drivers)
    return QueueingHint.QUEUE if raised else QueueingHint.SKIP


def after_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Return Queue if the deleted pod was assigned or nominated and had volumes to attach."""
    if not old.node_name and not old.nominated_node_name:
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if any(map(may_be_attached, old.volumes)) else QueueingHint.SKIP


def after_attachment_deleted(pod: Pod, old: VolumeAttachment, new: None) -> QueueingHint:
    """Return Queue if the pod has a PVC, or an inline volume of the attachment's driver.

    Raises PluginError for an in-tree volume without a CSI form.
    """
    for volume in pod.volumes:
        if volume.source == CLAIM:
            return QueueingHint.QUEUE
        plugin = BY_SOURCE.get(volume.source)
        if plugin is not None:
            inline_handle(plugin, volume)
            if old.attacher == plugin.driver:
                return QueueingHint.QUEUE
    return QueueingHint.SKIP
