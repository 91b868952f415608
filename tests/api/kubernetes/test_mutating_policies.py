"""Policies that change what is written, and what all of them may ask. As kube-apiserver v1.36.2."""

from typing import Any

import pytest

from tests.api.kubernetes.test_admitting import DEFAULT, MERGE
from tests.api.kubernetes.test_admitting import kube as kube
from tests.api.kubernetes.test_kubernetes import Kubernetes

GROUP = "apis/admissionregistration.k8s.io/v1"
MAPS = f"{DEFAULT}/configmaps"
AUTOSCALERS = "apis/autoscaling/{}/namespaces/default/horizontalpodautoscalers"


def _rules(group: str, resource: str, version: str = "v1") -> dict[str, Any]:
    rule = {"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE", "UPDATE"], "resources": [resource]}
    return {"resourceRules": [rule]}


def _mutating(kube: Kubernetes, name: str, expression: str, **spec: Any) -> None:
    key = {"JSONPatch": "jsonPatch", "ApplyConfiguration": "applyConfiguration"}
    kind = "JSONPatch" if "JSONPatch" in expression else "ApplyConfiguration"
    mutation = {"patchType": kind, key[kind]: {"expression": expression}}
    whole = {"matchConstraints": _rules("", "configmaps"), "mutations": [mutation], "reinvocationPolicy": "Never"}
    made = {"metadata": {"name": name}, "spec": {**whole, **spec}}
    kube("POST", f"{GROUP}/mutatingadmissionpolicies", made, status=201)
    bound = {"metadata": {"name": name}, "spec": {"policyName": name}}
    kube("POST", f"{GROUP}/mutatingadmissionpolicybindings", bound, status=201)


def _map(name: str, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": name}, "data": data}


def test_a_policy_changes_what_is_created_and_updated(kube: Kubernetes) -> None:
    _mutating(kube, "one", "Object{data: {'n': string(int(object.data.n) + 1)}}")
    assert kube("POST", MAPS, _map("a", n="1"), status=201)["data"] == {"n": "2"}
    assert kube("PATCH", f"{MAPS}/a", {"data": {"x": "y"}}, kind=MERGE)["data"] == {"n": "3", "x": "y"}
    # What it adds belongs to nobody.
    entries = kube("GET", f"{MAPS}/a")["metadata"]["managedFields"]
    assert len(entries) == 1
    kube("DELETE", f"{GROUP}/mutatingadmissionpolicybindings/one")
    assert kube("PATCH", f"{MAPS}/a", {"data": {"x": "z"}}, kind=MERGE)["data"] == {"n": "3", "x": "z"}


def test_one_comes_again_where_it_is_needed(kube: Kubernetes) -> None:
    _mutating(kube, "a", "Object{data: {'n': string(int(object.data.n) + 1)}}", reinvocationPolicy="IfNeeded")
    _mutating(kube, "b", "[JSONPatch{op: 'add', path: '/data/seen', value: object.data.n}]")
    assert kube("POST", MAPS, _map("a", n="1"), status=201)["data"] == {"n": "3", "seen": "2"}


@pytest.mark.parametrize(
    ("expression", "code", "want"),
    [
        ("Object{data: {'a': object.data.none}}", 403, "policy 'p' with binding 'p' denied request: expression "
         "'Object{data: {'a': object.data.none}}' resulted in error: no such key: none"),
        ("Object{spec: Object.spec{}}", 403, "policy 'p' with binding 'p' denied request: error applying patch: "
         "failed to convert patch object to typed object: .spec: field not declared in schema"),
        ("[JSONPatch{op: 'remove', path: '/data/b'}]", 403, "policy 'p' with binding 'p' denied request: JSON Patch: "
         "error in remove for path: '/data/b': Unable to remove nonexistent key: b: missing value"),
        ("[JSONPatch{op: 'add', path: '/spec', value: 1}]", 500,
         'Internal error occurred: strict decoding error: unknown field "spec"'),
        ("[JSONPatch{op: 'test', path: '/data/a', value: 'x'}, JSONPatch{op: 'remove', path: '/data'}]", 201, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_made_is_refused(kube: Kubernetes, expression: str, code: int, want: str) -> None:
    _mutating(kube, "p", expression)
    assert kube("POST", MAPS, _map("a", a="1"), status=code).get("message", "") == want


def _validating(kube: Kubernetes, name: str, constraints: dict[str, Any], **spec: Any) -> None:
    made = {"metadata": {"name": name}, "spec": {"matchConstraints": constraints, **spec}}
    kube("POST", f"{GROUP}/validatingadmissionpolicies", made, status=201)
    actions = ["Deny" if "validations" in spec else "Audit"]
    bound = {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": actions}}
    kube("POST", f"{GROUP}/validatingadmissionpolicybindings", bound, status=201)


def test_another_version_is_shown_as_the_policy_knows_it(kube: Kubernetes) -> None:
    told = "request.kind.version + ' ' + request.requestKind.version + ' ' + string(has(object.spec.metrics))"
    validation = {"expression": "object.metadata.name != 'x'", "messageExpression": told}
    _validating(kube, "any", _rules("autoscaling", "*"), validations=[validation])
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    scaler = {"metadata": {"name": "x"}, "spec": {"maxReplicas": 3, "scaleTargetRef": target}}
    refusal = kube("POST", AUTOSCALERS.format("v2"), scaler, status=422)
    assert refusal["message"].endswith("denied request: v1 v2 false")
    exact = {**_rules("autoscaling", "*"), "matchPolicy": "Exact"}
    path = f"{GROUP}/validatingadmissionpolicies/any"
    kube("PATCH", path, {"spec": {"matchConstraints": exact}}, kind=MERGE)
    kube("POST", AUTOSCALERS.format("v2"), scaler, status=201)


def test_policies_ask_what_somebody_may(kube: Kubernetes) -> None:
    asked = "authorizer.group('').resource('secrets').namespace('default').check('get').allowed()"
    _validating(kube, "p", _rules("", "configmaps"), validations=[{"expression": asked, "message": "no"}])
    kube("POST", MAPS, _map("a"), status=201)
    rule = {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}
    kube(
        "POST",
        "apis/rbac.authorization.k8s.io/v1/clusterroles",
        {"metadata": {"name": "r"}, "rules": [rule]},
        status=201,
    )
    ref, subjects = {"kind": "ClusterRole", "name": "r", "apiGroup": ""}, [{"kind": "User", "name": "jane"}]
    binding = {"metadata": {"name": "r"}, "roleRef": ref, "subjects": subjects}
    kube("POST", "apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding, status=201)
    who: dict[str, Any] = {"Impersonate-User": "jane"}
    told = kube("POST", MAPS, _map("b"), status=422, **who)["message"]
    assert told.endswith("denied request: no")


def test_an_annotation_that_cannot_be_made_denies(kube: Kubernetes) -> None:
    wrong = {"key": "k", "valueExpression": "string(object.data.none)"}
    _validating(kube, "p", _rules("", "configmaps"), auditAnnotations=[wrong])
    told = kube("POST", MAPS, _map("a", a="1"), status=422)["message"]
    assert told.endswith("denied request: expression 'string(object.data.none)' resulted in error: no such key: none")


@pytest.mark.parametrize(
    ("path", "value", "status", "message"),
    [
        ("/kind", "Secret", 500, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"),
        ("/apiVersion", "apps/v1", 500, 'no kind "ConfigMap" is registered for version "apps/v1"'),
        ("/metadata/namespace", "kube-system", 400, "the namespace of the provided object does not match"),
    ],
)
def test_an_object_stays_of_its_kind_and_in_its_namespace(
    kube: Kubernetes, path: str, value: str, status: int, message: str
) -> None:
    _mutating(kube, "one", f"[JSONPatch{{op: 'replace', path: '{path}', value: '{value}'}}]")
    assert message in kube("POST", MAPS, _map("a"), status=status)["message"]
    for other in (f"{DEFAULT}/secrets", "api/v1/namespaces/kube-system/configmaps", MAPS):
        assert "a" not in {item["metadata"]["name"] for item in kube("GET", other)["items"]}
