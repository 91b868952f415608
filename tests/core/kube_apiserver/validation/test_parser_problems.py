"""Problems of the parser as an API server words them: by their type, without a look at the page's sentences."""

from typing import Any

import pytest

from kube_apiserver import causes
from kube_objects.parse import parse_object
from kube_objects.text.problems import ObjectError, Problem

CONTAINER: dict[str, Any] = {"name": "main"}


def pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [CONTAINER], **spec}}


def resources(**lists: Any) -> dict[str, Any]:
    return pod(containers=[{**CONTAINER, "resources": lists}])


LONG = "x" * 100
CASES = [
    # object, reason, field, message
    (pod(containers=[]), "FieldValueRequired", "spec.containers", "Required value"),
    (pod(tolerations=[{"operator": "In", "key": "a"}]),
     "FieldValueNotSupported", "spec.tolerations[0].operator",
     'Unsupported value: "In": supported values: "Equal", "Exists"'),
    (pod(tolerations=[{"effect": LONG, "operator": "Exists"}]),
     "FieldValueNotSupported", "spec.tolerations[0].effect",
     f'Unsupported value: "{LONG}": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"'),
    (pod(schedulingGates=[{"name": "a"}, {"name": "a"}]),
     "FieldValueDuplicate", "spec.schedulingGates[1].name", 'Duplicate value: "a"'),
    (resources(requests={"cpu": "2"}, limits={"cpu": "1"}),
     "FieldValueInvalid", "spec.containers[0].resources.requests[cpu]",
     'Invalid value: "2": must be less than or equal to cpu limit of 1'),
    (resources(requests={"example.com/gpu": "-1"}),
     "FieldValueInvalid", "spec.containers[0].resources.requests[example.com/gpu]",
     'Invalid value: "-1": must be greater than or equal to 0'),
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "reason", "field", "message"), CASES, ids=[case[2] for case in CASES])
def test_a_problem_becomes_the_cause_of_its_type(
    manifest: dict[str, Any], reason: str, field: str, message: str
) -> None:
    with pytest.raises(ObjectError) as refused:
        parse_object(manifest)
    found = [causes.of_problem(problem) for problem in refused.value.problems]
    assert {"reason": reason, "field": field, "message": message} in found


def test_an_enclosing_object_prefixes_both_forms_of_the_path() -> None:
    problem = Problem("spec.requests.cpu", "-1", "must be positive", field="spec.requests[cpu]").below("spec.template.")
    assert problem.path == "spec.template.spec.requests.cpu"
    assert causes.of_problem(problem)["field"] == "spec.template.spec.requests[cpu]"
