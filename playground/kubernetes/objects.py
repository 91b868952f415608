"""What is asked of a resource: its objects read, written and deleted."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kubernetes_api import doors, errors, writing
from kubernetes_api.resources import Resource
from playground.kubernetes import listing, reading, storing
from playground.kubernetes.requests import Request
from scheduler_core.objects.kinds.core.namespace import BUILT_IN


@dataclass(frozen=True, slots=True)
class Answer:
    body: Mapping[str, Any]
    status: int = 200
    warnings: list[str] = field(default_factory=list)


def answer(asked: Request, resource: Resource, namespace: str, name: str, door: str) -> Answer:
    """`door` is the subresource, "" for the object itself."""
    if door not in ("", "status"):
        return _through(asked, resource, namespace, name, door)
    is_status = door == "status"
    if is_status and asked.method not in ("GET", "PATCH", "PUT"):
        raise errors.not_allowed()
    if asked.method not in ("GET", "HEAD") and "create" not in resource.verbs:
        raise errors.not_allowed()
    match asked.method, bool(name):
        case (("GET" | "HEAD"), False):
            return Answer(listing.listed(asked, resource, namespace))
        case (("GET" | "HEAD"), True):
            found = reading.one(asked.cluster, resource, _key(resource, namespace, name), name)
            return Answer(listing.shown(asked, resource, found))
        case "POST", False:
            return _create(asked, resource, namespace)
        case "PUT", True:
            return _write(asked, resource, namespace, name, is_status)
        case "PATCH", True:
            return _write(asked, resource, namespace, name, is_status)
        case "DELETE", True:
            return _delete(asked, resource, namespace, name)
        case "DELETE", False:
            return _delete_all(asked, resource, namespace)
    raise errors.not_allowed()


def _key(resource: Resource, namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if resource.namespaced else name


def _create(asked: Request, resource: Resource, namespace: str) -> Answer:
    if resource.namespaced and not namespace:
        raise errors.not_allowed()
    _must_have(asked, namespace)
    written = writing.create(resource, namespace, asked.body(), asked.asked)
    assert written.value is not None
    name = written.value["metadata"]["name"]
    key = _key(resource, namespace, str(name))
    if reading.manifest(asked.cluster, resource, key) is not None:
        raise errors.exists(resource, str(name))
    return Answer(_stored(asked, resource, key, written.value, "create"), 201, written.warnings)


def _write(asked: Request, resource: Resource, namespace: str, name: str, is_status: bool) -> Answer:
    """An update or a patch."""
    key = _key(resource, namespace, name)
    live = reading.manifest(asked.cluster, resource, key)
    kind = asked.content_type
    by = replace(asked.asked, subresource="status" if is_status else "")
    if asked.method == "PATCH" and kind not in writing.PATCHES:
        raise errors.not_understood(writing.PATCHES)
    if live is None and asked.method == "PATCH" and kind in writing.APPLY_PATCH:
        _must_have(asked, namespace)
        made = writing.create_applied(resource, namespace, name, asked.body(), asked.asked)
        assert made.value is not None
        return Answer(_stored(asked, resource, key, made.value, "create"), 201)
    if live is None:
        raise errors.not_found(resource, name)
    if asked.method == "PUT":
        written = writing.replace(resource, live, asked.body(), by)
    else:
        written = writing.patch(resource, live, kind, asked.body(), by)
    value = written.value
    if value is None:
        return Answer(live, 200, written.warnings)
    # An object's status has a door of its own, and nothing else goes through it.
    if is_status:
        entries = value["metadata"].get("managedFields", [])
        value = {**live, "metadata": {**live["metadata"], "managedFields": entries}, "status": value.get("status")}
    else:
        value = {**value, "status": live.get("status")}
    value = {key: item for key, item in value.items() if item is not None}
    return Answer(_stored(asked, resource, key, value, "update"), 200, written.warnings)


def _through(asked: Request, resource: Resource, namespace: str, name: str, door: str) -> Answer:
    """The subresources that change an object in one way."""
    key = _key(resource, namespace, name)
    live = dict(reading.one(asked.cluster, resource, key, name))
    if door == "scale" and resource.kind in doors.SCALED:
        if asked.method == "GET":
            return Answer(doors.scale(live))
        if asked.method not in ("PUT", "PATCH") or asked.content_type not in (
            "",
            "application/json",
            writing.MERGE_PATCH,
        ):
            raise errors.not_allowed()
        value = doors.scaled(resource, live, asked.content_type, asked.body())
        written = writing.replace(resource, live, value, replace(asked.asked, subresource="scale"))
        if written.value is None:
            return Answer(doors.scale(live))
        return Answer(doors.scale(_stored(asked, resource, key, written.value, "update")))
    if door == "binding" and resource.kind == "Pod" and asked.method == "POST":
        value = doors.bound(live, asked.body(), asked.asked.time)
        if not asked.is_dry_run:
            storing.store(asked, resource, "update", [value], is_strict=False)
        return Answer({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}, 201)
    raise errors.no_such_path()


def _stored(asked: Request, resource: Resource, key: str, value: dict[str, Any], command: str) -> Mapping[str, Any]:
    storing.check(resource, value)
    if asked.is_dry_run:
        return value
    value["metadata"].pop("resourceVersion", None)
    storing.store(asked, resource, command, [value])
    found = reading.manifest(asked.cluster, resource, key)
    if found is None:
        raise errors.timeout(f"{resource.qualified} {key} was written, and is gone again")
    return found


def _delete(asked: Request, resource: Resource, namespace: str, name: str) -> Answer:
    found = reading.one(asked.cluster, resource, _key(resource, namespace, name), name)
    if resource.kind == "Namespace" and name in BUILT_IN:
        raise errors.forbidden(f'namespaces "{name}" is forbidden: this namespace may not be deleted')
    gone = [_reference(found)]
    if resource.kind == "Namespace":
        gone = [*reading.inside(asked.cluster, name), *gone]
    if not asked.is_dry_run:
        storing.store(asked, resource, "delete", gone)
    details = {"name": name, "group": resource.group, "kind": resource.name, "uid": found["metadata"]["uid"]}
    return Answer(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Success",
            "details": {key: value for key, value in details.items() if value},
        }
    )


def _delete_all(asked: Request, resource: Resource, namespace: str) -> Answer:
    if resource.kind == "Namespace" or (resource.namespaced and not namespace):
        raise errors.not_allowed()
    found = listing.listed(asked, resource, namespace, as_rows=False)
    if found["items"] and not asked.is_dry_run:
        storing.store(asked, resource, "delete", [_reference(each) for each in found["items"]])
    return Answer(found)


def _reference(value: Mapping[str, Any]) -> dict[str, str]:
    metadata = value["metadata"]
    found = {"kind": value["kind"], "namespace": metadata.get("namespace", ""), "name": metadata["name"]}
    return {key: text for key, text in found.items() if text}


def _must_have(asked: Request, namespace: str) -> None:
    """Nothing is created in a namespace that is not there."""
    if namespace and namespace not in BUILT_IN:
        reading.one(asked.cluster, reading.NAMESPACES, namespace, namespace)
