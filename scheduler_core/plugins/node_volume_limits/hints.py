"""Which events may help a pod that found no node with room for its volumes.

Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.volume_attachment import VolumeAttachment
from kube_objects.pod import Pod
from scheduler_core.framework.events import Hint
from scheduler_core.plugins.csi_migration import BY_SOURCE, inline_handle
from scheduler_core.plugins.node_volume_limits.attachables import may_be_attached
from scheduler_core.plugins.volumes import CLAIM


def after_csi_node_update(pod: Pod, old: CSINode, new: CSINode) -> Hint:
    """A driver can attach more than before; one without a limit counts as 0 here."""
    limits = {driver.name: driver.allocatable_count or 0 for driver in old.drivers}
    raised = any((driver.allocatable_count or 0) > limits.get(driver.name, 0) for driver in new.drivers)
    return Hint.QUEUE if raised else Hint.SKIP


def after_pod_deleted(pod: Pod, old: Pod, new: None) -> Hint:
    """The deleted pod had volumes attached, or was about to."""
    if not old.node_name and not old.nominated_node_name:
        return Hint.SKIP
    return Hint.QUEUE if any(map(may_be_attached, old.volumes)) else Hint.SKIP


def after_attachment_deleted(pod: Pod, old: VolumeAttachment, new: None) -> Hint:
    """The pod has a volume that the attachment may have kept out; whether it is of the same driver is not looked up.

    PluginError for an in-tree volume without a CSI form.
    """
    for volume in pod.volumes:
        if volume.source == CLAIM:
            return Hint.QUEUE
        plugin = BY_SOURCE.get(volume.source)
        if plugin is not None:
            inline_handle(plugin, volume)
            if old.attacher == plugin.driver:
                return Hint.QUEUE
    return Hint.SKIP
