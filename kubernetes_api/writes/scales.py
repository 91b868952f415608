"""The Scale of a workload: shown, and what a client makes of it. Source: registry/apps/deployment/storage."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kubernetes_api import causes, errors
from kubernetes_api.causes import Cause
from kubernetes_api.custom import columns
from kubernetes_api.reads.cells import selector
from kubernetes_api.resources import Resource
from kubernetes_api.validation import metadata as metadata_rules
from kubernetes_api.writes import bodies, placing
from kubernetes_api.writes.patches import PATCHES, STRATEGIC_PATCH
from kubernetes_api.writes.patching import patched

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
_OF_SCALE = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
_REPLICAS: Object = {"f:spec": {"f:replicas": {}}}


def scale(resource: Resource, live: Mapping[str, Any]) -> Object:
    """A workload's Scale; a kind that a client registered says where its numbers are."""
    metadata, spec, status = (live.get(name) or {} for name in ("metadata", "spec", "status"))
    pods = selector(spec.get("selector"))
    if resource.custom and resource.custom.scale:
        wanted, is_now, pods = (columns.at(live, resource.custom.scale.get(name) or "") for name in _PATHS)
        spec, status, pods = {"replicas": wanted}, {"replicas": is_now or 0}, str(pods or "<none>")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _OF_SCALE if name in metadata},
        "spec": {"replicas": spec["replicas"]} if spec.get("replicas") else {},
        "status": {
            "replicas": status.get("replicas", 0),
            **({} if pods.startswith("<") else {"selector": pods}),
        },
    }


def scaled(
    resource: Resource, live: Mapping[str, Any], kind: str, sent: Any, validation: str
) -> tuple[Object, list[str]]:
    """The object as a Scale that was sent wants it, and what a client is warned of; `kind`: of a patch, or none."""
    is_patch, name = kind in PATCHES, str(live["metadata"]["name"])
    found = patched(SCALE, _with_entries(resource, live), kind, sent) if is_patch else sent
    value = placing.of_kind(SCALE, found, is_new=not is_patch)
    patch = (sent if kind == STRATEGIC_PATCH else found) if is_patch else None
    value, warnings = placing.checked(SCALE, value, validation, bodies.twice(sent), patch, kind if is_patch else "")
    metadata, replicas = value["metadata"], (value.get("spec") or {}).get("replicas") or 0
    placing.take_place(SCALE, metadata, str(live["metadata"].get("namespace") or ""))
    if metadata.get("name") != name:
        raise placing.other_name(metadata.get("name"), name)
    if wrong := list(_wrong(metadata, replicas)):
        raise errors.invalid(SCALE, name, wrong)
    if (uid := metadata.get("uid")) not in (None, "", there := live["metadata"].get("uid")):
        detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {there}"
        raise errors.conflict(replace(resource, name=f"{resource.name}/scale"), name, detail)
    wanted = {**live["metadata"], "resourceVersion": metadata.get("resourceVersion") or ""}
    return _with_replicas(resource, {**live, "metadata": wanted}, replicas), warnings


def _wrong(metadata: Mapping[str, Any], replicas: int) -> list[Cause]:
    found = list(metadata_rules.created(SCALE.kind, {"metadata": metadata}))
    return [*found, *([causes.invalid("spec.replicas", replicas, causes.NOT_NEGATIVE)] if replicas < 0 else [])]


def _with_replicas(resource: Resource, value: Object, replicas: int) -> Object:
    if resource.custom and resource.custom.scale:
        path = [each for each in resource.custom.scale["specReplicasPath"].split(".") if each]
        return _with(value, path, replicas)
    return {**value, "spec": {**(value.get("spec") or {}), "replicas": replicas}}


def _with(value: Any, path: Sequence[str], number: int) -> Object:
    """A copy with a number at the end of the path."""
    found = dict(value) if isinstance(value, Mapping) else {}
    found[path[0]] = _with(found.get(path[0]), path[1:], number) if len(path) > 1 else number
    return found


def entries_without_number(entries: Sequence[Mapping[str, Any]]) -> list[Object]:
    """Of a workload whose Scale was written as it was: then nobody manages the number any more."""
    left = []
    for each in entries:
        fields = dict(each.get("fieldsV1") or {})
        if "f:replicas" in (fields.get("f:spec") or {}):
            fields["f:spec"] = {name: item for name, item in fields["f:spec"].items() if name != "f:replicas"}
            if not fields["f:spec"]:
                del fields["f:spec"]
        if fields:
            left.append({**each, "fieldsV1": fields})
    return left


def _with_entries(resource: Resource, live: Mapping[str, Any]) -> Object:
    """As a patch sees it: with those who manage the number. Source: managedfields.ScaleHandler."""
    shown = scale(resource, live)
    entries = []
    for each in live["metadata"].get("managedFields") or ():
        if resource.custom is None and "f:replicas" in ((each.get("fieldsV1") or {}).get("f:spec") or {}):
            entries.append({**each, "apiVersion": SCALE.api_version, "fieldsV1": _REPLICAS})
    return {**shown, "metadata": {**shown["metadata"], "managedFields": entries}} if entries else shown
