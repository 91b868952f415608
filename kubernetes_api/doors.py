"""Subresources that change an object in one way: the scale of a workload, the binding of a pod."""

from collections.abc import Mapping
from typing import Any

from kubernetes_api import errors
from kubernetes_api.cells import selector
from kubernetes_api.resources import Resource
from kubernetes_api.writing import MERGE_PATCH
from structured_merge.json_patches import merge_patch

Object = dict[str, Any]

SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_OF_SCALE = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale(live: Mapping[str, Any]) -> Object:
    """A workload's Scale."""
    metadata, spec, status = (live.get(name) or {} for name in ("metadata", "spec", "status"))
    pods = selector(spec.get("selector"))
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in _OF_SCALE if name in metadata},
        "spec": {"replicas": spec.get("replicas", 1)},
        "status": {
            "replicas": status.get("replicas", 0),
            **({} if pods.startswith("<") else {"selector": pods}),
        },
    }


def scaled(resource: Resource, live: Mapping[str, Any], kind: str, sent: Any) -> Object:
    """The workload as a Scale that was sent wants it: a whole one, or a merge patch of it."""
    name = str(live["metadata"]["name"])
    if kind == MERGE_PATCH:
        sent = merge_patch(scale(live), sent)
    if (
        not isinstance(sent, dict)
        or not isinstance(sent.get("spec"), dict)
        or not isinstance(sent.get("metadata"), dict)
    ):
        raise errors.bad_request("the object provided is no Scale")
    version = sent["metadata"].get("resourceVersion")
    if version not in (None, "", live["metadata"].get("resourceVersion")):
        raise errors.changed(resource, name)
    replicas = sent["spec"].get("replicas", 0)
    if not isinstance(replicas, int) or isinstance(replicas, bool) or not 0 <= replicas < 1 << 31:
        message = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise errors.invalid(
            resource, name, [{"reason": "FieldValueInvalid", "message": message, "field": "spec.replicas"}]
        )
    return {**live, "spec": {**(live.get("spec") or {}), "replicas": replicas}}


def bound(live: Mapping[str, Any], sent: Any, time: str) -> Object:
    """The pod on the node that a Binding names. Source: registry/core/pod/storage assignPod."""
    target = sent.get("target") if isinstance(sent, dict) else None
    if not isinstance(target, dict):
        raise errors.bad_request("the object provided is no Binding")
    if target.get("kind") not in (None, "", "Node"):
        told = f'target.kind: Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"'
        raise errors.ApiError(500, "", told)
    node = target.get("name")
    if not node or not isinstance(node, str):
        raise errors.ApiError(500, "", "target.name: Required value")
    metadata, spec, status = (dict(live.get(name) or {}) for name in ("metadata", "spec", "status"))
    name = metadata["name"]
    if spec.get("nodeName"):
        told = f'pod {name} is already assigned to node "{spec["nodeName"]}"'
        raise errors.ApiError(409, "Conflict", f'Operation cannot be fulfilled on pods/binding "{name}": {told}', {})
    for key in ("labels", "annotations"):
        given = (sent.get("metadata") or {}).get(key) if isinstance(sent.get("metadata"), dict) else None
        if isinstance(given, dict) and given:
            metadata[key] = {**(metadata.get(key) or {}), **given}
    scheduled = {"lastProbeTime": None, "lastTransitionTime": time, "status": "True", "type": "PodScheduled"}
    others = [each for each in status.get("conditions") or () if each.get("type") != "PodScheduled"]
    return {
        **live,
        "metadata": metadata,
        "spec": {**spec, "nodeName": node},
        "status": {**status, "conditions": [*others, scheduled]},
    }
