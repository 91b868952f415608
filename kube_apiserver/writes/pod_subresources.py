"""Subresources that change a part of a Pod, and its binding."""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission.attributes import ClusterReader
from kube_apiserver.admission.pods import with_topology
from kube_apiserver.resources import by_kind
from kube_apiserver.writes import decode, types

Object = dict[str, Any]

PARTS = ("resize", "ephemeralcontainers")
"""Subresources that change a part of a Pod's spec."""
_RESIZED = ("containers", "initContainers")


def merge_part(subresource: str, live: Object, value: Object) -> Object:
    """Return the stored object with the part that a client wrote. Source: registry/core/pod/strategy.go."""
    spec, was = value.get("spec") or {}, live.get("spec") or {}
    metadata = types.restore_metadata(value["metadata"], live["metadata"])
    if subresource == "ephemeralcontainers":
        return {**live, "metadata": metadata, "spec": {**was, **_part(spec, "ephemeralContainers")}}
    if any(len(spec.get(name) or ()) != len(was.get(name) or ()) for name in _RESIZED):
        # Validation rejects added and removed containers.
        return dict(value)
    parts = {name: _resized(spec[name], was[name]) for name in _RESIZED if was.get(name)}
    return {**live, "metadata": metadata, "spec": {**was, **parts, **_part(spec, "resources")}}


def _part(spec: Object, name: str) -> Object:
    return {name: spec[name]} if spec.get(name) else {}


def _resized(containers: list[Any], was: list[Any]) -> list[Any]:
    if [each.get("name") for each in containers] != [each.get("name") for each in was]:
        return containers
    pairs = zip(was, containers, strict=True)
    return [{**old, "resources": new.get("resources") or {}, **_part(new, "resizePolicy")} for old, new in pairs]


def bind_pod(live: Mapping[str, Any], sent: Object, time: str, world: ClusterReader) -> Object:
    """Return the Pod on the Node that a Binding names, or raise ApiError.

    Source: registry/core/pod/storage assignPod.
    """
    target = sent.get("target") or {}
    if target.get("kind") not in (None, "", "Node"):
        text = f'target.kind: Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"'
        raise errors.ApiError(500, "", text)
    node = target.get("name")
    if not node:
        raise errors.ApiError(500, "", "target.name: Required value")
    metadata, spec, status = (dict(live.get(name) or {}) for name in ("metadata", "spec", "status"))
    name = metadata["name"]
    for key, what in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted, found = str(sent["metadata"].get(key) or ""), str(metadata.get(key) or "")
        if wanted not in ("", found):
            raise decode.unmet(by_kind("Pod"), metadata, what, wanted, found)
    text = ""
    if metadata.get("deletionTimestamp"):
        text = f"pod {name} is being deleted, cannot be assigned to a host"
    elif spec.get("nodeName"):
        text = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    elif spec.get("schedulingGates"):
        text = f"pod {name} has non-empty .spec.schedulingGates"
    if text:
        message = f'Operation cannot be fulfilled on pods/binding "{name}": {text}'
        raise errors.ApiError(409, "Conflict", message, {"name": name, "kind": "pods/binding"})
    for key in ("labels", "annotations"):
        given = sent["metadata"].get(key)
        if given:
            metadata[key] = {**(metadata.get(key) or {}), **given}
    if labels := with_topology(node, metadata.get("labels"), world):
        metadata["labels"] = labels
    scheduled = {"lastProbeTime": None, "lastTransitionTime": time, "status": "True", "type": "PodScheduled"}
    others = [each for each in status.get("conditions") or () if each.get("type") != "PodScheduled"]
    return {
        **live,
        "metadata": metadata,
        "spec": {**spec, "nodeName": node},
        "status": {**status, "conditions": [*others, scheduled]},
    }
