"""StorageObjectInUseProtection and PersistentVolumeClaimResize. Source: plugin/pkg/admission/storage."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver.admission.amounts import nano
from kube_apiserver.admission.attributes import Attributes
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = dict[str, Any]

PROTECTIONS = {
    "PersistentVolume": "kubernetes.io/pv-protection",
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "VolumeAttributesClass": "kubernetes.io/vac-protection",
}
"""The finalizer that protects an object of a kind while it is in use."""
_NO_RESIZE = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)


def protect(attributes: Attributes) -> Object:
    """Add the protection finalizer to a new object. Source: storageobjectinuseprotection."""
    value, finalizer = attributes.value, PROTECTIONS[attributes.resource.kind]
    finalizers = value["metadata"].get("finalizers") or []
    if attributes.live is not None or finalizer in finalizers:
        return value
    return {**value, "metadata": {**value["metadata"], "finalizers": [*finalizers, finalizer]}}


def resize(attributes: Attributes) -> list[str]:
    """Refuse to grow a claim that isn't bound or whose class doesn't allow it. Source: persistentvolume/resize."""
    live, value = attributes.live, attributes.value
    if live is None:
        return []
    was, is_now = (each["spec"].get("resources", {}).get("requests", {}).get("storage") or 0 for each in (live, value))
    if nano(is_now) <= nano(was):
        return []
    if (live.get("status") or {}).get("phase") != "Bound":
        raise attributes.forbidden("Only bound persistent volume claims can be expanded")
    before, after = (_class_of(each) for each in (live, value))
    storage_class = attributes.world.get("StorageClass", before) if before and before == after else None
    if storage_class is None or not storage_class.get("allowVolumeExpansion"):
        raise attributes.forbidden(_NO_RESIZE)
    return []


def _class_of(claim: Mapping[str, Any]) -> str:
    """Return the name of a claim's StorageClass. Source: GetPersistentVolumeClaimClass."""
    annotations = claim["metadata"].get("annotations") or {}
    found = annotations[CLASS_ANNOTATION] if CLASS_ANNOTATION in annotations else claim["spec"].get("storageClassName")
    return str(found or "")
