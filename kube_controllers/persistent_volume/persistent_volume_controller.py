"""The persistent volume controllers: they bind or provision volumes for claims, and reclaim released volumes.

The scheduler binds claims whose class waits for the first consumer. Source:
pkg/controller/volume/persistentvolume/pv_controller.go.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from kube_controllers.api import Api
from kube_controllers.contract import Backoff, Outcome, ReconcileRequest, latest_version
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
RESYNC_SECONDS = 15.0  # seconds between two checks of all claims and volumes
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


class VolumeBindingController:
    """The controller that binds claims. `provisions` enables the external provisioners."""

    def __init__(self, provisions: bool = True) -> None:
        self.provisions = provisions

    name = "persistentvolume-binder"
    kind = CLAIM
    watches = frozenset({CLAIM, VOLUME, CLASS})
    backoff = Backoff(15.0, 15.0)

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        """Request an unbound claim that changed. Other claims wait for the next check of all of them."""
        if new is None:
            return
        if kind(new) == CLAIM:
            if not is_bound(new):
                yield ReconcileRequest(key(new))
            return
        reserved_for = spec(new).get("claimRef") if kind(new) == VOLUME else None
        if reserved_for:
            yield ReconcileRequest(key_of(str(reserved_for.get("namespace", "")), str(reserved_for.get("name", ""))))
            return
        until = RESYNC_SECONDS - view.now % RESYNC_SECONDS
        yield from (ReconcileRequest(key(claim), until) for claim in view.of_kind(CLAIM) if not is_bound(claim))

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Bind the claim.

        1. If its class waits for a consumer, only emit an Event.
        2. Find a matching volume.
        3. Otherwise let a provisioner create one.
        4. Bind volume and claim to each other.
        """
        if is_bound(obj):
            return Outcome()
        api = Api(view)
        class_name = _class_of(obj, view)
        storage_class = view.get(CLASS, class_name) if class_name else None
        if storage_class is not None and storage_class.get("volumeBindingMode") == "WaitForFirstConsumer":
            return _emit_once(obj, api, view, "Normal", *_waiting_event(obj, view))
        volume = None if is_deleted(obj) else _find_volume(obj, class_name, view)
        if volume is None and spec(obj).get("volumeName"):
            return Outcome()  # it waits for the named volume. Source: syncUnboundClaim
        if volume is None and (storage_class is None or storage_class.get("provisioner") in (None, _NO_PROVISIONER)):
            return _emit_once(obj, api, view, *_no_volume_event(class_name, storage_class))
        if volume is None and storage_class is not None:
            if not self.provisions:
                provisioner_annotations = {
                    _PROVISIONED_BY: storage_class["provisioner"],
                    _ONCE_PROVISIONED_BY: storage_class["provisioner"],
                }
                api.update(with_meta(obj, annotations={**annotations(obj), **provisioner_annotations}))
                reason, message = _EXTERNAL
                return _emit_once(obj, api, view, "Normal", reason, message.format(storage_class["provisioner"]))
            if is_deleted(obj):
                return Outcome()
            volume = api.create(_new_volume(obj, storage_class))
            message = f"Successfully provisioned volume {name(volume)}"
            api.emit_event(obj, "Normal", "ProvisioningSucceeded", message, str(storage_class.get("provisioner")))
        assert volume is not None
        _bind(obj, volume, class_name, api)
        return Outcome(
            api.changes, say("Claim {claim} is bound to volume {volume}", claim=name(obj), volume=name(volume))
        )


def _no_volume_event(class_name: str, storage_class: Manifest | None) -> tuple[str, str, str]:
    """Return type, reason and message of the Event for a claim without a volume."""
    if storage_class is not None:
        return "Warning", *_NO_PLUGIN
    if class_name:
        return "Warning", "ProvisioningFailed", f'storageclass.storage.k8s.io "{class_name}" not found'
    return "Normal", *_NO_CLASS


def _emit_once(claim: Manifest, api: Api, view: View, type_: str, reason: str, message: str) -> Outcome:
    """Emit an Event once for each version of the claim. Upstream repeats it every 15 seconds."""
    version = sha256(json.dumps(claim, sort_keys=True).encode()).hexdigest()[:16]
    event = [reason, message, version]
    if view.remembered != event:
        api.emit_event(claim, type_, reason, message, COMPONENT)
    return Outcome(api.changes, memory=event)


def _waiting_event(claim: Manifest, view: View) -> tuple[str, str]:
    """Source: emitEventForUnboundDelayBindingClaim."""
    waiting = [
        name(pod) for pod in view.of_kind("Pod", namespace(claim)) if not node_of(pod) and _is_consumer(pod, claim)
    ]
    if not waiting:
        return _FIRST_CONSUMER
    pods = f"pod {waiting[0]}" if len(waiting) == 1 else f"pods {','.join(waiting)}"
    return "WaitForPodScheduled", f"waiting for {pods} to be scheduled"


def _is_consumer(pod: Manifest, claim: Manifest) -> bool:
    """Return whether the Pod uses the claim and was created before it."""
    if created(pod) >= created(claim):
        return False
    sources = (volume.get("persistentVolumeClaim") or {} for volume in spec(pod).get("volumes") or ())
    return any(volume.get("claimName") == name(claim) for volume in sources)


class VolumeReclaimController:
    """The controller that makes free volumes available, and releases or deletes volumes whose claim is deleted.

    Source: syncVolume, reclaimVolume.
    """

    name = "persistentvolume-reclaimer"
    kind = VOLUME
    watches = frozenset({CLAIM, VOLUME})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if kind(latest_version(old, new)) == VOLUME:
            return (ReconcileRequest(key(new)),) if new is not None and _is_unmarked(new) else ()
        named = spec(old).get("volumeName") if old is not None and new is None else None
        return (ReconcileRequest(str(named)),) if named else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        api = Api(view)
        if _is_unmarked(obj):
            api.update_status(obj, {**status(obj), "phase": AVAILABLE})
            return Outcome(api.changes, say("Volume {volume} is available", volume=name(obj)))
        reference = spec(obj).get("claimRef") or {}
        claim = view.get(CLAIM, key_of(str(reference.get("namespace", "")), str(reference.get("name", ""))))
        if not reference.get("uid") or (claim is not None and uid(claim) == reference.get("uid")):
            return Outcome()
        released = api.update_status(obj, {**status(obj), "phase": "Released"})
        if spec(obj).get("persistentVolumeReclaimPolicy") == "Delete":
            api.delete(released)
            return Outcome(api.changes, say("Volume {volume} is deleted with its claim", volume=name(obj)))
        return Outcome(api.changes, say("Volume {volume} is released by its claim", volume=name(obj)))


def _is_unmarked(volume: Manifest) -> bool:
    """Return whether the volume is free but not yet marked available. A volume reserved by name counts as free."""
    is_taken = bool((spec(volume).get("claimRef") or {}).get("uid"))
    return not is_taken and not is_deleted(volume) and status(volume).get("phase") != AVAILABLE


def is_bound(claim: Manifest) -> bool:
    return bool(spec(claim).get("volumeName")) and "pv.kubernetes.io/bind-completed" in annotations(claim)


def _class_of(claim: Manifest, view: View) -> str:
    """Return the name of the claim's class, or of the default one. Source:
    plugin/pkg/admission/storage/storageclass/setdefault.
    """
    class_name = annotations(claim).get(_BETA, spec(claim).get("storageClassName"))
    if class_name is not None:
        return str(class_name)
    defaults = [
        storage_class for storage_class in view.of_kind(CLASS) if annotations(storage_class).get(_DEFAULT) == "true"
    ]
    return name(defaults[-1]) if defaults else ""


def _requested(claim: Manifest) -> int:
    return parse_milli(str(((spec(claim).get("resources") or {}).get("requests") or {}).get("storage", 0)))


def _size(volume: Manifest) -> int:
    return parse_milli(str((spec(volume).get("capacity") or {}).get("storage", 0)))


def _find_volume(claim: Manifest, class_name: str, view: View) -> Manifest | None:
    """Return the smallest matching volume; reserved ones first. Source: FindMatchingVolume."""
    volume_name = spec(claim).get("volumeName")
    matching = [
        volume
        for volume in view.of_kind(VOLUME)
        if _is_matching(volume, claim, class_name) and volume_name in (None, "", name(volume))
    ]
    reserved = [volume for volume in matching if spec(volume).get("claimRef")]
    return min(reserved or matching, key=_size, default=None)


def _is_matching(volume: Manifest, claim: Manifest, class_name: str) -> bool:
    reference = spec(volume).get("claimRef")
    if reference is not None:
        return _is_bound_to(volume, claim)
    if (
        is_deleted(volume)
        or str(spec(volume).get("storageClassName") or "") != class_name
        or _size(volume) < _requested(claim)
    ):
        return False
    if not set(spec(claim).get("accessModes") or ()) <= set(spec(volume).get("accessModes") or ()):
        return False
    selector = spec(claim).get("selector")
    return selector is None or selects(selector, labels(volume))


def _new_volume(claim: Manifest, storage_class: Manifest) -> dict[str, Any]:
    """Return a volume of the requested size. Source: external-provisioner."""
    return {
        "apiVersion": "v1",
        "kind": VOLUME,
        "metadata": {
            "name": f"pvc-{uid(claim)}",
            "annotations": {"pv.kubernetes.io/provisioned-by": storage_class["provisioner"]},
        },
        "spec": {
            "claimRef": _reference(claim),
            "capacity": {"storage": ((spec(claim).get("resources") or {}).get("requests") or {}).get("storage", "0")},
            "accessModes": list(spec(claim).get("accessModes") or ()),
            "storageClassName": name(storage_class),
            "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy") or "Delete",
            "csi": {"driver": storage_class["provisioner"], "volumeHandle": f"pvc-{uid(claim)}"},
        },
    }


def _reference(claim: Manifest) -> dict[str, Any]:
    about = {"namespace": namespace(claim), "name": name(claim), "uid": uid(claim)}
    return {"apiVersion": "v1", "kind": CLAIM, **about}


def _is_bound_to(volume: Manifest, claim: Manifest) -> bool:
    """Return whether the volume's claimRef names the claim. Source: IsVolumeBoundToClaim."""
    reference = spec(volume).get("claimRef") or {}
    mine = (reference.get("namespace"), reference.get("name")) == (namespace(claim), name(claim))
    return mine and reference.get("uid") in (None, "", uid(claim))


def _bind(claim: Manifest, volume: Manifest, class_name: str, api: Api) -> None:
    bound = with_spec(volume, claimRef=_reference(claim))
    if not _is_bound_to(volume, claim):
        bound = with_meta(bound, annotations={**annotations(volume), _BY_CONTROLLER: "yes"})
    api.update(with_status(bound, {**status(volume), "phase": "Bound"}))
    claim_status = {
        "phase": "Bound",
        "accessModes": spec(volume).get("accessModes"),
        "capacity": spec(volume).get("capacity"),
    }
    bound_claim = with_spec(
        claim, volumeName=name(volume), storageClassName=spec(claim).get("storageClassName") or class_name
    )
    claim_annotations = {**annotations(claim), _COMPLETED: "yes"}
    if spec(claim).get("volumeName") != name(volume):
        claim_annotations[_BY_CONTROLLER] = "yes"
    api.update(with_meta(with_status(bound_claim, {**status(claim), **claim_status}), annotations=claim_annotations))
