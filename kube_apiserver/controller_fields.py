"""The managed fields of fields that controllers, the scheduler and kubelets write.

They aren't stored. They follow from the object, and are added when a client reads one object or writes it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge.managed_fields import PastWrite, Writer
from kube_apiserver.structured_merge.typed import TypeMismatch
from kube_apiserver.writes import codec, go_types, types

Object = dict[str, Any]

CONTROLLER_MANAGER, SCHEDULER, KUBELET = "kube-controller-manager", "kube-scheduler", "kubelet"
_API_SERVER = "kube-apiserver"
_STATUS = "status"
_ENTRIES = "managedFields"
# Kind → the kinds of owners whose controllers create it.
_CREATED_FOR: Mapping[str, frozenset[str]] = {
    "ControllerRevision": frozenset(["DaemonSet", "StatefulSet"]),
    "EndpointSlice": frozenset(["Endpoints", "Service"]),
    "Job": frozenset(["CronJob"]),
    "Pod": frozenset(["DaemonSet", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"]),
    "ReplicaSet": frozenset(["Deployment"]),
    "ResourceClaim": frozenset(["Pod"]),
}
_WRITERS_OF_STATUS: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("CronJob", "DaemonSet", "Deployment", "HorizontalPodAutoscaler", "Job", "Namespace"),
            *("PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget", "ReplicaSet"),
            *("ReplicationController", "ResourceQuota", "StatefulSet"),
        ),
        CONTROLLER_MANAGER,
    ),
    "CustomResourceDefinition": _API_SERVER,
    "Node": KUBELET,
    "Pod": KUBELET,
    "ResourceClaim": SCHEDULER,
}
# The server sets these when an object is created, so no controller manages them before they change.
_PHASES: Mapping[str, str] = {
    "Namespace": "Active",
    "PersistentVolume": "Pending",
    "PersistentVolumeClaim": "Pending",
    "Pod": "Pending",
}
_METADATA_OF_CREATION = ("annotations", "finalizers", "generateName", "labels", "ownerReferences")
# Admission and binding set these.
_SPEC_OF_SERVER: Mapping[str, frozenset[str]] = {"Pod": frozenset(["nodeName", "preemptionPolicy", "priority"])}
_REVISION = "deployment.kubernetes.io/revision"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_CLAIM_ANNOTATIONS = (
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
)
_ENDPOINTS_LABEL, _ENDPOINTS_CONTROLLER = "endpoints.kubernetes.io/managed-by", "endpoint-controller"
_NODE_TAINTS = "node.kubernetes.io/"


def add(resource: Resource, value: Object) -> Object:
    """Return the object with the managed fields of what other components wrote into it.

    An object without managed fields stays without, unless a controller created it.
    """
    if resource.custom is not None:
        return value
    writes = _writes(resource, value)
    if not writes:
        return value
    try:
        return types.field_manager(resource).add_past_writes(value, writes)
    except TypeMismatch:
        # An import may have anything in its status.
        return value


def remove(resource: Resource, value: Object) -> Object:
    """Return the object without the managed fields that `add` would add again."""
    entries = _metadata(value).get(_ENTRIES)
    if resource.custom is not None or not isinstance(entries, list):
        return value
    writers = {(write.writer.manager, write.writer.subresource) for write in _writes(resource, value)}
    stored = [each for each in entries if _writer_of(each) not in writers]
    if len(stored) == len(entries):
        return value
    bare = _with_entries(value, stored)
    added = _metadata(add(resource, bare)).get(_ENTRIES) or []
    return bare if _without_times(added) == _without_times(entries) else value


def _writes(resource: Resource, value: Object) -> list[PastWrite]:
    """Return the writes of other components, in the order in which they happened."""
    is_managed = bool(_metadata(value).get(_ENTRIES))
    if not (is_managed and resource.kind in _WRITERS_OF_STATUS) and resource.kind not in (*_CREATED_FOR, "Endpoints"):
        return []
    creation = _creation(resource, value)
    if creation is None and not is_managed:
        return []
    written = codec.encode_object(resource, value)
    return [*([creation] if creation else []), *_later_writes(resource, written)]


def _creation(resource: Resource, value: Object) -> PastWrite | None:
    """Return the write that created the object, if a controller did."""
    metadata, owners = _metadata(value), _CREATED_FOR.get(resource.kind, frozenset())
    is_created = (metadata.get("labels") or {}).get(_ENDPOINTS_LABEL) == _ENDPOINTS_CONTROLLER or any(
        each.get("controller") and each.get("kind") in owners
        for each in metadata.get("ownerReferences") or ()
        if isinstance(each, Mapping)
    )
    if not is_created or _is_created_by_client(metadata):
        return None
    empty = go_types.empty(resource)
    of_server = _SPEC_OF_SERVER.get(resource.kind, frozenset())
    after = {name: part for name, part in value.items() if name not in (_STATUS, "metadata", "kind", "apiVersion")}
    if isinstance(value.get("spec"), Mapping):
        spec = {name: part for name, part in value["spec"].items() if name not in of_server}
        if _has_only_default_tolerations(spec):
            del spec["tolerations"]
        after["spec"] = spec
    after["metadata"] = {name: metadata[name] for name in _METADATA_OF_CREATION if name in metadata}
    writer = Writer(CONTROLLER_MANAGER, resource.api_version, str(metadata.get("creationTimestamp") or ""))
    return PastWrite(writer, {**empty, "metadata": {}}, after)


def _is_created_by_client(metadata: Mapping[str, Any]) -> bool:
    for entry in metadata.get(_ENTRIES) or ():
        fields = entry.get("fieldsV1") if isinstance(entry, Mapping) else None
        of_metadata = fields.get("f:metadata") if isinstance(fields, Mapping) else None
        if isinstance(of_metadata, Mapping) and "f:ownerReferences" in of_metadata:
            return _writer_of(entry) != (CONTROLLER_MANAGER, "")
    return False


def _has_only_default_tolerations(spec: Mapping[str, Any]) -> bool:
    tolerations = spec.get("tolerations")
    return isinstance(tolerations, list) and all(
        isinstance(each, Mapping)
        and each.get("effect") == "NoExecute"
        and str(each.get("key")).startswith(_NODE_TAINTS)
        and each.get("tolerationSeconds") is not None
        for each in tolerations
    )


def _later_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    """Yield the later writes to an existing object, in their order."""
    of_kind = _OTHER_WRITES.get(resource.kind)
    if of_kind is not None:
        yield from of_kind(resource, value)
    manager = _WRITERS_OF_STATUS.get(resource.kind)
    status = value.get(_STATUS)
    if manager is None or not isinstance(status, dict) or resource.kind in ("Node", "Pod"):
        return
    before = dict(go_types.empty(resource).get(_STATUS) or {})
    phase = _PHASES.get(resource.kind)
    if phase is not None and "phase" in status:
        before["phase"] = phase
    if resource.kind == "CustomResourceDefinition":
        before = {**before, **{name: status[name] for name in ("storedVersions",) if name in status}}
    yield _write(resource, value, manager, {_STATUS: before}, {_STATUS: status}, _STATUS)


def _list_deployment_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    yield from _list_annotation_writes(resource, value, CONTROLLER_MANAGER, (_REVISION,), _STATUS)


def _list_claim_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    yield from _list_annotation_writes(resource, value, SCHEDULER, (_SELECTED_NODE,))
    yield from _list_annotation_writes(resource, value, CONTROLLER_MANAGER, _CLAIM_ANNOTATIONS)
    if any(name in _CLAIM_ANNOTATIONS[:2] for name in _annotations(value)):
        volume = (value.get("spec") or {}).get("volumeName")
        yield _write(resource, value, CONTROLLER_MANAGER, {"spec": {}}, {"spec": {"volumeName": volume}})


def _list_volume_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    reference = (value.get("spec") or {}).get("claimRef")
    if isinstance(reference, dict) and reference.get("uid"):
        yield _write(resource, value, CONTROLLER_MANAGER, {"spec": {}}, {"spec": {"claimRef": reference}})


def _list_node_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    spec, status = value.get("spec") or {}, value.get(_STATUS) or {}
    taints = [each for each in spec.get("taints") or () if isinstance(each, Mapping)]
    if any(each.get("timeAdded") and str(each.get("key")).startswith(_NODE_TAINTS) for each in taints):
        # The node lifecycle controller writes all taints.
        yield _write(resource, value, CONTROLLER_MANAGER, {"spec": {}}, {"spec": {"taints": taints}}, is_last=True)
    conditions = [each for each in status.get("conditions") or () if isinstance(each, Mapping)]
    if reported := [each for each in conditions if _is_reported_by_kubelet(each)]:
        others = [each for each in conditions if each not in reported]
        before = {_STATUS: {"conditions": others} if others else {}}
        yield _write(resource, value, KUBELET, before, {_STATUS: {"conditions": reported}}, _STATUS)


def _is_reported_by_kubelet(node_condition: Mapping[str, Any]) -> bool:
    """Return whether a kubelet of the cluster wrote this condition of a Node.

    These kubelets write the time of the transition, and no heartbeats. Any other condition came with the Node, and the
    client that creates a Node doesn't manage its status.
    """
    return (
        str(node_condition.get("reason")).startswith("Kubelet")
        and bool(node_condition.get("lastTransitionTime"))
        and not node_condition.get("lastHeartbeatTime")
    )


def _list_pod_writes(resource: Resource, value: Object) -> Iterator[PastWrite]:
    """Yield the scheduler's write of PodScheduled, and the kubelet's write of the rest.

    The binding sets PodScheduled to True without a field manager.
    """
    status = value.get(_STATUS) or {}
    conditions = [each for each in status.get("conditions") or () if isinstance(each, Mapping)]
    scheduled = [each for each in conditions if each.get("type") == "PodScheduled"]
    by_scheduler = {name: status[name] for name in ("nominatedNodeName",) if status.get(name)}
    if scheduled and scheduled[0].get("status") != "True":
        by_scheduler["conditions"] = scheduled
    if by_scheduler:
        yield _write(resource, value, SCHEDULER, {_STATUS: {}}, {_STATUS: by_scheduler}, _STATUS)
    if (value.get("spec") or {}).get("nodeName") and status.get("startTime"):
        of_server = {name: status[name] for name in ("qosClass", "nominatedNodeName") if name in status}
        before = {**of_server, "phase": "Pending", **({"conditions": scheduled} if scheduled else {})}
        yield _write(resource, value, KUBELET, {_STATUS: before}, {_STATUS: status}, _STATUS)


def _list_annotation_writes(
    resource: Resource, value: Object, manager: str, names: tuple[str, ...], subresource: str = ""
) -> Iterator[PastWrite]:
    annotations = _annotations(value)
    others = {name: text for name, text in annotations.items() if name not in names}
    if len(others) < len(annotations):
        before = {"metadata": {"annotations": others} if others else {}}
        yield _write(resource, value, manager, before, {"metadata": {"annotations": dict(annotations)}}, subresource)


_OTHER_WRITES: Mapping[str, Callable[[Resource, Object], Iterator[PastWrite]]] = {
    "Deployment": _list_deployment_writes,
    "Node": _list_node_writes,
    "PersistentVolume": _list_volume_writes,
    "PersistentVolumeClaim": _list_claim_writes,
    "Pod": _list_pod_writes,
}


def _write(
    resource: Resource,
    value: Object,
    manager: str,
    before: Object,
    after: Object,
    subresource: str = "",
    *,
    is_last: bool = False,
) -> PastWrite:
    time = _last_time(after) or str(_metadata(value).get("creationTimestamp") or "")
    return PastWrite(Writer(manager, resource.api_version, time, subresource), before, after, is_last)


def _last_time(part: Any) -> str:
    """Return the newest time stamp in this part of an object, in whole seconds, or ""."""
    if isinstance(part, list):
        return max((_last_time(each) for each in part), default="")
    if not isinstance(part, dict):
        return ""
    times = [f"{item[:19]}Z" for name, item in part.items() if _is_time(name, item)]
    return max([*times, *(_last_time(item) for item in part.values())], default="")


def _is_time(name: str, item: Any) -> bool:
    return isinstance(item, str) and len(item) >= len("2025-06-01T00:00:00Z") and name.endswith(("Time", "At", "Added"))


def _writer_of(entry: Any) -> tuple[str, str] | None:
    if not isinstance(entry, Mapping) or entry.get("operation") != "Update":
        return None
    return str(entry.get("manager") or ""), str(entry.get("subresource") or "")


def _without_times(entries: list[Any]) -> list[Any]:
    left = [{name: item for name, item in each.items() if name != "time"} for each in entries]
    return sorted(left, key=lambda each: (each["operation"], each.get("manager", ""), each.get("subresource", "")))


def _with_entries(value: Object, entries: list[Any]) -> Object:
    metadata = {name: item for name, item in _metadata(value).items() if name != _ENTRIES}
    return {**value, "metadata": {**metadata, _ENTRIES: entries} if entries else metadata}


def _annotations(value: Object) -> Mapping[str, Any]:
    return _metadata(value).get("annotations") or {}


def _metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value.get("metadata") or {}
