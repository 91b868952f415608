"""Who may do what: roles of tokens, and roles that are bound to users."""

from typing import Any

import pytest

from kube_apiserver import access
from kube_apiserver.access import AuthorizationAttributes, Bound, UserInfo
from kube_apiserver.errors import ApiError

NOBODY = Bound()
JANE = UserInfo("jane", ("dev", access.AUTHENTICATED))
READER: dict[str, Any] = {"metadata": {"name": "reader", "namespace": "shop"}, "rules": [
    {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods", "pods/log"]},
    {"verbs": ["update"], "apiGroups": ["apps"], "resources": ["*/scale"], "resourceNames": ["web"]},
]}  # fmt: skip


BASIC = access.default_bindings()


def binding(kind: str, name: str, **metadata: str) -> dict[str, Any]:
    role = {"kind": "Role" if metadata else "ClusterRole", "name": "reader"}
    return {"metadata": {"name": "readers", **metadata}, "subjects": [{"kind": kind, "name": name}], "roleRef": role}


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
    assert (
        access.may(UserInfo("x", (), role), AuthorizationAttributes(verb, group, resource, "shop"), NOBODY) is allowed
    )


def test_a_user_may_what_is_bound_to_them_where_it_is_bound() -> None:
    bound = Bound(roles=[READER], role_bindings=[binding("User", "jane", namespace="shop")])
    assert access.may(JANE, AuthorizationAttributes("list", "", "pods", "shop"), bound)
    assert access.may(JANE, AuthorizationAttributes("get", "", "pods/log", "shop"), bound)
    assert access.may(JANE, AuthorizationAttributes("update", "apps", "deployments/scale", "shop", "web"), bound)
    assert not access.may(JANE, AuthorizationAttributes("update", "apps", "deployments/scale", "shop", "db"), bound)
    assert not access.may(JANE, AuthorizationAttributes("list", "", "pods", "other"), bound)
    assert not access.may(JANE, AuthorizationAttributes("list", "", "pods"), bound)
    everywhere = Bound(cluster_roles=[READER], cluster_role_bindings=[binding("Group", "dev")])
    assert access.may(JANE, AuthorizationAttributes("list", "", "pods"), everywhere)
    assert access.rules(JANE, "shop", everywhere)["resourceRules"][-2:] == [{**rule} for rule in READER["rules"]]
    assert access.may(UserInfo("x", (access.MASTERS,)), AuthorizationAttributes("delete", "", "nodes"), NOBODY)


VISITS = [
    ("get", "/healthz", True),
    ("get", "/apis/apps/v1", True),
    ("get", "/logs", False),
    ("post", "/healthz", False),
    ("get", "/metrics", True),
    ("get", "/metrics/slis", False),
    ("get", "/.well-known/openid-configuration", True),
    ("get", "/livez", True),
    ("get", "/livez/ping", False),
]


@pytest.mark.parametrize(("verb", "path", "allowed"), VISITS)
def test_paths_that_are_no_resources(verb: str, path: str, allowed: bool) -> None:
    role = {**READER, "rules": [{"verbs": ["get"], "nonResourceURLs": ["/metrics"]}]}
    own = binding("User", "jane")
    bound = Bound([role, *BASIC.cluster_roles], [own, *BASIC.cluster_role_bindings])
    assert access.may_visit(JANE, verb, path, bound) is allowed
    assert access.may_visit(UserInfo("x", (access.MASTERS,)), verb, path, NOBODY)


def test_a_refusal_is_worded_as_upstream_words_it() -> None:
    with pytest.raises(ApiError) as told:
        access.check(JANE, AuthorizationAttributes("delete", "apps", "deployments", "default", "x"), NOBODY)
    assert str(told.value) == (
        'deployments.apps "x" is forbidden: User "jane" cannot delete resource "deployments" in API group "apps" '
        'in the namespace "default"'
    )
    assert told.value.status["details"] == {"name": "x", "group": "apps", "kind": "deployments"}
    with pytest.raises(ApiError, match=r'nodes is forbidden: User "jane" cannot list .* at the cluster scope'):
        access.check(JANE, AuthorizationAttributes("list", "", "nodes"), NOBODY)


def test_a_verdict_names_what_allows_it() -> None:
    bound = Bound(roles=[READER], role_bindings=[binding("ServiceAccount", "ci", namespace="shop")])
    account = UserInfo("system:serviceaccount:shop:ci", ())
    found = access.decide(account, AuthorizationAttributes("get", "", "pods", "shop"), bound)
    assert found.reason == 'RBAC: allowed by RoleBinding "readers/shop" of Role "reader" to ServiceAccount "ci/shop"'
    everywhere = Bound(cluster_roles=[READER], cluster_role_bindings=[binding("Group", "dev")])
    found = access.decide(JANE, AuthorizationAttributes("get", "", "pods"), everywhere)
    assert found.reason == 'RBAC: allowed by ClusterRoleBinding "readers" of ClusterRole "reader" to Group "dev"'
    assert access.decide(JANE, AuthorizationAttributes("delete", "", "pods"), everywhere) == access.Verdict(False)


def test_a_role_that_is_bound_and_not_there_is_told() -> None:
    bound = Bound(
        cluster_role_bindings=[binding("User", "jane")], role_bindings=[binding("User", "jane", namespace="shop")]
    )
    missing = (
        '[clusterrole.rbac.authorization.k8s.io "reader" not found, role.rbac.authorization.k8s.io "reader" not found]'
    )
    assert access.decide(JANE, AuthorizationAttributes("get", "", "pods", "shop"), bound).reason == f"RBAC: {missing}"
    assert access.rules(JANE, "shop", bound)["evaluationError"] == missing
    with pytest.raises(ApiError, match=r'in the namespace "shop": RBAC: \[clusterrole'):
        access.check(JANE, AuthorizationAttributes("get", "", "pods", "shop"), bound)


GROUPS = [
    # name                            given                     groups
    ("jane", [], ["system:authenticated"]),
    ("jane", ["dev"], ["dev", "system:authenticated"]),
    ("jane", ["system:authenticated"], ["system:authenticated"]),
    ("jane", ["system:unauthenticated"], ["system:unauthenticated"]),
    ("system:anonymous", [], ["system:unauthenticated"]),
    (
        "system:serviceaccount:shop:ci",
        [],
        ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
    ),
    ("system:serviceaccount:shop:ci", ["dev"], ["dev", "system:authenticated"]),
]


@pytest.mark.parametrize(("name", "given", "want"), GROUPS)
def test_groups_of_who_is_impersonated(name: str, given: list[str], want: list[str]) -> None:
    assert list(access.groups_of(name, given)) == want


def test_what_every_cluster_binds() -> None:
    anybody = UserInfo("jane", (access.AUTHENTICATED,))
    told = access.rules(anybody, "default", BASIC)
    assert [rule["resources"] for rule in told["resourceRules"]] == [
        ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        ["selfsubjectreviews"],
    ]
    assert told["incomplete"] is False
    assert access.may(
        UserInfo("system:kube-scheduler", ()), AuthorizationAttributes("create", "", "pods/binding", "shop"), BASIC
    )
    assert not access.may(
        UserInfo("system:kube-scheduler", ()), AuthorizationAttributes("create", "", "pods", "shop"), BASIC
    )
    namespace = AuthorizationAttributes("get", "", "secrets", "kube-system")
    assert access.may(UserInfo("system:serviceaccount:kube-system:token-cleaner", ()), namespace, BASIC)
    with pytest.raises(ApiError, match=r'^forbidden: User "jane" cannot get path "/metrics"$'):
        access.check_visit(anybody, "get", "/metrics", BASIC)
