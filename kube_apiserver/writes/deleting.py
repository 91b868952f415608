"""Deletion: an object is removed, or marked until its grace period and its finalizers end.

Source: apiserver/pkg/registry/rest/delete.go BeforeDelete, registry/generic/registry/store.go Delete.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.resources import Resource
from kube_apiserver.time_format import TIME_FORMAT
from kube_apiserver.writes import codec, decode

Object = dict[str, Any]

_KINDS_IN_ALL_VERSIONS = frozenset(["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"])
_TYPES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "dryRun": (("array",), "[]string"),
    "gracePeriodSeconds": (("number",), "int64"),
    "orphanDependents": (("bool",), "bool"),
    "preconditions": (("object",), "v1.Preconditions"),
    "propagationPolicy": (("string",), "v1.DeletionPropagation"),
}
_SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"

FOREGROUND, ORPHAN, BACKGROUND = "Foreground", "Orphan", "Background"
_FINALIZERS = {FOREGROUND: "foregroundDeletion", ORPHAN: "orphan"}
RETURNED = frozenset(
    [
        "CSIDriver",
        "CSINode",
        "DeviceClass",
        "Namespace",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ResourceClaim",
        "ResourceClaimTemplate",
        "ResourceQuota",
        "ResourceSlice",
        "Service",
        "ServiceAccount",
        "StorageClass",
        "VolumeAttachment",
        "VolumeAttributesClass",
    ]
)
"""Kinds whose delete returns the deleted object; others return a Status."""
_GRACE = 30


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """The options of a delete. `grace` None: the object's own grace period. `uid` and `version` are preconditions."""

    grace: int | None = None
    policy: str = ""
    uid: str = ""
    version: str = ""
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Deletion:
    """The result of a delete. `value` is the object as it is now, or as it was last.

    There is nothing to store if it is neither gone nor changed.
    """

    value: Object
    is_gone: bool
    is_changed: bool = True


def options(sent: Any, query: Mapping[str, str]) -> DeleteOptions:
    """Return the DeleteOptions of a body, or of the query if there is no body."""
    if sent is None:
        sent = {
            name: query[name]
            for name in ("gracePeriodSeconds", "propagationPolicy", "orphanDependents")
            if query.get(name)
        }
        if query.get("dryRun"):
            sent["dryRun"] = [query["dryRun"]]
    else:
        _check_types(sent)
    _check_kind(str(sent.get("kind") or ""), str(sent.get("apiVersion") or ""))
    grace = _grace(sent.get("gracePeriodSeconds"))
    policy, orphan = sent.get("propagationPolicy") or "", sent.get("orphanDependents")
    if policy and orphan is not None:
        raise _invalid("orphanDependents and deletionPropagation cannot be both set", "propagationPolicy", policy)
    if policy not in ("", FOREGROUND, ORPHAN, BACKGROUND):
        raise _unsupported("propagationPolicy", policy, (FOREGROUND, BACKGROUND, ORPHAN, "nil"))
    if orphan is not None:
        policy = ORPHAN if orphan in (True, "true") else BACKGROUND
    conditions = sent.get("preconditions") or {}
    dry_run = sent.get("dryRun") or []
    if dry_run not in ([], ["All"]):
        raise _unsupported("dryRun", dry_run, ("All",))
    uid, version = (str(conditions.get(name) or "") for name in ("uid", "resourceVersion"))
    return DeleteOptions(grace, policy, uid, version, bool(dry_run))


def _check_types(sent: Any) -> None:
    """Raise ApiError for a body that isn't an object with texts for its kind. Source: Go's decoder."""
    start = "couldn't get version/kind; json parse error: json: cannot unmarshal"
    if not isinstance(sent, dict):
        raise errors.bad_request(f"{start} {decode.go_kind(sent)} into Go value of type {decode.ANY_TYPE}")
    for name in ("apiVersion", "kind"):
        if not isinstance(sent.get(name, ""), str):
            raise errors.bad_request(
                f"{start} {decode.go_kind(sent[name])} into Go struct field .{name} of type string"
            )
    for name, value in sent.items():
        kinds, go = _TYPES.get(name, ((), ""))
        if kinds and value is not None and decode.go_kind(value) not in kinds:
            into = f"into Go struct field DeleteOptions.{name} of type {go}"
            raise errors.bad_request(f"json: cannot unmarshal {decode.go_kind(value)} {into}")


def _check_kind(kind: str, version: str) -> None:
    """Raise ApiError for a body of another kind. DeleteOptions may have any version."""
    if version.count("/") > 1:
        raise errors.bad_request(f"unexpected GroupVersion string: {version}")
    if kind in ("", "DeleteOptions"):
        return
    version = version or "meta.k8s.io/v1"
    if kind in _KINDS_IN_ALL_VERSIONS and version in ("v1", "meta.k8s.io/v1"):
        raise errors.bad_request(f"converting (v1.{kind}) to (v1.DeleteOptions): unknown conversion")
    raise errors.bad_request(f'no kind "{kind}" is registered for version "{version}" in scheme "{_SCHEME}"')


def delete(resource: Resource, live: Object, wanted: DeleteOptions, now: datetime) -> Deletion:
    """Return the result of a delete. Source: rest.BeforeDelete, Store.Delete.

    1. Check the preconditions of the options.
    2. Mark a Namespace, whose controller deletes it.
    3. Give a Pod on a Node its grace period, or shorten the current one.
    4. Set the finalizers of the propagation policy.
    5. Remove the object, or mark it if a finalizer or a grace period holds it back.
    """
    _check(resource, live, wanted)
    if resource.kind == "Namespace":
        return _namespace(live, wanted, now)
    metadata = dict(live["metadata"])
    is_marked, before = bool(metadata.get("deletionTimestamp")), int(metadata.get("deletionGracePeriodSeconds") or 0)
    is_graceful = resource.kind == "Pod" and not (is_marked and not before)
    if is_graceful and is_marked and (wanted.grace is None or wanted.grace >= before):
        return Deletion(live, is_gone=False, is_changed=False)
    grace = 0
    if is_graceful and is_marked:
        # A client can only shorten the grace period.
        grace = int(wanted.grace or 0)
        end = datetime.strptime(metadata["deletionTimestamp"], TIME_FORMAT).replace(tzinfo=now.tzinfo)
        metadata["deletionTimestamp"] = _written(end + timedelta(seconds=grace - before))
        metadata["deletionGracePeriodSeconds"] = grace
    elif is_graceful:
        grace = _grace_of(live, wanted.grace)
        _mark(metadata, now + timedelta(seconds=grace), grace)
    # Custom resources are always deleted with their CRD, whatever the propagation policy is.
    policy = "" if resource.kind == "CustomResourceDefinition" else wanted.policy
    finalizers = _with_policy(metadata.get("finalizers") or [], policy)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if finalizers and not is_graceful:
        _mark(metadata, now, 0)
    value = {**live, "metadata": codec.metadata_in_order(metadata)}
    return Deletion(value, is_gone=not finalizers and not grace, is_changed=value != live)


def last_seen(pod: Object, now: datetime) -> Object | None:
    """Return the last state of a Pod before its removal, with a grace period of 0, or None if it has that state
    already.

    Every delete of a Pod is graceful, even with 0 seconds. Source: store.updateForGracefulDeletionAndFinalizers.
    """
    metadata = dict(pod["metadata"])
    if metadata.get("deletionTimestamp") and not metadata.get("deletionGracePeriodSeconds"):
        return None
    _mark(metadata, now, 0)
    return {**pod, "metadata": codec.metadata_in_order(metadata)}


def is_over(live: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """Return True if an update removes the last finalizer of a deleted object."""
    if value["kind"] == "Namespace" and (value.get("spec") or {}).get("finalizers"):
        return False
    metadata, was = value["metadata"], live["metadata"]
    grace = was.get("deletionGracePeriodSeconds")
    return bool(was.get("deletionTimestamp")) and not metadata.get("finalizers") and not grace


def success(resource: Resource, live: Mapping[str, Any]) -> Object:
    """Return the Status of a deleted object."""
    metadata = live["metadata"]
    details = {"name": metadata["name"], "group": resource.group, "kind": resource.name, "uid": metadata.get("uid")}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }


def _check(resource: Resource, live: Object, wanted: DeleteOptions) -> None:
    metadata = live["metadata"]
    is_namespace = resource.kind == "Namespace"
    kind = f"{resource.manifest_kind}{f'.{resource.group}' if resource.group else ''}"
    about = resource.qualified if is_namespace else kind
    for uid_or_version, name, word, happened in (
        (wanted.uid, "uid", "UID", "deleted and then recreated"),
        (wanted.version, "resourceVersion", "ResourceVersion", "modified"),
    ):
        there = str(metadata.get(name))
        if not uid_or_version or uid_or_version == there:
            continue
        message = f"the {word} in the precondition ({uid_or_version}) does not match the {word} in record ({there}). "
        message += f"The object might have been {happened}"
        if is_namespace:
            message = f"Precondition failed: {word} in precondition: {uid_or_version}, {word} in object meta: {there}"
        message = f'Operation cannot be fulfilled on {about} "{metadata["name"]}": {message}'
        details = {"name": metadata["name"], "group": resource.group, "kind": about.partition(".")[0]}
        raise errors.ApiError(409, "Conflict", message, {key: value for key, value in details.items() if value})


def _namespace(live: Object, wanted: DeleteOptions, now: datetime) -> Deletion:
    """Mark a Namespace as terminating until its controller has emptied it.

    Source: registry/core/namespace/storage Delete.
    """
    metadata = dict(live["metadata"])
    if metadata.get("deletionTimestamp"):
        is_gone = not (live.get("spec") or {}).get("finalizers") and not metadata.get("finalizers")
        return Deletion(live, is_gone, is_changed=False)
    metadata["deletionTimestamp"] = _written(now)
    if finalizers := _with_policy(metadata.get("finalizers") or [], wanted.policy):
        metadata["finalizers"] = finalizers
    status = {**(live.get("status") or {}), "phase": "Terminating"}
    return Deletion({**live, "metadata": metadata, "status": status}, is_gone=False)


def _mark(metadata: Object, end: datetime, grace: int) -> None:
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = _written(end)
        if metadata.get("generation"):
            metadata["generation"] = int(metadata["generation"]) + 1
    metadata["deletionGracePeriodSeconds"] = grace


def _grace_of(pod: Object, requested: int | None) -> int:
    """Return the grace period of a Pod. Only a Pod on a Node has one. Source: podStrategy.CheckGracefulDelete."""
    spec, phase = pod.get("spec") or {}, (pod.get("status") or {}).get("phase")
    if not spec.get("nodeName") or phase in ("Failed", "Succeeded"):
        return 0
    given = spec.get("terminationGracePeriodSeconds")
    grace = requested if requested is not None else _GRACE if given is None else int(given)
    return 1 if grace < 0 else grace


def _with_policy(finalizers: list[str], policy: str) -> list[str]:
    """Return the finalizers for a propagation policy. Source: deletionFinalizersForGarbageCollection."""
    if not policy:
        return finalizers
    others = [each for each in finalizers if each not in _FINALIZERS.values()]
    return [*others, _FINALIZERS[policy]] if policy in _FINALIZERS else others


def _grace(given: Any) -> int | None:
    if given in (None, ""):
        return None
    return errors.parse_int(str(given))


def _written(time: datetime) -> str:
    return time.strftime(TIME_FORMAT)


def _unsupported(name: str, value: Any, known: tuple[str, ...]) -> errors.ApiError:
    return errors.invalid_options("DeleteOptions", [causes.unsupported(name, value, known)])


def _invalid(detail: str, name: str, value: Any) -> errors.ApiError:
    return errors.invalid_options("DeleteOptions", [causes.invalid(name, value, detail)])
