"""Admission in its order: what is added before validation, what is checked after it."""

from collections.abc import Mapping, Sequence
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission import pods
from kube_apiserver.admission.built_in import limit_ranges, quotas
from kube_apiserver.admission.built_in.amounts import nano
from kube_apiserver.admission.world import World
from kube_apiserver.resources import Resource, by_kind
from kube_objects.parsers.storage import CLASS_ANNOTATION

Object = dict[str, Any]

_NOT_READY = "node.kubernetes.io/not-ready"
_PROTECTIONS = {
    "PersistentVolume": "kubernetes.io/pv-protection",
    "PersistentVolumeClaim": "kubernetes.io/pvc-protection",
    "VolumeAttributesClass": "kubernetes.io/vac-protection",
}
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_DEFAULT_INGRESS = "ingressclass.kubernetes.io/is-default-class"


def must_have_namespace(resource: Resource, namespace: str, name: str, world: World) -> None:
    """Nothing is created in a namespace that is not there, or goes. Source: namespace/lifecycle."""
    if not namespace or not resource.namespaced:
        return
    found = world.get("Namespace", namespace)
    if found is None:
        raise errors.not_found(by_kind("Namespace"), namespace)
    if not found["metadata"].get("deletionTimestamp"):
        return
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    refusal = errors.refused(resource, name, why)
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    details: dict[str, Any] = dict(refusal.status["details"])
    raise errors.ApiError(403, "Forbidden", str(refusal), {**details, "causes": [cause]})


def admit(resource: Resource, live: Mapping[str, Any] | None, value: Object, world: World) -> None:
    """Changes the object. ApiError."""
    kind, is_new = resource.kind, live is None
    if kind == "Pod" and isinstance(value.get("spec"), dict):
        if is_new:
            limit_ranges.give(value, _of_namespace("LimitRange", value, world))
            pods.priority(value, world)
        if live is not None:
            pods.keep_priority(value, live)
        pods.patience(value)
        if is_new:
            pods.runtime_class(value, world)
            if node := value["spec"].get("nodeName"):
                labels = pods.topology(str(node), value["metadata"].get("labels"), world)
                value["metadata"].update({"labels": labels} if labels else {})
    elif kind == "Node" and is_new:
        _not_ready(value)
    elif kind == "PersistentVolumeClaim" and is_new:
        _default_class(value, world)
    elif kind == "Ingress" and is_new:
        _default_ingress_class(value, world)
    if kind in _PROTECTIONS and is_new:
        finalizers = value["metadata"].get("finalizers") or []
        if _PROTECTIONS[kind] not in finalizers:
            value["metadata"]["finalizers"] = [*finalizers, _PROTECTIONS[kind]]


def check(
    resource: Resource, live: Mapping[str, Any] | None, value: Object, world: World, subresource: str = ""
) -> None:
    """After validation; ApiError."""
    kind, name = resource.kind, str(value["metadata"]["name"])
    if subresource == "status":
        return
    # The spec of a client's kind may be anything.
    spec = value.get("spec")
    node = spec.get("nodeName") if isinstance(spec, Mapping) else None
    if subresource == "resize" and node and world.get("Node", node) is None:
        raise errors.refused(resource, name, f'node "{node}" not found')
    if live is None or kind == "PersistentVolumeClaim":
        out_of_bounds = limit_ranges.problem(kind, value, _of_namespace("LimitRange", value, world))
        if out_of_bounds:
            raise errors.refused(resource, name, out_of_bounds)
    if kind == "PriorityClass" and value.get("globalDefault"):
        others = [each for each in world.list(kind) if each.get("globalDefault") and each["metadata"]["name"] != name]
        if others:
            already = f"PriorityClass {others[0]['metadata']['name']} is already marked as default"
            raise errors.refused(resource, name, f"{already}. Only one default can exist")
    if kind == "PersistentVolumeClaim" and live is not None:
        _may_grow(resource, live, value, world)
    rules = _of_namespace("ResourceQuota", value, world)
    exceeded = quotas.problem(kind, value, live, rules, _counted(resource))
    if exceeded:
        raise errors.refused(resource, name, exceeded)


def charges(
    resource: Resource, live: Mapping[str, Any] | None, value: Mapping[str, Any], rules: Sequence[Mapping[str, Any]]
) -> list[Object]:
    """The quotas as they are once they count this, too; ApiError if by now there is no room for it."""
    kind, name = resource.kind, str(value["metadata"]["name"])
    if exceeded := quotas.problem(kind, value, live, rules, _counted(resource)):
        raise errors.refused(resource, name, exceeded)
    return quotas.charges(kind, value, live, rules, _counted(resource))


def _counted(resource: Resource) -> str:
    """By which name a quota counts it. Source: pkg/quota/v1/install/registry.go, DefaultIgnoredResources."""
    return f"{quotas.COUNT}{resource.qualified}" if resource.namespaced and resource.kind != "Event" else ""


def _may_grow(resource: Resource, live: Mapping[str, Any], value: Object, world: World) -> None:
    """Source: plugin/pkg/admission/storage/persistentvolume/resize."""
    was, is_now = (each["spec"].get("resources", {}).get("requests", {}).get("storage") or 0 for each in (live, value))
    if nano(is_now) <= nano(was):
        return
    name = str(value["metadata"]["name"])
    if (live.get("status") or {}).get("phase") != "Bound":
        raise errors.refused(resource, name, "Only bound persistent volume claims can be expanded")
    classes = [_class_of(each) for each in (live, value)]
    found = world.get("StorageClass", classes[0]) if classes[0] and classes[0] == classes[1] else None
    if found is None or not found.get("allowVolumeExpansion"):
        raise errors.refused(
            resource,
            name,
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc "
            "must support resize",
        )


def _class_of(claim: Mapping[str, Any]) -> str:
    """Source: GetPersistentVolumeClaimClass."""
    annotations = claim["metadata"].get("annotations") or {}
    found = annotations[CLASS_ANNOTATION] if CLASS_ANNOTATION in annotations else claim["spec"].get("storageClassName")
    return str(found or "")


def _of_namespace(kind: str, value: Mapping[str, Any], world: World) -> Sequence[Mapping[str, Any]]:
    """The rules of the namespace that the object is in."""
    return world.list(kind, value["metadata"].get("namespace", ""))


def _not_ready(node: Object) -> None:
    """A node's controller takes the taint away once it has seen it ready; until then nothing is put there."""
    spec = node.setdefault("spec", {})
    if isinstance(spec, dict):
        taints = spec.get("taints") or []
        if isinstance(taints, list) and not any(_is_not_ready(each) for each in taints):
            spec["taints"] = [*taints, {"effect": "NoSchedule", "key": _NOT_READY}]


def _is_not_ready(taint: Any) -> bool:
    return isinstance(taint, dict) and (taint.get("key"), taint.get("effect")) == (_NOT_READY, "NoSchedule")


def _default_class(claim: Object, world: World) -> None:
    """Source: storage/storageclass/setdefault: the newest of those that are marked."""
    annotations = claim["metadata"].get("annotations") or {}
    if claim["spec"].get("storageClassName") is None and CLASS_ANNOTATION not in annotations:
        found = _marked(world, "StorageClass", _DEFAULT_CLASS)
        if found:
            claim["spec"]["storageClassName"] = found


def _default_ingress_class(ingress: Object, world: World) -> None:
    annotations = ingress["metadata"].get("annotations") or {}
    spec = ingress.setdefault("spec", {})
    if spec.get("ingressClassName") is None and "kubernetes.io/ingress.class" not in annotations:
        found = _marked(world, "IngressClass", _DEFAULT_INGRESS)
        if found:
            spec["ingressClassName"] = found


def _marked(world: World, kind: str, annotation: str) -> str:
    marked = [
        (str(each["metadata"].get("creationTimestamp") or ""), str(each["metadata"]["name"]))
        for each in world.list(kind)
        if (each["metadata"].get("annotations") or {}).get(annotation) == "true"
    ]
    newest = max((time for time, _ in marked), default="")
    return min((name for time, name in marked if time == newest), default="")
