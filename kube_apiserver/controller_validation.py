"""Validation of objects that simulated controllers write, as an API server would validate them.

Nothing is stored. The caller checks names, quotas and rights. Objects may lack defaults, so a change is refused only
for problems that the stored object doesn't have.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.causes import Cause
from kube_apiserver.defaults import table as defaults
from kube_apiserver.resources import Resource, table
from kube_apiserver.structured_merge.strategic import three_way_patch
from kube_apiserver.validation import table as validation
from kube_apiserver.writes import decode, patches, patching, strategy, types
from kube_apiserver.writes.options import WriteOptions

Object = dict[str, Any]
Given = Mapping[str, Any]

_PATCHES = {"json": patches.JSON_PATCH, "merge": patches.MERGE_PATCH, "strategic": patches.STRATEGIC_PATCH}
_LEFT_OUT = ("uid", "creationTimestamp")  # A client may leave these out.
_UID, _TIME, _ENDING = "00000000-0000-0000-0000-000000000000", "2026-01-01T00:00:00Z", "xxxxx"


def resource_of(sent: Given) -> Resource | None:
    """Return the resource of an object, or None for a kind that isn't built in."""
    wanted = (sent.get("apiVersion"), sent.get("kind"))
    return next((each for each in table().values() if (each.api_version, each.kind) == wanted), None)


def created(sent: Given, strictness: str) -> Object:
    """Return the object as an API server would store it: decoded, validated and with defaults. Raise ApiError.

    `strictness` is the client's field validation: `Strict`, `Warn` or `Ignore`.
    """
    resource = resource_of(sent)
    if resource is None:
        return _copy(sent)
    value, _ = decode.checked(resource, decode.with_kind(resource, _copy(sent)), strictness, ())
    _refuse(resource, value, _wrong_in_new(resource, value))
    defaults.set_defaults(resource, value)
    return value


def changed(before: Given, sent: Given, subresource: str, strictness: str) -> Object:
    """Return the update of an existing object as an API server would store it. See `created`."""
    resource = resource_of(before)
    if resource is None:
        return _copy(sent)
    live, value = _copy(before), _copy(sent)
    for field in _LEFT_OUT:
        # Source: rest.BeforeUpdate.
        if field in live["metadata"] and not value.setdefault("metadata", {}).get(field):
            value["metadata"][field] = live["metadata"][field]
    unknown = decode.decoded(resource, live)[1]
    left, found = decode.decoded(resource, value)
    new = [path for path in found if path not in unknown]
    if new and strictness == "Strict":
        raise decode.refused(resource, f"strict decoding error: {', '.join(decode.strict_errors(new, ()))}")
    known = list(_wrong_in_change(resource, live, live, subresource))
    _refuse(resource, left, [each for each in _wrong_in_change(resource, live, left, subresource) if each not in known])
    stored = left if new else value
    defaults.set_defaults(resource, stored)
    return stored


def patched(before: Given, how: str, sent: Any) -> Object:
    """Return the object after a patch, before validation, or raise ApiError. `how`: `json`, `merge`, `strategic`."""
    found = patching.patched(resource_of(before), _copy(before), _PATCHES[how], _plain(sent))
    if not isinstance(found, dict):
        raise errors.bad_request("the patch leaves no object")
    return found


def applied(before: Given, last: Given, given: Given) -> Object | None:
    """Return the object after a client-side apply over the manifest `last`, or None for a custom resource."""
    resource = resource_of(before)
    kind = None if resource is None else types.patch_type(resource)
    if resource is None or kind is None:
        return None
    live = _copy(before)
    patch = three_way_patch(_copy(last), _copy(given), live, kind, overwrite=True)
    return dict(patching.patched(resource, live, patches.STRATEGIC_PATCH, patch))


def filled(given: Given) -> Object:
    """Return the object with the defaults of its kind."""
    value, resource = _copy(given), resource_of(given)
    if resource is not None:
        defaults.set_defaults(resource, value)
    return value


def _wrong_in_new(resource: Resource, value: Object) -> list[Cause]:
    defaulted = _copy(value)
    metadata = defaulted["metadata"]
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{metadata['generateName']}{_ENDING}"
    metadata.update(uid=_UID, creationTimestamp=_TIME)
    if strategy.is_status_of_server(resource):
        defaulted.pop("status", None)
    defaults.set_defaults(resource, defaulted)
    return list(
        validation.validate_new(resource, strategy.prepared_for_create(resource, defaulted, WriteOptions("", _TIME)))
    )


def _wrong_in_change(resource: Resource, live: Object, value: Object, subresource: str) -> Iterator[Cause]:
    was, given = (_filled(resource, each) for each in (live, value))
    given = strategy.without_disabled_fields(resource, was, given)
    yield from validation.validate_metadata_update(resource, was, given)
    yield from validation.validate_update(resource, was, given, subresource, given)


def _filled(resource: Resource, value: Object) -> Object:
    given = _copy(value)
    given["metadata"].setdefault("resourceVersion", "1")
    defaults.set_defaults(resource, given)
    return given


def _refuse(resource: Resource, value: Object, found: list[Cause]) -> None:
    if found:
        raise errors.invalid(resource, str(value["metadata"].get("name") or ""), found)


def _copy(given: Given) -> Object:
    return {name: _plain(each) for name, each in given.items()}


def _plain(value: Any) -> Any:
    """Return a mutable copy of a value that may be read-only."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
