"""Create ResourceClaims from templates, and release claims whose pods have ended.

This is the part of the resource claim controller that works while the controller is off, and immediately. A claim
without its template is created when the template is. The controller itself is in kube_controllers.
Source: pkg/controller/resourceclaim/controller.go.
"""

import copy
from collections.abc import Iterator
from typing import Protocol

from kube_objects.devices import DELETE_PROTECTION, Consumer, ResourceClaim, ResourceClaimTemplate
from kube_objects.meta import KubeObject
from kube_objects.parse import parse_object
from kube_objects.pod import Pod, PodClaim
from scheduler_core.dra.extended import may_be_devices
from simulator.simulation.store import ObjectStore

# The annotation of a generated claim that names the entry of the pod's `spec.resourceClaims`.
POD_CLAIM = "resource.kubernetes.io/pod-claim-name"
# A name has 63 characters; a hyphen and five random letters are added.
_LONGEST_BASE = 57


class ClaimCluster(Protocol):
    """The part of a simulated cluster that this module reads and changes."""

    store: ObjectStore

    def has_controller(self, name: str) -> bool: ...

    def find_pod(self, key: str) -> Pod | None: ...

    def put(self, obj: KubeObject) -> None: ...

    def delete(self, obj: KubeObject) -> None: ...

    def name_for(self, prefix: str) -> str: ...

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None: ...


def sync_claims(cluster: ClaimCluster, pod: Pod, is_new: bool) -> None:
    """Bring the claims of a new or changed pod up to date.

    1. Release the claims of a pod that has ended.
    2. Otherwise create missing claims from their templates, and name them in the pod's status.
    3. If none was missing, reserve the claims of a pod that has a node.
    """
    if pod.finished or (pod.terminating and not pod.node_name):
        release_claims(cluster, pod)
        return
    names = {entry.name: name for entry in pod.resource_claims if (name := _ensure_claim(cluster, pod, entry, is_new))}
    if names:
        cluster.put(pod.with_claims({**pod.claim_names, **names}))
    elif pod.node_name:
        _reserve_claims(cluster, pod)


def handle_new_template(cluster: ClaimCluster, template: ResourceClaimTemplate) -> None:
    """Create the claims of pods that waited for this template, unless the controller is on."""
    if cluster.has_controller("resource-claim"):
        return
    for pod in cluster.store.list("Pod", template.namespace):
        if any(entry.template == template.name for entry in pod.resource_claims) and not pod.finished:
            sync_claims(cluster, pod, is_new=False)


def handle_deleted_claim(cluster: ClaimCluster, claim: ResourceClaim) -> None:
    """Create a deleted claim again if its pod still needs it."""
    owner = claim.controller
    pod = cluster.find_pod(f"{claim.namespace}/{owner.name}") if owner is not None and owner.kind == "Pod" else None
    if pod is not None and owner is not None and pod.uid == owner.uid and not pod.finished:
        sync_claims(cluster, pod, is_new=False)


def release_claims(cluster: ClaimCluster, pod: Pod) -> None:
    """Remove the pod's reservation of its claims.

    A claim without other reservations is deallocated. A claim that was generated for the pod is deleted.
    """
    for claim in list(_claims_used_by(cluster, pod)):
        if claim.is_reserved_for(pod.uid):
            released = copy.copy(claim)
            released.reserved_for = tuple(consumer for consumer in claim.reserved_for if consumer.uid != pod.uid)
            if not released.reserved_for and DELETE_PROTECTION in claim.finalizers:
                released.allocation, released.device_statuses = None, ()
                released.finalizers = tuple(name for name in claim.finalizers if name != DELETE_PROTECTION)
            cluster.put(released)
        live = cluster.store.get("ResourceClaim", claim.key)
        if live is not None and _is_owned(live, pod):
            cluster.delete(live)


def _ensure_claim(cluster: ClaimCluster, pod: Pod, entry: PodClaim, is_new: bool) -> str:
    """Find or create the claim of an entry of `spec.resourceClaims`, and return its name.

    Return "" if the pod's status needs no change, or if the template is missing.
    """
    if entry.claim or not entry.template:
        return ""
    status_name = pod.claim_names.get(entry.name)
    if status_name is None and entry.name in pod.claim_names:
        return ""  # the pod's status says that the entry needs no claim
    current = cluster.store.get("ResourceClaim", f"{pod.namespace}/{status_name}") if status_name else None
    if current is not None and _is_owned(current, pod):
        return ""
    # A pod that was replaced without its status has its claim already.
    for claim in () if is_new else cluster.store.list("ResourceClaim", pod.namespace):
        if claim.annotations.get(POD_CLAIM) == entry.name and _is_owned(claim, pod):
            return str(claim.name)
    template = cluster.store.get("ResourceClaimTemplate", f"{pod.namespace}/{entry.template}")
    if template is None:
        if cluster.has_controller("resource-claim"):
            return ""
        missing = f'resourceclaimtemplate.resource.k8s.io "{entry.template}" not found'
        text = f'PodResourceClaim {entry.name}: resource claim template "{entry.template}": {missing}'
        cluster.record(pod, "Warning", "FailedResourceClaimCreation", text)
        return ""
    claim = _claim_from_template(template, pod, entry, _free_name(cluster, pod, entry))
    cluster.put(claim)
    return claim.name


def _free_name(cluster: ClaimCluster, pod: Pod, entry: PodClaim) -> str:
    base = f"{pod.name}-{entry.name}-"
    if len(base) > _LONGEST_BASE:
        pod_length, entry_length = (len(part) * _LONGEST_BASE // len(base) for part in (pod.name, entry.name))
        base = f"{pod.name[:pod_length]}-{entry.name[:entry_length]}"
    while True:
        name = cluster.name_for(base)
        if cluster.store.get("ResourceClaim", f"{pod.namespace}/{name}") is None:
            return name


def _claim_from_template(template: ResourceClaimTemplate, pod: Pod, entry: PodClaim, name: str) -> ResourceClaim:
    metadata = template.template.get("metadata") or {}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid}
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": pod.namespace,
            **({"labels": metadata["labels"]} if metadata.get("labels") else {}),
            "annotations": {**(metadata.get("annotations") or {}), POD_CLAIM: entry.name},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": template.template.get("spec") or {},
    }
    claim = parse_object(manifest)
    assert isinstance(claim, ResourceClaim)
    return claim


def _reserve_claims(cluster: ClaimCluster, pod: Pod) -> None:
    """Reserve allocated claims for a pod that was created with a node."""
    for claim in list(_claims_used_by(cluster, pod)):
        if claim.allocation is not None and not claim.is_reserved_for(pod.uid):
            reserved = copy.copy(claim)
            reserved.reserved_for = (*claim.reserved_for, Consumer("pods", pod.name, pod.uid))
            cluster.put(reserved)


def _claims_used_by(cluster: ClaimCluster, pod: Pod) -> Iterator[ResourceClaim]:
    """Yield the claims that the pod names, those generated for it, and the one for its extended resources."""
    seen = set()
    for entry in pod.resource_claims:
        name = entry.claim or pod.claim_names.get(entry.name)
        claim = cluster.store.get("ResourceClaim", f"{pod.namespace}/{name}") if name else None
        if claim is not None and claim.key not in seen and (entry.claim or _is_owned(claim, pod)):
            seen.add(claim.key)
            yield claim
    if any(may_be_devices(resource) for resource in pod.requests):
        yield from (
            claim
            for claim in cluster.store.list("ResourceClaim", pod.namespace)
            if claim.key not in seen and _is_owned(claim, pod)
        )


def _is_owned(claim: ResourceClaim, pod: Pod) -> bool:
    return claim.controller is not None and claim.controller.uid == pod.uid
