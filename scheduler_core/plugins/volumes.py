"""Helpers of the volume plugins: the claims that a pod uses, and upstream's messages for missing objects.

Source: component-helpers/storage/ephemeral/ephemeral.go, apimachinery/pkg/api/errors NewNotFound.
"""

from collections.abc import Iterator

from kube_objects.kinds.core.persistent_volume_claim import PersistentVolumeClaim
from kube_objects.pod import Pod
from kube_objects.volumes import PodVolume
from scheduler_core.framework.events import QueueingHint

CLAIM, EPHEMERAL = "persistentVolumeClaim", "ephemeral"
READ_WRITE_ONCE_POD = "ReadWriteOncePod"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"

CLAIM_NOT_FOUND = 'persistentvolumeclaim "{}" not found'
VOLUME_NOT_FOUND = 'persistentvolume "{}" not found'
CLASS_NOT_FOUND = 'storageclass.storage.k8s.io "{}" not found'
NOT_OWNER = "PVC {claim} was not created for pod {pod} (pod is not owner)"


def claim_volumes(pod: Pod) -> Iterator[PodVolume]:
    """Return the pod's volumes with a PVC: named by the pod, or created for an ephemeral volume."""
    return (volume for volume in pod.volumes if volume.source in (CLAIM, EPHEMERAL))


def named_claims(pod: Pod) -> list[str]:
    """Return the names of the PVCs that the pod names itself."""
    return [volume.claim_name for volume in pod.volumes if volume.source == CLAIM]


def claim_key(pod: Pod, volume: PodVolume) -> str:
    return f"{pod.namespace}/{volume.claim_name}"


def owner_error(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """Return why `claim` can't belong to an ephemeral volume of `pod`, or "". Source: ephemeral.VolumeIsForPod."""
    owner = claim.controller
    if owner is not None and owner.uid == pod.uid:
        return ""
    return NOT_OWNER.format(claim=claim.key, pod=pod.key)


def after_claim_change(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> QueueingHint:
    """Return Queue if the pod uses the changed PVC."""
    uses = new.namespace == pod.namespace and any(volume.claim_name == new.name for volume in claim_volumes(pod))
    return QueueingHint.QUEUE if uses else QueueingHint.SKIP


def after_named_claim_change(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> QueueingHint:
    """Return Queue if the pod names the changed PVC itself; PVCs of ephemeral volumes don't count."""
    return QueueingHint.QUEUE if new.namespace == pod.namespace and new.name in named_claims(pod) else QueueingHint.SKIP
