"""Every route of the Kubernetes API, tried with every role. The routes come from the discovery documents."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import RequestFactory

from kube_apiserver import access
from kube_apiserver.access import AuthorizationAttributes, Bound, UserInfo
from tests.web import Api, node, pod

METHODS = {"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETE"}
READS = ("get", "list", "watch")
SELF_REVIEWS = ("selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews")
CONNECTIONS = ("attach", "exec", "portforward", "proxy")
WIDGETS: dict[str, Any] = {
    "kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [{
            "name": "v1", "served": True, "storage": True,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            "subresources": {"status": {}, "scale": {
                "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
            }},
        }],
    },
}  # fmt: skip


class Client:
    """Calls the view with the headers of one role; `call` returns the status and the answer."""

    def __init__(self, cluster: int, **headers: str) -> None:
        from playground.kubernetes import views

        self._view, self._cluster, self._headers = views.kubernetes, cluster, headers

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        text = json.dumps({} if body is None and method != "GET" else body) if method != "GET" else ""
        sent = {**self._headers, **headers}
        request = RequestFactory().generic(method, f"/k8s/{self._cluster}/{path}", text, kind, headers=sent)
        answer = self._view(request, self._cluster, path.partition("?")[0])
        content = b"" if answer.streaming else getattr(answer, "content", b"")
        is_json = answer["Content-Type"].startswith("application/json") and content
        return answer.status_code, json.loads(content) if is_json else content.decode()


@pytest.fixture
def clients(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> dict[str, Client]:
    """One client for each role, and one of a user without rights; the cluster has a node, a Pod and a custom kind."""
    from playground import limits
    from playground.clusters import commands
    from playground.engine import command_runner
    from playground.kubernetes import tokens
    from playground.models import Cluster

    cluster = Cluster.objects.get(pk=Api(make_user("ada")).cluster([node("node-1"), pod("web")]))
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    monkeypatch.setattr(limits, "REQUESTS_AT_ONCE", 100_000)
    bearers = {role: f"Bearer {tokens.create_token(cluster, role)[1]}" for role in access.ROLES}
    made = {role: Client(cluster.pk, Authorization=bearer) for role, bearer in bearers.items()}
    nobody = {"Authorization": bearers["admin"], "Impersonate-User": "nobody"}
    made["nobody"] = Client(cluster.pk, **nobody)
    assert made["admin"].call("POST", "apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)[0] == 201
    return made


def routes(admin: Client) -> Iterator[tuple[AuthorizationAttributes, str, str]]:
    """Yield (what is asked, method, path) for each verb of each resource and subresource in discovery."""
    discovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    documents = [item for root in ("api", "apis") for item in admin.call("GET", root, Accept=discovery)[1]["items"]]
    for group, version, resource in (
        (document["metadata"].get("name", ""), served["version"], resource)
        for document in documents
        for served in document["versions"]
        for resource in served["resources"]
    ):
        name, is_namespaced = resource["resource"], resource["scope"] == "Namespaced"
        namespace = "default" if is_namespaced else ("x" if name == "namespaces" else "")
        prefix = f"apis/{group}/{version}" if group else f"api/{version}"
        base = f"{prefix}/namespaces/default/{name}" if is_namespaced else f"{prefix}/{name}"
        for verb in resource["verbs"]:
            in_collection = verb in ("create", "list", "deletecollection", "watch")
            path = base if in_collection else f"{base}/x"
            query = "?watch=1" if verb == "watch" else "?dryRun=All" if verb in METHODS else ""
            place = "" if name == "namespaces" and in_collection else namespace
            attributes = AuthorizationAttributes(verb, group, name, place, "" if in_collection else "x")
            yield attributes, METHODS.get(verb, "GET"), f"{path}{query}"
            if is_namespaced and verb in ("list", "watch", "create"):
                yield AuthorizationAttributes(verb, group, name), METHODS.get(verb, "GET"), f"{prefix}/{name}{query}"
            if verb == "watch":
                yield (
                    AuthorizationAttributes(verb, group, name, place),
                    "GET",
                    path.replace(prefix, f"{prefix}/watch", 1),
                )
        for part in resource.get("subresources", ()):
            for verb in part["verbs"]:
                attributes = AuthorizationAttributes(verb, group, f"{name}/{part['subresource']}", namespace, "x")
                yield attributes, METHODS.get(verb, "GET"), f"{base}/x/{part['subresource']}?dryRun=All"


def is_expected(role: str, attributes: AuthorizationAttributes) -> bool:
    """Return whether docs/reference/kubernetes-api.md gives this to the role."""
    resource, _, subresource = attributes.resource.partition("/")
    if role == "admin" or (attributes.verb == "create" and resource in SELF_REVIEWS):
        return True
    if role == "view":
        return attributes.verb in READS and resource != "secrets" and subresource not in CONNECTIONS
    return role == "edit" and (attributes.verb in READS or attributes.group != access.RBAC)


def test_every_route_is_refused_to_roles_that_lack_the_right(clients: dict[str, Client]) -> None:
    """A refusal comes before the request is read, so the walk sends the routes to roles that must not use them."""
    every = list(routes(clients["admin"]))
    assert len(every) > 600
    # Stored roles are read for each request of a user, so that user tries only what no token's role is refused.
    tries = [(role, *route) for route in every for role in ("view", "edit") if not is_expected(role, route[0])]
    left = {
        attributes: (attributes, method, path) for attributes, method, path in every if is_expected("view", attributes)
    }
    tries += [("nobody", *route) for route in left.values() if not is_expected("nobody", route[0])]
    assert {attributes for _, attributes, *_ in tries} | {
        attributes for attributes in left if attributes.resource in SELF_REVIEWS
    } == {attributes for attributes, *_ in every}
    assert [(*each, code) for each in tries if (code := clients[each[0]].call(*each[2:])[0]) != 403] == []


def test_every_route_asks_for_the_right_that_a_review_names(clients: dict[str, Client]) -> None:
    """The attributes of each request are those of the resource, so reviews and requests give the same answer."""
    from kube_apiserver import request_info

    whos = {role: UserInfo(f"playground:{role}", (access.AUTHENTICATED,), role) for role in access.ROLES}
    whos["nobody"] = UserInfo("nobody", (access.AUTHENTICATED,))
    for attributes, method, path in routes(clients["admin"]):
        path, _, query = path.partition("?")
        info = request_info.read(method, path, dict([query.split("=")]) if query else {})
        assert info.is_resource
        assert info.attributes == attributes, path
        for role, who in whos.items():
            allowed = access.may(who, attributes, access.default_bindings() if role == "nobody" else Bound())
            assert allowed is is_expected(role, attributes), (role, attributes)


ALLOWED = [
    # role, method, path, body, code
    ("view", "GET", "api/v1/nodes/node-1", None, 200),
    ("view", "GET", "api/v1/namespaces/default/pods?watch=1", None, 200),
    ("view", "GET", "api/v1/namespaces/default/pods/web/log", None, 200),
    ("view", "GET", "version", None, 200),
    ("view", "POST", "apis/authentication.k8s.io/v1/selfsubjectreviews", {}, 201),
    ("nobody", "POST", "apis/authentication.k8s.io/v1/selfsubjectreviews", {}, 201),
    ("nobody", "GET", "version", None, 200),
    ("edit", "POST", "api/v1/namespaces/default/bindings",
     {"metadata": {"name": "web"}, "target": {"kind": "Node", "name": "node-1"}}, 201),
    ("edit", "GET", "api/v1/secrets", None, 200),
    ("edit", "DELETE", "api/v1/namespaces/default/pods/web", None, 200),
    ("admin", "POST", "apis/rbac.authorization.k8s.io/v1/clusterroles", {"metadata": {"name": "x"}}, 201),
]  # fmt: skip


def test_roles_may_do_what_they_are_for(clients: dict[str, Client]) -> None:
    codes = [clients[role].call(method, path, body)[0] for role, method, path, body, _ in ALLOWED]
    assert codes == [code for *_, code in ALLOWED]


ODD = [
    # method, path, code for a user who has every right on the resource that the path seems to be about
    ("POST", "api/v1/pods/default/bindings", 404),
    ("POST", "api/v1/nodes/default/bindings", 404),
    ("POST", "api/v1/bindings", 405),
    ("GET", "api/v1/namespaces/default/bindings", 405),
    ("POST", "api/v1/watch/namespaces/default/configmaps", 405),
    ("DELETE", "api/v1/watch/namespaces/default/configmaps/x", 405),
    ("HEAD", "api/v1/namespaces/default/configmaps?watch=1", 405),
    ("GET", "api/v1/proxy/namespaces/default/pods/web", 404),
    ("GET", "api/v1/watch/namespaces/default/pods/web/status", 404),
    ("GET", "api/v1/namespaces/default/pods//status", 404),
    ("DELETE", "api/v1/namespaces/default/pods//status", 404),
    ("GET", "api/v1/namespaces/default/nodes/node-1", 404),
    ("GET", "api/v1/namespaces/other/namespaces/default", 404),
    ("GET", "api/v1//secrets", 404),
]


@pytest.mark.parametrize(("method", "path", "code"), ODD)
def test_odd_paths_lead_nowhere(clients: dict[str, Client], method: str, path: str, code: int) -> None:
    body = {"metadata": {"name": "web"}, "target": {"kind": "Node", "name": "node-1"}}
    assert clients["admin"].call(method, path, body)[0] == code
    assert clients["admin"].call("GET", "api/v1/namespaces/default/pods/web")[1]["spec"].get("nodeName") is None


def test_a_role_for_one_name_lets_its_user_list_and_watch_that_name(clients: dict[str, Client]) -> None:
    admin, nobody, rbac = clients["admin"], clients["nobody"], "apis/rbac.authorization.k8s.io/v1/namespaces/default"
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "patch"], "resourceNames": ["own"]}
    ref = {"apiGroup": access.RBAC, "kind": "Role", "name": "own"}
    subjects = [{"kind": "User", "name": "nobody", "apiGroup": access.RBAC}]
    assert admin.call("POST", f"{rbac}/roles", {"metadata": {"name": "own"}, "rules": [rule]})[0] == 201
    binding = {"metadata": {"name": "own"}, "roleRef": ref, "subjects": subjects}
    assert admin.call("POST", f"{rbac}/rolebindings", binding)[0] == 201
    maps = "api/v1/namespaces/default/configmaps"
    for selector, code in (
        ("metadata.name=own", 200), ("metadata.name==own,metadata.namespace=default", 200),
        ("metadata.name!=own", 403), ("metadata.name=other", 403), ("metadata.namespace!=a\\,metadata.name=own", 200),
    ):  # fmt: skip
        answer = nobody.call("GET", f"{maps}?fieldSelector={selector}")
        assert answer[0] == code, selector
        assert code == 403 or answer[1]["items"] == []
    # An apply that would create the object needs the right to create it.
    applied = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}}
    apply = {"CONTENT-TYPE": "application/apply-patch+yaml"}
    code, told = nobody.call("PATCH", f"{maps}/own?fieldManager=x", applied, **apply)
    assert (code, told["message"]) == (403, 'configmaps "own" is forbidden: ')


NOBODYS_RULES = [
    {"Verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"VERBS": ["*"], "verbs": ["get"], "apiGroups": [""], "resources": ["pods"]},
    {"verbs": ["GET"], "apiGroups": [""], "resources": ["pods"]},
    {"verbs": ["*"], "apiGroups": [""], "resources": ["pods"]},
    {"verbs": ["get"], "apiGroups": [""], "Resources": ["secrets"], "resources": ["pods"]},
    {"verbs": ["get"], "nonResourceURLs": ["/*"]},
]


def test_nobody_gives_rights_that_they_lack(clients: dict[str, Client]) -> None:
    admin, nobody, rbac = clients["admin"], clients["nobody"], "apis/rbac.authorization.k8s.io/v1"
    own = {"apiGroups": [access.RBAC], "resources": ["*"], "verbs": ["create", "update", "patch", "get"]}
    role = {"metadata": {"name": "rbac-writer"}, "rules": [own]}
    ref = {"apiGroup": access.RBAC, "kind": "ClusterRole", "name": "rbac-writer"}
    subjects = [{"kind": "User", "name": "nobody", "apiGroup": access.RBAC}]
    assert admin.call("POST", f"{rbac}/clusterroles", role)[0] == 201
    binding: dict[str, Any] = {"metadata": {"name": "rbac-writer"}, "roleRef": ref, "subjects": subjects}
    assert admin.call("POST", f"{rbac}/clusterrolebindings", binding)[0] == 201
    for rule in NOBODYS_RULES:
        made = {"metadata": {"name": "made"}, "rules": [rule]}
        for method, path in (
            ("POST", f"{rbac}/clusterroles"), ("PUT", f"{rbac}/clusterroles/rbac-writer"),
            ("PATCH", f"{rbac}/clusterroles/rbac-writer"),
        ):  # fmt: skip
            named = made if method == "POST" else {**made, "metadata": {"name": "rbac-writer"}}
            code, told = nobody.call(method, path, named)
            assert code in (403, 422), (method, rule, told)
    for name in ("cluster-admin", "system:node", "system:kube-scheduler"):
        bound = {"metadata": {"name": name}, "roleRef": {**ref, "name": name}, "subjects": subjects}
        assert nobody.call("POST", f"{rbac}/clusterrolebindings", bound)[0] == 403
    assert nobody.call("POST", f"{rbac}/clusterroles", {"metadata": {"name": "same"}, "rules": [own]})[0] == 201
