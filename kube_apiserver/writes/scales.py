"""The Scale subresource of workloads. Source: registry/apps/deployment/storage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.admission.scaling import REPLICAS, without_replicas
from kube_apiserver.causes import Cause
from kube_apiserver.custom import columns
from kube_apiserver.reads.cells import selector
from kube_apiserver.resources import Resource
from kube_apiserver.validation.metadata import validate_new_metadata
from kube_apiserver.writes import decode
from kube_apiserver.writes.patches import APPLY_PATCH, PATCHES, STRATEGIC_PATCH
from kube_apiserver.writes.patching import patched

Object = dict[str, Any]

SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_PATHS = ("specReplicasPath", "statusReplicasPath", "labelSelectorPath")
_COLUMNS = (("Name", "string", "name"), ("Desired", "integer", ""), ("Available", "integer", ""), ("Age", "string", ""))
SCALE = Resource(
    group="autoscaling",
    version="v1",
    name="scales",
    singular="scale",
    kind="Scale",
    namespaced=True,
    short_names=(),
    categories=(),
    columns=tuple(
        {"name": name, "type": type_, "format": form, "description": "", "priority": 0}
        for name, type_, form in _COLUMNS
    ),
)
_SCALE_METADATA = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale(resource: Resource, live: Mapping[str, Any]) -> Object:
    """Return the Scale of a workload. The CRD of a custom resource says where its numbers are."""
    metadata, spec, status = (live.get(name) or {} for name in ("metadata", "spec", "status"))
    pods = selector(spec.get("selector"))
    if resource.custom and resource.custom.scale:
        paths = [resource.custom.scale.get(name) for name in _PATHS]
        wanted, is_now, chosen = (columns.value_at(live, path) if path else None for path in paths)
        spec, status, pods = {"replicas": wanted}, {"replicas": is_now or 0}, str(chosen or "<none>")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _SCALE_METADATA if name in metadata},
        "spec": {"replicas": spec["replicas"]} if spec.get("replicas") else {},
        "status": {
            "replicas": status.get("replicas", 0),
            **({} if pods.startswith("<") else {"selector": pods}),
        },
    }


def check_kind(method: str, content_type: str) -> None:
    """Raise ApiError for a method or a media type that can't write a Scale."""
    if method not in ("PUT", "PATCH"):
        raise errors.not_allowed()
    if method == "PATCH" and content_type not in PATCHES:
        raise errors.not_understood(PATCHES)


def is_apply(content_type: str) -> bool:
    return content_type in APPLY_PATCH


def scaled(
    resource: Resource, live: Mapping[str, Any], kind: str, sent: Any, validation: str
) -> tuple[Object, list[str]]:
    """Return the object scaled by a Scale or by a patch of `kind`, and the warnings for the client."""
    is_patch, name = kind in PATCHES, str(live["metadata"]["name"])
    found = patched(SCALE, with_entries(resource, live), kind, sent) if is_patch else sent
    value = decode.with_kind(SCALE, found)
    patch = (sent if kind == STRATEGIC_PATCH else found) if is_patch else None
    value, warnings = decode.checked(SCALE, value, validation, decode.twice(sent), patch, kind if is_patch else "")
    value = decode.in_namespace(SCALE, value, str(live["metadata"].get("namespace") or ""))
    metadata, replicas = value["metadata"], (value.get("spec") or {}).get("replicas") or 0
    if metadata.get("name") != name:
        raise decode.other_name(metadata.get("name"), name)
    if wrong := list(_wrong(metadata, replicas)):
        raise errors.invalid(SCALE, name, wrong)
    if (uid := metadata.get("uid")) not in (None, "", there := live["metadata"].get("uid")):
        detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {there}"
        raise errors.conflict(replace(resource, name=f"{resource.name}/scale"), name, detail)
    wanted = {**live["metadata"], "resourceVersion": metadata.get("resourceVersion") or ""}
    return _with_replicas(resource, {**live, "metadata": wanted}, replicas), warnings


def applied(resource: Resource, live: Mapping[str, Any], merged: Object) -> Object:
    """Return the object scaled by an applied Scale, with the managers of its replicas.

    Source: managedfields.ScaleHandler.ToParent.
    """
    metadata, replicas = merged["metadata"], (merged.get("spec") or {}).get("replicas") or 0
    if wrong := list(_wrong(metadata, replicas)):
        raise errors.invalid(SCALE, str(live["metadata"]["name"]), wrong)
    value = _with_replicas(resource, dict(live), replicas)
    managing = {_who(entry) for entry in metadata.get("managedFields") or ()}
    entries = []
    for entry in live["metadata"].get("managedFields") or ():
        is_managing = "f:replicas" in ((entry.get("fieldsV1") or {}).get("f:spec") or {})
        if is_managing and _who(entry) not in managing:
            entries += without_replicas([entry])
        else:
            entries.append(dict(entry))
            managing.discard(_who(entry) if is_managing else ())
    for manager, operation, subresource in sorted(managing):
        subresource_field = {"subresource": subresource} if subresource else {}
        head = {"manager": manager, "operation": operation, "apiVersion": resource.api_version}
        entries.append({**head, "fieldsType": "FieldsV1", "fieldsV1": REPLICAS, **subresource_field})
    order = ("operation", "time", "manager", "apiVersion", "subresource")
    entries.sort(key=lambda entry: [str(entry.get(name, "")) for name in order])
    left = {name: item for name, item in live["metadata"].items() if name != "managedFields"}
    return {**value, "metadata": {**left, "managedFields": entries} if entries else left}


def _who(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(name) or "") for name in ("manager", "operation", "subresource"))


def _wrong(metadata: Mapping[str, Any], replicas: int) -> list[Cause]:
    found = list(validate_new_metadata(SCALE.kind, {"metadata": metadata}))
    return [*found, *([causes.invalid("spec.replicas", replicas, causes.NOT_NEGATIVE)] if replicas < 0 else [])]


def _with_replicas(resource: Resource, value: Object, replicas: int) -> Object:
    if resource.custom and resource.custom.scale:
        path = [each for each in resource.custom.scale["specReplicasPath"].split(".") if each]
        return _with(value, path, replicas)
    return {**value, "spec": {**(value.get("spec") or {}), "replicas": replicas}}


def _with(value: Any, path: Sequence[str], number: int) -> Object:
    """Return a copy with the number at the end of the path."""
    found = dict(value) if isinstance(value, Mapping) else {}
    found[path[0]] = _with(found.get(path[0]), path[1:], number) if len(path) > 1 else number
    return found


def with_entries(resource: Resource, live: Mapping[str, Any]) -> Object:
    """Return the Scale with the managers of its replicas, as a patch sees it. Source: managedfields.ScaleHandler."""
    shown = scale(resource, live)
    entries: list[Object] = []
    for each in live["metadata"].get("managedFields") or ():
        if resource.custom is None and "f:replicas" in ((each.get("fieldsV1") or {}).get("f:spec") or {}):
            entries.append({**each, "apiVersion": SCALE.api_version, "fieldsV1": REPLICAS})
    return {**shown, "metadata": {**shown["metadata"], "managedFields": entries}} if entries else shown
