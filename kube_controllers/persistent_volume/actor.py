"""The persistent volume controller: claims find or get a volume, and what becomes of volumes afterwards.

Source: pkg/controller/volume/persistentvolume/pv_controller.go. Claims whose class waits for the first consumer are the
scheduler's.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, Wake, subject
from kube_controllers.objects import View
from kube_controllers.pods import node_of
from kube_objects.manifests import (
    Manifest,
    annotations,
    created,
    is_deleted,
    key,
    key_of,
    kind,
    labels,
    name,
    namespace,
    spec,
    status,
    uid,
    with_meta,
    with_spec,
    with_status,
)
from kube_objects.quantity import parse_milli
from kube_objects.selectors import selects
from kube_objects.sentences import say

COMPONENT = "persistentvolume-controller"
LOOK_EVERY = 15.0  # at all claims and volumes
AVAILABLE = "Available"
CLAIM, VOLUME, CLASS = "PersistentVolumeClaim", "PersistentVolume", "StorageClass"
_COMPLETED, _BY_CONTROLLER = "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"
_PROVISIONED_BY = "volume.kubernetes.io/storage-provisioner"
_ONCE_PROVISIONED_BY = "volume.beta.kubernetes.io/storage-provisioner"
_BETA = "volume.beta.kubernetes.io/storage-class"
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_NO_CLASS = "FailedBinding", "no persistent volumes available for this claim and no storage class is set"
_NO_PLUGIN = "ProvisioningFailed", "no volume plugin matched name: kubernetes.io/no-provisioner"
_FIRST_CONSUMER = "WaitForFirstConsumer", "waiting for first consumer to be created before binding"
_EXTERNAL = (
    "ExternalProvisioning",
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by the system "
    "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly "
    "registered.",
)
_NO_PROVISIONER = "kubernetes.io/no-provisioner"


class ClaimActor:
    """`provisions`: whether provisioners are at work outside of the controller manager."""

    def __init__(self, provisions: bool = True) -> None:
        self.provisions = provisions

    name = "persistentvolume-binder"
    kind = CLAIM
    watches = frozenset({CLAIM, VOLUME, CLASS})
    backoff = Backoff(15.0, 15.0)

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        """A claim is looked at when it changes. Nobody looks for one that a new volume or class would do for.

        Its turn comes with the next look at all of them.
        """
        if new is None:
            return
        if kind(new) == CLAIM:
            if not is_bound(new):
                yield Wake(key(new))
            return
        kept_for = spec(new).get("claimRef") if kind(new) == VOLUME else None
        if kept_for:
            yield Wake(key_of(str(kept_for.get("namespace", "")), str(kept_for.get("name", ""))))
            return
        until = LOOK_EVERY - view.now % LOOK_EVERY
        yield from (Wake(key(claim), until) for claim in view.of_kind(CLAIM) if not is_bound(claim))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if is_bound(obj):
            return Outcome()
        api = Api(view)
        of = _class_of(obj, view)
        found = view.get(CLASS, of) if of else None
        if found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer":
            return _event(obj, api, view, "Normal", *_waits_for(obj, view))
        volume = None if is_deleted(obj) else _fitting(obj, of, view)
        if volume is None and spec(obj).get("volumeName"):
            return Outcome()  # It waits for that one. Source: syncUnboundClaim.
        if volume is None and (found is None or found.get("provisioner") in (None, _NO_PROVISIONER)):
            return _event(obj, api, view, *_unfound(of, found))
        if volume is None and found is not None:
            if not self.provisions:
                by = {_PROVISIONED_BY: found["provisioner"], _ONCE_PROVISIONED_BY: found["provisioner"]}
                api.update(with_meta(obj, annotations={**annotations(obj), **by}))
                reason, message = _EXTERNAL
                return _event(obj, api, view, "Normal", reason, message.format(found["provisioner"]))
            if is_deleted(obj):
                return Outcome()
            volume = api.create(_provisioned(obj, found))
            message = f"Successfully provisioned volume {name(volume)}"
            api.tell(obj, "Normal", "ProvisioningSucceeded", message, str(found.get("provisioner")))
        assert volume is not None
        _bind(obj, volume, of, api)
        return Outcome(
            api.changes, say("claim {claim} is bound to volume {volume}", claim=name(obj), volume=name(volume))
        )


def _unfound(of: str, found: Manifest | None) -> tuple[str, str, str]:
    """Type, reason and message of why no volume was found."""
    if found is not None:
        return "Warning", *_NO_PLUGIN
    if of:
        return "Warning", "ProvisioningFailed", f'storageclass.storage.k8s.io "{of}" not found'
    return "Normal", *_NO_CLASS


def _event(claim: Manifest, api: Api, view: View, type_: str, reason: str, message: str) -> Outcome:
    """Why it is not bound; once for each version of it, though upstream says so every 15 seconds again."""
    version = sha256(json.dumps(claim, sort_keys=True).encode()).hexdigest()[:16]
    event = [reason, message, version]
    if view.remembered != event:
        api.tell(claim, type_, reason, message, COMPONENT)
    return Outcome(api.changes, memory=event)


def _waits_for(claim: Manifest, view: View) -> tuple[str, str]:
    """Source: emitEventForUnboundDelayBindingClaim."""
    waiting = [
        name(pod) for pod in view.of_kind("Pod", namespace(claim)) if not node_of(pod) and _waits_with(pod, claim)
    ]
    if not waiting:
        return _FIRST_CONSUMER
    pods = f"pod {waiting[0]}" if len(waiting) == 1 else f"pods {','.join(waiting)}"
    return "WaitForPodScheduled", f"waiting for {pods} to be scheduled"


def _waits_with(pod: Manifest, claim: Manifest) -> bool:
    """It uses the claim, and was there before: those that are made together with it are not seen yet."""
    if created(pod) >= created(claim):
        return False
    sources = (one.get("persistentVolumeClaim") or {} for one in spec(pod).get("volumes") or ())
    return any(one.get("claimName") == name(claim) for one in sources)


class VolumeActor:
    """A volume that nobody has is available; one whose claim is gone is given back, or goes as well.

    Source: syncVolume, reclaimVolume.
    """

    name = "persistentvolume-reclaimer"
    kind = VOLUME
    watches = frozenset({CLAIM, VOLUME})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if kind(subject(old, new)) == VOLUME:
            return (Wake(key(new)),) if new is not None and _is_free(new) else ()
        named = spec(old).get("volumeName") if old is not None and new is None else None
        return (Wake(str(named)),) if named else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        if _is_free(obj):
            api.update_status(obj, {**status(obj), "phase": AVAILABLE})
            return Outcome(api.changes, say("volume {volume} is available to claims", volume=name(obj)))
        reference = spec(obj).get("claimRef") or {}
        claim = view.get(CLAIM, key_of(str(reference.get("namespace", "")), str(reference.get("name", ""))))
        if not reference.get("uid") or (claim is not None and uid(claim) == reference.get("uid")):
            return Outcome()
        released = api.update_status(obj, {**status(obj), "phase": "Released"})
        if spec(obj).get("persistentVolumeReclaimPolicy") == "Delete":
            api.delete(released)
            return Outcome(api.changes, say("volume {volume} goes with its claim", volume=name(obj)))
        return Outcome(api.changes, say("volume {volume} is released by its claim", volume=name(obj)))


def _is_free(volume: Manifest) -> bool:
    """No claim has it, and nobody has said so yet; for one by its name it is kept."""
    is_taken = bool((spec(volume).get("claimRef") or {}).get("uid"))
    return not is_taken and not is_deleted(volume) and status(volume).get("phase") != AVAILABLE


def is_bound(claim: Manifest) -> bool:
    return bool(spec(claim).get("volumeName")) and "pv.kubernetes.io/bind-completed" in annotations(claim)


def _class_of(claim: Manifest, view: View) -> str:
    """The class that it names, or the default one. Source: plugin/pkg/admission/storage/storageclass/setdefault."""
    named = annotations(claim).get(_BETA, spec(claim).get("storageClassName"))
    if named is not None:
        return str(named)
    found = [one for one in view.of_kind(CLASS) if annotations(one).get(_DEFAULT) == "true"]
    return name(found[-1]) if found else ""


def _requested(claim: Manifest) -> int:
    return parse_milli(str(((spec(claim).get("resources") or {}).get("requests") or {}).get("storage", 0)))


def _size(volume: Manifest) -> int:
    return parse_milli(str((spec(volume).get("capacity") or {}).get("storage", 0)))


def _fitting(claim: Manifest, of: str, view: View) -> Manifest | None:
    """The smallest volume that does. Source: FindMatchingVolume."""
    named = spec(claim).get("volumeName")
    found = [one for one in view.of_kind(VOLUME) if _may_have(one, claim, of) and named in (None, "", name(one))]
    reserved = [one for one in found if spec(one).get("claimRef")]
    return min(reserved or found, key=_size, default=None)


def _may_have(volume: Manifest, claim: Manifest, of: str) -> bool:
    reference = spec(volume).get("claimRef")
    if reference is not None:
        return _is_bound_to(volume, claim)
    if is_deleted(volume) or str(spec(volume).get("storageClassName") or "") != of or _size(volume) < _requested(claim):
        return False
    if not set(spec(claim).get("accessModes") or ()) <= set(spec(volume).get("accessModes") or ()):
        return False
    selector = spec(claim).get("selector")
    return selector is None or selects(selector, labels(volume))


def _provisioned(claim: Manifest, of: Manifest) -> dict[str, Any]:
    """Source: external-provisioner: a volume of the size that is asked for."""
    return {
        "apiVersion": "v1",
        "kind": VOLUME,
        "metadata": {
            "name": f"pvc-{uid(claim)}",
            "annotations": {"pv.kubernetes.io/provisioned-by": of["provisioner"]},
        },
        "spec": {
            "claimRef": _reference(claim),
            "capacity": {"storage": ((spec(claim).get("resources") or {}).get("requests") or {}).get("storage", "0")},
            "accessModes": list(spec(claim).get("accessModes") or ()),
            "storageClassName": name(of),
            "persistentVolumeReclaimPolicy": of.get("reclaimPolicy") or "Delete",
            "csi": {"driver": of["provisioner"], "volumeHandle": f"pvc-{uid(claim)}"},
        },
    }


def _reference(claim: Manifest) -> dict[str, Any]:
    about = {"namespace": namespace(claim), "name": name(claim), "uid": uid(claim)}
    return {"apiVersion": "v1", "kind": CLAIM, **about}


def _is_bound_to(volume: Manifest, claim: Manifest) -> bool:
    """By who made the volume, or its claimRef: not only by this controller. Source: IsVolumeBoundToClaim."""
    reference = spec(volume).get("claimRef") or {}
    mine = (reference.get("namespace"), reference.get("name")) == (namespace(claim), name(claim))
    return mine and reference.get("uid") in (None, "", uid(claim))


def _bind(claim: Manifest, volume: Manifest, of: str, api: Api) -> None:
    bound = with_spec(volume, claimRef=_reference(claim))
    if not _is_bound_to(volume, claim):
        bound = with_meta(bound, annotations={**annotations(volume), _BY_CONTROLLER: "yes"})
    api.update(with_status(bound, {**status(volume), "phase": "Bound"}))
    has = {"phase": "Bound", "accessModes": spec(volume).get("accessModes"), "capacity": spec(volume).get("capacity")}
    taken = with_spec(claim, volumeName=name(volume), storageClassName=spec(claim).get("storageClassName") or of)
    known = {**annotations(claim), _COMPLETED: "yes"}
    if spec(claim).get("volumeName") != name(volume):
        known[_BY_CONTROLLER] = "yes"
    api.update(with_meta(with_status(taken, {**status(claim), **has}), annotations=known))
