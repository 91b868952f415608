"""Bootstrap roles, what they let others do, and reviews, over the Kubernetes API of a cluster."""

from typing import Any

import pytest

from tests.api.kubernetes.test_kubernetes import STRATEGIC, Kubernetes, kube

__all__ = ["kube"]
RBAC, REVIEWS = "apis/rbac.authorization.k8s.io/v1", "apis/authorization.k8s.io/v1"


def test_roles_of_every_cluster_are_read_and_changed(kube: Kubernetes) -> None:
    assert len(kube("GET", f"{RBAC}/clusterroles")["items"]) == 71
    names = [each["metadata"]["name"] for each in kube("GET", f"{RBAC}/namespaces/kube-public/roles")["items"]]
    assert names == ["system:controller:bootstrap-signer"]
    role = f"{RBAC}/clusterroles/view"
    assert kube("GET", role)["rules"] is None
    kube("PATCH", role, {"metadata": {"labels": {"team": "a"}}}, kind=STRATEGIC)
    kube("PATCH", role, {"metadata": {"annotations": {"who": "b"}}}, kind=STRATEGIC)
    found = kube("GET", role)["metadata"]
    assert (found["labels"]["team"], found["annotations"]["who"]) == ("a", "b")
    assert len(kube("GET", f"{RBAC}/clusterroles")["items"]) == 71


STAYING = [
    # path, name, of which kind, why
    (f"{RBAC}/clusterroles", "view", "clusterroles.rbac.authorization.k8s.io",
     "every cluster has it, and it cannot be deleted here"),
    ("apis/scheduling.k8s.io/v1/priorityclasses", "system-node-critical", "priorityclasses.scheduling.k8s.io",
     "this is a system priority class and cannot be deleted"),
    ("api/v1/namespaces", "kube-system", "namespaces", "this namespace may not be deleted"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "name", "kind", "why"), STAYING, ids=[each[1] for each in STAYING])
def test_what_cannot_be_deleted(kube: Kubernetes, path: str, name: str, kind: str, why: str) -> None:
    """Neither as it was nor when somebody has changed it."""
    for _ in range(2):
        told = kube("DELETE", f"{path}/{name}", status=403)
        assert told["message"] == f'{kind} "{name}" is forbidden: {why}'
        kube("PATCH", f"{path}/{name}", {"metadata": {"labels": {"team": "a"}}}, kind=STRATEGIC)


def test_a_collection_that_is_deleted_leaves_what_every_cluster_has(kube: Kubernetes) -> None:
    kube("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "own"}, "rules": []}, 201)
    kube("PATCH", f"{RBAC}/clusterroles/view", {"metadata": {"labels": {"team": "a"}}}, kind=STRATEGIC)
    gone = kube("DELETE", f"{RBAC}/clusterroles")["items"]
    assert [each["metadata"]["name"] for each in gone] == ["own"]
    assert kube("GET", f"{RBAC}/clusterroles/view")["metadata"]["labels"]["team"] == "a"


def test_with_controllers_a_role_has_the_rules_of_those_that_it_is_made_of(kube: Kubernetes) -> None:
    from playground.models import Cluster

    rule = {"verbs": ["get"], "apiGroups": ["example.com"], "resources": ["things"]}
    labels = {"rbac.authorization.k8s.io/aggregate-to-view": "true"}
    kube("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "things", "labels": labels}, "rules": [rule]}, 201)
    Cluster.objects.filter(pk=kube.cluster_id).update(actors=["deployment"])
    found = {each["metadata"]["name"]: each["rules"] for each in kube("GET", f"{RBAC}/clusterroles")["items"]}
    of_view = found["system:aggregate-to-view"]
    assert found["view"] == [*of_view, rule] == kube("GET", f"{RBAC}/clusterroles/view")["rules"]
    assert len(found["admin"]) > len(found["edit"]) > len(found["view"])


def asked(user: str, **about: str) -> dict[str, Any]:
    return {"spec": {"user": user, "resourceAttributes": {"verb": "get", "resource": "pods", **about}}}


def test_reviews_about_anybody_follow_what_is_bound(kube: Kubernetes) -> None:
    def answered(path: str, body: dict[str, Any]) -> Any:
        return kube("POST", f"{REVIEWS}/{path}", body, 201)["status"]

    place = "namespaces/default/localsubjectaccessreviews"
    assert answered("subjectaccessreviews", asked("jane", namespace="default")) == {"allowed": False}
    scheduler = 'RBAC: allowed by ClusterRoleBinding "system:kube-scheduler" of ClusterRole "system:kube-scheduler"'
    told = answered("subjectaccessreviews", asked("system:kube-scheduler"))
    assert told == {"allowed": True, "reason": f'{scheduler} to User "system:kube-scheduler"'}
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"}
    binding = {"metadata": {"name": "jane"}, "subjects": [{"kind": "User", "name": "jane"}], "roleRef": ref}
    kube("POST", f"{RBAC}/namespaces/default/rolebindings", binding, 201)
    missing = 'RBAC: role.rbac.authorization.k8s.io "reader" not found'
    assert answered(place, asked("jane", namespace="default")) == {"allowed": False, "reason": missing}
    who: dict[str, Any] = {"Impersonate-User": "jane"}
    refused = kube("GET", "api/v1/namespaces/default/pods", status=403, **who)
    assert refused["message"].endswith(f'in the namespace "default": {missing}')
    rules = {"rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]}
    kube("POST", f"{RBAC}/namespaces/default/roles", {"metadata": {"name": "reader"}, **rules}, 201)
    assert answered(place, asked("jane", namespace="default"))["allowed"]
    kube("GET", "api/v1/namespaces/default/pods/web", **who)


WRONG = [
    # path, body, code, message
    ("selfsubjectrulesreviews", {"spec": {}}, 400, "no namespace on request"),
    (
        "subjectaccessreviews",
        {"spec": {"user": "jane"}},
        422,
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: '
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    ),
    (
        "subjectaccessreviews",
        {"metadata": {"name": "x"}, "spec": {"user": "jane", "resourceAttributes": {}}},
        422,
        '.authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty',
    ),
    (
        "namespaces/default/localsubjectaccessreviews",
        {"spec": {"user": "jane", "nonResourceAttributes": {"path": "/x"}}},
        422,
        '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: '
        "disallowed on this kind of request",
    ),
    (
        "namespaces/default/localsubjectaccessreviews",
        asked("jane", namespace="shop"),
        422,
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "shop": '
        "must match metadata.namespace",
    ),
    (
        "selfsubjectaccessreviews",
        {"spec": {"resourceAttributes": {"labelSelector": {}}}},
        422,
        '.authorization.k8s.io "" is invalid: spec.resourceAttributes.labelSelector.requirements: Required value: '
        "when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required",
    ),
]


@pytest.mark.parametrize(("path", "body", "code", "message"), WRONG)
def test_reviews_that_are_refused(kube: Kubernetes, path: str, body: Any, code: int, message: str) -> None:
    assert kube("POST", f"{REVIEWS}/{path}", body, code)["message"] == message


def test_who_one_is(kube: Kubernetes) -> None:
    path = "apis/authentication.k8s.io/v1/selfsubjectreviews"
    assert kube("POST", path, {}, 201)["status"]["userInfo"] == {
        "username": "kubernetes-admin", "uid": "admin-uid", "groups": ["system:masters", "system:authenticated"],
    }  # fmt: skip
    other: dict[str, Any] = {"Impersonate-User": "jane", "Impersonate-Uid": "7", "Impersonate-Extra-Reason": "test"}
    assert kube("POST", path, {}, 201, **other)["status"]["userInfo"] == {
        "username": "jane", "uid": "7", "groups": ["system:authenticated"], "extra": {"reason": ["test"]},
    }  # fmt: skip
    review = {"spec": {"namespace": "default"}}
    told = kube("POST", f"{REVIEWS}/selfsubjectrulesreviews", review, 201)
    assert (told["spec"], told["status"]["resourceRules"][0]["verbs"]) == ({}, ["*"])
    token = kube("POST", "apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "x"}}, 201)
    assert token["status"] == {"user": {}, "error": "invalid bearer token"}
    refused = kube("GET", "metrics", status=403, **other)
    assert refused["message"] == 'forbidden: User "jane" cannot get path "/metrics"'
    kube("GET", "api/v1", **other)


OPTIONS = [
    # method, path, type of the body, message
    ("PATCH", "?", "application/apply-patch+yaml", "fieldManager: Required value: is required for apply patch"),
    ("PATCH", "?force=true&fieldManager=x", STRATEGIC, "force: Forbidden: may not be specified for non-apply patch"),
    ("PUT", f"?fieldManager={'x' * 129}", "application/json", "fieldManager: Too long: may not be more than 128 bytes"),
    ("PUT", "?dryRun=All&dryRun=No", "application/json",
     'dryRun: Unsupported value: ["All","No"]: supported values: "All"'),
    ("DELETE", "?propagationPolicy=Odd", "application/json",
     'propagationPolicy: Unsupported value: "Odd": supported values: "Foreground", "Background", "Orphan", "nil"'),
    ("DELETE", "?propagationPolicy=Orphan&orphanDependents=true", "application/json",
     'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set'),
]  # fmt: skip


@pytest.mark.parametrize(("method", "query", "kind", "message"), OPTIONS)
def test_options_of_a_write_are_looked_at_first(
    kube: Kubernetes, method: str, query: str, kind: str, message: str
) -> None:
    name = {"PATCH": "PatchOptions", "PUT": "UpdateOptions", "DELETE": "DeleteOptions"}[method]
    body: Any = None if method == "DELETE" else {}
    told = kube(method, f"api/v1/namespaces/default/configmaps/none{query}", body, 422, kind=kind)
    assert told["message"] == f'{name}.meta.k8s.io "" is invalid: {message}'


def test_paths_and_numbers_that_are_none(kube: Kubernetes) -> None:
    kube("GET", "api/v1/pods/web", status=404)
    kube("GET", "api/v1/namespaces/default/configmaps/x/status", status=404)
    wrong = kube("GET", "api/v1/pods?timeoutSeconds=x", status=400)
    assert wrong["message"] == 'strconv.ParseInt: parsing "x": invalid syntax'
    wrong = kube("DELETE", "api/v1/namespaces/default/pods/none?gracePeriodSeconds=x", status=400)
    assert wrong["message"] == 'strconv.ParseInt: parsing "x": invalid syntax'
    wrong = kube("PUT", "api/v1/namespaces/default/pods/none", {"metadata": {}}, status=400)
    assert wrong["message"] == ("the name of the object (none based on URL) was undeterminable: name must be provided")
    token = kube("GET", "api/v1/pods?limit=1&continue=ab*d", status=400)
    assert token["message"].endswith("illegal base64 data at input byte 2")
