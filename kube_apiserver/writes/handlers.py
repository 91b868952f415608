"""Create, update, patch and apply: each runs an object through its stages in one direction.

The caller has converted the body to the stored version. Every stage returns a new value, and the next one takes
it:

    decode, default, manage fields, admit, prepare, validate, admit (validating plugins), encode

The Kubernetes API of a cluster then stores the result: `playground/kubernetes/write_commands.py`.
Source: apiserver/pkg/endpoints/handlers/{create,update,patch}.go, apiserver/pkg/registry/generic/registry/store.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kube_apiserver import errors
from kube_apiserver.admission import chain, scaling
from kube_apiserver.admission.attributes import EMPTY_CLUSTER, Attributes, ClusterReader
from kube_apiserver.causes import Cause
from kube_apiserver.defaults import statuses
from kube_apiserver.defaults import table as defaults
from kube_apiserver.resources import Resource
from kube_apiserver.validation import table as validation
from kube_apiserver.warnings import kinds
from kube_apiserver.writes import addresses, codec, decode, managed, patching, pod_subresources, scales, strategy, types
from kube_apiserver.writes.options import WriteOptions, Written
from kube_apiserver.writes.patches import APPLY_PATCH, STRATEGIC_PATCH

Object = dict[str, Any]

# Fields that an update cannot change.
_SERVER_FIELDS = ("creationTimestamp", "generation", "namespace", "selfLink")
_SERVICE = "Service"


def read(resource: Resource, sent: Any, options: WriteOptions) -> tuple[Object, list[str]]:
    """Return an object that is answered and not stored, and the warnings for its client."""
    return decode.read(resource, sent, options.validation)


def create(
    resource: Resource, namespace: str, sent: Any, options: WriteOptions, world: ClusterReader = EMPTY_CLUSTER
) -> Written:
    """Create an object from the body of a POST. Source: createHandler."""
    decoded, warnings = decode.read(resource, sent, options.validation, keeps_empty=True)
    with _warnings_on_errors(warnings):
        placed = decode.in_namespace(resource, decoded, namespace)
        defaulted = defaults.copy_with_defaults(resource, strategy.without_server_fields(resource, placed))
        new = managed.set_managed_fields(resource, defaulted, options)
        return _create(resource, new, options, world, warnings)


def create_applied(
    resource: Resource,
    namespace: str,
    name: str,
    sent: Any,
    options: WriteOptions,
    world: ClusterReader = EMPTY_CLUSTER,
) -> Written:
    """Create an object that a server-side apply names and that does not exist. Source: applyPatcher.createNewObject."""
    body = decode.with_kind(resource, sent, is_applied=True)
    placed = decode.in_namespace(resource, body, namespace)
    metadata = placed["metadata"]
    if metadata.get("name") != name:
        raise decode.other_name(metadata.get("name"), name)
    if uid := metadata.get("uid"):
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise errors.conflict(resource, name, why)
    merged = managed.applied(resource, None, placed, options, managed.place_of(body))
    assert merged is not None
    new = codec.encode_object(resource, defaults.copy_with_defaults(resource, merged))
    return _create(resource, new, options, world, [])


def _create(
    resource: Resource, new: Object, options: WriteOptions, world: ClusterReader, warnings: list[str]
) -> Written:
    """Admit, prepare and validate a new object. Source: Store.Create, rest.BeforeCreate.

    1. Run the mutating admission plugins.
    2. Set name, UID and time of creation, and allocate the addresses of a Service.
    3. Prepare the object with the strategy of its kind, and run the guard of the caller.
    4. Validate the object.
    5. Run the validating admission plugins on the object as it will be stored.
    """
    attributes = Attributes(resource, None, new, world, request=options.request)
    admitted = chain.admit(attributes)
    if admitted["metadata"].get("namespace") != new["metadata"].get("namespace"):
        # Source: EnsureObjectNamespaceMatchesRequestNamespace of apiserver/pkg/registry/rest/meta.go.
        raise decode.other_namespace()
    named = strategy.with_system_fields(resource, admitted, options)
    if resource.kind == _SERVICE:
        named = addresses.allocated(named, None, world, is_dry_run=options.is_dry_run)
    prepared = strategy.prepared_for_create(resource, named, options)
    if options.guard is not None:
        options.guard(None, prepared)
    unauthorized = strategy.unauthorized_admin_access(resource, prepared, world)
    problems = [*unauthorized, *validation.validate_new(resource, prepared)]
    _refuse_invalid(resource, prepared, problems)
    canonical = strategy.canonical(resource, prepared)
    warnings = [*warnings, *_warnings(resource, prepared, None), *chain.validate(attributes.with_value(canonical))]
    return Written(codec.encode_object(resource, canonical), warnings)


def replace(
    resource: Resource, live: Object, sent: Any, options: WriteOptions, world: ClusterReader = EMPTY_CLUSTER
) -> Written:
    """Replace an object by the body of a PUT. Source: UpdateResource."""
    decoded, warnings = decode.read(resource, sent, options.validation, keeps_empty=not options.subresource)
    uid, there = decoded["metadata"].get("uid"), live["metadata"]
    placed = decode.in_namespace(resource, decoded, str(there.get("namespace") or ""))
    if uid not in (None, "", there.get("uid")) and not options.subresource:
        raise decode.unmet(resource, there, "UID", str(uid), str(there.get("uid")))
    with _warnings_on_errors(warnings):
        return _Update(resource, live, options, world).run(placed, warnings)


def patch(
    resource: Resource, live: Object, kind: str, sent: Any, options: WriteOptions, world: ClusterReader = EMPTY_CLUSTER
) -> Written:
    """Apply a patch of one of PATCHES to an object. Source: PatchResource."""
    if kind in APPLY_PATCH:
        return _apply(resource, live, sent, options, world)
    # As a server reads the object from its store: an error shows the whole object.
    patched, shown = patching.applied(resource, codec.encode_object(resource, live), kind, sent)
    if kind != STRATEGIC_PATCH:
        decode.check_registered(resource, patched)
    is_whole, duplicates = not options.subresource, decode.twice(sent)
    decoded, warnings = decode.checked(
        resource,
        decode.with_kind(resource, patched),
        *(options.validation, duplicates, shown, kind),
        keeps_empty=is_whole,
    )
    with _warnings_on_errors(warnings):
        return _Update(resource, live, options, world).run(decoded, warnings)


def _apply(resource: Resource, live: Object, sent: Any, options: WriteOptions, world: ClusterReader) -> Written:
    body = decode.with_kind(resource, sent, is_applied=True)
    merged = managed.applied(resource, live, body, options, managed.place_of(body))
    if merged is None:
        return Written(None, [])
    entries = merged["metadata"].get("managedFields") or []
    return _Update(resource, live, options, world).run(merged, [], entries)


def apply_scale(resource: Resource, live: Object, sent: Any, options: WriteOptions, world: ClusterReader) -> Written:
    """Run a server-side apply of a Scale, and scale the object."""
    body, there = decode.with_kind(scales.SCALE, sent, is_applied=True), live["metadata"]
    place, scale = managed.place_of(body), scales.with_entries(resource, live)
    merged = managed.applied(scales.SCALE, scale, body, options, place)
    placed = decode.in_namespace(scales.SCALE, merged or body, str(there.get("namespace") or ""))
    if (name := placed["metadata"].get("name")) not in (None, "", there["name"]):
        raise decode.other_name(name, there["name"])
    if merged is None:
        return Written(None, [])
    scaled = scales.applied(resource, live, placed)
    entries = scaled["metadata"].get("managedFields") or []
    return _Update(resource, live, options, world).run(scaled, [], entries)


@dataclass(frozen=True, slots=True)
class _Update:
    """An update of one object, or of a part of it. Source: Store.Update, rest.BeforeUpdate."""

    resource: Resource
    live: Object
    options: WriteOptions
    world: ClusterReader

    def run(self, update: Object, warnings: list[str], entries: Any = None) -> Written:
        """Run the stages of an update. `entries` are the managed fields if an apply has computed them.

        1. Check name and resourceVersion, and restore the fields that a client cannot change.
        2. Add defaults, and compute the managed fields of a whole object.
        3. Run the mutating admission plugins on a whole object.
        4. Prepare the change with the strategy, validate it, and run the validating admission plugins.
        """
        if not self.options.subresource:
            # Objects from an import or the dashboard lack defaults.
            return self._merge_object(strategy.as_read(self.resource, self.live), update, warnings, entries)
        live = self.live
        placed = self._placed(live, update)
        merged, entries = self._merge_subresource(live, placed, entries)
        encoded = codec.encode_object(self.resource, merged)
        return self._finish(live, encoded, encoded, warnings, entries)

    def _placed(self, live: Object, update: Object) -> Object:
        there = live["metadata"]
        placed = decode.in_namespace(self.resource, update, str(there.get("namespace") or ""))
        decode.check_update(self.resource, there, placed["metadata"])
        return placed

    def _merge_object(self, live: Object, update: Object, warnings: list[str], entries: Any) -> Written:
        resource, options = self.resource, self.options
        merged = _with_immutable_fields(resource, live, self._placed(live, update), "", options.time)
        # Only fields that the client leaves out are defaulted, not those of the stored object.
        defaulted = defaults.copy_with_defaults(
            resource, {name: item for name, item in merged.items() if item is not None}
        )
        sent = codec.encode_object(resource, defaulted, keeps_empty=True)
        entries = managed.entries_of_sent_object(resource, live, sent, options) if entries is None else entries
        admitted = chain.admit(Attributes(resource, live, sent, self.world, request=options.request))
        if resource.kind == _SERVICE:
            admitted = addresses.allocated(admitted, live, self.world, is_dry_run=options.is_dry_run)
        prepared = strategy.without_disabled_fields(resource, live, admitted)
        if options.guard is not None:
            options.guard(live, prepared)
        return self._finish(live, codec.encode_object(resource, prepared), prepared, warnings, entries)

    def _merge_subresource(self, live: Object, update: Object, entries: Any) -> tuple[Object, Any]:
        """Return the stored object with the part that a subresource changes, and its managed fields if known."""
        resource, options = self.resource, self.options
        if options.subresource in pod_subresources.PARTS:
            update = defaults.copy_with_defaults(resource, update)
            if entries is None:
                # These subresources reset no fields: their client manages all that it sent.
                whole = _with_immutable_fields(resource, live, update, "")
                entries = managed.entries_of_sent_part(resource, live, whole, options)
        merged = _with_immutable_fields(resource, live, update, options.subresource, options.time)
        if options.subresource in pod_subresources.PARTS and entries:
            merged = {**merged, "metadata": {**merged["metadata"], "managedFields": entries}}
        merged = {name: item for name, item in merged.items() if item is not None}
        if options.subresource == "status":
            merged = statuses.copy_with_status_defaults(resource.kind, live, merged, options.time)
        return merged, entries

    def _finish(self, live: Object, value: Object, with_empty: Object, warnings: list[str], entries: Any) -> Written:
        """Prepare and validate an update.

        `with_empty` is the value with the empty lists and maps that a client sent.
        """
        resource, subresource = self.resource, self.options.subresource
        if problems := validation.validate_metadata_update(resource, live, value):
            more = validation.validate_update(resource, live, value, subresource, with_empty)
            _refuse_invalid(resource, value, [*problems, *more])
        before = live["metadata"].get("managedFields") or []
        is_same = decode.has_same_content(value, live)
        if is_same and subresource == "scale" and entries is None:
            entries = scaling.without_replicas(before)
        attributes = Attributes(resource, live, value, self.world, subresource, self.options.request)
        if is_same and (entries is None or entries == before):
            # Policies also run for an update that changes nothing.
            of_policies = chain.validate(attributes, is_changed=False)
            return Written(None, [*warnings, *of_policies, *_warnings(resource, value, live, subresource)])
        prepared = strategy.prepared_for_update(resource, live, value)
        if entries is None:
            entries = managed.entries_of_update(resource, live, prepared, self.options)
        changed = managed.with_entries(prepared, entries)
        is_changed = not decode.has_same_content(changed, live)
        if is_changed:
            problems = validation.validate_update(resource, live, changed, subresource, with_empty)
            _refuse_invalid(resource, changed, problems)
            changed = addresses.canonical(changed) if resource.kind == _SERVICE else changed
        of_plugins = chain.validate(attributes.with_value(changed), is_changed=is_changed)
        warnings = [*warnings, *of_plugins, *_warnings(resource, changed, live, subresource)]
        return Written(codec.encode_object(resource, changed), warnings)


@contextmanager
def _warnings_on_errors(warnings: Sequence[str]) -> Iterator[None]:
    """Add the warnings about unknown fields to an error, too."""
    try:
        yield
    except errors.ApiError as error:
        error.warnings += warnings
        raise


def _warnings(resource: Resource, value: Object, live: Mapping[str, Any] | None, subresource: str = "") -> list[str]:
    is_warned = resource.custom is None and not subresource
    return kinds.list_warnings(resource.kind, value, live) if is_warned else []


def _refuse_invalid(resource: Resource, value: Object, problems: Sequence[Cause]) -> None:
    if problems:
        raise errors.invalid(resource, str(value["metadata"].get("name") or ""), problems)


def _with_immutable_fields(resource: Resource, live: Object, value: Object, subresource: str, time: str = "") -> Object:
    """Return the update with the fields that a client cannot change; a subresource changes only its own part."""
    there, metadata = live["metadata"], dict(value["metadata"])
    for key in _SERVER_FIELDS:
        metadata.pop(key, None)
        if key in there:
            metadata[key] = there[key]
    if "deletionTimestamp" in there:
        metadata["deletionTimestamp"] = there["deletionTimestamp"]
    for key in ("uid", "resourceVersion", "name", "deletionGracePeriodSeconds"):
        if key in there and (key == "resourceVersion" or not metadata.get(key)):
            metadata[key] = there[key]
    if resource.kind == strategy.CERTIFICATE_REQUEST and subresource:
        return {**live, "metadata": metadata, "status": strategy.certificate_status(subresource, live, value, time)}
    if subresource == "status":
        metadata = types.restore_metadata(metadata, there, types.metadata_ignored_by_status(resource))
        return {**live, "metadata": metadata, "status": value.get("status")}
    if subresource in pod_subresources.PARTS:
        return pod_subresources.merge_part(subresource, live, {**value, "metadata": metadata})
    if resource.custom is not None and not resource.custom.has_status:
        return {**value, "metadata": metadata}
    if resource.kind == strategy.CERTIFICATE_REQUEST:
        return {**live, "metadata": metadata}
    return {**value, "metadata": metadata, "status": live.get("status")}
