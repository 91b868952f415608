"""What a write makes of an object: created, replaced or patched, with what the server itself writes into it."""

import copy
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from kubernetes_api import defaults, errors, types
from kubernetes_api.resources import Resource
from structured_merge.json_patches import JSONPatchError, TooManyOperations, json_patch, merge_patch
from structured_merge.managed_fields import ApplyConflict, BadManagedFields, Writer
from structured_merge.strategic import PatchError, apply_patch
from structured_merge.typed import TypeMismatch

Object = dict[str, Any]

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = ("application/apply-patch+yaml", "application/apply-patch+json")
PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, *APPLY_PATCH)
MAX_DEPTH = 100
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
# What only the server writes.
_KEPT = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "name",
    "namespace",
)
_WITH_GENERATION = frozenset(
    [
        "Pod",
        "Deployment",
        "DaemonSet",
        "ReplicaSet",
        "StatefulSet",
        "ReplicationController",
        "Job",
        "CronJob",
        "PodDisruptionBudget",
        "Ingress",
        "IngressClass",
        "NetworkPolicy",
        "PriorityClass",
        "ResourceSlice",
        "DeviceClass",
        "EndpointSlice",
    ]
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A write as the client asks for it: by which manager, when (RFC 3339), how strict about unknown fields."""

    manager: str
    time: str
    validation: str = "Strict"
    force: bool = False
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """The object to store; None when nothing changes. `warnings` are for the answer's Warning headers."""

    value: Object | None
    warnings: list[str]


def read_json(body: bytes) -> Any:
    """A body's JSON, within bounds; ApiError."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as broken:
        raise errors.bad_request(f"the object provided is unrecognized: couldn't parse JSON: {broken}") from broken
    if _depth(found, 0) > MAX_DEPTH:
        raise errors.bad_request(f"the object provided is nested deeper than {MAX_DEPTH} levels")
    return found


def create(resource: Resource, namespace: str, sent: Any, asked: Asked) -> Written:
    """A new object, with its identity and defaults."""
    value = _of_kind(resource, sent)
    value, warnings = _checked(resource, value, asked)
    metadata = _metadata(value)
    _take_place(resource, metadata, namespace)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{metadata['generateName']}{''.join(secrets.choice(_LETTERS) for _ in range(5))}"
    if not metadata.get("name"):
        cause = {
            "reason": "FieldValueRequired",
            "message": "Required value: name or generateName is required",
            "field": "metadata.name",
        }
        raise errors.invalid(resource, "", [cause])
    for key in ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(key, None)
    _check_name(resource, str(metadata["name"]))
    metadata["uid"], metadata["creationTimestamp"] = str(uuid4()), asked.time
    if resource.kind in _WITH_GENERATION:
        metadata["generation"] = 1
    if resource.kind in ("Pod", "PersistentVolumeClaim"):
        value.pop("status", None)
    defaults.fill_in(resource.kind, value)
    value = copy.deepcopy(_managed(resource, None, value, asked))
    defaults.admit(resource.kind, value)
    return Written(value, warnings)


def replace(resource: Resource, live: Object, sent: Any, asked: Asked) -> Written:
    value = _of_kind(resource, sent)
    value, warnings = _checked(resource, value, asked)
    return Written(_changed(resource, live, value, asked), warnings)


def patch(resource: Resource, live: Object, kind: str, sent: Any, asked: Asked) -> Written:
    """The object with a patch of one of PATCHES applied."""
    if kind in APPLY_PATCH:
        return _apply(resource, live, sent, asked)
    before = copy.deepcopy(live)
    try:
        if kind == JSON_PATCH:
            value = json_patch(before, sent)
        elif not isinstance(sent, dict):
            raise errors.bad_request("a patch must be an object")
        elif kind == MERGE_PATCH:
            value = merge_patch(before, sent)
        else:
            schema = types.patch_type(resource)
            if schema is None:
                raise errors.not_understood((JSON_PATCH, MERGE_PATCH, *APPLY_PATCH))
            value = apply_patch(before, sent, schema)
    except TooManyOperations as many:
        raise errors.too_large(str(many)) from many
    except JSONPatchError as wrong:
        message = "the server rejected our request due to an error in our request"
        raise errors.ApiError(422, "Invalid", message, {}) from wrong
    except PatchError as wrong:
        raise errors.bad_request(str(wrong)) from wrong
    value = _of_kind(resource, value)
    value, warnings = _checked(resource, value, asked)
    return Written(_changed(resource, live, value, asked), warnings)


def create_applied(resource: Resource, namespace: str, name: str, sent: Any, asked: Asked) -> Written:
    """A server-side apply of what is not there yet."""
    value = _of_kind(resource, sent)
    metadata = _metadata(value)
    _take_place(resource, metadata, namespace)
    metadata["name"] = name
    merged = _applied(resource, None, value, asked)
    assert merged is not None
    metadata = merged["metadata"]
    metadata["uid"], metadata["creationTimestamp"] = str(uuid4()), asked.time
    if resource.kind in _WITH_GENERATION:
        metadata["generation"] = 1
    defaults.fill_in(resource.kind, merged)
    defaults.admit(resource.kind, merged)
    return Written(merged, [])


def _apply(resource: Resource, live: Object, sent: Any, asked: Asked) -> Written:
    value = _of_kind(resource, sent)
    _take_place(resource, _metadata(value), _metadata(live).get("namespace", ""))
    merged = _applied(resource, live, value, asked)
    return Written(None if merged is None else _kept(live, merged), [])


def _applied(resource: Resource, live: Object | None, value: Object, asked: Asked) -> Object | None:
    if _metadata(value).get("managedFields") is not None:
        raise errors.bad_request("metadata.managedFields must be nil")
    try:
        found = types.field_manager(resource).apply(live, value, _writer(resource, asked), force=asked.force)
    except ApplyConflict as conflict:
        raise errors.apply_conflict(conflict.message, conflict.causes) from conflict
    except TypeMismatch as wrong:
        metadata = _metadata(value)
        place = "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))
        about = f"({place}; {resource.api_version}, Kind={resource.kind})"
        message = f"failed to create typed patch object {about}: {wrong}"
        raise errors.ApiError(500, "", message) from wrong
    except BadManagedFields as wrong:
        raise errors.bad_request(str(wrong)) from wrong
    return None if found is None else copy.deepcopy(found)


def _changed(resource: Resource, live: Object, value: Object, asked: Asked) -> Object | None:
    sent_version = _metadata(value).get("resourceVersion")
    version = _metadata(live).get("resourceVersion")
    name = str(_metadata(live).get("name"))
    if sent_version not in (None, "", version):
        raise errors.changed(resource, name)
    value = _kept(live, value)
    if _without_entries(value) == _without_entries(live):
        return None
    return _managed(resource, live, value, asked)


def _managed(resource: Resource, live: Object | None, value: Object, asked: Asked) -> Object:
    try:
        manager, empty = types.field_manager(resource, asked.subresource), types.empty(resource)
        return manager.update(live, value, _writer(resource, asked), empty)
    except TypeMismatch as wrong:
        message = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {wrong}'
        raise errors.bad_request(message) from wrong
    except BadManagedFields as wrong:
        raise errors.bad_request(str(wrong)) from wrong


def _kept(live: Object, value: Object) -> Object:
    """The new value with what a client cannot change."""
    there, metadata = _metadata(live), dict(_metadata(value))
    for key in _KEPT:
        metadata.pop(key, None)
        if key in there:
            metadata[key] = there[key]
    if "resourceVersion" in there:
        metadata["resourceVersion"] = there["resourceVersion"]
    if "generation" in metadata and value.get("spec") != live.get("spec"):
        metadata["generation"] = int(metadata["generation"]) + 1
    return {**value, "metadata": metadata}


def _without_entries(value: Object) -> Object:
    left = ("managedFields", "resourceVersion", "generation")
    return {**value, "metadata": {key: item for key, item in _metadata(value).items() if key not in left}}


def _writer(resource: Resource, asked: Asked) -> Writer:
    return Writer(asked.manager, resource.api_version, asked.time, asked.subresource)


def _of_kind(resource: Resource, sent: Any) -> Object:
    if not isinstance(sent, dict) or not isinstance(sent.get("metadata", {}), dict):
        raise errors.bad_request("the object provided is unrecognized (must be of type Object)")
    value: Object = {"apiVersion": resource.api_version, "kind": resource.kind, **copy.deepcopy(sent)}
    value["metadata"] = value.get("metadata") or {}
    if (value["apiVersion"], value["kind"]) != (resource.api_version, resource.kind):
        got, want = (f"{each['apiVersion']}, Kind={each['kind']}" for each in (value, resource_type(resource)))
        raise errors.bad_request(
            f"the API version in the data ({got}) does not match the expected API version ({want})"
        )
    return value


def resource_type(resource: Resource) -> Mapping[str, str]:
    return {"apiVersion": resource.api_version, "kind": resource.kind}


def _take_place(resource: Resource, metadata: Object, namespace: str) -> None:
    """The namespace is that of the path."""
    if not resource.namespaced:
        metadata.pop("namespace", None)
        return
    if metadata.get("namespace") not in (None, "", namespace):
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    metadata["namespace"] = namespace


def _checked(resource: Resource, value: Object, asked: Asked) -> tuple[Object, list[str]]:
    """The object without fields that its kind does not have, and warnings of them; ApiError where these are errors."""
    left = types.without_unknown(resource, value)
    if asked.validation == "Ignore":
        return left, []
    unknown = [f'unknown field "{path}"' for path in types.unknown_fields(resource, value)]
    if unknown and asked.validation == "Strict":
        told = f"strict decoding error: {', '.join(unknown)}"
        message = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}: {told}'
        raise errors.bad_request(message)
    return left, unknown


def _check_name(resource: Resource, name: str) -> None:
    """Kinds that scheduling reads are checked with the rest of them."""
    if resource.group == "rbac.authorization.k8s.io" or (len(name) <= 253 and _SUBDOMAIN.fullmatch(name)):
        return
    rule = "must be no more than 253 characters" if len(name) > 253 else _SUBDOMAIN_RULE
    message = f"Invalid value: {json.dumps(name[:300])}: {rule}"
    raise errors.invalid(
        resource, name[:300], [{"reason": "FieldValueInvalid", "message": message, "field": "metadata.name"}]
    )


def _metadata(value: Mapping[str, Any]) -> Object:
    found: Object = value["metadata"]
    return found


def _depth(value: Any, level: int) -> int:
    if level > MAX_DEPTH or not isinstance(value, dict | list):
        return level
    items = value.values() if isinstance(value, dict) else value
    return max((_depth(item, level + 1) for item in items), default=level)
