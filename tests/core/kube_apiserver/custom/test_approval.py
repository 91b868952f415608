"""Definitions of Kubernetes' own groups say whether they are approved. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.custom import checking, definitions
from tests.core.kube_apiserver.custom.test_naming import definition

NAME, FIELD = "api-approved.kubernetes.io", "metadata.annotations[api-approved.kubernetes.io]"
MUST = f'protected groups must have approval annotation "{NAME}"'
SEE = "see https://github.com/kubernetes/enhancements/pull/1111"
OR = 'with either a URL or a reason starting with "unapproved"'
CASES: list[tuple[str, str, str, list[str], tuple[str, str, str] | None]] = [
    ("another group", "x.example.com", "", [], None),
    (
        "approved",
        "gateway.networking.k8s.io",
        "https://example.com/pull/1",
        [],
        ("True", "ApprovedAnnotation", "approved in https://example.com/pull/1"),
    ),
    (
        "unapproved",
        "x.kubernetes.io",
        "unapproved, testing",
        [],
        ("False", "UnapprovedAnnotation", 'not approved: "unapproved, testing"'),
    ),
    (
        "nothing said",
        "x.k8s.io",
        "",
        [f"Required value: {MUST}, {SEE}"],
        ("False", "MissingAnnotation", f"{MUST}, {SEE}"),
    ),
    (
        "something else",
        "x.k8s.io",
        "what",
        [f'Invalid value: "what": {MUST} {OR}, {SEE}'],
        ("False", "InvalidAnnotation", f"{MUST} {OR}, {SEE}"),
    ),
]


@pytest.mark.parametrize(("name", "group", "annotation", "told", "condition"), CASES)
def test_approval(name: str, group: str, annotation: str, told: list[str], condition: Any) -> None:
    given = definition("widgets", "Widget", group=group)
    if annotation:
        given["metadata"]["annotations"] = {NAME: annotation}
    found = [each["message"] for each in checking.problems(given) if each["field"] == FIELD]
    assert found == told
    assert not list(checking.changed(given, given))
    # What is stored is served all the same.
    assert len(definitions.resources([given])) == 1
    conditions = definitions.with_status(given)["status"]["conditions"]
    assert [each["type"] for each in conditions[:2]] == ["NamesAccepted", "Established"]
    last = conditions[2] if len(conditions) > 2 else None
    assert (last and (last["status"], last["reason"], last["message"])) == condition
