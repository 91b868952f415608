"""The attributes by which a request is authorized. Values from apiserver/pkg/endpoints/request/requestinfo_test.go."""

from urllib.parse import parse_qsl

import pytest

from kube_apiserver import request_info
from kube_apiserver.access import AuthorizationAttributes

RESOURCES = [
    # method, path, verb, group, resource, namespace, name
    ("GET", "api/v1/namespaces", "list", "", "namespaces", "", ""),
    ("GET", "api/v1/namespaces/other", "get", "", "namespaces", "other", "other"),
    ("PUT", "api/v1/namespaces/other/finalize", "update", "", "namespaces/finalize", "other", "other"),
    ("GET", "api/v1/namespaces/other/pods", "list", "", "pods", "other", ""),
    ("HEAD", "api/v1/namespaces/other/pods/foo", "get", "", "pods", "other", "foo"),
    ("GET", "api/v1/pods", "list", "", "pods", "", ""),
    ("GET", "api/v1/proxy/namespaces/other/pods/foo", "proxy", "", "pods", "other", "foo"),
    ("GET", "api/v1/namespaces/other/pods/foo/proxy/a/b", "get", "", "pods/proxy", "other", "foo"),
    ("GET", "api/v1/watch/pods", "watch", "", "pods", "", ""),
    ("POST", "api/v1/watch/namespaces/other/pods", "watch", "", "pods", "other", ""),
    ("GET", "api/v1/pods?watch=true", "watch", "", "pods", "", ""),
    ("GET", "api/v1/pods?watch=false", "list", "", "pods", "", ""),
    ("GET", "api/v1/pods?fieldSelector=metadata.name=foo", "list", "", "pods", "", "foo"),
    ("GET", "api/v1/pods?watch=1&fieldSelector=metadata.name==foo", "watch", "", "pods", "", "foo"),
    ("GET", "api/v1/pods?fieldSelector=metadata.name!=foo", "list", "", "pods", "", ""),
    ("DELETE", "api/v1/pods?fieldSelector=metadata.name=foo", "deletecollection", "", "pods", "", ""),
    ("GET", "api/v1/namespaces/other/pods/foo?watch=1", "get", "", "pods", "other", "foo"),
    ("POST", "api/v1/namespaces/other/bindings", "create", "", "bindings", "other", ""),
    ("POST", "api/v1/namespaces/other/pods/foo/eviction", "create", "", "pods/eviction", "other", "foo"),
    ("DELETE", "apis/apps/v1/namespaces/other/deployments", "deletecollection", "apps", "deployments", "other", ""),
    ("PATCH", "apis/apps/v1/namespaces/other/deployments/foo/scale", "patch", "apps", "deployments/scale", "other",
     "foo"),
    ("OPTIONS", "apis/apps/v1/deployments", "options", "apps", "deployments", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "verb", "group", "resource", "namespace", "name"), RESOURCES)
def test_resources(method: str, path: str, verb: str, group: str, resource: str, namespace: str, name: str) -> None:
    path, _, query = path.partition("?")
    info = request_info.read(method, path, dict(parse_qsl(query)))
    assert info.attributes == AuthorizationAttributes(verb, group, resource, namespace, name)


@pytest.mark.parametrize("path", ["", "version", "api", "api/v1", "apis", "apis/apps", "apis/apps/v1", "healthz/ping"])
def test_paths_without_a_resource(path: str) -> None:
    info = request_info.read("GET", path, {})
    assert (info.is_resource, info.verb, info.path) == (False, "get", f"/{path}")
