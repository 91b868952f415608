"""Handlers for resources: get, list, create, update, patch and delete."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kube_apiserver import api_services, bootstrap, built_in, controller_fields, conversion, errors, flow_control
from kube_apiserver.custom import crd_deletion, definitions, naming
from kube_apiserver.resources import Resource
from kube_apiserver.validation import events
from kube_apiserver.writes import decode, deleting, handlers, patches, patching, strategy
from kube_apiserver.writes.options import WriteOptions
from playground.kubernetes import (
    admitting,
    custom_resources,
    list_pages,
    object_reads,
    resource_versions,
    write_commands,
)
from playground.kubernetes.api_answer import ApiAnswer
from playground.kubernetes.keyed_locks import keyed_lock
from playground.kubernetes.requests import Request
from playground.kubernetes.upkeep import account_secrets, availability, flow_schemas
from playground.web.request_guard import calculating

_MOST_TRIES = 8
_READS = ("GET", "HEAD")
# Controllers of the API server that react to writes of a kind.
_UPKEEP = {
    **dict.fromkeys(flow_control.KINDS, flow_schemas.update_conditions),
    **dict.fromkeys((api_services.KIND, "Service", "EndpointSlice"), availability.update_conditions),
}


def handle_resource(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> ApiAnswer:
    """Answer a request for a resource. `subresource` is "", "status", "approval" or "finalize"."""
    result = _handle_resource(request, resource, namespace, name, subresource)
    if resource.kind in _UPKEEP and request.method not in _READS:
        _UPKEEP[resource.kind](request)
    if resource.kind == "Secret" and request.method in ("POST", "PUT", "PATCH"):
        account_secrets.fill_token(request, result.body)
    return result


def _handle_resource(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> ApiAnswer:
    if subresource and request.method not in ("GET", "PATCH", "PUT"):
        raise errors.not_allowed()
    if request.method not in _READS:
        if "create" not in resource.verbs:
            raise errors.not_allowed()
        request.check_options()
    match request.method, bool(name):
        case (("GET" | "HEAD"), False):
            return ApiAnswer(list_pages.read_page(request, resource, namespace))
        case (("GET" | "HEAD"), True):
            if request.query("resourceVersion"):
                list_pages.wanted_version(
                    request, resource_versions.cluster_version(object_reads.refresh_revision(request.cluster))
                )
            live = _get_or_not_found(request, resource, namespace, name)
            return ApiAnswer(list_pages.convert_object(request, resource, live))
        case "POST", False:
            return _create(request, resource, namespace)
        case (("PUT" | "PATCH"), True):
            with keyed_lock(request.cluster.pk, resource.kind, key_of(resource, namespace, name)):
                return write_commands.retry_conflicts(
                    resource, name, lambda: _write(request, resource, namespace, name, subresource)
                )
        case "DELETE", True:
            return write_commands.retry_conflicts(resource, name, lambda: _delete(request, resource, namespace, name))
        case "DELETE", False:
            return _delete_all(request, resource, namespace)
    raise errors.not_allowed()


def key_of(resource: Resource, namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if resource.namespaced else name


def options_of(request: Request, resource: Resource, namespace: str, subresource: str = "") -> WriteOptions:
    """Return the options of a write: subresource, checks of rights, admission policies and user."""
    return replace(
        request.write_options,
        subresource=subresource,
        guard=admitting.escalation_guard(request, resource, namespace),
        request=admitting.admission_request(request, resource, namespace, subresource),
        caller=request.caller.who,
    )


def _get_or_not_found(request: Request, resource: Resource, namespace: str, name: str) -> dict[str, Any]:
    """Return an object. Raise ApiError, which names the resource in the version that the client asked for."""
    live = object_reads.manifest(request.cluster, resource, key_of(resource, namespace, name))
    if live is None:
        raise errors.not_found(request.served or resource, name)
    return live


def _create(request: Request, resource: Resource, namespace: str) -> ApiAnswer:
    if resource.namespaced and not namespace:
        raise errors.not_allowed()
    world = object_reads.StoredClusterReader(request.cluster)
    with calculating():
        sent = request.sent(resource.manifest_kind)
    _reject_if_terminating(request, resource, _name_in(sent))
    if request.served is not None:
        events.reject_invalid_event(request.served, sent)
    options = options_of(request, resource, namespace)
    for number in range(_MOST_TRIES):
        with calculating():
            written = handlers.create(resource, namespace, sent, replace(options, draw=number), world)
        value = written.value
        assert value is not None
        name = str(value["metadata"]["name"])
        key = key_of(resource, namespace, name)
        existing = object_reads.manifest(request.cluster, resource, key)
        if existing is None:
            try:
                return ApiAnswer(_stored(request, resource, key, value, "create"), 201, written.warnings)
            except errors.ExistsError:
                # Another request generated the same name at the same time. A new seed avoids the next conflict.
                options = replace(options, seed=f"{options.seed}/{secrets.token_hex(8)}")
        if not value["metadata"].get("generateName") or sent["metadata"].get("name"):
            break
    is_going = bool(existing and existing["metadata"].get("deletionTimestamp"))
    refusal = errors.exists(resource, name, is_going=is_going)
    refusal.warnings += written.warnings
    raise refusal


def _reject_if_terminating(request: Request, resource: Resource, name: str) -> None:
    """Raise ApiError for a custom resource whose CustomResourceDefinition is being deleted."""
    if resource.custom is not None:
        crd_deletion.reject_if_terminating(custom_resources.definition_of(request.cluster, resource), resource, name)


def _write(request: Request, resource: Resource, namespace: str, name: str, subresource: str) -> ApiAnswer:
    """Update or patch an object, or create it by server-side apply.

    The steps:

    1. Read the live object, and create it if an apply finds none.
    2. Decode the body, and check name and namespace.
    3. Compute and validate the new object (`handlers`), in the version that the client sent.
    4. Store it (`updated`).
    """
    key, world = key_of(resource, namespace, name), object_reads.StoredClusterReader(request.cluster)
    live = object_reads.manifest(request.cluster, resource, key)
    kind, by = request.content_type, options_of(request, resource, namespace, subresource)
    if request.method == "PATCH" and kind not in patches.PATCHES:
        raise errors.not_understood(patches.PATCHES)
    if live is None and request.method == "PATCH" and kind in patches.APPLY_PATCH and not subresource:
        admitting.check_other_verb(request, resource, name, "create")
        _reject_if_terminating(request, resource, name)
        with calculating():
            made = handlers.create_applied(resource, namespace, name, request.sent(), by, world)
        assert made.value is not None
        try:
            return ApiAnswer(_stored(request, resource, key, made.value, "create"), 201, made.warnings)
        except errors.ExistsError as another:
            # Another request created it meanwhile, so the apply must be merged into that object.
            raise write_commands.ChangedError(key) from another
    with calculating():
        sent = request.sent(resource.manifest_kind if request.method == "PUT" else "")
    if request.method == "PUT":
        decode.check_name(resource, sent, namespace, name, by.validation)
    if live is None:
        if request.method == "PUT":
            decode.check_body(resource, sent, namespace, by.validation)
        raise errors.not_found(request.served or resource, name)
    with calculating():
        live = controller_fields.add(resource, live)
        if request.method == "PUT":
            written = handlers.replace(resource, live, sent, by, world)
        elif request.served is not None and kind not in patches.APPLY_PATCH:
            # A patch applies to the version that its client sees.
            seen = dict(conversion.answer(request.served, live))
            value = patching.patched(request.served, seen, kind, request.body())
            written = handlers.replace(resource, live, conversion.into(request.served, value), by, world)
        else:
            written = handlers.patch(resource, live, kind, sent, by, world)
    if written.value is None:
        return ApiAnswer(live, 200, written.warnings)
    # Validation used the object with its defaults. The stored object may lack them, so the command must not check
    # the changes again.
    stored = updated(request, resource, key, live, written.value, is_strict=False)
    return ApiAnswer(controller_fields.add(resource, dict(stored)), 200, written.warnings)


def updated(
    request: Request,
    resource: Resource,
    key: str,
    live: Mapping[str, Any],
    value: dict[str, Any],
    *,
    is_strict: bool = True,
) -> Mapping[str, Any]:
    """Store an update and return the stored object.

    The steps:

    1. Return the live object if nothing has changed.
    2. Delete an object that only waited for this update, such as the removal of its last finalizer.
    3. Update a stored object, or create one that was built in until now.
    """
    value = controller_fields.remove(resource, value)
    if decode.has_same_content(value, live) and _entries(value) == _entries(
        controller_fields.remove(resource, dict(live))
    ):
        # The client sent back an object from a list, which lacks the managed fields of controllers.
        return live
    if deleting.is_over(live, value):
        if not request.is_dry_run:
            ends, definitions_ = _of_kind_that_ends(request, resource, live)
            write_commands.submit_and_wait(
                request, resource, [*ends, write_commands.delete_payload([live, *definitions_])]
            )
        return value
    if object_reads.is_written(request.cluster, resource, key):
        return _stored(request, resource, key, value, "update", is_strict=is_strict, live=[live])
    if _read_again(request, resource, key, live) is None:
        # The object was deleted after the read, so the update must not create it again.
        raise write_commands.ChangedError(key)
    try:
        # A built-in object is stored at its first change.
        return _stored(request, resource, key, value, "create")
    except errors.ExistsError as another:
        raise write_commands.ChangedError(key) from another


def _entries(value: Mapping[str, Any]) -> Any:
    return value["metadata"].get("managedFields") or []


def _stored(
    request: Request,
    resource: Resource,
    key: str,
    value: dict[str, Any],
    command: str,
    *,
    is_strict: bool = True,
    live: Sequence[Mapping[str, Any]] = (),
) -> Mapping[str, Any]:
    with calculating():
        write_commands.check(resource, value)
    if request.is_dry_run:
        return value
    if resource.kind == definitions.KIND:
        value = naming.with_accepted_names(value, custom_resources.definitions_of(request.cluster))
    with admitting.charged_quotas(request, resource, key, value) as (quotas, charged):
        if command == "update":
            written = write_commands.write_payload(
                command, [value, *charged], is_strict=is_strict, live=[*live, *quotas]
            )
            write_commands.submit_and_wait(request, resource, [written])
        else:
            charges = [write_commands.write_payload("update", charged, is_strict=False)] if charged else []
            write_commands.submit_and_wait(
                request, resource, [*charges, write_commands.write_payload(command, [value], is_strict=is_strict)]
            )
    # If a controller has deleted it already, the client gets the object as it was stored.
    return _read_again(request, resource, key, value) or value


def _read_again(request: Request, resource: Resource, key: str, written: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the object as it is stored now, or None if it was deleted or replaced by one of the same name."""
    stored = object_reads.manifest(request.cluster, resource, key)
    uid = written["metadata"].get("uid")
    return stored if stored is not None and uid in (None, stored["metadata"].get("uid")) else None


def _delete(request: Request, resource: Resource, namespace: str, name: str) -> ApiAnswer:
    wanted = request.delete_options()
    key = key_of(resource, namespace, name)
    live = _get_or_not_found(request, resource, namespace, name)
    if why := built_in.why_it_stays(resource.kind, key):
        raise errors.refused(resource, name, why)
    warnings = admitting.admit_delete(request, resource, live, is_dry_run=wanted.is_dry_run)
    deletion = deleted(request, resource, live, wanted)
    if deletion.is_gone and resource.kind not in deleting.RETURNED:
        return ApiAnswer(deleting.success(resource, live), 200, warnings)
    return ApiAnswer(deletion.value, 200, warnings)


def deleted(
    request: Request,
    resource: Resource,
    live: dict[str, Any],
    wanted: deleting.DeleteOptions,
    spent: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]] = (),
) -> deleting.Deletion:
    """Delete one object, or mark it if finalizers or the grace period require that.

    `spent` are other objects before and after a change. They are written if the object is marked.
    """
    deletion = deleting.delete(resource, live, wanted, request.now)
    if request.is_dry_run or wanted.is_dry_run:
        return deletion
    first: list[dict[str, Any]] = []
    gone = [live]
    if deletion.is_gone and resource.kind == definitions.KIND:
        instances = custom_resources.objects_of(request.cluster, live)
        finalized = [each for each in instances if each["metadata"].get("finalizers")]
        gone += [each for each in instances if each not in finalized]
        if finalized:
            # The definition waits for its objects, because some of them have finalizers.
            deletion = deleting.Deletion(crd_deletion.mark_deleted(live, request.now), is_gone=False)
            first = _objects_going(request, live, finalized, gone[1:])
    if deletion.is_gone:
        _remove(request, resource, gone)
    elif deletion.is_changed:
        before, after = [live, *(each for each, _ in spent)], [deletion.value, *(each for _, each in spent)]
        marking = write_commands.write_payload("update", after, is_strict=False, live=before)
        number = write_commands.submit_and_wait(request, resource, [*first, marking])
        if resource.kind == "Pod":
            # Wait for controllers: time jumps in a live cluster, so a Pod of a StatefulSet is replaced within
            # milliseconds. kubectl reads it twice, and would wait forever if it saw the replacement.
            write_commands.wait_for_live_run(request, number)
        key = key_of(resource, live["metadata"].get("namespace", ""), live["metadata"]["name"])
        # kubectl waits for the deletion of the object with this UID.
        now = _read_again(request, resource, key, deletion.value)
        return replace(deletion, value=dict(now)) if now is not None else deletion
    return deletion


def _remove(request: Request, resource: Resource, gone: Sequence[dict[str, Any]]) -> None:
    """Delete the first object of `gone` together with the other ones, and recreate it if it is built in."""
    live, *others = gone
    first = _with_names_free(request, live) if resource.kind == definitions.KIND else []
    (ends, definitions_), key = _of_kind_that_ends(request, resource, live), object_reads.key_of(live)
    comes_again = object_reads.is_recreated(request.cluster, resource, key)
    # A derived object exists as long as the object that it is derived from.
    is_new = comes_again and resource.kind != bootstrap.DERIVED
    again = [write_commands.write_payload("create", [_recreated(request, resource, key)])] if is_new else []
    is_there = not comes_again or object_reads.is_written(request.cluster, resource, key)
    removing = [write_commands.delete_payload([*others, live, *definitions_])] if is_there else []
    if commands := [*first, *ends, *removing, *again]:
        write_commands.submit_and_wait(request, resource, commands)


def _objects_going(
    request: Request,
    definition: dict[str, Any],
    held: Sequence[dict[str, Any]],
    gone: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the commands that delete the objects of a kind. Objects with finalizers are only marked."""
    resource = custom_resources.resource_of(request.cluster, definition)
    commands = [write_commands.delete_payload(gone)] if gone else []
    if resource is not None:
        marked = [deleting.delete(resource, each, deleting.DeleteOptions(), request.now).value for each in held]
        commands.append(write_commands.write_payload("update", marked, is_strict=False, live=held))
    return commands


def _with_names_free(request: Request, definition: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the command that gives the names of a deleted definition to other definitions."""
    freed = custom_resources.freed(request.cluster, definition)
    return [write_commands.write_payload("update", freed, is_strict=False)] if freed else []


def _of_kind_that_ends(
    request: Request, resource: Resource, last: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the commands and deletions for a definition that waited only for this object."""
    definition = custom_resources.definition_of(request.cluster, resource)
    if definition is None or not crd_deletion.is_waiting(definition):
        return [], []
    if any(
        object_reads.key_of(each) != object_reads.key_of(last)
        for each in custom_resources.objects_of(request.cluster, definition)
    ):
        return [], []
    if (now := crd_deletion.without_finalizer(definition))["metadata"].get("finalizers"):
        return [write_commands.write_payload("update", [now], is_strict=False)], []
    return _with_names_free(request, definition), [definition]


def _name_in(sent: Any) -> str:
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""


def _recreated(request: Request, resource: Resource, key: str) -> dict[str, Any]:
    """Return a new object for a built-in one, or one that controllers create, after it was deleted."""
    template = dict(built_in.objects_of(resource.kind).get(key) or built_in.OF_NAMESPACES[resource.kind][1])
    namespace, _, name = key.rpartition("/")
    place = {"namespace": namespace} if namespace else {}
    metadata = {**(template.get("metadata") or {}), "name": name, **place}
    options = request.write_options
    uid = strategy.new_uid(options.seed, options.draw, resource.kind, metadata)
    times = {"uid": uid, "creationTimestamp": options.time}
    return {"kind": resource.kind, "apiVersion": resource.api_version, **template, "metadata": {**metadata, **times}}


def _delete_all(request: Request, resource: Resource, namespace: str) -> ApiAnswer:
    if "deletecollection" not in resource.verbs or (resource.namespaced and not namespace):
        raise errors.not_allowed()
    wanted = request.delete_options()
    page = list_pages.read_page(request, resource, namespace, as_rows=False)
    item: dict[str, Any]
    leaving = [item for item in page["items"] if not built_in.why_it_stays(resource.kind, object_reads.key_of(item))]
    for item in leaving:
        _delete_one_of_many(request, resource, item, wanted)
    return ApiAnswer({**page, "items": [list_pages.without_kind(item) for item in leaving]})


def _delete_one_of_many(
    request: Request, resource: Resource, listed: dict[str, Any], wanted: deleting.DeleteOptions
) -> None:
    key, live = object_reads.key_of(listed), listed

    def delete() -> None:
        nonlocal live
        admitting.admit_delete(request, resource, live, is_dry_run=wanted.is_dry_run)
        try:
            deleted(request, resource, live, wanted)
        except write_commands.ChangedError:
            newest = object_reads.manifest(request.cluster, resource, key)
            if newest is not None and _read_again(request, resource, key, live):
                live = newest
                raise

    write_commands.retry_conflicts(resource, listed["metadata"]["name"], delete)
