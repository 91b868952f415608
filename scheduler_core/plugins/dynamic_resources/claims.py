"""The ResourceClaims that a pod uses.

Source: dynamic-resource-allocation/resourceclaim/resourceclaim.go, foreachPodResourceClaim.
"""

from kube_objects.devices import ResourceClaim
from kube_objects.pod import Pod, PodClaim
from scheduler_core.framework.handle import Lister

NOT_FOUND = 'could not find ResourceClaim "{claim}"'
NOT_OWNER = "ResourceClaim {claim} was not created for pod {pod} (pod is not owner)"


class ClaimError(Exception):
    """Raised if the pod can't be scheduled with its claims as they are; the message is upstream's."""


def list_pod_claims(pod: Pod, lister: Lister, not_owner: str = NOT_OWNER) -> list[ResourceClaim]:
    """Return the pod's claims in order. Raises ClaimError.

    Claims from templates must belong to the pod; the pod's status may say that a template needs no claim.
    """
    claims = []
    for entry in pod.resource_claims:
        name = _name(pod, entry)
        if name is None:
            continue
        key = f"{pod.namespace}/{name}"
        claim = lister.get("ResourceClaim", key)
        if not isinstance(claim, ResourceClaim):
            raise ClaimError(NOT_FOUND.format(claim=key))
        if claim.deletion_timestamp is not None:
            raise ClaimError(f'resourceclaim "{claim.name}" is being deleted')
        if entry.template and not entry.claim and (claim.controller is None or claim.controller.uid != pod.uid):
            raise ClaimError(not_owner.format(claim=key, pod=pod.key))
        claims.append(claim)
    return claims


def _name(pod: Pod, entry: PodClaim) -> str | None:
    if entry.claim:
        return entry.claim
    if not entry.template:
        text = "none of the supported fields are set"
        raise ClaimError(f'pod "{pod.key}", spec.resourceClaim "{entry.name}": {text}')
    if entry.name not in pod.claim_names:
        raise ClaimError(f'pod "{pod.key}": ResourceClaim not created yet')
    return pod.claim_names[entry.name]
