"""The part of the resource claim controller: claims are made from templates, and let go of when their pods have ended.

Source: pkg/controller/resourceclaim/controller.go. Here it acts at once. What has to wait for its template is made when
that comes, or is tried again by the controller itself where it is at work: `actors/resource_claims.py`.
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

# On a claim that was made for a pod: which of the pod's claims it is.
POD_CLAIM = "resource.kubernetes.io/pod-claim-name"
# Room for a hyphen and five letters in a name of 63.
_LONGEST_BASE = 57


class Objects(Protocol):
    """The cluster, as far as this controller sees and changes it."""

    store: ObjectStore

    def has_controller(self, name: str) -> bool: ...

    def find_pod(self, key: str) -> Pod | None: ...

    def put(self, obj: KubeObject) -> None: ...

    def delete(self, obj: KubeObject) -> None: ...

    def name_for(self, prefix: str) -> str: ...

    def record(self, obj: KubeObject, type_: str, reason: str, message: str) -> None: ...


def follow(cluster: Objects, pod: Pod, is_new: bool) -> None:
    """A pod that uses claims came or changed: make those that are missing; one that has ended needs none any more."""
    if pod.finished or (pod.terminating and not pod.node_name):
        release(cluster, pod)
        return
    made = {entry.name: name for entry in pod.resource_claims if (name := _made_for(cluster, pod, entry, is_new))}
    if made:
        cluster.put(pod.with_claims({**pod.claim_names, **made}))
    elif pod.node_name:
        _reserve(cluster, pod)


def template_came(cluster: Objects, template: ResourceClaimTemplate) -> None:
    """Pods may have waited for it."""
    if cluster.has_controller("resource-claim"):
        return
    for pod in cluster.store.list("Pod", template.namespace):
        if any(entry.template == template.name for entry in pod.resource_claims) and not pod.finished:
            follow(cluster, pod, is_new=False)


def claim_went(cluster: Objects, claim: ResourceClaim) -> None:
    """A claim that was made for a pod which still needs it is made again."""
    owner = claim.controller
    pod = cluster.find_pod(f"{claim.namespace}/{owner.name}") if owner is not None and owner.kind == "Pod" else None
    if pod is not None and owner is not None and pod.uid == owner.uid and not pod.finished:
        follow(cluster, pod, is_new=False)


def release(cluster: Objects, pod: Pod) -> None:
    """The pod needs no devices any more. Nobody left: the claim is free; made for the pod: it goes."""
    for claim in list(_used_by(cluster, pod)):
        if claim.is_reserved_for(pod.uid):
            freed = copy.copy(claim)
            freed.reserved_for = tuple(one for one in claim.reserved_for if one.uid != pod.uid)
            if not freed.reserved_for and DELETE_PROTECTION in claim.finalizers:
                freed.allocation, freed.device_statuses = None, ()
                freed.finalizers = tuple(name for name in claim.finalizers if name != DELETE_PROTECTION)
            cluster.put(freed)
        live = cluster.store.get("ResourceClaim", claim.key)
        if live is not None and _is_owned(live, pod):
            cluster.delete(live)


def _made_for(cluster: Objects, pod: Pod, entry: PodClaim, is_new: bool) -> str:
    """The name of the claim that is new to the pod, or "" where nothing is to be done, or nothing can be."""
    if entry.claim or not entry.template:
        return ""
    known = pod.claim_names.get(entry.name)
    if known is None and entry.name in pod.claim_names:
        return ""  # the template says that none is needed
    current = cluster.store.get("ResourceClaim", f"{pod.namespace}/{known}") if known else None
    if current is not None and _is_owned(current, pod):
        return ""
    # A pod that was written anew, without its status, has its claim already.
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
    claim = _claim_of(template, pod, entry, _free_name(cluster, pod, entry))
    cluster.put(claim)
    return claim.name


def _free_name(cluster: Objects, pod: Pod, entry: PodClaim) -> str:
    base = f"{pod.name}-{entry.name}-"
    if len(base) > _LONGEST_BASE:
        of_pod, of_entry = (len(part) * _LONGEST_BASE // len(base) for part in (pod.name, entry.name))
        base = f"{pod.name[:of_pod]}-{entry.name[:of_entry]}"
    while True:
        name = cluster.name_for(base)
        if cluster.store.get("ResourceClaim", f"{pod.namespace}/{name}") is None:
            return name


def _claim_of(template: ResourceClaimTemplate, pod: Pod, entry: PodClaim, name: str) -> ResourceClaim:
    given = template.template.get("metadata") or {}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod.name, "uid": pod.uid}
    manifest = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": pod.namespace,
            **({"labels": given["labels"]} if given.get("labels") else {}),
            "annotations": {**(given.get("annotations") or {}), POD_CLAIM: entry.name},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "spec": template.template.get("spec") or {},
    }
    claim = parse_object(manifest)
    assert isinstance(claim, ResourceClaim)
    return claim


def _reserve(cluster: Objects, pod: Pod) -> None:
    """A pod that came with a node uses what its claims have been given already."""
    for claim in list(_used_by(cluster, pod)):
        if claim.allocation is not None and not claim.is_reserved_for(pod.uid):
            reserved = copy.copy(claim)
            reserved.reserved_for = (*claim.reserved_for, Consumer("pods", pod.name, pod.uid))
            cluster.put(reserved)


def _used_by(cluster: Objects, pod: Pod) -> Iterator[ResourceClaim]:
    """The claims that the pod names, those made for it, and the one for its extended resources."""
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
