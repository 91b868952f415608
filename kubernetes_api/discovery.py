"""What clients ask first: groups, versions and resources, in both forms; and what kubectl needs to validate."""

from collections.abc import Mapping, Sequence
from typing import Any

from kubernetes_api.doors import SCALED
from kubernetes_api.resources import Resource, group_versions, of_version

Document = Mapping[str, Any]

_SCALE_VERBS = ("get", "patch", "update")
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def version(emulated: str) -> Document:
    """`/version`: the Kubernetes version whose scheduler the cluster runs."""
    major, minor, _ = emulated.removeprefix("v").split(".", 2)
    return {"major": major, "minor": minor, "gitVersion": emulated, "platform": "playground"}


def legacy_versions() -> Document:
    return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}


def legacy_groups() -> Document:
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group(name) for name in _groups()]}


def group(name: str) -> Document:
    versions = [
        {"groupVersion": f"{name}/{version}", "version": version} for each, version in group_versions() if each == name
    ]
    return {"kind": "APIGroup", "apiVersion": "v1", "name": name, "versions": versions, "preferredVersion": versions[0]}


def is_group(name: str) -> bool:
    return name in _groups()


def resource_list(group_name: str, version_name: str) -> Document:
    api_version = f"{group_name}/{version_name}" if group_name else version_name
    found = [entry for each in of_version(group_name, version_name) for entry in (_legacy(each), *_legacy_scale(each))]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": api_version, "resources": found}


def aggregated(*, core: bool) -> Document:
    """`/api` (the core group) or `/apis` (all others) as one APIGroupDiscoveryList."""
    names = [""] if core else _groups()
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": [_aggregated_group(name) for name in names],
    }


def openapi_index(base: str) -> Document:
    """`/openapi/v3`: where the document of each version is."""
    paths = [f"apis/{name}/{version}" if name else f"api/{version}" for name, version in group_versions()]
    return {"paths": {path: {"serverRelativeURL": f"{base}/openapi/v3/{path}"} for path in paths}}


def openapi(group_name: str, version_name: str) -> Document:
    """Enough for kubectl to leave validation to the server: each kind has a patch that takes `fieldValidation`."""
    operations = {}
    for each in of_version(group_name, version_name):
        place = f"{each.path}/namespaces/{{namespace}}" if each.namespaced else each.path
        gvk = {"group": each.group, "version": each.version, "kind": each.kind}
        operations[f"{place}/{each.name}/{{name}}"] = {
            "patch": {
                "parameters": [{"name": "fieldValidation", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK"}},
                "x-kubernetes-action": "patch",
                "x-kubernetes-group-version-kind": gvk,
            }
        }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": operations,
        "components": {},
    }


def _groups() -> Sequence[str]:
    return list(dict.fromkeys(name for name, _ in group_versions() if name))


def _legacy(each: Resource) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": each.name,
        "singularName": each.singular,
        "namespaced": each.namespaced,
        "kind": each.kind,
        "verbs": list(each.verbs),
    }
    return found | _names(each)


def _legacy_scale(each: Resource) -> list[dict[str, Any]]:
    """The way to a workload's replicas, which `kubectl scale` looks for."""
    if each.kind not in SCALED:
        return []
    scale = {"group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": list(_SCALE_VERBS)}
    return [{"name": f"{each.name}/scale", "singularName": "", "namespaced": True, **scale}]


def _names(each: Resource) -> dict[str, Any]:
    names = {"shortNames": list(each.short_names), "categories": list(each.categories)}
    return {key: value for key, value in names.items() if value}


def _aggregated_group(name: str) -> dict[str, Any]:
    versions = [
        {
            "version": version,
            "resources": [_aggregated(each) for each in of_version(name, version)],
            "freshness": "Current",
        }
        for each_name, version in group_versions()
        if each_name == name
    ]
    return {"metadata": {"name": name} if name else {}, "versions": versions}


def _aggregated(each: Resource) -> dict[str, Any]:
    scale = {"responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}, "verbs": list(_SCALE_VERBS)}
    return {
        "resource": each.name,
        "responseKind": {"group": each.group, "version": each.version, "kind": each.kind},
        "scope": "Namespaced" if each.namespaced else "Cluster",
        "singularResource": each.singular,
        "verbs": list(each.verbs),
        **({"subresources": [{"subresource": "scale", **scale}]} if each.kind in SCALED else {}),
    } | _names(each)
