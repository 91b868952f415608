"""What a write makes of an object: created, replaced or patched, with what the server itself writes into it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission import devices, pod_security
from kube_apiserver.admission import table as admission
from kube_apiserver.admission.built_in import scaling
from kube_apiserver.admission.world import NOTHING, World
from kube_apiserver.causes import Cause
from kube_apiserver.defaults import statuses
from kube_apiserver.defaults import table as defaults
from kube_apiserver.resources import Resource
from kube_apiserver.structured_merge.managed_fields import ApplyConflict, BadManagedFields, Writer
from kube_apiserver.structured_merge.typed import TypeMismatch
from kube_apiserver.validation import table as validation
from kube_apiserver.warnings import kinds
from kube_apiserver.writes import (
    addresses,
    bodies,
    certificates,
    codec,
    decoding,
    doors,
    drawn,
    go_types,
    placing,
    preparing,
    scales,
    types,
)
from kube_apiserver.writes.codec import UnfitError
from kube_apiserver.writes.options import WriteOptions, Written
from kube_apiserver.writes.patches import APPLY_PATCH, STRATEGIC_PATCH
from kube_apiserver.writes.patching import applied
from kube_apiserver.writes.patching import patched as patched

Object = dict[str, Any]

_ENTRIES = "managedFields"
# What only the server writes.
_SERVER_FIELDS = ("creationTimestamp", "generation", "namespace", "selfLink")


def read(resource: Resource, sent: Any, options: WriteOptions) -> tuple[Object, list[str]]:
    """An object that is answered, not stored, and what a client is warned of."""
    return placing.checked(resource, placing.of_kind(resource, sent), options.validation, bodies.twice(sent))


def create(resource: Resource, namespace: str, sent: Any, options: WriteOptions, world: World = NOTHING) -> Written:
    """A new object, with its identity and defaults."""
    value = placing.of_kind(resource, sent)
    value, warnings = placing.checked(resource, value, options.validation, bodies.twice(sent), keeps_empty=True)
    with _warning(warnings):
        return _created(resource, namespace, value, options, world, warnings)


def _created(
    resource: Resource, namespace: str, value: Object, options: WriteOptions, world: World, warnings: list[str]
) -> Written:
    metadata = _metadata(value)
    placing.take_place(resource, metadata, namespace)
    for key in ("resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"):
        metadata.pop(key, None)
    if preparing.is_status_of_server(resource):
        value.pop("status", None)
    admission.must_have_namespace(resource, namespace, str(metadata.get("name") or ""), world)
    defaults.fill_in(resource, value)
    entries = _metadata(_managed(resource, None, codec.encode_object(resource, value), options)).get(_ENTRIES)
    # Validation sees the lists and maps in which nothing is; what is stored lacks them.
    value = _with_entries(codec.encode_object(resource, value, keeps_empty=True), entries)
    return _made(resource, value, options, world, warnings)


def _made(resource: Resource, value: Object, options: WriteOptions, world: World, warnings: list[str]) -> Written:
    admission.admit(resource, None, value, world)
    namespace = _metadata(value).get("namespace")
    value = _mutated(resource, None, value, options, world)
    metadata = _metadata(value)
    if metadata.get("namespace") != namespace:
        # Source: EnsureObjectNamespaceMatchesRequestNamespace of apiserver/pkg/registry/rest/meta.go.
        raise placing.other_namespace()
    addresses.allocate(resource.kind, value, None, world, is_dry_run=options.is_dry_run)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{str(metadata['generateName'])[:58]}{drawn.ending(options.seed, options.draw)}"
    metadata.setdefault("name", "")
    metadata["uid"] = drawn.uid(options.seed, options.draw, resource.kind, metadata)
    metadata["creationTimestamp"] = options.time
    preparing.create(resource, value, options.time)
    if resource.kind == certificates.KIND:
        certificates.asked_by(value, options.caller)
    if options.guard is not None:
        options.guard(None, value)
    unauthorized = devices.unauthorized(resource, value, world)
    _refuse(resource, value, [*unauthorized, *validation.created(resource, value)])
    warnings = [*warnings, *_warnings(resource, value, None)]
    preparing.read_back(resource, value)
    addresses.leave(resource.kind, value)
    warnings += pod_security.judge(resource, None, value, world)
    warnings += _of_policies(resource, None, value, options)
    admission.check(resource, None, value, world)
    return Written(codec.encode_object(resource, value), warnings)


def _mutated(resource: Resource, live: Object | None, value: Object, options: WriteOptions, world: World) -> Object:
    """Who manages what is settled by then: what policies add belongs to nobody."""
    if options.mutations is None:
        return value
    changed = options.mutations(live, value, lambda found: admission.admit(resource, live, found, world))
    return value if changed is value else _with_entries(changed, _metadata(value).get(_ENTRIES))


def _of_policies(resource: Resource, live: Object | None, value: Object, options: WriteOptions) -> list[str]:
    return [] if options.policies is None else options.policies(live, codec.encode_object(resource, value))


@contextmanager
def _warning(warnings: Sequence[str]) -> Iterator[None]:
    """Who is refused is told as well what was not understood."""
    try:
        yield
    except errors.ApiError as error:
        error.warnings += warnings
        raise


def replace(resource: Resource, live: Object, sent: Any, options: WriteOptions, world: World = NOTHING) -> Written:
    value, warnings = placing.checked(
        resource,
        placing.of_kind(resource, sent),
        options.validation,
        bodies.twice(sent),
        keeps_empty=not options.subresource,
    )
    uid, there = _metadata(value).get("uid"), _metadata(live)
    placing.take_place(resource, _metadata(value), str(there.get("namespace") or ""))
    if uid not in (None, "", there.get("uid")) and not options.subresource:
        raise placing.unmet(resource, there, "UID", str(uid), str(there.get("uid")))
    with _warning(warnings):
        return _changed(resource, live, value, options, world, warnings)


def patch(
    resource: Resource, live: Object, kind: str, sent: Any, options: WriteOptions, world: World = NOTHING
) -> Written:
    """The object with a patch of one of PATCHES applied."""
    if kind in APPLY_PATCH:
        return _apply(resource, live, sent, options, world)
    # As a server reads it from its store: what is wrong is told with the whole object.
    found, told_as = applied(resource, codec.encode_object(resource, live), kind, sent)
    if kind != STRATEGIC_PATCH:
        decoding.must_be_registered(resource, found)
    value = placing.of_kind(resource, found)
    is_whole = not options.subresource
    value, warnings = placing.checked(
        resource, value, options.validation, bodies.twice(sent), told_as, kind, keeps_empty=is_whole
    )
    with _warning(warnings):
        return _changed(resource, live, value, options, world, warnings)


def create_applied(
    resource: Resource, namespace: str, name: str, sent: Any, options: WriteOptions, world: World = NOTHING
) -> Written:
    """A server-side apply of what is not there yet."""
    value = placing.of_kind(resource, sent, is_applied=True)
    metadata, place = _metadata(value), _place(value)
    placing.take_place(resource, metadata, namespace)
    if metadata.get("name") != name:
        raise placing.other_name(metadata.get("name"), name)
    if uid := metadata.get("uid"):
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise errors.conflict(resource, name, why)
    admission.must_have_namespace(resource, namespace, name, world)
    merged = _applied(resource, None, value, options, place)
    assert merged is not None
    defaults.fill_in(resource, merged)
    return _made(resource, codec.encode_object(resource, merged), options, world, [])


def _apply(resource: Resource, live: Object, sent: Any, options: WriteOptions, world: World) -> Written:
    value = placing.of_kind(resource, sent, is_applied=True)
    merged = _applied(resource, live, value, options, _place(value))
    if merged is None:
        return Written(None, [])
    entries = _metadata(merged).get("managedFields") or []
    return _changed(resource, live, merged, options, world, [], entries)


def apply_scale(resource: Resource, live: Object, sent: Any, options: WriteOptions, world: World) -> Written:
    """A server-side apply through the door of an object's Scale."""
    value = placing.of_kind(scales.SCALE, sent, is_applied=True)
    place, there = _place(value), _metadata(live)
    merged = _applied(scales.SCALE, scales.with_entries(resource, live), value, options, place)
    placing.take_place(scales.SCALE, _metadata(merged or value), str(there.get("namespace") or ""))
    if (name := _metadata(merged or value).get("name")) not in (None, "", there["name"]):
        raise placing.other_name(name, there["name"])
    if merged is None:
        return Written(None, [])
    found = scales.applied(resource, live, merged)
    return _changed(resource, live, found, options, world, [], _metadata(found).get(_ENTRIES) or [])


def _place(value: Object) -> str:
    """As the client says it."""
    given = (_metadata_sent(value).get(name) for name in ("namespace", "name"))
    return "/".join(each if isinstance(each, str) else "" for each in given)


def _applied(
    resource: Resource, live: Object | None, value: Object, options: WriteOptions, place: str
) -> Object | None:
    """`place`: what the client calls the object's."""
    if _metadata_sent(value).get("managedFields") is not None:
        raise errors.bad_request("metadata.managedFields must be nil")
    try:
        found = types.field_manager(resource, options.subresource).apply(
            live, value, _writer(resource, options), force=options.force, empty=go_types.empty(resource)
        )
        return None if found is None else decoding.converted(resource, found, keeps_empty=not options.subresource)
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


def _changed(
    resource: Resource,
    live: Object,
    value: Object,
    options: WriteOptions,
    world: World,
    warnings: list[str],
    entries: Any = None,
) -> Written:
    """An update: `entries` are the managed fields where an apply has made them already."""
    if not options.subresource:
        live = preparing.as_read(resource, live)
    placing.must_match(resource, _metadata(live), _metadata(value))
    value, entries = _filled(resource, live, value, options, entries)
    sent = value = codec.encode_object(resource, value, keeps_empty=not options.subresource)
    if not options.subresource:
        if entries is None:
            # Of what is sent, before the server takes away and adds; an empty list of entries takes them away.
            is_reset = _metadata(value).get(_ENTRIES) == []
            of_sent = codec.encode_object(resource, value)
            entries = _entries(resource, live, _reset(of_sent) if is_reset else of_sent, options)
        admission.admit(resource, live, value, world)
        value = _mutated(resource, live, value, options, world)
        addresses.keep(resource.kind, value, live)
        addresses.allocate(resource.kind, value, live, world, is_dry_run=options.is_dry_run)
        preparing.drop(resource, live, value)
        if options.guard is not None:
            options.guard(live, value)
        value = codec.encode_object(resource, value)
    wrong = validation.changed_metadata(resource, live, value)
    if wrong:
        _refuse(resource, value, [*wrong, *validation.changed(resource, live, value, options.subresource, sent)])
    is_same = placing.has_same_content(value, live)
    if is_same and options.subresource == "scale" and entries is None:
        entries = scaling.without_replicas(_metadata(live).get(_ENTRIES) or [])
    if is_same and (entries is None or entries == (_metadata(live).get(_ENTRIES) or [])):
        # That nothing changes is seen last: policies have their say before.
        warnings = [*warnings, *_of_policies(resource, live, value, options)]
        return Written(None, [*warnings, *_warnings(resource, value, live, options.subresource)])
    preparing.update(resource, live, value)
    if entries is None:
        entries = _entries(resource, live, value, options)
    value = _with_entries(value, entries)
    is_changed = not placing.has_same_content(value, live)
    if is_changed:
        _refuse(resource, value, validation.changed(resource, live, value, options.subresource, sent))
        addresses.leave(resource.kind, value)
        warnings = [*warnings, *pod_security.judge(resource, live, value, world, options.subresource)]
    warnings = [*warnings, *_of_policies(resource, live, value, options)]
    if is_changed:
        admission.check(resource, live, value, world, options.subresource)
    return Written(
        codec.encode_object(resource, value), [*warnings, *_warnings(resource, value, live, options.subresource)]
    )


def _filled(resource: Resource, live: Object, value: Object, options: WriteOptions, entries: Any) -> tuple[Object, Any]:
    """What comes through the door, with what it leaves out filled in, and the managed fields if they are known."""
    if options.subresource in doors.PARTS:
        # What is new in the part that is taken; the rest stays as it was.
        defaults.fill_in(resource, value)
        if entries is None:
            # These doors keep no list of what does not fit through: who asked for it is told to manage it.
            whole = _with_immutable_fields(resource, live, value, "")
            entries = _metadata(_managed(resource, live, whole, options)).get(_ENTRIES)
    value = _with_immutable_fields(resource, live, value, options.subresource, options.time)
    if options.subresource in doors.PARTS and entries:
        _metadata(value)[_ENTRIES] = entries
    value = {each: item for each, item in value.items() if item is not None}
    if not options.subresource:
        # What was there is not defaulted again: only what a client leaves out of its own object.
        defaults.fill_in(resource, value)
    if options.subresource == "status":
        statuses.fill_in(resource.kind, live, value, options.time)
    return value, entries


def _warnings(resource: Resource, value: Object, live: Mapping[str, Any] | None, subresource: str = "") -> list[str]:
    is_warned = resource.custom is None and not subresource
    return kinds.of(resource.kind, value, live) if is_warned else []


def _refuse(resource: Resource, value: Object, found: Sequence[Cause]) -> None:
    if found:
        raise errors.invalid(resource, str(_metadata(value).get("name") or ""), found)


def _entries(resource: Resource, live: Object, value: Object, options: WriteOptions) -> Any:
    """The managed fields that come of an update; those of a value that changes nothing stay, unless a client wrote
    them.
    """
    there = _metadata(live).get(_ENTRIES) or []
    is_written = not options.subresource and _metadata(value).get(_ENTRIES, there) != there
    if placing.has_same_content(value, live) and not is_written:
        return there
    return _metadata(_managed(resource, live, value, options)).get(_ENTRIES) or []


def _reset(value: Object) -> Object:
    return {**value, "metadata": {**_metadata(value), _ENTRIES: []}}


def _with_entries(value: Object, entries: Any) -> Object:
    left = {key: item for key, item in _metadata(value).items() if key != _ENTRIES}
    return {**value, "metadata": {**left, **({_ENTRIES: entries} if entries else {})}}


def _managed(resource: Resource, live: Object | None, value: Object, options: WriteOptions) -> Object:
    try:
        manager, empty = types.field_manager(resource, options.subresource), go_types.empty(resource)
        return manager.update(live, value, _writer(resource, options), empty)
    except TypeMismatch:
        # An item without its key belongs to nobody; validation has the word. Source: FieldManager.UpdateNoErrors.
        return _with_entries(value, None)
    except BadManagedFields as wrong:
        raise errors.bad_request(str(wrong)) from wrong


def _with_immutable_fields(resource: Resource, live: Object, value: Object, door: str, time: str = "") -> Object:
    """The new value with what a client cannot change; through a door comes only what fits through it."""
    there, metadata = _metadata(live), dict(_metadata(value))
    for key in _SERVER_FIELDS:
        metadata.pop(key, None)
        if key in there:
            metadata[key] = there[key]
    if "deletionTimestamp" in there:
        metadata["deletionTimestamp"] = there["deletionTimestamp"]
    for key in ("uid", "resourceVersion", "name", "deletionGracePeriodSeconds"):
        if key in there and (key == "resourceVersion" or not metadata.get(key)):
            metadata[key] = there[key]
    if resource.kind == certificates.KIND and door:
        return {**live, "metadata": metadata, "status": certificates.through(door, live, value, time)}
    if door == "status":
        metadata = types.with_kept(metadata, there, types.kept_by_status(resource))
        return {**live, "metadata": metadata, "status": value.get("status")}
    if door in doors.PARTS:
        return doors.through(door, live, {**value, "metadata": metadata})
    if resource.custom is not None and not resource.custom.has_status:
        return {**value, "metadata": metadata}
    if resource.kind == certificates.KIND:
        return {**live, "metadata": metadata}
    return {**value, "metadata": metadata, "status": live.get("status")}


def _writer(resource: Resource, options: WriteOptions) -> Writer:
    # Source: managedfields.ScaleHandler, which takes over no time of a manager that is new.
    time = "" if options.subresource == "scale" else options.time
    return Writer(options.manager, resource.api_version, time, options.subresource)


def _metadata_sent(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of a body of an apply, which may be anything: what they are is told when it is merged."""
    given = value["metadata"]
    return given if isinstance(given, Mapping) else {}


def _metadata(value: Mapping[str, Any]) -> Object:
    found: Object = value["metadata"]
    return found
