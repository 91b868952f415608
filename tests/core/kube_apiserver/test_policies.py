"""Admission policies: what is wrong with one, and what they say of writes. Measured from kube-apiserver v1.36.2."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_apiserver.access import UserInfo
from kube_apiserver.admission.attributes import AdmissionRequest
from kube_apiserver.admission.policies import check
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import by_kind
from kube_apiserver.validation.groups import policies

Object = dict[str, Any]
FEW = {"expression": "object.spec.replicas <= 5", "messageExpression": "'not ' + string(object.spec.replicas)"}
RULE = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["deployments"]}
WEB = {"metadata": {"name": "web", "namespace": "shop", "labels": {"a": "b"}}, "spec": {"replicas": 9}}


class Stored:
    """A cluster with one policy, one binding and a namespace."""

    def __init__(self, policy: Object, binding: Object) -> None:
        self.policy = {"metadata": {"name": "p"}, "spec": policy}
        self.binding = {
            "metadata": {"name": "b"},
            "spec": {"policyName": "p", "validationActions": ["Deny"], **binding},
        }

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return {"metadata": {"name": name, "labels": {"env": "prod"}}} if kind == "Namespace" else None

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        known = {"ValidatingAdmissionPolicy": [self.policy], "ValidatingAdmissionPolicyBinding": [self.binding]}
        return known.get(kind, [])


def spec(*validations: Object, **more: Any) -> Object:
    constraints = {"resourceRules": [{**RULE, **more.pop("rule", {})}], **more.pop("matched", {})}
    return {"failurePolicy": "Fail", "matchConstraints": constraints, "validations": list(validations), **more}


CASES: list[tuple[str, Object, Object, str]] = [
    ("denied", spec(FEW), {}, "not 9"),
    ("another operation", spec(FEW, rule={"operations": ["DELETE"]}), {}, ""),
    ("another resource", spec(FEW, rule={"resources": ["pods"]}), {}, ""),
    ("all resources, not their doors", spec(FEW, rule={"resources": ["*"]}), {}, "not 9"),
    ("another name", spec(FEW, rule={"resourceNames": ["api"]}), {}, ""),
    ("another scope", spec(FEW, rule={"scope": "Cluster"}), {}, ""),
    ("left out", spec(FEW, matched={"excludeResourceRules": [RULE]}), {}, ""),
    ("another label", spec(FEW, matched={"objectSelector": {"matchLabels": {"a": "c"}}}), {}, ""),
    ("bound elsewhere", spec(FEW), {"matchResources": {"namespaceSelector": {"matchLabels": {"env": "dev"}}}}, ""),
    ("a condition", spec(FEW, matchConditions=[{"name": "x", "expression": "request.name == 'api'"}]), {}, ""),
    ("by an expression", spec({"expression": " oldObject != null "}), {}, "failed expression: oldObject != null"),
    ("who", spec({"expression": "request.userInfo.username != 'jane'", "message": "no"}), {}, "no"),
    ("where", spec({"expression": "namespaceObject.metadata.labels.env == 'prod'"}), {}, ""),
    (
        "composed",
        spec(
            {"expression": "variables.n < 5", "message": "n"},
            variables=[{"name": "n", "expression": "object.spec.replicas"}],
        ),
        {},
        "n",
    ),
    (
        "what is not there",
        spec({"expression": "object.none > 1"}),
        {},
        "expression 'object.none > 1' resulted in error: no such key: none",
    ),
    ("what is not there, and ignored", spec({"expression": "object.none > 1"}, failurePolicy="Ignore"), {}, ""),
    (
        "no parameters",
        spec(FEW, paramKind={"apiVersion": "v1", "kind": "ConfigMap"}),
        {"paramRef": {"name": "x", "parameterNotFoundAction": "Deny"}},
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ),
]


@pytest.mark.parametrize(("name", "policy", "binding", "want"), CASES)
def test_what_a_policy_says(name: str, policy: Object, binding: Object, want: str) -> None:
    asked = AdmissionRequest("CREATE", by_kind("Deployment"), "shop", "web", who=UserInfo("jane", ()))
    if not want:
        assert check(asked, None, WEB, Stored(policy, binding)) == []
        return
    with pytest.raises(ApiError) as refusal:
        check(asked, None, WEB, Stored(policy, binding))
    told = f"ValidatingAdmissionPolicy 'p' with binding 'b' denied request: {want}"
    assert refusal.value.status["message"] == f'deployments.apps "web" is forbidden: {told}'
    assert (refusal.value.code, refusal.value.status["reason"]) == (422, "Invalid")
    assert refusal.value.status["details"]["causes"] == [{"message": told}]


def test_who_is_only_warned() -> None:
    asked = AdmissionRequest("CREATE", by_kind("Deployment"), "shop", "web")
    told = check(asked, None, WEB, Stored(spec(FEW), {"validationActions": ["Warn", "Audit"]}))
    assert told == ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': not 9"]


DOUBLED = [{"name": f"v{n}", "expression": f"variables.v{n - 1} + variables.v{n - 1}"} for n in range(1, 40)]
MANY = {"metadata": {"name": "web", "namespace": "shop"}, "spec": {"list": list(range(1000)), "text": "x" * 900_000}}
OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run"
CALL_LIMIT = "resulted in error: operation cancelled: actual cost limit exceeded"
# Expressions that an attacker tried: each took between 7 and 60 seconds, or GiB of memory.
DIGITS = "[1, 2, 3, 4, 5, 6, 7, 8, 9]"
NESTED = "true"
for _level in range(7):
    NESTED = f"{DIGITS}.all(x{_level}, {NESTED})"
GROWN = "object.spec.text" + ".replace('', 'xxxxxxxx')" * 6
COSTLY: list[tuple[str, Object, str]] = [
    (
        "texts that double",
        spec(
            {"expression": "size(variables.v39) == 0"},
            variables=[{"name": "v0", "expression": "string(object.spec.list[0])"}, *DOUBLED],
        ),
        "no such key: v39",
    ),
    ("many expressions", spec(*[{"expression": "object.spec.list.all(x, x >= 0)"}] * 5000), OUT_OF_BUDGET),
    ("lists in the expression", spec({"expression": NESTED}), CALL_LIMIT),
    ("copies of the object", spec({"expression": "[object, object, object].map(x, object).size() > 0"}), ""),
    (
        "copies of a long text",
        spec({"expression": "object.spec.list.map(x, object.spec.text).size() > 0"}),
        CALL_LIMIT,
    ),
    ("texts that grow", spec({"expression": f"object.spec.list.map(x, {GROWN}).size() > 0"}), CALL_LIMIT),
    ("ranges of ranges", spec({"expression": "lists.range(1000).map(x, lists.range(1000)).size() > 0"}), CALL_LIMIT),
    (
        "flat lists of lists",
        spec({"expression": "object.spec.list.map(x, object.spec.list).flatten().map(y, 1).size() > 0"}),
        CALL_LIMIT,
    ),
    (
        "checks",
        spec({"expression": "object.spec.list.all(x, authorizer.group('').resource('pods').check('get').allowed())"}),
        CALL_LIMIT,
    ),
    (
        "three checks, of which the first ends with an answer",
        spec(
            {"expression": "[1, 2, 3].exists(x, authorizer.group('').resource('pods').check('get').allowed()) || true"}
        ),
        CALL_LIMIT,
    ),
    ("a pattern from the object", spec({"expression": "object.spec.list.all(x, 'a'.matches(string(x)))"}), CALL_LIMIT),
    ("a deep expression", spec({"expression": "(" * 900 + "true" + ")" * 900}), CALL_LIMIT),
]


@pytest.mark.parametrize(("name", "policy", "want"), COSTLY)
def test_a_policy_that_needs_too_much_work_denies(name: str, policy: Object, want: str) -> None:
    asked = AdmissionRequest("CREATE", by_kind("Deployment"), "shop", "web")
    if not want:
        assert check(asked, None, MANY, Stored(policy, {})) == []
        return
    with pytest.raises(ApiError) as refusal:
        check(asked, None, MANY, Stored(policy, {}))
    assert refusal.value.status["message"].endswith(want)


def test_what_is_not_looked_at_takes_nothing() -> None:
    """Policies look at small parts of large definitions, and at whether there was one before."""
    large = {"metadata": {"name": "web"}, "spec": {"replicas": 1, "list": [{"a": number} for number in range(50_000)]}}
    looks = spec({"expression": "oldObject != null && object.metadata.name.matches('^w') && object.spec.replicas == 1"})
    check(AdmissionRequest("UPDATE", by_kind("Deployment"), "shop", "web"), large, large, Stored(looks, {}))


WRONG: list[tuple[str, Object, list[str]]] = [
    ("nothing", {}, ["spec.failurePolicy", "spec.matchConstraints", "spec.validations", "spec.auditAnnotations"]),
    ("no rules", spec(FEW) | {"matchConstraints": {"matchPolicy": "Exact"}}, ["spec.matchConstraints.resourceRules"]),
    (
        "names",
        spec(
            FEW,
            matched={"matchPolicy": "Exact"},
            rule={"resourceNames": ["a", "a", "b/c"]},
            variables=[{"name": "a-b"}],
        ),
        [
            "spec.matchConstraints.resourceRules[0].resourceNames[1]",
            "spec.matchConstraints.resourceRules[0].resourceNames[2]",
            "spec.variables[0].name",
            "spec.variables[0].expression",
        ],
    ),
]


@pytest.mark.parametrize(("name", "given", "want"), WRONG)
def test_what_is_wrong_with_a_policy(name: str, given: Object, want: list[str]) -> None:
    found = [each["field"] for each in policies.validate_validating_policy({"metadata": {"name": "p"}, "spec": given})]
    assert [field for field in found if not field.endswith(".scope")] == want


def test_what_is_wrong_with_a_binding() -> None:
    given = {"paramRef": {"name": "x", "selector": {}}, "validationActions": ["Deny", "Warn", "Odd"]}
    assert [each["field"] for each in policies.validate_validating_binding({"spec": given})] == [
        "spec.policyName",
        "spec.paramRef.name",
        "spec.paramRef.selector",
        "spec.paramRef.parameterNotFoundAction",
        "spec.validationActions[2]",
        "spec.validationActions",
    ]
