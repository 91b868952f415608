"""The ResourceClaim controller, for claims whose template was created after their Pod.

A new template enqueues its Pods; failures are tried again after a backoff. `simulation/claims.py` handles claims whose
templates exist when the Pod is created, and releases claims. Source: pkg/controller/resourceclaim/controller.go.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import ADDED, SPEC, Backoff, Outcome, ReconcileRequest
from kube_controllers.objects import View
from kube_controllers.pods import is_finished
from kube_objects.manifests import (
    Manifest,
    annotations,
    is_deleted,
    key,
    key_of,
    kind,
    name,
    namespace,
    spec,
    status,
    uid,
)
from kube_objects.sentences import say

COMPONENT = "resource_claim"
_TEMPLATE = "ResourceClaimTemplate"
_POD_CLAIM = "resource.kubernetes.io/pod-claim-name"


class ResourceClaimController:
    name = "resource-claim"
    kind = "Pod"
    watches = frozenset({"Pod", _TEMPLATE})
    event_filter: Mapping[str, int] = {"Pod": ADDED | SPEC, _TEMPLATE: ADDED | SPEC}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        """Return requests for Pods with missing claims. Source: enqueuePod, enqueueResourceClaimTemplate."""
        if new is None:
            return
        pods = view.of_kind("Pod", namespace(new)) if kind(new) == _TEMPLATE else (new,)
        for pod in pods:
            if any(new is pod or entry["resourceClaimTemplateName"] == name(new) for entry in _missing_claims(pod)):
                yield ReconcileRequest(key(pod))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Create the Pod's missing claims; the first failure ends the reconcile. Source: syncPod, handleClaim."""
        if is_deleted(obj) or is_finished(obj):
            return Outcome()
        api = Api(view)
        created = []
        reason = ""
        for entry in _missing_claims(obj):
            claim_name = _existing_claim(obj, entry, view)
            if claim_name:
                created.append({"name": entry["name"], "resourceClaimName": claim_name})
                continue
            template = view.get(_TEMPLATE, key_of(namespace(obj), str(entry["resourceClaimTemplateName"])))
            if template is None:
                reason = _missing_template_message(entry)
                api.emit_event(obj, "Warning", "FailedResourceClaimCreation", reason, COMPONENT)
                break
            claim = api.create(_new_claim(template, obj, entry))
            created.append({"name": entry["name"], "resourceClaimName": name(claim)})
        if created:
            known = status(obj).get("resourceClaimStatuses") or ()
            api.update_status(obj, {**status(obj), "resourceClaimStatuses": [*known, *created]})
            reason = reason or say("Pod {pod} gets its claims: their templates now exist", pod=name(obj))
        return Outcome(api.changes, reason, failed=len(created) < len(list(_missing_claims(obj))))


def _existing_claim(pod: Manifest, entry: Mapping[str, Any], view: View) -> str:
    """Return the name of a claim that exists but is missing in the Pod's status. Source: findPodResourceClaim."""
    owned = (claim for claim in view.dependents(uid(pod)) if kind(claim) == "ResourceClaim")
    return next((name(claim) for claim in owned if annotations(claim).get(_POD_CLAIM) == entry["name"]), "")


def _missing_claims(pod: Manifest) -> Iterator[Mapping[str, Any]]:
    """Yield the Pod's templated claims that its status doesn't list."""
    entries = spec(pod).get("resourceClaims") or ()
    if not entries:
        return
    known = {entry.get("name") for entry in status(pod).get("resourceClaimStatuses") or ()}
    yield from (entry for entry in entries if entry.get("resourceClaimTemplateName") and entry.get("name") not in known)


def _missing_template_message(entry: Mapping[str, Any]) -> str:
    template = entry["resourceClaimTemplateName"]
    missing = f'resourceclaimtemplate.resource.k8s.io "{template}" not found'
    return f'PodResourceClaim {entry["name"]}: resource claim template "{template}": {missing}'


def _new_claim(template: Manifest, pod: Manifest, entry: Mapping[str, Any]) -> dict[str, Any]:
    template_spec = spec(template)
    template_metadata = template_spec.get("metadata") or {}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name(pod), "uid": pod["metadata"]["uid"]}
    metadata = {
        "generateName": f"{name(pod)}-{entry['name']}-",
        "namespace": namespace(pod),
        **({"labels": template_metadata["labels"]} if template_metadata.get("labels") else {}),
        "annotations": {**(template_metadata.get("annotations") or {}), _POD_CLAIM: entry["name"]},
        "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
    }
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": template_spec.get("spec") or {},
    }
