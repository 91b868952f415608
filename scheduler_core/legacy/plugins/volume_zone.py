"""VolumeZone in v1.20.2: labels are compared literally, and unusable PVCs are errors.

Source (v1.20): pkg/scheduler/framework/plugins/volumezone.
"""

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from scheduler_core.cache.nodes import Nodes, NodeView
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.volume_zone import plugin as volume_zone
from scheduler_core.plugins.volume_zone.plugin import NO_CLASS, NOT_BOUND, REASON, TOPOLOGY_LABELS, volume_topologies
from scheduler_core.plugins.volumes import CLAIM_NOT_FOUND, VOLUME_NOT_FOUND, WAIT_FOR_FIRST_CONSUMER, named_claims

CLASS_NOT_FOUND = 'StorageClass "{}" claimed by PersistentVolumeClaim "{}" not found'


class VolumeZone(volume_zone.VolumeZone):
    without = frozenset({ExtensionPoint.PRE_FILTER})

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        if not named_claims(pod):
            return Verdicts.all_pass(len(nodes))
        return Verdicts.from_statuses([self._check(pod, node) for node in nodes])

    def _check(self, pod: Pod, node: NodeView) -> Status:
        """Check one node; a node without any zone or region label passes, because it is in a single-zone cluster."""
        if not any(key in node.labels for key in TOPOLOGY_LABELS):
            return SUCCESS
        lister = self._handle.lister
        for name in named_claims(pod):
            claim: PersistentVolumeClaim | None = lister.get("PersistentVolumeClaim", f"{pod.namespace}/{name}")
            if claim is None:
                return Status.error(CLAIM_NOT_FOUND.format(name))
            if not claim.volume_name:
                problem = self._unbound(claim)
                if problem:
                    return Status.error(problem)
                continue
            volume: PersistentVolume | None = lister.get("PersistentVolume", claim.volume_name)
            if volume is None:
                return Status.error(VOLUME_NOT_FOUND.format(claim.volume_name))
            if any(node.labels.get(zone.key, "") not in zone.values for zone in volume_topologies(volume)):
                return Status.unresolvable(REASON)
        return SUCCESS

    def _unbound(self, claim: PersistentVolumeClaim) -> str:
        if not claim.storage_class_name:
            return NO_CLASS
        found: StorageClass | None = self._handle.lister.get("StorageClass", claim.storage_class_name)
        if found is None:
            return CLASS_NOT_FOUND.format(claim.storage_class_name, claim.name)
        return "" if found.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER else NOT_BOUND
