"""Parameters of admission policies that are objects of a kind of clients, as upstream's own examples have them."""

from typing import Any

import pytest

from tests.api.kubernetes.test_kinds_of_groups import DEFINITIONS, definition, place
from tests.api.kubernetes.test_kinds_of_groups import kube as kube
from tests.api.kubernetes.test_kubernetes import Kubernetes

GROUP = "rules.example.com"
POLICIES = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies"
BINDINGS = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
MAPS = "api/v1/namespaces/default/configmaps"


def limit(name: str, most: int, namespace: str = "default") -> dict[str, Any]:
    about = {"name": name, "namespace": namespace, "labels": {"of": name}}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Limit", "metadata": about, "spec": {"most": most}}


def policy(kind: str = "Limit") -> dict[str, Any]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    return {
        "metadata": {"name": "few"},
        "spec": {
            "paramKind": {"apiVersion": f"{GROUP}/v1", "kind": kind},
            "matchConstraints": {"resourceRules": [rule]},
            "validations": [{"expression": "size(object.data) <= params.spec.most", "message": "too many"}],
        },
    }


def binding(**reference: Any) -> dict[str, Any]:
    given = {"parameterNotFoundAction": "Deny", **reference}
    spec = {"policyName": "few", "validationActions": ["Deny"], "paramRef": given}
    return {"metadata": {"name": "few"}, "spec": spec}


def written(kube: Kubernetes, values: int, status: int) -> str:
    data = {f"key-{number}": "x" for number in range(values)}
    given = {"metadata": {"generateName": "of-"}, "data": data}
    return str(kube("POST", MAPS, given, status=status).get("message", ""))


@pytest.mark.parametrize("reference", [{"name": "two"}, {"selector": {"matchLabels": {"of": "two"}}}])
def test_they_are_found_by_name_and_by_selector(kube: Kubernetes, reference: dict[str, Any]) -> None:
    kube("POST", DEFINITIONS, definition(GROUP, "Limit"), status=201)
    kube("POST", place(GROUP, plural="limits"), limit("two", 2), status=201)
    kube("POST", place(GROUP, plural="limits"), limit("none", 0), status=201)
    kube("POST", POLICIES, policy(), status=201)
    kube("POST", BINDINGS, binding(**reference), status=201)
    written(kube, 2, 201)
    assert "too many" in written(kube, 3, 422)
    # Another version of the parameter is another bound.
    kube("PUT", place(GROUP, "two", "limits"), limit("two", 3))
    written(kube, 3, 201)
    kube("DELETE", place(GROUP, "two", "limits"))
    assert "no params found for policy binding" in written(kube, 1, 422)


def test_a_kind_that_nobody_has_defined_denies(kube: Kubernetes) -> None:
    kube("POST", POLICIES, policy("Nothing"), status=201)
    kube("POST", BINDINGS, binding(name="two"), status=201)
    wanted = f"failed to find resource referenced by paramKind: '{GROUP}/v1, Kind=Nothing'"
    assert wanted in written(kube, 1, 422)
