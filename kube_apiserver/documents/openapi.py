"""The OpenAPI documents: published schemas of the served kinds, and their operations.

The schemas are in `data/openapi.json.gz`, which tools/kubernetes_openapi.py writes.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from kube_apiserver.custom import embedded
from kube_apiserver.documents import parameters
from kube_apiserver.documents.parameters import DELETES, LISTS, WRITES
from kube_apiserver.documents.references import references
from kube_apiserver.resources import Resource, group_versions, of_version, table
from kube_apiserver.writes.patches import STRATEGIC_PATCH

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


@cache
def schemas() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(gzip.decompress(_DATA.read_bytes()))
    return found


@cache
def _hash() -> str:
    return hashlib.sha512(_DATA.read_bytes()).hexdigest().upper()


def index(custom: Sequence[Resource] = ()) -> Document:
    """Return the document at `/openapi/v3`, which has the URL of each version's document.

    Clients cache documents by the hashes in these URLs. They put the path of their server before URLs that begin with
    /openapi/v3, so the URLs also work behind a proxy. `custom` has the custom resources of the cluster.

    Source: client-go/openapi/client.go.
    """
    version_paths = [f"apis/{name}/{version}" if name else f"api/{version}" for name, version in group_versions()]
    hashes = dict.fromkeys([*version_paths, *_non_resource_operations()], _hash())
    registered: dict[tuple[str, str], list[Resource]] = {}
    for resource in custom:
        registered.setdefault((resource.group, resource.version), []).append(resource)
    for (group, version), resources in registered.items():
        document = _encode(v3_custom(resources))
        hashes[f"apis/{group}/{version}"] = hashlib.sha512(document).hexdigest().upper()
    return {
        "paths": {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={hashes[path]}"} for path in sorted(hashes)}
    }


_SUBRESOURCE_VERBS = (
    ("get", "get", "get"),
    ("create", "post", "post"),
    ("update", "put", "put"),
    ("patch", "patch", "patch"),
)
_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_COMMON_DESCRIPTIONS = {
    "apiVersion": "APIVersion defines the versioned schema of this representation of an object. Servers should convert "
    "recognized schemas to the latest internal value, and may reject unrecognized values. More info: "
    f"{_CONVENTIONS}#resources",
    "kind": "Kind is a string value representing the REST resource this object represents. Servers may infer this from "
    "the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
    f"{_CONVENTIONS}#types-kinds",
    "metadata": f"Standard object's metadata. More info: {_CONVENTIONS}#metadata",
}


def _common_properties() -> Document:
    """Return the schemas of apiVersion, kind and metadata, which every object has."""
    texts = {name: {"description": _COMMON_DESCRIPTIONS[name], "type": "string"} for name in ("apiVersion", "kind")}
    return {
        **texts,
        "metadata": {"description": _COMMON_DESCRIPTIONS["metadata"], "allOf": [{"$ref": f"{_V3}{_META}.ObjectMeta"}]},
    }


def _describe_embedded(schema: Any) -> Any:
    """Return a schema in which embedded resources also have the properties apiVersion, kind and metadata.

    Source: builder.addEmbeddedProperties.
    """
    if isinstance(schema, list):
        return [_describe_embedded(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    converted = {name: _describe_embedded(each) for name, each in schema.items()}
    if converted.get(embedded.MARK) is True:
        converted["properties"] = {**(converted.get("properties") or {}), **_common_properties()}
        converted["required"] = [*(converted.get("required") or ()), "kind", "apiVersion"]
    return converted


def v3_custom(resources: Sequence[Resource]) -> Document:
    """Return the document at `/openapi/v3/…` for a group version of custom resources."""
    named = {}
    for resource in resources:
        assert resource.custom is not None
        schema = _describe_embedded(resource.custom.schema)
        rest = {name: part for name, part in (schema.get("properties") or {}).items() if name != "metadata"}
        schema["properties"] = {**_common_properties(), **rest}
        kind = {"group": resource.group, "kind": resource.manifest_kind, "version": resource.version}
        schema["x-kubernetes-group-version-kind"] = [kind]
        reversed_group = ".".join(reversed(resource.group.split(".")))
        named[f"{reversed_group}.{resource.version}.{resource.manifest_kind}"] = schema
    meta_schemas = [f"{_META}.{kind}" for kind in ("ObjectMeta", "Status", "DeleteOptions", "Patch")]
    others = _collect_references([*meta_schemas, *_schemas_of_subresources(resources)])
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": {path: operations for resource in resources for path, operations in _list_paths(resource)},
        "components": {"schemas": named | others},
    }


@cache
def v3(group: str, version: str) -> bytes:
    """Return the document at `/openapi/v3/…` for a group version of built-in kinds."""
    resources = of_version(group, version)
    named = [_find_schema_name(each) for each in resources]
    meta_schemas = [f"{_META}.{kind}" for kind in ("Status", "DeleteOptions", "APIResourceList", "Patch", "WatchEvent")]
    wanted = [name for each in named if each for name in (each, f"{each}List")]
    paths = {path: operations for each in resources for path, operations in _list_paths(each)}
    return _encode(
        {
            "openapi": "3.0.0",
            "info": {"title": "Kubernetes", "version": "unversioned"},
            "paths": paths,
            "components": {
                "schemas": _collect_references([*wanted, *_schemas_of_subresources(resources), *meta_schemas])
            },
        }
    )


def v3_non_resource(path: str) -> bytes | None:
    """Return the document of a path that serves no objects (discovery, version), or None if there is no such path."""
    operation = _non_resource_operations().get(path)
    if operation is None:
        return None
    info = {"title": "Kubernetes", "version": "unversioned"}
    return _encode({"openapi": "3.0.0", "info": info, "paths": {_make_url_path(path): {"get": operation}}})


@cache
def _non_resource_operations() -> Mapping[str, Document]:
    names = dict.fromkeys(name for name, _ in group_versions() if name)
    operations = {
        ".well-known/openid-configuration": "getServiceAccountIssuerOpenIDConfiguration",
        "api": "getCoreAPIVersions",
        "apis": "getAPIVersions",
        **{f"apis/{name}": f"get{_title(name)}APIGroup" for name in names},
        "openid/v1/jwks": "getServiceAccountIssuerOpenIDKeyset",
        "version": "getCodeVersion",
    }
    return {path: _make_get_operation(action) for path, action in operations.items()}


def _make_get_operation(action: str) -> Document:
    content = {_MEDIA[0]: {"schema": {"type": "object"}}}
    responses = {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}}
    return {"operationId": action, "parameters": [], "responses": responses}


def _make_url_path(path: str) -> str:
    """Return the URL path of a document. Folders end with a slash."""
    return f"/{path}" if path == "openid/v1/jwks" else f"/{path}/"


def _title(group: str) -> str:
    return group.partition(".")[0].title() or "Core"


@cache
def v2(minor: str) -> bytes:
    """Return the document at `/openapi/v2`, which covers all built-in kinds."""
    return _encode(v2_document(minor))


def v2_document(minor: str) -> Document:
    operations_by_path = {path: operations for each in table().values() for path, operations in _list_paths(each)}
    operations_by_path |= {
        _make_url_path(path): {"get": operation} for path, operation in _non_resource_operations().items()
    }
    paths = {path: _convert_to_v2(operations_by_path[path]) for path in sorted(operations_by_path)}
    definitions = {name: _convert_to_v2(schema) for name, schema in schemas().items()}
    info = {"title": "Kubernetes", "version": minor}
    return {
        "swagger": "2.0",
        "info": info,
        "paths": paths,
        "definitions": definitions,
        "parameters": parameters.shared_parameters(),
    }


def _encode(document: Document) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


@cache
def _schema_names() -> Mapping[tuple[str, str, str], str]:
    return {
        (each["group"], each["version"], each["kind"]): name
        for name, schema in schemas().items()
        for each in schema.get("x-kubernetes-group-version-kind", ())
    }


def _find_schema_name(resource: Resource) -> str | None:
    return _schema_names().get((resource.group, resource.version, resource.kind))


def _collect_references(names: Iterable[str]) -> Document:
    referenced: Document = {}
    todo = [name for name in names if name in schemas()]
    while todo:
        name = todo.pop()
        if name not in referenced:
            referenced[name] = schemas()[name]
            todo += references(referenced[name], _V3)
    return dict(sorted(referenced.items()))


def _list_paths(resource: Resource) -> Iterator[tuple[str, Document]]:
    place = f"{resource.path}/namespaces/{{namespace}}" if resource.namespaced else resource.path
    verbs, name = set(resource.verbs), _find_schema_name(resource)
    collection_operations = {
        "get": _operation(resource, "list", name and f"{name}List", LISTS) if "list" in verbs else None,
        "post": _operation(resource, "post", name, WRITES, body=True) if "create" in verbs else None,
        "delete": _operation(resource, "deletecollection", f"{_META}.Status", LISTS + DELETES)
        if "deletecollection" in verbs
        else None,
    }
    named_operations = {
        "get": _operation(resource, "get", name) if "get" in verbs else None,
        "put": _operation(resource, "put", name, WRITES, body=True) if "update" in verbs else None,
        "patch": _operation(resource, "patch", name, (*WRITES, "force")) if "patch" in verbs else None,
        "delete": _operation(resource, "delete", f"{_META}.Status", DELETES) if "delete" in verbs else None,
    }
    for path, operations in (
        (f"{place}/{resource.name}", collection_operations),
        (f"{place}/{resource.name}/{{name}}", named_operations),
    ):
        found = {method: operation for method, operation in operations.items() if operation}
        if found:
            yield path, found
    if resource.namespaced and collection_operations["get"]:
        operation = collection_operations["get"]
        yield (
            f"{resource.path}/{resource.name}",
            {"get": {**operation, "operationId": f"{operation['operationId']}ForAllNamespaces"}},
        )
    for subresource in resource.subresources:
        yield (
            f"{place}/{resource.name}/{{name}}/{subresource['name']}",
            _list_subresource_operations(resource, subresource),
        )


def _get_subresource_kind(resource: Resource, subresource: Mapping[str, Any]) -> Resource:
    return replace(resource, **{key: subresource[key] for key in ("group", "version", "kind") if key in subresource})


def _schemas_of_subresources(resources: Sequence[Resource]) -> Sequence[str]:
    """Return the schema names of the subresources' kinds."""
    named = [
        _find_schema_name(_get_subresource_kind(each, subresource))
        for each in resources
        for subresource in each.subresources
    ]
    return [name for name in named if name]


def _list_subresource_operations(resource: Resource, subresource: Mapping[str, Any]) -> Document:
    """Return the operations of a subresource. Its kind may differ from the kind of the resource."""
    kind = _get_subresource_kind(resource, subresource)
    name, operations = _find_schema_name(kind), dict[str, Any]()
    for verb, method, action in _SUBRESOURCE_VERBS:
        if verb in subresource["verbs"]:
            is_written = verb != "get"
            queried = (*WRITES, *(("force",) if verb == "patch" else ())) if is_written else ()
            operation = _operation(kind, action, name, queried, body=verb in ("create", "update"))
            title = f"{resource.manifest_kind}{str(subresource['name']).title()}"
            operations[method] = {
                **operation,
                "operationId": f"{action}{_title(resource.group)}{resource.version.title()}{title}",
            }
    return operations


def _operation(
    resource: Resource, action: str, answer: str | None, queried: Sequence[str] = (), *, body: bool = False
) -> Document:
    schema = {"$ref": f"{_V3}{answer}"} if answer in schemas() else {"type": "object"}
    content = {media: {"schema": schema} for media in _MEDIA}
    group = _title(resource.group)
    described: Document = {
        "operationId": f"{action}{group}{resource.version.title()}{resource.manifest_kind}",
        "parameters": [parameters.describe_parameter(name) for name in (*queried, "pretty")],
        "responses": {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {
            "group": resource.group,
            "kind": resource.manifest_kind,
            "version": resource.version,
        },
    }
    if body:
        described["requestBody"] = {"content": {"*/*": {"schema": schema}}, "required": True}
    elif action == "patch":
        patch = {"schema": {"$ref": f"{_V3}{_META}.Patch"}}
        # Custom resources accept no strategic merge patch. kubectl reads here whether a kind accepts one.
        media = [each for each in _PATCHES if resource.custom is None or each != STRATEGIC_PATCH]
        described["requestBody"] = {"content": dict.fromkeys(media, patch), "required": True}
    return described


def _convert_to_v2(value: Any) -> Any:
    """Return a schema or an operation in the form of OpenAPI v2."""
    if isinstance(value, list):
        return [_convert_to_v2(each) for each in value]
    if not isinstance(value, dict):
        return value
    # A property may also be named allOf, $ref or oneOf, so the types are checked.
    if isinstance(value.get("allOf"), list) and len(value["allOf"]) == 1 and "$ref" in value["allOf"][0]:
        rest = {key: each for key, each in value.items() if key not in ("allOf", "default")}
        value = {**rest, **value["allOf"][0]}
    if isinstance(value.get("$ref"), str):
        value = {**value, "$ref": value["$ref"].replace(_V3, _V2)}
    if "operationId" in value:
        return _convert_operation_to_v2(value)
    if isinstance(value.get("oneOf"), list):
        # A number or a string, such as a quantity, is a string in OpenAPI v2.
        return {"type": "string", **{key: each for key, each in value.items() if key not in ("oneOf", "default")}}
    return {
        key: _convert_to_v2(each) for key, each in value.items() if key != "default" or each not in ({}, "", 0, False)
    }


def _convert_operation_to_v2(operation: Document) -> Document:
    listed: list[Document] = [
        {"$ref": f"#/parameters/{parameters.shared_key(each['name'])}"} for each in operation["parameters"]
    ]
    body = operation.get("requestBody")
    if body:
        schema = _convert_to_v2(next(iter(body["content"].values()))["schema"])
        listed.insert(0, {"name": "body", "in": "body", "required": True, "schema": schema})
    content = next(iter(operation["responses"]["200"]["content"].values()))
    copied_keys = ("operationId", "x-kubernetes-action", "x-kubernetes-group-version-kind")
    return {
        **{key: operation[key] for key in copied_keys if key in operation},
        "consumes": list(body["content"]) if body else ["*/*"],
        "produces": list(_MEDIA),
        "parameters": listed,
        "responses": {"200": {"description": "OK", "schema": _convert_to_v2(content["schema"])}},
    }
