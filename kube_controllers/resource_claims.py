"""Resource claims: those that a pod needs made of templates that were not there when it came.

Source: pkg/controller/resourceclaim/controller.go. Pods hear of a template that comes; what could not be made is also
tried again after a backoff. Claims whose templates are there are made with their pods, and freed, by
`simulation/claims.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import CAME, SPEC, Backoff, Outcome, Wake
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


class ResourceClaimActor:
    name = "resource-claim"
    kind = "Pod"
    watches = frozenset({"Pod", _TEMPLATE})
    heeds: Mapping[str, int] = {"Pod": CAME | SPEC, _TEMPLATE: CAME | SPEC}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        """Source: enqueuePod, enqueueResourceClaimTemplate."""
        if new is None:
            return
        pods = view.of_kind("Pod", namespace(new)) if kind(new) == _TEMPLATE else (new,)
        for pod in pods:
            if any(new is pod or entry["resourceClaimTemplateName"] == name(new) for entry in _missing(pod)):
                yield Wake(key(pod))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Source: syncPod, handleClaim: the first that cannot be made ends it."""
        if is_deleted(obj) or is_finished(obj):
            return Outcome()
        api = Api(view)
        made = []
        why = ""
        for entry in _missing(obj):
            named = _made_before(obj, entry, view)
            if named:
                made.append({"name": entry["name"], "resourceClaimName": named})
                continue
            template = view.get(_TEMPLATE, key_of(namespace(obj), str(entry["resourceClaimTemplateName"])))
            if template is None:
                why = _why_not(entry)
                api.tell(obj, "Warning", "FailedResourceClaimCreation", why, COMPONENT)
                break
            claim = api.create(_claim_of(template, obj, entry))
            made.append({"name": entry["name"], "resourceClaimName": name(claim)})
        if made:
            known = status(obj).get("resourceClaimStatuses") or ()
            api.update_status(obj, {**status(obj), "resourceClaimStatuses": [*known, *made]})
            why = why or say("Pod {pod} gets its claims: their templates are there now", pod=name(obj))
        return Outcome(api.changes, why, failed=len(made) < len(list(_missing(obj))))


def _made_before(pod: Manifest, entry: Mapping[str, Any], view: View) -> str:
    """The name of a claim that the pod was not told of. Source: findPodResourceClaim."""
    owned = (one for one in view.dependents(uid(pod)) if kind(one) == "ResourceClaim")
    return next((name(one) for one in owned if annotations(one).get(_POD_CLAIM) == entry["name"]), "")


def _missing(pod: Manifest) -> Iterator[Mapping[str, Any]]:
    """What it asks for by a template, and was not told of."""
    entries = spec(pod).get("resourceClaims") or ()
    if not entries:
        return
    known = {one.get("name") for one in status(pod).get("resourceClaimStatuses") or ()}
    yield from (one for one in entries if one.get("resourceClaimTemplateName") and one.get("name") not in known)


def _why_not(entry: Mapping[str, Any]) -> str:
    template = entry["resourceClaimTemplateName"]
    missing = f'resourceclaimtemplate.resource.k8s.io "{template}" not found'
    return f'PodResourceClaim {entry["name"]}: resource claim template "{template}": {missing}'


def _claim_of(template: Manifest, pod: Manifest, entry: Mapping[str, Any]) -> dict[str, Any]:
    wanted = spec(template)
    given = wanted.get("metadata") or {}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name(pod), "uid": pod["metadata"]["uid"]}
    metadata = {
        "generateName": f"{name(pod)}-{entry['name']}-",
        "namespace": namespace(pod),
        **({"labels": given["labels"]} if given.get("labels") else {}),
        "annotations": {**(given.get("annotations") or {}), _POD_CLAIM: entry["name"]},
        "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
    }
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": metadata,
        "spec": wanted.get("spec") or {},
    }
