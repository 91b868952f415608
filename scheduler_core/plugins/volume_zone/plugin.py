"""VolumeZone: zone and region labels of a pod's volumes must match those of the node."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kube_objects.kinds.core.persistent_volume import PersistentVolume
from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import Nodes
from scheduler_core.framework.cycle_state import CycleState
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource, QueueingHint
from scheduler_core.framework.interface import (
    EnqueueExtensions,
    FilterPlugin,
    PreFilterPlugin,
    PreFilterResult,
    WithHandle,
)
from scheduler_core.framework.status import SKIP, SUCCESS, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.helper import ConstantState
from scheduler_core.plugins.volumes import (
    CLAIM_NOT_FOUND,
    CLASS_NOT_FOUND,
    VOLUME_NOT_FOUND,
    WAIT_FOR_FIRST_CONSUMER,
    after_named_claim_change,
    named_claims,
)

REASON = "node(s) had no available volume zone"
NO_CLASS = "PersistentVolumeClaim had no pv name and storageClass name"
NOT_BOUND = "PersistentVolume had no name"
PRE_FILTER = "PreFilterVolumeZone"

# Topology labels of volumes → the label that the node may have instead.
TOPOLOGY_LABELS = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}


@dataclass(slots=True, frozen=True)
class VolumeTopology:
    """A volume that can be used only on nodes whose label `key` has one of `values`."""

    volume: str
    key: str
    values: frozenset[str]


class VolumeZone(WithHandle, PreFilterPlugin, FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/volumezone."""

    name = "VolumeZone"

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        status, topologies = self._pod_topologies(pod)
        if not status.is_success:
            return PreFilterResult(status)
        if not topologies:
            return PreFilterResult(SKIP)
        state.write(PRE_FILTER, ConstantState(topologies))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not pod.volumes

    def _pod_topologies(self, pod: Pod) -> tuple[Status, list[VolumeTopology]]:
        """Return the topologies of all volumes that the pod's PVCs are bound to."""
        lister = self._handle.lister
        topologies: list[VolumeTopology] = []
        for name in named_claims(pod):
            claim: PersistentVolumeClaim | None = lister.get("PersistentVolumeClaim", f"{pod.namespace}/{name}")
            if claim is None:
                return Status.unresolvable(CLAIM_NOT_FOUND.format(name)), []
            if not claim.volume_name:
                reason = self._unbound(claim)
                if reason:
                    return Status.unresolvable(reason), []
                continue
            volume: PersistentVolume | None = lister.get("PersistentVolume", claim.volume_name)
            if volume is None:
                return Status.unresolvable(VOLUME_NOT_FOUND.format(claim.volume_name)), []
            topologies += volume_topologies(volume)
        return SUCCESS, topologies

    def _unbound(self, claim: PersistentVolumeClaim) -> str:
        """Return why the unbound PVC is an error, or "" if it waits for its first consumer."""
        if not claim.storage_class_name:
            return NO_CLASS
        storage_class: StorageClass | None = self._handle.lister.get("StorageClass", claim.storage_class_name)
        if storage_class is None:
            return CLASS_NOT_FOUND.format(claim.storage_class_name)
        return "" if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER else NOT_BOUND

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: ConstantState[list[VolumeTopology]] | None = state.find(PRE_FILTER)
        status, topologies = (SUCCESS, data.value) if data is not None else self._pod_topologies(pod)
        if not status.is_success:
            return Verdicts.same(len(nodes), status)
        # A node without any such label is in a single-zone cluster, where volumes may still have labels.
        placed = np.zeros(len(nodes), np.bool_)
        for key in TOPOLOGY_LABELS:
            placed |= nodes.label(key) >= 0
        conflict = np.zeros(len(nodes), np.bool_)
        for topology in topologies:
            conflict |= placed & ~_agrees(topology, nodes)
        return Verdicts.reject(conflict, REASON, resolvable=False)

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        changed = ActionType.ADD | ActionType.UPDATE
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.STORAGE_CLASS, ActionType.ADD), after_class_added),
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD | ActionType.UPDATE_NODE_LABEL)),
            ClusterEventWithHint(
                ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, changed), after_named_claim_change
            ),
            ClusterEventWithHint(ClusterEvent(EventResource.PERSISTENT_VOLUME, changed), after_volume_change),
        ]


def volume_topologies(volume: PersistentVolume) -> list[VolumeTopology]:
    """Return the volume's topologies.

    A label may list several zones, joined by `__`; one with an empty part is ignored.
    """
    return list(_topologies(volume))


def _topologies(volume: PersistentVolume) -> Iterator[VolumeTopology]:
    for key in TOPOLOGY_LABELS:
        if key in volume.labels:
            values = [value.strip() for value in volume.labels[key].split("__")]
            if all(values):
                yield VolumeTopology(volume.name, key, frozenset(values))


def _agrees(topology: VolumeTopology, nodes: Nodes) -> BoolColumn:
    """Return True for the nodes whose label, or else the newer label of the same meaning, has one of the values."""
    agrees = np.zeros(len(nodes), np.bool_)
    missing = np.ones(len(nodes), np.bool_)
    for key in (topology.key, TOPOLOGY_LABELS[topology.key]):
        codes = nodes.label(key)
        wanted = [nodes.label_code(key, value) for value in sorted(topology.values)]
        agrees |= missing & (codes >= 0) & np.isin(codes, wanted)
        missing &= codes < 0
    return agrees


def after_class_added(pod: Pod, old: None, new: StorageClass) -> QueueingHint:
    """Return Queue if the StorageClass waits for the first consumer."""
    return QueueingHint.QUEUE if new.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER else QueueingHint.SKIP


def after_volume_change(pod: Pod, old: PersistentVolume | None, new: PersistentVolume) -> QueueingHint:
    """Return Queue if the volume is new, or its topologies changed."""
    if old is None or volume_topologies(old) != volume_topologies(new):
        return QueueingHint.QUEUE
    return QueueingHint.SKIP
