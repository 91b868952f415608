"""The PVCs of a pod, by what must be done about them.

Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go podHasPVCs, binder.go GetPodVolumeClaims.
"""

from dataclasses import dataclass, field

from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.kinds.storage.storage_class import StorageClass
from kube_objects.pod import Pod
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.volume_binding.assume_cache import AssumeCache
from scheduler_core.plugins.volumes import (
    CLAIM_NOT_FOUND,
    EPHEMERAL,
    WAIT_FOR_FIRST_CONSUMER,
    claim_key,
    claim_volumes,
    owner_error,
)

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"

AWAITS_CONTROLLER = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "{}"'
LOST = 'persistentvolumeclaim "{}" bound to non-existent persistentvolume "{}"'
BEING_DELETED = 'persistentvolumeclaim "{}" is being deleted'


@dataclass(slots=True)
class PodClaims:
    """The pod's PVCs; one that two volumes name is listed twice.

    `delayed` PVCs wait for their first consumer; `immediate` ones should have been bound before.
    """

    bound: list[PersistentVolumeClaim] = field(default_factory=list)
    delayed: list[PersistentVolumeClaim] = field(default_factory=list)
    immediate: list[PersistentVolumeClaim] = field(default_factory=list)


def claims_error(pod: Pod, lister: Lister, lost_counts: bool = True) -> str:
    """Return the message for the first unusable PVC of `pod`, or "". `lost_counts`: a lost PVC is unusable."""
    for volume in claim_volumes(pod):
        claim: PersistentVolumeClaim | None = lister.get("PersistentVolumeClaim", claim_key(pod, volume))
        if claim is None:
            text = AWAITS_CONTROLLER if volume.source == EPHEMERAL else CLAIM_NOT_FOUND
            return text.format(volume.claim_name)
        if lost_counts and claim.phase == "Lost":
            return LOST.format(claim.name, claim.volume_name)
        if claim.deletion_timestamp is not None:
            return BEING_DELETED.format(claim.name)
        if volume.source == EPHEMERAL and (error := owner_error(pod, claim)):
            return error
    return ""


def pod_claims(pod: Pod, claims: AssumeCache[PersistentVolumeClaim], lister: Lister) -> PodClaims:
    """Return the pod's PVCs, without those that don't exist."""
    result = PodClaims()
    for volume in claim_volumes(pod):
        claim = claims.get(claim_key(pod, volume))
        if claim is None:
            continue
        if is_bound(claim):
            result.bound.append(claim)
        elif not claim.volume_name and _is_delayed(claim, lister):
            result.delayed.append(claim)
        else:
            result.immediate.append(claim)
    return result


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Return True if the PV controller has bound the PVC; naming a volume isn't enough."""
    return bool(claim.volume_name) and BIND_COMPLETED in claim.annotations


def _is_delayed(claim: PersistentVolumeClaim, lister: Lister) -> bool:
    storage_class: StorageClass | None = lister.get("StorageClass", claim.storage_class_name or "")
    return storage_class is not None and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
