"""The OpenAPI documents: the published schemas of the served kinds, and the operations on them.

Schemas: `data/openapi.json.gz`, written by tools/kubernetes_openapi.py.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kubernetes_api.documents.references import references
from kubernetes_api.resources import Resource, group_versions, of_version, table

Document = dict[str, Any]

_DATA = Path(__file__).parents[1] / "data" / "openapi.json.gz"
_V3, _V2 = "#/components/schemas/", "#/definitions/"
_MEDIA = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_PATCHES = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_WRITES = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string"}
_LISTS = {
    "allowWatchBookmarks": "boolean",
    "continue": "string",
    "fieldSelector": "string",
    "labelSelector": "string",
    "limit": "integer",
    "resourceVersion": "string",
    "resourceVersionMatch": "string",
    "sendInitialEvents": "boolean",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}
_DELETES = {"dryRun": "string", "gracePeriodSeconds": "integer", "propagationPolicy": "string"}


@cache
def schemas() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found


@cache
def _hash() -> str:
    return hashlib.sha512(_DATA.read_bytes()).hexdigest().upper()


def index(base: str) -> Document:
    """`/openapi/v3`: where the document of each version is; clients keep one until its hash is another."""
    paths = [f"apis/{name}/{version}" if name else f"api/{version}" for name, version in group_versions()]
    return {"paths": {path: {"serverRelativeURL": f"{base}/openapi/v3/{path}?hash={_hash()}"} for path in paths}}


@cache
def v3(group: str, version: str) -> bytes:
    """`/openapi/v3/…`: the kinds of a version, and what may be done with them."""
    resources = of_version(group, version)
    named = [_schema_of(each) for each in resources]
    beside = [f"{_META}.{kind}" for kind in ("Status", "DeleteOptions", "APIResourceList", "Patch", "WatchEvent")]
    wanted = [name for each in named if each for name in (each, f"{each}List")]
    paths = {path: operations for each in resources for path, operations in _paths(each)}
    return _written(
        {
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": "unversioned"},
            "paths": paths,
            "components": {"schemas": _with_references([*wanted, *beside])},
        }
    )


@cache
def v2(minor: str) -> bytes:
    """`/openapi/v2`: all of it at once, in the older form."""
    return _written(v2_document(minor))


def v2_document(minor: str) -> Document:
    paths = {path: _older(operations) for each in table().values() for path, operations in _paths(each)}
    definitions = {name: _older(schema) for name, schema in schemas().items()}
    info = {"title": "Kubernetes", "version": minor}
    return {"swagger": "2.0", "info": info, "paths": paths, "definitions": definitions}


def _written(document: Document) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


@cache
def _names() -> Mapping[tuple[str, str, str], str]:
    return {
        (each["group"], each["version"], each["kind"]): name
        for name, schema in schemas().items()
        for each in schema.get("x-kubernetes-group-version-kind", ())
    }


def _schema_of(resource: Resource) -> str | None:
    return _names().get((resource.group, resource.version, resource.kind))


def _with_references(names: Iterable[str]) -> Document:
    found: Document = {}
    todo = [name for name in names if name in schemas()]
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = schemas()[name]
            todo += references(found[name], _V3)
    return dict(sorted(found.items()))


def _paths(resource: Resource) -> Iterator[tuple[str, Document]]:
    place = f"{resource.path}/namespaces/{{namespace}}" if resource.namespaced else resource.path
    verbs, name = set(resource.verbs), _schema_of(resource)
    all_of_them = {
        "get": _operation(resource, "list", name and f"{name}List", _LISTS) if "list" in verbs else None,
        "post": _operation(resource, "post", name, _WRITES, body=True) if "create" in verbs else None,
        "delete": _operation(resource, "deletecollection", f"{_META}.Status", _LISTS | _DELETES)
        if "deletecollection" in verbs
        else None,
    }
    one = {
        "get": _operation(resource, "get", name, {}) if "get" in verbs else None,
        "put": _operation(resource, "put", name, _WRITES, body=True) if "update" in verbs else None,
        "patch": _operation(resource, "patch", name, _WRITES | {"force": "boolean"}) if "patch" in verbs else None,
        "delete": _operation(resource, "delete", f"{_META}.Status", _DELETES) if "delete" in verbs else None,
    }
    for path, operations in ((f"{place}/{resource.name}", all_of_them), (f"{place}/{resource.name}/{{name}}", one)):
        found = {method: operation for method, operation in operations.items() if operation}
        if found:
            yield path, found


def _operation(
    resource: Resource, action: str, answer: str | None, parameters: Mapping[str, str], *, body: bool = False
) -> Document:
    schema = {"$ref": f"{_V3}{answer}"} if answer in schemas() else {"type": "object"}
    content = {media: {"schema": schema} for media in _MEDIA}
    group = resource.group.partition(".")[0].title() or "Core"
    found: Document = {
        "operationId": f"{action}{group}{resource.version.title()}{resource.kind}",
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": True}}
            for name, kind in parameters.items()
        ],
        "responses": {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {
            "group": resource.group,
            "kind": resource.kind,
            "version": resource.version,
        },
    }
    if body:
        found["requestBody"] = {"content": {"*/*": {"schema": schema}}, "required": True}
    elif action == "patch":
        patch = {"schema": {"$ref": f"{_V3}{_META}.Patch"}}
        found["requestBody"] = {"content": dict.fromkeys(_PATCHES, patch), "required": True}
    return found


def _older(value: Any) -> Any:
    """A schema or an operation as version 2 writes it."""
    if isinstance(value, list):
        return [_older(each) for each in value]
    if not isinstance(value, dict):
        return value
    # Properties may have these names, too.
    if isinstance(value.get("allOf"), list) and len(value["allOf"]) == 1 and "$ref" in value["allOf"][0]:
        rest = {key: each for key, each in value.items() if key not in ("allOf", "default")}
        value = {**rest, **value["allOf"][0]}
    if isinstance(value.get("$ref"), str):
        value = {**value, "$ref": value["$ref"].replace(_V3, _V2)}
    if "operationId" in value:
        return _older_operation(value)
    if value.get("format") == "int-or-string" and "oneOf" in value:
        return {"type": "string", **{key: each for key, each in value.items() if key not in ("oneOf", "default")}}
    return {key: _older(each) for key, each in value.items() if key != "default" or each not in ({}, "", 0, False)}


def _older_operation(operation: Document) -> Document:
    parameters = [{"name": each["name"], "in": each["in"], **each["schema"]} for each in operation["parameters"]]
    body = operation.get("requestBody")
    if body:
        schema = _older(next(iter(body["content"].values()))["schema"])
        parameters.insert(0, {"name": "body", "in": "body", "required": True, "schema": schema})
    content = next(iter(operation["responses"]["200"]["content"].values()))
    kept = ("operationId", "x-kubernetes-action", "x-kubernetes-group-version-kind")
    return {
        **{key: operation[key] for key in kept},
        "consumes": list(body["content"]) if body else ["*/*"],
        "produces": list(_MEDIA),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "schema": _older(content["schema"])}},
    }
