"""What a client sends: of which kind it is, for which place, and what of it can be read."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube_apiserver import causes, errors
from kube_apiserver.resources import Resource
from kube_apiserver.writes import bodies, decoding
from kube_apiserver.writes.patches import STRATEGIC_PATCH
from kube_objects import go_numbers

Object = dict[str, Any]


def of_kind(resource: Resource, sent: Any, *, is_applied: bool = False) -> Object:
    """The object with its kind; ApiError for one of another. `is_applied`: what a server-side apply sends."""
    if not isinstance(sent, dict) or (resource.custom and not isinstance(sent.get("metadata") or {}, dict)):
        raise errors.bad_request("the object provided is unrecognized (must be of type Object)")
    kind = resource.manifest_kind
    value: Object = {"apiVersion": resource.api_version, "kind": kind, **sent}
    if value.get("metadata") is None:
        value["metadata"] = {}
    if (value["apiVersion"], value["kind"]) != (resource.api_version, kind):
        raise _other_kind(resource, value, is_applied=is_applied)
    return value


def _other_kind(resource: Resource, value: Mapping[str, Any], *, is_applied: bool) -> errors.ApiError:
    """Source: apiserver/pkg/endpoints/handlers transformDecodeError; managedfields/internal/versioncheck.go."""
    version, kind, want = str(value["apiVersion"]), str(value["kind"]), resource.api_version
    group, _, short = version.rpartition("/")
    if is_applied:
        return errors.bad_request(f"invalid object type: {group}/{short}, Kind={kind}")
    if resource.custom is not None and version == want:
        name = str((value["metadata"] or {}).get("name") or "")
        wrong = causes.invalid("kind", kind, f"must be {resource.manifest_kind}")
        return errors.invalid(replace(resource, kind=kind), name, [wrong])
    if resource.custom is not None or (kind == resource.manifest_kind and decoding.is_registered(version, kind)):
        text = f"the API version in the data ({version}) does not match the expected API version ({want})"
        return errors.bad_request(text)
    into = f"{resource.group.partition('.')[0] or 'core'}.{resource.manifest_kind}"
    why = f"converting ({short}.{kind}) to ({into}): unknown conversion"
    if not decoding.is_registered(version, kind):
        why = decoding.not_registered(version, kind)
    return errors.bad_request(f'{kind} in version "{short}" cannot be handled as a {resource.manifest_kind}: {why}')


def take_place(resource: Resource, metadata: Object, namespace: str) -> None:
    """The namespace is that of the path."""
    if not resource.namespaced:
        metadata.pop("namespace", None)
        return
    if metadata.get("namespace") not in (None, "", namespace):
        raise other_namespace()
    metadata["namespace"] = namespace


def checked(
    resource: Resource,
    value: Object,
    validation: str,
    twice: Sequence[str],
    patched: Any = None,
    kind: str = "",
    *,
    keeps_empty: bool = False,
) -> tuple[Object, list[str]]:
    """The object without fields that its kind does not have, and warnings of them; ApiError where these are errors.

    `twice`: fields that the body has twice; `patched`: the patch of `kind` that made it, which is told then.
    """
    is_strategic = kind == STRATEGIC_PATCH
    left, unknown = decoding.decoded(resource, value, patched, is_converted=is_strategic, keeps_empty=keeps_empty)
    left["metadata"] = left.get("metadata") or {}
    if validation == "Ignore":
        return left, []
    wrong = decoding.strict_errors(unknown, twice, kind, value)
    if wrong and validation == "Strict":
        message = f"strict decoding error: {', '.join(wrong)}"
        raise decoding.refused(
            resource, message, patched if is_strategic or patched is None else decoding.as_text(patched)
        )
    return left, wrong


def unmet(resource: Resource, there: Mapping[str, Any], what: str, wanted: str, found: str) -> errors.ApiError:
    """Of an object that is another than its client thinks. Source: apiserver/pkg/storage Preconditions.Check."""
    key = "/".join(filter(None, ("/registry", resource.name, there.get("namespace"), there["name"])))
    message = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {found}"
    )
    return errors.conflict(resource, there["name"], message)


def must_fit(resource: Resource, sent: Any, namespace: str, validation: str) -> None:
    """An object that is put somewhere can be read, and is of the place's namespace, whatever else is wrong."""
    value, _ = checked(resource, of_kind(resource, sent), validation, bodies.twice(sent))
    take_place(resource, _metadata(value), namespace)


def must_be_named(resource: Resource, sent: Any, namespace: str, name: str, validation: str) -> None:
    """An object that is put somewhere has the name of the place."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    given = metadata.get("name") if isinstance(metadata, dict) else None
    if given == name:
        return
    must_fit(resource, sent, namespace, validation)
    raise other_name(given, name)


def must_match(resource: Resource, there: Mapping[str, Any], metadata: Object) -> None:
    """An update is of the object that is there, as its client has seen it."""
    name = str(there.get("name"))
    take_place(resource, metadata, str(there.get("namespace") or ""))
    if metadata.get("name") != name:
        raise other_name(metadata.get("name"), name)
    version = str(metadata.get("resourceVersion") or "")
    if version not in ("", there.get("resourceVersion")):
        try:
            is_of_another = bool(go_numbers.parse_uint(version))
        except go_numbers.GoNumberError as wrong:
            raise errors.ApiError(500, "", str(wrong)) from wrong
        if is_of_another:
            raise errors.changed(resource, name)


def other_name(given: Any, name: str) -> errors.ApiError:
    if not given:
        text = f"the name of the object ({name} based on URL) was undeterminable: name must be provided"
        return errors.bad_request(text)
    return errors.bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")


def other_namespace() -> errors.ApiError:
    return errors.bad_request("the namespace of the provided object does not match the namespace sent on the request")


def _metadata(value: Mapping[str, Any]) -> Object:
    found: Object = value["metadata"]
    return found


def has_same_content(value: Mapping[str, Any], live: Mapping[str, Any]) -> bool:
    """Return whether two states of an object differ in nothing but versions and managed fields."""
    return _without_versions(value) == _without_versions(live)


def _without_versions(value: Mapping[str, Any]) -> Object:
    left = ("managedFields", "resourceVersion", "generation")
    return {**value, "metadata": {key: item for key, item in value["metadata"].items() if key not in left}}
