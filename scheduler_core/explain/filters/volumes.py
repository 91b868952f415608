"""VolumeRestrictions, VolumeZone and NodeVolumeLimits: what the pod's volumes ask of the node.

Source: pkg/scheduler/framework/plugins/volumerestrictions, volumezone, nodevolumelimits.
"""

from collections import Counter
from collections.abc import Iterator

from scheduler_core.cache.nodes import NodeView
from scheduler_core.explain.facts import Fact, named
from scheduler_core.explain.scene import Scene
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.objects.kinds.core.persistent_volume import PersistentVolume
from scheduler_core.objects.kinds.storage.csi_node import CSINode
from scheduler_core.objects.kinds.storage.volume_attachment import VolumeAttachment
from scheduler_core.plugins import volume_restrictions, volume_zone
from scheduler_core.plugins.helper import Constant
from scheduler_core.plugins.node_volume_limits.attachables import ClaimNotFoundError, attachables, csi_handle
from scheduler_core.plugins.volumes import named_claims
from scheduler_core.sentences import Template

IN_USE = Template("this claim may be used by one pod only (ReadWriteOncePod), and {pods} use it")
DISK = Template("{pods} on the node use this disk too, and it cannot be shared")
DISK_FREE = Template("no pod on the node uses this disk in a way that excludes others")
SAME_PLACE = Template("the volume's label {wanted} agrees with the node's")
OTHER_PLACE = Template("the volume can only be used where {wanted}; the node has {actual}")
UNPLACED = Template("the node has no zone or region labels: volumes may be used there")
WITHIN_LIMIT = Template("{used} attached and {more} more: within the limit of {limit}")
OVER_LIMIT = Template("{used} attached and {more} more: over the limit of {limit}")
MISSING_CLAIM = Template("a claim of the pod does not exist")


def restriction_facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    return [*_claims_in_use(scene, state), *_disks(scene, node)]


def _claims_in_use(scene: Scene, state: CycleState) -> Iterator[Fact]:
    data: volume_restrictions.State | None = state.find(volume_restrictions.PRE_FILTER)
    if data is None or data.users <= 0:
        return
    for name in sorted(data.claims):
        nodes = scene.nodes.claim_users(f"{scene.pod.namespace}/{name}")
        users = [pod for host in nodes for pod in scene.node(host).pods if name in named_claims(pod)]
        if users:
            pods = named(users)
            yield Fact(IN_USE(pods=", ".join(pods)), name, True, {"pods": pods, "nodes": sorted(nodes)})


def _disks(scene: Scene, node: NodeView) -> Iterator[Fact]:
    for disk in volume_restrictions.exclusive_disks(scene.pod):
        pods = named(pod for pod in node.pods if volume_restrictions.is_taken([disk], [pod]))
        what = DISK(pods=", ".join(pods)) if pods else DISK_FREE()
        yield Fact(what, disk.name, bool(pods), {"pods": pods})


def zone_facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    data: Constant[list[volume_zone.VolumeTopology]] | None = state.find(volume_zone.PRE_FILTER)
    if data is None:
        return []
    if not any(key in node.labels for key in volume_zone.TOPOLOGY_LABELS):
        return [Fact(UNPLACED(), topology.volume) for topology in data.value]
    return [_place(topology, node) for topology in data.value]


def _place(topology: volume_zone.VolumeTopology, node: NodeView) -> Fact:
    """Of the node's labels the volume's own counts, or else the newer one of the same meaning."""
    keys = (topology.key, volume_zone.TOPOLOGY_LABELS[topology.key])
    key = next((key for key in keys if key in node.labels), topology.key)
    actual = node.labels.get(key)
    wanted = f"{topology.key} in ({','.join(sorted(topology.values))})"
    if actual in topology.values:
        return Fact(SAME_PLACE(wanted=wanted), topology.volume)
    shown = f"{key}={actual}" if actual is not None else f"!{key}"
    return Fact(OTHER_PLACE(wanted=wanted, actual=shown), topology.volume, True, {"actual": actual})


def limit_facts(scene: Scene, state: CycleState, node: NodeView) -> list[Fact]:
    """One fact for each CSI driver with a limit on the node that the pod needs more volumes of."""
    lister = scene.lister
    csi_node: CSINode | None = lister.get("CSINode", node.name)
    try:
        attached = attachables(scene.pod, lister, is_new=True)
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
    used = Counter(driver for driver, _ in of_pods | _attached(scene, node.name))
    more = Counter(driver for driver, handle in wanted if (driver, handle) not in of_pods)
    found = []
    for driver in sorted(more):
        limit = limits.get(driver)
        if limit is not None:
            over = used[driver] + more[driver] > limit
            values = {"used": used[driver], "more": more[driver], "limit": limit}
            found.append(Fact((OVER_LIMIT if over else WITHIN_LIMIT)(**values), driver, over, values))
    return found


def _attached(scene: Scene, node_name: str) -> dict[tuple[str, str], None]:
    """Volumes that VolumeAttachments say are attached to the node, whatever its pods."""
    found: dict[tuple[str, str], None] = {}
    attachments: list[VolumeAttachment] = [*scene.lister.list("VolumeAttachment")]
    for attachment in attachments:
        name = attachment.persistent_volume_name or ""
        volume: PersistentVolume | None = scene.lister.get("PersistentVolume", name)
        if attachment.node_name == node_name and volume is not None and volume.source == "csi":
            found[attachment.attacher, csi_handle(volume)] = None
    return found
