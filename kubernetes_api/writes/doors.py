"""Subresources that change an object in one way: the parts of a pod, its binding, an account's token."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from kubernetes_api import causes, errors
from kubernetes_api.admission.pods import topology
from kubernetes_api.admission.table import must_have_namespace as must_have_namespace
from kubernetes_api.admission.world import World
from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.resources import by_kind
from kubernetes_api.writes import drawn, placing, types

Object = dict[str, Any]

PARTS = ("resize", "ephemeralcontainers")
"""Ways to a part of a pod's spec."""
_RESIZED = ("containers", "initContainers")
_BINDS_TOKENS = ("Node", "Pod", "Secret")
_TOKEN_SECONDS = 3600
_LEAST_TOKEN_SECONDS = 600


def through(door: str, live: Object, value: Object) -> Object:
    """What a client sent through a door, with all else as it was. Source: registry/core/pod/strategy.go."""
    spec, was = value.get("spec") or {}, live.get("spec") or {}
    metadata = types.with_kept(value["metadata"], live["metadata"])
    if door == "ephemeralcontainers":
        return {**live, "metadata": metadata, "spec": {**was, **_part(spec, "ephemeralContainers")}}
    if any(len(spec.get(name) or ()) != len(was.get(name) or ()) for name in _RESIZED):
        # Validation says that none comes or goes.
        return dict(value)
    parts = {name: _resized(spec[name], was[name]) for name in _RESIZED if was.get(name)}
    return {**live, "metadata": metadata, "spec": {**was, **parts, **_part(spec, "resources")}}


def _part(spec: Object, name: str) -> Object:
    return {name: spec[name]} if spec.get(name) else {}


def _resized(given: list[Any], was: list[Any]) -> list[Any]:
    if [each.get("name") for each in given] != [each.get("name") for each in was]:
        return given
    pairs = zip(was, given, strict=True)
    return [{**old, "resources": new.get("resources") or {}, **_part(new, "resizePolicy")} for old, new in pairs]


def token(live: Object, sent: Object, now: datetime, seed: str, world: World) -> Object:
    """A TokenRequest answered: its token opens nothing here. Source: registry/core/serviceaccount/storage."""
    metadata, spec = live["metadata"], sent.get("spec") or {}
    seconds = spec.get("expirationSeconds") or _TOKEN_SECONDS
    if not isinstance(seconds, int) or seconds < _LEAST_TOKEN_SECONDS:
        cause = causes.invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        details = {"group": "authentication.k8s.io", "kind": "TokenRequest", "causes": [cause]}
        text = f'TokenRequest.authentication.k8s.io "" is invalid: {cause["field"]}: {cause["message"]}'
        raise errors.ApiError(422, "Invalid", text, details)
    if spec.get("boundObjectRef") is not None:
        _must_be_there(spec["boundObjectRef"], metadata, world)
    end = now + timedelta(seconds=seconds)
    subject = f"system:serviceaccount:{metadata.get('namespace')}:{metadata['name']}"
    claims = {"sub": subject, "exp": int(end.timestamp()), "iat": int(now.timestamp()), "jti": seed}
    head = {"alg": "none", "typ": "JWT"}
    written = ".".join(
        base64.urlsafe_b64encode(json.dumps(each, separators=(",", ":")).encode()).decode().rstrip("=")
        for each in (head, claims)
    )
    return {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            **sent["metadata"],
            "name": metadata["name"],
            "namespace": metadata.get("namespace"),
            "uid": drawn.uid(seed, 0, "TokenRequest", metadata),
            "creationTimestamp": now.strftime(TIME_FORMAT),
        },
        "spec": {
            "audiences": spec.get("audiences") or ["https://kubernetes.default.svc.cluster.local"],
            "expirationSeconds": seconds,
            "boundObjectRef": spec.get("boundObjectRef"),
        },
        "status": {"token": f"{written}.", "expirationTimestamp": end.strftime(TIME_FORMAT)},
    }


def _must_be_there(reference: Any, account: Mapping[str, Any], world: World) -> None:
    """What a token ends with. Source: TokenREST.Create."""
    kind, name = str(reference.get("kind") or ""), str(reference.get("name") or "")
    group, _, version = str(reference.get("apiVersion") or "").rpartition("/")
    if group or kind not in _BINDS_TOKENS:
        raise errors.bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    resource, namespace = by_kind(kind), str(account.get("namespace") or "")
    found = world.get(kind, name, namespace if resource.namespaced else "")
    if found is None:
        raise errors.not_found(resource, name)
    if kind == "Pod" and (found.get("spec") or {}).get("serviceAccountName") != account["name"]:
        text = f'cannot bind token for serviceaccount "{account["name"]}" to pod running with different serviceaccount'
        raise errors.bad_request(f"{text} name.")
    if (uid := reference.get("uid")) and uid != found["metadata"].get("uid"):
        text = f"the UID in the bound object reference ({uid}) does not match the UID in record. The object might have"
        raise errors.conflict(replace(resource, name=kind), name, f"{text} been deleted and then recreated")


def bound(live: Mapping[str, Any], sent: Object, time: str, world: World) -> Object:
    """The pod on the node that a Binding names. Source: registry/core/pod/storage assignPod."""
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
            raise placing.unmet(by_kind("Pod"), metadata, what, wanted, found)
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
    if labels := topology(node, metadata.get("labels"), world):
        metadata["labels"] = labels
    scheduled = {"lastProbeTime": None, "lastTransitionTime": time, "status": "True", "type": "PodScheduled"}
    others = [each for each in status.get("conditions") or () if each.get("type") != "PodScheduled"]
    return {
        **live,
        "metadata": metadata,
        "spec": {**spec, "nodeName": node},
        "status": {**status, "conditions": [*others, scheduled]},
    }
