"""What is said of CEL that cannot be read, in policies, webhooks and rules. Measured from kube-apiserver v1.36.2."""

import pytest

from kube_apiserver.custom import structural
from kube_objects.expressions import syntax_error
from tests.core.kube_apiserver.refusals import Object, told

START = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
PODS = {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}


def ends(text: str, column: int) -> str:
    error = f"<input>:1:{column}: Syntax error: mismatched input '<EOF>' expecting {START}"
    return f"compilation failed: ERROR: {error}\n | {text}\n | {'.' * (column - 1)}^"


def test_a_policy_is_told_of_each() -> None:
    spec: Object = {
        "matchConstraints": PODS,
        "matchConditions": [{"name": "a", "expression": "object.x >"}],
        "variables": [{"name": "v", "expression": "1 +"}],
        "validations": [{"expression": "object.spec.x >", "messageExpression": "'a' +"}],
    }
    assert told("validatingadmissionpolicies", {"spec": spec}) == [
        f'spec.{path}: Invalid value: "{text}": {ends(text, column)}'
        for path, text, column in (
            ("matchConditions[0].expression", "object.x >", 11),
            ("variables[0].expression", "1 +", 4),
            ("validations[0].expression", "object.spec.x >", 16),
            ("validations[0].messageExpression", "'a' +", 6),
        )
    ]


def test_a_rule_is_told_with_all_that_it_has() -> None:
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "self.n >"}]}
    texts = r'{"Rule":"self.n \u003e","Message":"","MessageExpression":"",'
    rule = texts + '"Reason":null,"FieldPath":"","OptionalOldSelf":null}'
    (cause,) = structural.problems(schema, "schema")
    assert cause["field"] == "schema.x-kubernetes-validations[0].rule"
    assert cause["message"] == f"Invalid value: {rule}: {ends('self.n >', 9)}"


def test_rules_are_not_read_where_a_schema_is_wrong() -> None:
    """As kube-apiserver v1.36.2 told it of a definition with both."""
    wrong = {"type": "object", "x-kubernetes-validations": [{"rule": "self == "}, {"rule": "true", "reason": "Odd"}]}
    right = {"type": "object", "x-kubernetes-validations": [{"rule": "self == "}]}
    schema = {"type": "object", "properties": {"a": right, "b": wrong}}
    found = [cause["field"] for cause in structural.problems(schema, "schema")]
    assert found == [
        "schema.properties[b].x-kubernetes-validations[1].reason",
        "schema.properties[a].x-kubernetes-validations[0].rule",
    ]


def test_an_annotation_has_a_key_under_the_name_of_its_policy() -> None:
    spec: Object = {"matchConstraints": PODS, "auditAnnotations": [{"key": "é", "valueExpression": ""}]}
    name = (
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
    )
    assert told("validatingadmissionpolicies", {"spec": spec}) == [
        f'spec.auditAnnotations[0].key: Invalid value: "web/é": {name}',
        "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified",
    ]


@pytest.mark.parametrize(
    "text",
    ["self.?a.orValue(1) == 1", "cel.bind(a, 1, a == 1)", "self.all(k, v, v > 1)", r'r"\d" == b"a"', "'''a''' == x"],
)
def test_what_can_be_read(text: str) -> None:
    assert syntax_error(text) == ""


def test_what_is_too_long_is_not_read() -> None:
    assert syntax_error("1+" * 50_000) == ""
