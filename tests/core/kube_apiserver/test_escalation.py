"""Who gives more than they have is refused. Measured from kube-apiserver v1.36.2, of jane, who may write roles."""

from typing import Any

import pytest

from kube_apiserver import access, escalation
from kube_apiserver.access import RBAC, Bound, UserInfo
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import Resource, table

Object = dict[str, Any]

JANE = UserInfo("jane", ("dev", access.AUTHENTICATED))
PODS = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
OWN = [PODS, {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"], "verbs": ["get"]}]
HELD = (
    'user "jane" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'
)


def named(name: str, **parts: Any) -> Object:
    return {"metadata": {"name": name}, **parts}


def bound(*more: Object) -> Bound:
    everybody = access.default_bindings()
    ref = {"kind": "ClusterRole", "name": "own", "apiGroup": RBAC}
    binding = named("own", roleRef=ref, subjects=[{"kind": "User", "name": "jane"}])
    return Bound(
        [*everybody.cluster_roles, named("own", rules=[*OWN, *more])],
        [*everybody.cluster_role_bindings, binding],
        [{"metadata": {"name": "r", "namespace": "shop"}, "rules": [PODS]}],
    )


def kind(plural: str) -> Resource:
    return table()[RBAC, "v1", plural]


def role(*rules: Object, **parts: Any) -> Object:
    return {"metadata": {"name": "x", "namespace": "shop"}, "rules": list(rules), **parts}


def binding(of: str, name: str) -> Object:
    return role(roleRef={"apiGroup": RBAC, "kind": of, "name": name})


def rule(resources: list[str], verbs: list[str], **more: Any) -> Object:
    return {"apiGroups": [""], "resources": resources, "verbs": verbs, **more}


ESCALATE, BIND = ({"apiGroups": [RBAC], "resources": ["*"], "verbs": [verb]} for verb in ("escalate", "bind"))
CASES = [
    # of which kind, what is written, status, what is told
    ("roles", role(PODS), 0, ""),
    ("roles", role(rule(["pods"], [])), 0, ""),
    ("roles", role(rule(["pods", "secrets"], ["get", "list"])), 403,
     HELD + '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n'
     '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}'),
    ("roles", role(rule(["configmaps"], ["get", "*"], resourceNames=["a", "b"])), 403,
     HELD + '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["*"]}\n'
     '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get" "*"]}'),
    ("clusterroles", role({"nonResourceURLs": ["/x", "/healthz"], "verbs": ["get", "post"]}), 403,
     HELD + '{NonResourceURLs:["/healthz"], Verbs:["post"]}\n{NonResourceURLs:["/x"], Verbs:["get"]}\n'
     '{NonResourceURLs:["/x"], Verbs:["post"]}'),
    ("clusterroles", role(aggregationRule={"clusterRoleSelectors": [{}]}), 403,
     "must have cluster-admin privileges to use the aggregationRule"),
    ("rolebindings", binding("Role", "r"), 0, ""),
    ("rolebindings", binding("ClusterRole", "own"), 0, ""),
    ("rolebindings", binding("ClusterRole", "none"), 404, 'rolebindings.rbac.authorization.k8s.io "none" not found'),
    ("rolebindings", binding("Rolex", "none"), 500, 'unsupported role reference kind: "Rolex"'),
    ("clusterrolebindings", binding("ClusterRole", "cluster-admin"), 403,
     HELD + '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}'),
]  # fmt: skip


@pytest.mark.parametrize(("plural", "value", "status", "told"), CASES)
def test_what_is_given(plural: str, value: Object, status: int, told: str) -> None:
    if not status:
        escalation.check(kind(plural), JANE, bound(), None, value)
        return
    with pytest.raises(ApiError) as refused:
        escalation.check(kind(plural), JANE, bound(), None, value)
    assert refused.value.code == status
    assert str(refused.value).endswith(told)


@pytest.mark.parametrize(
    ("plural", "value", "right"),
    [("roles", role(rule(["secrets"], ["get"])), ESCALATE), ("rolebindings", binding("ClusterRole", "admin"), BIND)],
)
def test_who_may_escalate_or_bind_gives_what_they_like(plural: str, value: Object, right: Object) -> None:
    escalation.check(kind(plural), JANE, bound(right), None, value)


def test_what_only_a_collector_needs_may_always_change() -> None:
    live = role(rule(["secrets"], ["get"]))
    escalation.check(
        kind("roles"), JANE, bound(), live, {**live, "metadata": {**live["metadata"], "finalizers": ["a/b"]}}
    )
    with pytest.raises(ApiError):
        escalation.check(kind("roles"), JANE, bound(), live, {**live, "metadata": {**live["metadata"], "labels": {}}})


def test_more_than_can_be_compared_is_refused() -> None:
    many = [str(number) for number in range(200)]
    with pytest.raises(ApiError) as refused:
        escalation.check(kind("roles"), JANE, bound(), None, role(rule(many, many)))
    assert refused.value.code == 413
