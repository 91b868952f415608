"""Managed fields after a create, an update or an apply.

Source: apimachinery/pkg/util/managedfields, apiserver/pkg/endpoints/handlers/fieldmanager.
"""

from collections.abc import Mapping
from typing import Any

from kube_apiserver import errors
from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge.managed_fields import ApplyConflict, BadManagedFields, Writer
from kube_apiserver.structured_merge.typed import TypeMismatch
from kube_apiserver.writes import codec, decode, go_types, types
from kube_apiserver.writes.codec import UnfitError
from kube_apiserver.writes.options import WriteOptions

Object = dict[str, Any]

_ENTRIES = "managedFields"


def set_managed_fields(resource: Resource, value: Object, options: WriteOptions) -> Object:
    """Return a new object with its managed fields: the client manages all fields that it sent or that have defaults.

    Empty lists and maps have no manager and stay for validation.
    """
    managed = _updated(resource, None, codec.encode_object(resource, value), options)
    return with_entries(codec.encode_object(resource, value, keeps_empty=True), managed["metadata"].get(_ENTRIES))


def entries_of_sent_object(resource: Resource, live: Object, value: Object, options: WriteOptions) -> Any:
    """Return the managed fields after an update, from the object that the client sent, before admission and the
    strategy.

    An empty list of entries removes all of them.
    """
    sent = codec.encode_object(resource, value)
    if value["metadata"].get(_ENTRIES) == []:
        sent = {**sent, "metadata": {**sent["metadata"], _ENTRIES: []}}
    return entries_of_update(resource, live, sent, options)


def entries_of_sent_part(resource: Resource, live: Object, value: Object, options: WriteOptions) -> Any:
    """Return the managed fields after an update of a part of a Pod: its client manages all that it sent."""
    return _updated(resource, live, value, options)["metadata"].get(_ENTRIES)


def entries_of_update(resource: Resource, live: Object, value: Object, options: WriteOptions) -> Any:
    """Return the managed fields after an update. They stay if nothing else changes, unless the client wrote them."""
    there = live["metadata"].get(_ENTRIES) or []
    is_written = not options.subresource and value["metadata"].get(_ENTRIES, there) != there
    if decode.has_same_content(value, live) and not is_written:
        return there
    return _updated(resource, live, value, options)["metadata"].get(_ENTRIES) or []


def with_entries(value: Object, entries: Any) -> Object:
    left = {key: item for key, item in value["metadata"].items() if key != _ENTRIES}
    return {**value, "metadata": {**left, **({_ENTRIES: entries} if entries else {})}}


def _updated(resource: Resource, live: Object | None, value: Object, options: WriteOptions) -> Object:
    try:
        manager, empty = types.field_manager(resource, options.subresource), go_types.empty(resource)
        return manager.update(live, value, _writer(resource, options), empty)
    except TypeMismatch:
        # An item without its key has no manager; validation reports it. Source: FieldManager.UpdateNoErrors.
        return with_entries(value, None)
    except BadManagedFields as wrong:
        raise errors.bad_request(str(wrong)) from wrong


def place_of(value: Object) -> str:
    """Return the namespace and the name of an apply's body, for messages."""
    given = (metadata_of_body(value).get(name) for name in ("namespace", "name"))
    return "/".join(each if isinstance(each, str) else "" for each in given)


def applied(resource: Resource, live: Object | None, value: Object, options: WriteOptions, place: str) -> Object | None:
    """Return the object with the applied fields merged into it, None if nothing changes; ApiError.

    `place` is namespace and name for messages.
    """
    if metadata_of_body(value).get("managedFields") is not None:
        raise errors.bad_request("metadata.managedFields must be nil")
    try:
        found = types.field_manager(resource, options.subresource).apply(
            live, value, _writer(resource, options), force=options.force, empty=go_types.empty(resource)
        )
        return None if found is None else decode.converted(resource, found, keeps_empty=not options.subresource)
    except ApplyConflict as conflict:
        raise errors.apply_conflict(conflict.message, conflict.causes) from conflict
    except TypeMismatch as wrong:
        raise _failed(resource, place, "create typed patch object {}", wrong) from wrong
    except UnfitError as wrong:
        raise _failed(resource, place, "convert new object {} to proper version", wrong.converted) from wrong
    except BadManagedFields as wrong:
        raise errors.bad_request(str(wrong)) from wrong


def _failed(resource: Resource, place: str, doing: str, why: object) -> errors.ApiError:
    about = f"({place}; {resource.group}/{resource.version}, Kind={resource.manifest_kind})"
    return errors.ApiError(500, "", f"failed to {doing.format(about)}: {why}")


def _writer(resource: Resource, options: WriteOptions) -> Writer:
    # Source: managedfields.ScaleHandler, which sets no time for a new manager.
    time = "" if options.subresource == "scale" else options.time
    return Writer(options.manager, resource.api_version, time, options.subresource)


def metadata_of_body(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata of an apply's body. Return {} for anything but a map, because the merge refuses it."""
    given = value["metadata"]
    return given if isinstance(given, Mapping) else {}
