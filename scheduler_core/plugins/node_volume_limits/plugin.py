"""NodeVolumeLimits: a node attaches at most as many volumes of a CSI driver as its CSINode allows."""

from collections.abc import Sequence

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.volume_attachment import VolumeAttachment
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    WithHandle,
)
from scheduler_core.framework.status import SKIP, SUCCESS, PluginError, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.node_volume_limits.attachables import (
    Attachable,
    ClaimNotFoundError,
    attachables,
    csi_handle,
    may_be_attached,
)
from scheduler_core.plugins.node_volume_limits.hints import (
    after_attachment_deleted,
    after_csi_node_update,
    after_pod_deleted,
)
from scheduler_core.plugins.volumes import after_claim_change

REASON = "node(s) exceed max volume count"


class NodeVolumeLimits(WithHandle, PreFilterPlugin, FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go."""

    name = "NodeVolumeLimits"

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        return PreFilterResult() if any(map(may_be_attached, pod.volumes)) else PreFilterResult(SKIP)

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not pod.volumes

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        try:
            wanted = list(attachables(pod, self._handle.lister, is_new=True))
        except ClaimNotFoundError as error:
            return Verdicts.same(len(nodes), Status.unresolvable(str(error)))
        if not wanted:
            return Verdicts.all_pass(len(nodes))
        attached = self._volume_attachments()
        return Verdicts.from_statuses([self._check(wanted, node, attached.get(node.name, {})) for node in nodes])

    def _volume_attachments(self) -> dict[str, dict[tuple[str, str], None]]:
        """Return node name → keys of the volumes that VolumeAttachments attach to it."""
        lister = self._handle.lister
        attached: dict[str, dict[tuple[str, str], None]] = {}
        attachments: Sequence[VolumeAttachment] = lister.list("VolumeAttachment")
        for attachment in attachments:
            volume: PersistentVolume | None = lister.get("PersistentVolume", attachment.persistent_volume_name or "")
            if volume is not None and volume.source == "csi":
                key = (attachment.attacher, csi_handle(volume))
                attached.setdefault(attachment.node_name, {})[key] = None
        return attached

    def _check(self, wanted: list[Attachable], node: NodeView, attached: dict[tuple[str, str], None]) -> Status:
        """Return the node's status. `attached` holds the volumes attached by VolumeAttachments."""
        csi_node: CSINode | None = self._handle.lister.get("CSINode", node.name)
        try:
            new = {volume.key: None for volume in wanted if volume.counts_on(csi_node)}
            limits = _limits(csi_node)
            if not new or not limits:
                return SUCCESS
            used = {
                volume.key: None
                for pod in node.pods
                if pod.volumes
                for volume in attachables(pod, self._handle.lister, is_new=False)
                if volume.counts_on(csi_node)
            }
        except PluginError as error:
            return Status.error(str(error))
        taken = used | attached
        for driver, limit in limits.items():
            more = sum(key[0] == driver and key not in used for key in new)
            if more and more + sum(key[0] == driver for key in taken) > limit:
                return Status.unschedulable(REASON)
        return SUCCESS

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        claim_added = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD)
        attachment_deleted = ClusterEvent(EventResource.VOLUME_ATTACHMENT, ActionType.DELETE)
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.CSI_NODE, ActionType.ADD)),
            ClusterEventWithHint(ClusterEvent(EventResource.CSI_NODE, ActionType.UPDATE), after_csi_node_update),
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.DELETE), after_pod_deleted),
            ClusterEventWithHint(claim_added, after_claim_change),
            ClusterEventWithHint(attachment_deleted, after_attachment_deleted),
        ]


def _limits(csi_node: CSINode | None) -> dict[str, int]:
    """Return driver → how many volumes the node can attach, without drivers that have no limit."""
    if csi_node is None:
        return {}
    return {
        driver.name: driver.allocatable_count for driver in csi_node.drivers if driver.allocatable_count is not None
    }
