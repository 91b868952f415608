"""The protection controllers: deleted claims, volumes and classes stay while they are in use.

Source: pkg/controller/volume/pvcprotection, pkg/controller/volume/pvprotection.
"""

from collections.abc import Iterable, Iterator, Mapping

from kube_apiserver.admission.storage import PROTECTIONS
from kube_controllers.api import Api
from kube_controllers.contract import REMOVED, Backoff, Outcome, ReconcileRequest
from kube_controllers.objects import View
from kube_controllers.persistent_volume.persistent_volume_controller import CLAIM, VOLUME
from kube_controllers.pods import node_of
from kube_objects.manifests import (
    Manifest,
    finalizers,
    is_deleted,
    key,
    key_of,
    kind,
    name,
    namespace,
    spec,
    status,
    without_finalizer,
)
from kube_objects.sentences import say

ATTRIBUTES_CLASS = "VolumeAttributesClass"
CLAIM_FINALIZER, VOLUME_FINALIZER, CLASS_FINALIZER = (PROTECTIONS[kind_] for kind_ in (CLAIM, VOLUME, ATTRIBUTES_CLASS))


class ClaimProtectionController:
    name = "pvc-protection"
    kind = CLAIM
    watches = frozenset({CLAIM, "Pod"})
    event_filter: Mapping[str, int] = {"Pod": REMOVED}
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None:
            return (ReconcileRequest(key(new)),) if kind(new) == CLAIM and is_deleted(new) else ()
        # The claims of a removed Pod may be deleted.
        is_pod = old is not None and kind(old) == "Pod"
        return (
            [ReconcileRequest(key_of(namespace(old), claim)) for claim in _claim_names(old)]
            if is_pod and old is not None
            else ()
        )

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """Remove the finalizer of an unused claim. Pods without a Node don't count, because no kubelet starts them."""
        if not is_deleted(obj) or CLAIM_FINALIZER not in finalizers(obj):
            return Outcome()
        pods = view.of_kind("Pod", namespace(obj))
        if any(node_of(pod) and name(obj) in _claim_names(pod) for pod in pods):
            return Outcome()
        return _remove_finalizer(
            obj, CLAIM_FINALIZER, view, say("Claim {claim} is deleted: no Pod uses it", claim=name(obj))
        )


class VolumeProtectionController:
    name = "pv-protection"
    kind = VOLUME
    watches = frozenset({VOLUME})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        return (ReconcileRequest(key(new)),) if new is not None and is_deleted(new) else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        is_waiting = is_deleted(obj) and VOLUME_FINALIZER in finalizers(obj)
        if not is_waiting or status(obj).get("phase") == "Bound":
            return Outcome()
        return _remove_finalizer(
            obj, VOLUME_FINALIZER, view, say("Volume {volume} is deleted: no claim uses it", volume=name(obj))
        )


class AttributesClassProtectionController:
    """The protection controller of VolumeAttributesClasses. Source: pkg/controller/volume/vacprotection."""

    name = "vac-protection"
    kind = ATTRIBUTES_CLASS
    watches = frozenset({ATTRIBUTES_CLASS, CLAIM, VOLUME})
    backoff = Backoff()

    def map_event(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[ReconcileRequest]:
        if new is not None and kind(new) == ATTRIBUTES_CLASS:
            return (ReconcileRequest(key(new)),) if is_deleted(new) else ()
        if old is None or kind(old) == ATTRIBUTES_CLASS:
            return ()
        # The classes that the object no longer names.
        now = _class_names(new) if new is not None else ()
        return [
            ReconcileRequest(class_name) for class_name in dict.fromkeys(_class_names(old)) if class_name not in now
        ]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_deleted(obj) or CLASS_FINALIZER not in finalizers(obj):
            return Outcome()
        if any(name(obj) in _class_names(user) for user_kind in (CLAIM, VOLUME) for user in view.of_kind(user_kind)):
            return Outcome()
        return _remove_finalizer(
            obj, CLASS_FINALIZER, view, say("Class {name} is deleted: no claim or volume uses it", name=name(obj))
        )


def _class_names(obj: Manifest) -> list[str]:
    """Return the attributes classes that a claim or a volume has or requests."""
    target = (status(obj).get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    current = status(obj).get("currentVolumeAttributesClassName")
    return [
        str(class_name) for class_name in (spec(obj).get("volumeAttributesClassName"), current, target) if class_name
    ]


def _remove_finalizer(obj: Manifest, finalizer: str, view: View, reason: str) -> Outcome:
    api = Api(view)
    api.update(without_finalizer(obj, finalizer))
    return Outcome(api.changes, reason)


def _claim_names(pod: Manifest) -> Iterator[str]:
    """Yield the names of the claims that a Pod uses, including its ephemeral volumes."""
    for volume in spec(pod).get("volumes") or ():
        if isinstance(source := volume.get("persistentVolumeClaim"), dict):
            yield str(source.get("claimName", ""))
        elif volume.get("ephemeral"):
            yield f"{name(pod)}-{volume.get('name', '')}"
