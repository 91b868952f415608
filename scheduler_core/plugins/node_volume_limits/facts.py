"""NodeVolumeLimits' facts: how many volumes of each driver the node can attach.

Source: pkg/scheduler/framework/plugins/nodevolumelimits.
"""

from collections import Counter

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.storage.csi_node import CSINode
from kube_objects.kinds.storage.volume_attachment import VolumeAttachment
from kube_objects.sentences import Template
from scheduler_core.cache.nodes import NodeView
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.fact import Fact
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.plugins.node_volume_limits.attachables import ClaimNotFoundError, attachables, csi_handle

WITHIN_LIMIT = Template("{used} attached and {more} more: within the limit of {limit}")
OVER_LIMIT = Template("{used} attached and {more} more: over the limit of {limit}")
MISSING_CLAIM = Template("a claim of the pod does not exist")


def facts(context: AttemptContext, state: CycleState, node: NodeView) -> list[Fact]:
    """Return one fact for each CSI driver with a limit on the node of which the pod needs more volumes."""
    lister = context.lister
    csi_node: CSINode | None = lister.get("CSINode", node.name)
    try:
        attached = attachables(context.pod, lister, is_new=True)
        wanted = {volume.key: None for volume in attached if volume.counts_on(csi_node)}
    except ClaimNotFoundError as error:
        return [Fact(MISSING_CLAIM(), str(error), True)]
    limits = {} if csi_node is None else {driver.name: driver.allocatable_count for driver in csi_node.drivers}
    of_pods = {
        volume.key: None
        for pod in node.pods
        for volume in attachables(pod, lister, is_new=False)
        if volume.counts_on(csi_node)
    }
    used = Counter(driver for driver, _ in of_pods | _attached(context, node.name))
    more = Counter(driver for driver, handle in wanted if (driver, handle) not in of_pods)
    result = []
    for driver in sorted(more):
        limit = limits.get(driver)
        if limit is not None:
            over = used[driver] + more[driver] > limit
            values = {"used": used[driver], "more": more[driver], "limit": limit}
            result.append(Fact((OVER_LIMIT if over else WITHIN_LIMIT)(**values), driver, over, values))
    return result


def _attached(context: AttemptContext, node_name: str) -> dict[tuple[str, str], None]:
    """Return the volumes that VolumeAttachments attach to the node."""
    attached: dict[tuple[str, str], None] = {}
    attachments: list[VolumeAttachment] = [*context.lister.list("VolumeAttachment")]
    for attachment in attachments:
        name = attachment.persistent_volume_name or ""
        volume: PersistentVolume | None = context.lister.get("PersistentVolume", name)
        if attachment.node_name == node_name and volume is not None and volume.source == "csi":
            attached[attachment.attacher, csi_handle(volume)] = None
    return attached
