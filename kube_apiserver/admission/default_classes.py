"""DefaultStorageClass and DefaultIngressClass: set the default class of objects without one.

Source: plugin/pkg/admission/storage/storageclass/setdefault, network/defaultingressclass.
"""

from typing import Any

from kube_apiserver.admission.attributes import Attributes, ClusterReader
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = dict[str, Any]

_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_DEFAULT_INGRESS = "ingressclass.kubernetes.io/is-default-class"


def storage_class(attributes: Attributes) -> Object:
    return _with_class(attributes, "StorageClass", "storageClassName", CLASS_ANNOTATION, _DEFAULT_CLASS)


def ingress_class(attributes: Attributes) -> Object:
    annotation = "kubernetes.io/ingress.class"
    return _with_class(attributes, "IngressClass", "ingressClassName", annotation, _DEFAULT_INGRESS)


def _with_class(attributes: Attributes, kind: str, field: str, annotation: str, marker: str) -> Object:
    value, spec = attributes.value, attributes.value.get("spec") or {}
    annotations = value["metadata"].get("annotations") or {}
    if attributes.live is not None or spec.get(field) is not None or annotation in annotations:
        return value
    name = _default(attributes.world, kind, marker)
    return {**value, "spec": {**spec, field: name}} if name else value


def _default(world: ClusterReader, kind: str, marker: str) -> str:
    """Return the name of the newest class that is marked as the default, "" if none is."""
    marked = [
        (str(each["metadata"].get("creationTimestamp") or ""), str(each["metadata"]["name"]))
        for each in world.list(kind)
        if (each["metadata"].get("annotations") or {}).get(marker) == "true"
    ]
    newest = max((time for time, _ in marked), default="")
    return min((name for time, name in marked if time == newest), default="")
