"""Who may do what: roles of tokens, and roles that are bound to users."""

from typing import Any

import pytest

from kubernetes_api import access
from kubernetes_api.access import Bound, Who, Wish
from kubernetes_api.errors import ApiError

NOBODY = Bound()
JANE = Who("jane", ("dev", access.AUTHENTICATED))
READER = {"metadata": {"name": "reader", "namespace": "shop"}, "rules": [
    {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "pods/log"]},
    {"verbs": ["update"], "apiGroups": ["apps"], "resources": ["*/scale"], "resourceNames": ["web"]},
]}  # fmt: skip


def binding(kind: str, name: str, **metadata: str) -> dict[str, Any]:
    role = {"kind": "Role" if metadata else "ClusterRole", "name": "reader"}
    return {"metadata": metadata, "subjects": [{"kind": kind, "name": name}], "roleRef": role}


ROLES = [
    # role     verb      group  resource       allowed
    ("view", "list", "", "pods", True),
    ("view", "watch", "apps", "deployments", True),
    ("view", "get", "", "secrets", False),
    ("view", "create", "", "pods", False),
    ("view", "create", "authorization.k8s.io", "selfsubjectaccessreviews", True),
    ("edit", "create", "", "pods/binding", True),
    ("edit", "get", "", "secrets", True),
    ("edit", "get", access.RBAC, "roles", True),
    ("edit", "create", access.RBAC, "roles", False),
    ("admin", "create", access.RBAC, "roles", True),
]


@pytest.mark.parametrize(("role", "verb", "group", "resource", "allowed"), ROLES)
def test_a_token_may_what_its_role_may(role: str, verb: str, group: str, resource: str, allowed: bool) -> None:
    assert access.may(Who("x", (), role), Wish(verb, group, resource, "shop"), NOBODY) is allowed


def test_a_user_may_what_is_bound_to_them_where_it_is_bound() -> None:
    bound = Bound(roles=[READER], role_bindings=[binding("User", "jane", namespace="shop")])
    assert access.may(JANE, Wish("list", "", "pods", "shop"), bound)
    assert access.may(JANE, Wish("get", "", "pods/log", "shop"), bound)
    assert access.may(JANE, Wish("update", "apps", "deployments/scale", "shop", "web"), bound)
    assert not access.may(JANE, Wish("update", "apps", "deployments/scale", "shop", "db"), bound)
    assert not access.may(JANE, Wish("list", "", "pods", "other"), bound)
    assert not access.may(JANE, Wish("list", "", "pods"), bound)
    everywhere = Bound(cluster_roles=[READER], cluster_role_bindings=[binding("Group", "dev")])
    assert access.may(JANE, Wish("list", "", "pods"), everywhere)
    assert access.rules(JANE, "shop", everywhere)["resourceRules"][-2:] == READER["rules"]
    assert access.may(Who("x", (access.MASTERS,)), Wish("delete", "", "nodes"), NOBODY)


VISITS = [
    ("get", "/healthz", True),
    ("get", "/apis/apps/v1", True),
    ("get", "/logs", False),
    ("post", "/healthz", False),
    ("get", "/metrics", True),
    ("get", "/metrics/slis", False),
]


@pytest.mark.parametrize(("verb", "path", "allowed"), VISITS)
def test_paths_that_are_no_resources(verb: str, path: str, allowed: bool) -> None:
    role = {**READER, "rules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}]}
    bound = Bound(cluster_roles=[role], cluster_role_bindings=[binding("User", "jane")])
    assert access.may_visit(JANE, verb, path, bound) is allowed
    assert access.may_visit(Who("x", (access.MASTERS,)), verb, path, NOBODY)


def test_a_refusal_is_worded_as_upstream_words_it() -> None:
    with pytest.raises(ApiError) as told:
        access.check(JANE, Wish("delete", "apps", "deployments", "default", "x"), NOBODY)
    assert str(told.value) == (
        'deployments.apps "x" is forbidden: User "jane" cannot delete resource "deployments" in API group "apps" '
        'in the namespace "default"'
    )
    assert told.value.status["details"] == {"name": "x", "group": "apps", "kind": "deployments"}
    with pytest.raises(ApiError, match=r'nodes is forbidden: User "jane" cannot list .* at the cluster scope'):
        access.check(JANE, Wish("list", "", "nodes"), NOBODY)
