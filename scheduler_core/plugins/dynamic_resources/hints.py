"""Queueing hints for pods whose claims could not be allocated.

Source: dynamicresources.go isSchedulableAfterClaimChange, isSchedulableAfterPodChange.
"""

from kube_objects.devices import ResourceClaim
from kube_objects.pod import Pod
from scheduler_core.framework.events import QueueingHint
from scheduler_core.framework.handle import Lister
from scheduler_core.plugins.dynamic_resources.claims import ClaimError, list_pod_claims


def after_claim_change(lister: Lister, pod: Pod, old: ResourceClaim | None, new: ResourceClaim | None) -> QueueingHint:
    """Return Queue for a deallocated claim, and for another change of a claim that the pod uses."""
    if new is None:
        return QueueingHint.SKIP
    try:
        used = any(claim.uid == new.uid for claim in list_pod_claims(pod, lister))
    except ClaimError:
        return QueueingHint.SKIP
    if old is not None and old.allocation is not None and new.allocation is None:
        return QueueingHint.QUEUE
    if not used:
        return QueueingHint.SKIP
    if old is None:
        return QueueingHint.QUEUE
    return QueueingHint.SKIP if _status_of(old) == _status_of(new) else QueueingHint.QUEUE


def _status_of(claim: ResourceClaim) -> tuple[object, ...]:
    return claim.allocation, claim.reserved_for, [status.manifest for status in claim.device_statuses]


def after_pod_change(lister: Lister, pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Return Queue if the pod's own claims exist now."""
    if new is None or new.uid != pod.uid:
        return QueueingHint.SKIP
    try:
        list_pod_claims(new, lister)
    except ClaimError:
        return QueueingHint.SKIP
    return QueueingHint.QUEUE
