"""What is deleted and still in use waits: claims for their pods, volumes for their claims.

Source: pkg/controller/volume/pvcprotection, pkg/controller/volume/pvprotection.
"""

from collections.abc import Iterable, Iterator, Mapping

from kube_controllers.admission import IN_USE
from kube_controllers.api import Api
from kube_controllers.contract import GONE, Backoff, Outcome, Wake
from kube_controllers.objects import View
from kube_controllers.persistent_volume.actor import CLAIM, VOLUME
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
CLAIM_FINALIZER, VOLUME_FINALIZER, CLASS_FINALIZER = (IN_USE[each] for each in (CLAIM, VOLUME, ATTRIBUTES_CLASS))


class ClaimProtectionActor:
    name = "pvc-protection"
    kind = CLAIM
    watches = frozenset({CLAIM, "Pod"})
    heeds: Mapping[str, int] = {"Pod": GONE}
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None:
            return (Wake(key(new)),) if kind(new) == CLAIM and is_deleted(new) else ()
        # A pod is gone: what it used may go.
        is_pod = old is not None and kind(old) == "Pod"
        return [Wake(key_of(namespace(old), each)) for each in _claims(old)] if is_pod and old is not None else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        """A pod without a node does not count: no kubelet lets it start with a claim that is deleted."""
        if not is_deleted(obj) or CLAIM_FINALIZER not in finalizers(obj):
            return Outcome()
        pods = view.of_kind("Pod", namespace(obj))
        if any(node_of(pod) and name(obj) in _claims(pod) for pod in pods):
            return Outcome()
        return _let_go(obj, CLAIM_FINALIZER, view, say("claim {claim} goes: no pod uses it", claim=name(obj)))


class VolumeProtectionActor:
    name = "pv-protection"
    kind = VOLUME
    watches = frozenset({VOLUME})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        return (Wake(key(new)),) if new is not None and is_deleted(new) else ()

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        is_waiting = is_deleted(obj) and VOLUME_FINALIZER in finalizers(obj)
        if not is_waiting or status(obj).get("phase") == "Bound":
            return Outcome()
        return _let_go(obj, VOLUME_FINALIZER, view, say("volume {volume} goes: no claim has it", volume=name(obj)))


class AttributesClassProtectionActor:
    """Source: pkg/controller/volume/vacprotection."""

    name = "vac-protection"
    kind = ATTRIBUTES_CLASS
    watches = frozenset({ATTRIBUTES_CLASS, CLAIM, VOLUME})
    backoff = Backoff()

    def wakes(self, old: Manifest | None, new: Manifest | None, view: View) -> Iterable[Wake]:
        if new is not None and kind(new) == ATTRIBUTES_CLASS:
            return (Wake(key(new)),) if is_deleted(new) else ()
        if old is None or kind(old) == ATTRIBUTES_CLASS:
            return ()
        # What named it before and does no more.
        now = _classes(new) if new is not None else ()
        return [Wake(each) for each in dict.fromkeys(_classes(old)) if each not in now]

    def reconcile(self, obj: Manifest, view: View) -> Outcome:
        if not is_deleted(obj) or CLASS_FINALIZER not in finalizers(obj):
            return Outcome()
        if any(name(obj) in _classes(each) for of in (CLAIM, VOLUME) for each in view.of_kind(of)):
            return Outcome()
        return _let_go(
            obj, CLASS_FINALIZER, view, say("class {name} goes: no claim and no volume has it", name=name(obj))
        )


def _classes(obj: Manifest) -> list[str]:
    """Names of the classes of attributes that a claim or a volume has or is to get."""
    target = (status(obj).get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    current = status(obj).get("currentVolumeAttributesClassName")
    return [str(each) for each in (spec(obj).get("volumeAttributesClassName"), current, target) if each]


def _let_go(obj: Manifest, finalizer: str, view: View, reason: str) -> Outcome:
    api = Api(view)
    api.update(without_finalizer(obj, finalizer))
    return Outcome(api.changes, reason)


def _claims(pod: Manifest) -> Iterator[str]:
    """Names of the claims that a pod uses, those of its ephemeral volumes among them."""
    for volume in spec(pod).get("volumes") or ():
        if isinstance(source := volume.get("persistentVolumeClaim"), dict):
            yield str(source.get("claimName", ""))
        elif volume.get("ephemeral"):
            yield f"{name(pod)}-{volume.get('name', '')}"
