"""VolumeRestrictions: disks that only one pod may mount, and PVCs that only one pod may use."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.pod import Pod
from kube_objects.volumes import PodVolume
from scheduler_core.cache.column_types import BoolColumn
from scheduler_core.cache.nodes import Nodes, NodeView
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
from scheduler_core.plugins.volumes import (
    CLAIM_NOT_FOUND,
    READ_WRITE_ONCE_POD,
    after_named_claim_change,
    named_claims,
)

DISK_REASON = "node(s) had no available disk"
CLAIM_REASON = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
PRE_FILTER = "PreFilterVolumeRestrictions"
NO_STATE = f'cannot read "{PRE_FILTER}" from cycleState'

# Inline disks: kind of volume → the field that identifies the disk.
_IDENTITY = {
    "gcePersistentDisk": "pdName",
    "awsElasticBlockStore": "volumeID",
    "iscsi": "iqn",
    "rbd": "image",
}
_DEFAULT_POOL = "rbd"


@dataclass(slots=True)
class State:
    """The names of the pod's ReadWriteOncePod PVCs, and the number of volumes of assigned pods that use them."""

    claims: frozenset[str]
    users: int

    def clone(self) -> Self:
        return replace(self)

    def count(self, pod: Pod, sign: int) -> None:
        """Add or subtract a pod's uses. Upstream compares names only, so PVCs of other namespaces count too."""
        self.users += sign * sum(name in self.claims for name in named_claims(pod))


class VolumeRestrictions(WithHandle, PreFilterPlugin, FilterPlugin, EnqueueExtensions):
    """Source: pkg/scheduler/framework/plugins/volumerestrictions."""

    name = "VolumeRestrictions"

    def pre_filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> PreFilterResult:
        exclusive: dict[str, None] = {}
        for name in named_claims(pod):
            key = f"{pod.namespace}/{name}"
            claim: PersistentVolumeClaim | None = self._handle.lister.get("PersistentVolumeClaim", key)
            if claim is None:
                return PreFilterResult(Status.unresolvable(CLAIM_NOT_FOUND.format(name)))
            if READ_WRITE_ONCE_POD in claim.access_modes:
                exclusive[name] = None
        users = sum(bool(nodes.claim_users(f"{pod.namespace}/{name}")) for name in exclusive)
        if not users and not list_inline_disks(pod):
            return PreFilterResult(SKIP)
        state.write(PRE_FILTER, State(frozenset(exclusive), users))
        return PreFilterResult()

    def pre_filter_is_reusable(self, pod: Pod) -> bool:
        return not pod.volumes

    def add_pod(self, state: CycleState, pod: Pod, added: Pod, node: NodeView) -> Status:
        return _count(state, added, 1)

    def remove_pod(self, state: CycleState, pod: Pod, removed: Pod, node: NodeView) -> Status:
        return _count(state, removed, -1)

    def filter(self, state: CycleState, pod: Pod, nodes: Nodes) -> Verdicts:
        data: State | None = state.find(PRE_FILTER)
        if data is None:
            base_status = Status.error(NO_STATE)
        else:
            base_status = Status.unschedulable(CLAIM_REASON) if data.users > 0 else SUCCESS
        verdicts = Verdicts.same(len(nodes), base_status)
        has_conflict = find_disk_conflicts(pod, nodes)
        if has_conflict.any():
            verdicts.codes[has_conflict] = len(verdicts.statuses)
            verdicts.statuses.append(Status.unschedulable(DISK_REASON))
        return verdicts

    def events_to_register(self) -> Sequence[ClusterEventWithHint]:
        claim_added = ClusterEvent(EventResource.PERSISTENT_VOLUME_CLAIM, ActionType.ADD)
        return [
            ClusterEventWithHint(ClusterEvent(EventResource.POD, ActionType.DELETE), after_pod_deleted),
            ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD)),
            ClusterEventWithHint(claim_added, after_named_claim_change),
        ]


def _count(state: CycleState, pod: Pod, sign: int) -> Status:
    data: State | None = state.find(PRE_FILTER)
    if data is None:
        return Status.error(NO_STATE)
    data.count(pod, sign)
    return SUCCESS


def find_disk_conflicts(pod: Pod, nodes: Nodes) -> BoolColumn:
    """Return a bool per node: True if another pod there uses an inline disk of `pod`."""
    disks = list_inline_disks(pod)
    if not disks:
        return np.zeros(len(nodes), np.bool_)
    return np.fromiter(
        (have_conflict(disks, other) for other in map(_list_pods_with_volumes, nodes)), np.bool_, len(nodes)
    )


def list_inline_disks(pod: Pod) -> list[PodVolume]:
    return [volume for volume in pod.volumes if volume.source in _IDENTITY]


def _list_pods_with_volumes(node: NodeView) -> list[Pod]:
    return [pod for pod in node.pods if pod.volumes]


def have_conflict(disks: Sequence[PodVolume], pods: Sequence[Pod]) -> bool:
    return any(_is_volume_conflict(disk, other) for pod in pods for other in pod.volumes for disk in disks)


def _is_volume_conflict(wanted: PodVolume, other: PodVolume) -> bool:
    """Return True if both are the same disk and at least one writes to it; an EBS volume is always exclusive."""
    if wanted.source != other.source or wanted.source not in _IDENTITY:
        return False
    field = _IDENTITY[wanted.source]
    if wanted.spec.get(field) != other.spec.get(field):
        return False
    if wanted.source == "awsElasticBlockStore":
        return True
    if wanted.read_only and other.read_only:
        return False
    return wanted.source != "rbd" or _same_pool(wanted, other)


def _same_pool(wanted: PodVolume, other: PodVolume) -> bool:
    """Return True if the RBD images are in pools of the same name on clusters that share a monitor."""
    pool, other_pool = (volume.spec.get("pool") or _DEFAULT_POOL for volume in (wanted, other))
    monitors, others = (volume.spec.get("monitors") for volume in (wanted, other))
    if not isinstance(monitors, list) or not isinstance(others, list):
        return False
    return pool == other_pool and any(monitor in others for monitor in monitors)


def after_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Return Queue if the deleted pod used a disk or a PVC of the pod."""
    if old.namespace != pod.namespace:
        return QueueingHint.SKIP
    claims = named_claims(pod)
    freed = have_conflict(list_inline_disks(pod), [old]) or any(name in claims for name in named_claims(old))
    return QueueingHint.QUEUE if freed else QueueingHint.SKIP
