"""What Go's decoder says of JSON that does not fit a type. Facts of encoding/json and apimachinery's converter."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from kube_apiserver.writes.patches import STRATEGIC_PATCH
from tests.core.kube_apiserver.refusals import BY, Object, container, created, pod, resource, told

FIELD = "into Go struct field"
CASES: list[tuple[str, str, Object, str]] = [
    (
        "text for a number",
        "deployments",
        {"spec": {"replicas": "3"}},
        f"string {FIELD} DeploymentSpec.spec.replicas of type int32",
    ),
    (
        "a fraction",
        "deployments",
        {"spec": {"replicas": 1.5}},
        f"number 1.5 {FIELD} DeploymentSpec.spec.replicas of type int32",
    ),
    (
        "too much",
        "deployments",
        {"spec": {"replicas": 99999999999}},
        f"number 99999999999 {FIELD} DeploymentSpec.spec.replicas of type int32",
    ),
    (
        "a long number",
        "pods",
        pod(terminationGracePeriodSeconds="30"),
        f"string {FIELD} PodSpec.spec.terminationGracePeriodSeconds of type int64",
    ),
    (
        "a list",
        "pods",
        {"spec": {"containers": "main"}},
        f"string {FIELD} PodSpec.spec.containers of type []v1.Container",
    ),
    (
        "an item",
        "pods",
        {"spec": {"containers": ["main"]}},
        f"string {FIELD} PodSpec.spec.containers of type v1.Container",
    ),
    ("a struct", "pods", {"spec": "main"}, f"string {FIELD} Pod.spec of type v1.PodSpec"),
    (
        "a map",
        "pods",
        {"metadata": {"labels": "a"}, **pod()},
        f"string {FIELD} ObjectMeta.metadata.labels of type map[string]string",
    ),
    (
        "a label",
        "pods",
        {"metadata": {"labels": {"a": 1}}, **pod()},
        f"number {FIELD} ObjectMeta.metadata.labels of type string",
    ),
    (
        "a named text",
        "pods",
        pod(restartPolicy=5),
        f"number {FIELD} PodSpec.spec.restartPolicy of type v1.RestartPolicy",
    ),
    ("a switch", "pods", pod(hostNetwork="yes"), f"string {FIELD} PodSpec.spec.hostNetwork of type bool"),
    (
        "a number in a template",
        "pods",
        container(env=[{"name": "A", "value": 1}]),
        f"number {FIELD} EnvVar.spec.containers.env.value of type string",
    ),
    (
        "a port that is neither",
        "services",
        {"spec": {"ports": [{"port": 80, "targetPort": True}]}},
        f"bool {FIELD} ServicePort.spec.ports.targetPort of type int32",
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "want"), CASES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_json_does_not_fit(name: str, plural: str, given: Object, want: str) -> None:
    kind = resource(plural).kind
    assert told(plural, given) == [
        f'{kind} in version "v1" cannot be handled as a {kind}: json: cannot unmarshal {want}'
    ]


TEXTS: list[tuple[str, str, Object, str]] = [
    ("no base64", "secrets", {"data": {"a": "not base64!"}}, "illegal base64 data at input byte 3"),
    ("base64 that ends early", "secrets", {"data": {"a": "YWJ"}}, "illegal base64 data at input byte 0"),
    ("too much padding", "secrets", {"data": {"a": "YQ==YQ=="}}, "illegal base64 data at input byte 4"),
    (
        "no time",
        "leases",
        {"spec": {"acquireTime": "noon"}},
        'parsing time "noon" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "noon" as "2006"',
    ),
    (
        "a time without a zone",
        "pods",
        {"metadata": {"creationTimestamp": "2025-06-01T00:00:00"}, **pod()},
        'parsing time "2025-06-01T00:00:00" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "want"), TEXTS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_text_does_not_fit(name: str, plural: str, given: Object, want: str) -> None:
    kind = resource(plural).kind
    assert told(plural, given) == [f'{kind} in version "v1" cannot be handled as a {kind}: {want}']


CONVERTED: list[tuple[str, Object, str]] = [
    ("text for a number", {"spec": {"activeDeadlineSeconds": "x"}}, "unrecognized type: int64"),
    ("a number for text", {"spec": {"schedulerName": 5}}, "cannot convert int64 to string"),
    ("a number for a named text", {"spec": {"restartPolicy": 5}}, "cannot convert int64 to v1.RestartPolicy"),
    ("text for a struct", {"spec": {"affinity": "x"}}, "cannot restore struct from: string"),
    ("text for a map", {"spec": {"nodeSelector": "x"}}, "cannot restore map from string"),
    ("two, by the type", {"spec": {"schedulerName": 5, "nodeName": 5.5}}, "unrecognized type: string"),
    (
        "a time that is none",
        {"metadata": {"creationTimestamp": 5}},
        "json: cannot unmarshal number into Go value of type string",
    ),
]


@pytest.mark.parametrize(("name", "patch", "want"), CONVERTED, ids=lambda each: each if isinstance(each, str) else "")
def test_a_strategic_patch_is_converted(name: str, patch: Object, want: Any) -> None:
    live = created("pods", pod()).value
    assert live is not None
    with pytest.raises(ApiError) as caught:
        handlers.patch(resource("pods"), live, STRATEGIC_PATCH, patch, BY)
    assert caught.value.status["details"]["causes"][0]["message"].endswith(f'": {want}')


def test_bytes_are_converted() -> None:
    live = created("secrets", {}).value
    assert live is not None
    with pytest.raises(ApiError) as caught:
        handlers.patch(resource("secrets"), live, STRATEGIC_PATCH, {"data": {"a": "!!"}}, BY)
    told = "error decoding from json: illegal base64 data at input byte 0"
    assert caught.value.status["details"]["causes"][0]["message"].endswith(f'": {told}')


SEVERAL: list[tuple[str, Object, str]] = [
    (
        "the first of two",
        {"spec": {"replicas": "x", "minReadySeconds": "y"}},
        "DeploymentSpec.spec.replicas of type int32",
    ),
    (
        "a type of its own before all others",
        {"metadata": {"labels": 1, "creationTimestamp": "noon"}},
        'parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"',
    ),
]


@pytest.mark.parametrize(("name", "given", "want"), SEVERAL, ids=[each[0] for each in SEVERAL])
def test_which_of_several_is_told(name: str, given: Object, want: str) -> None:
    (text,) = told("deployments", given)
    assert text.endswith(want)
