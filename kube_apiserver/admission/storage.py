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


def add_protection(attributes: Attributes) -> Object:
    """Add the protection finalizer to a new object. Source: storageobjectinuseprotection."""
    value, finalizer = attributes.value, PROTECTIONS[attributes.resource.kind]
    finalizers = value["metadata"].get("finalizers") or []
    if attributes.live is not None or finalizer in finalizers:
        return value
    return {**value, "metadata": {**value["metadata"], "finalizers": [*finalizers, finalizer]}}


def check_resize(attributes: Attributes) -> list[str]:
    """Refuse to grow a claim that isn't bound or whose class doesn't allow it. Source: persistentvolume/resize."""
    live, value = attributes.live, attributes.value
    if live is None:
        return []
    old_size, new_size = (
        each["spec"].get("resources", {}).get("requests", {}).get("storage") or 0 for each in (live, value)
    )
    if nano(new_size) <= nano(old_size):
        return []
    if (live.get("status") or {}).get("phase") != "Bound":
        raise attributes.forbidden("Only bound persistent volume claims can be expanded")
    old_class, new_class = (_get_class_name(each) for each in (live, value))
    is_same = old_class and old_class == new_class
    storage_class = attributes.world.get("StorageClass", old_class) if is_same else None
    if storage_class is None or not storage_class.get("allowVolumeExpansion"):
        raise attributes.forbidden(_NO_RESIZE)
    return []


def _get_class_name(claim: Mapping[str, Any]) -> str:
    """Return the name of a claim's StorageClass. Source: GetPersistentVolumeClaimClass."""
    annotations = claim["metadata"].get("annotations") or {}
    field = claim["spec"].get("storageClassName")
    return str(annotations.get(CLASS_ANNOTATION, field) or "")
