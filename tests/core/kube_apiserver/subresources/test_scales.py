"""What a workload's Scale is and what a client makes of it. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers, scales
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, created, resource

SPEC = {
    "replicas": 2,
    "selector": {"matchLabels": {"app": "web"}},
    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [MAIN]}},
}
PUT = ""
NAMELESS = "the name of the object (web based on URL) was undeterminable: name must be provided"


def live() -> Object:
    value = created("deployments", {"spec": SPEC}).value
    assert value is not None
    value["metadata"]["resourceVersion"] = "5"
    return value


TAKEN: list[tuple[str, str, Any, int, list[str]]] = [
    ("a whole one", PUT, {"metadata": {"name": "web"}, "spec": {"replicas": 4}}, 4, []),
    ("one without a number", PUT, {"metadata": {"name": "web"}}, 0, []),
    ("a merge patch", MERGE_PATCH, {"spec": {"replicas": 3}}, 3, []),
    ("a strategic patch", STRATEGIC_PATCH, {"spec": {"replicas": 3}}, 3, []),
    ("a JSON patch", JSON_PATCH, [{"op": "replace", "path": "/spec/replicas", "value": 1}], 1, []),
    ("what it does not have", MERGE_PATCH, {"spec": {"replica": 3}}, 2, ['unknown field "spec.replica"']),
    ("no spec any more", MERGE_PATCH, {"spec": None}, 0, []),
]


@pytest.mark.parametrize(
    ("name", "kind", "sent", "want", "warnings"), TAKEN, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_scale_is_taken(name: str, kind: str, sent: Any, want: int, warnings: list[str]) -> None:
    value, warned = scales.scaled(resource("deployments"), live(), kind, sent, "Warn")
    assert (value["spec"]["replicas"], warned) == (want, warnings)


REFUSED: list[tuple[str, str, Any, int, str]] = [
    ("nothing", PUT, {}, 400, NAMELESS),
    (
        "another kind",
        PUT,
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}},
        400,
        'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): '
        "unknown conversion",
    ),
    (
        "too few",
        PUT,
        {"metadata": {"name": "web"}, "spec": {"replicas": -1}},
        422,
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ),
    (
        "another name",
        MERGE_PATCH,
        {"metadata": {"name": "b"}},
        400,
        "the name of the object (b) does not match the name on the URL (web)",
    ),
    (
        "a test that fails",
        JSON_PATCH,
        [{"op": "test", "path": "/spec/replicas", "value": 9}],
        422,
        "the server rejected our request due to an error in our request",
    ),
    (
        "what it does not have, strictly",
        PUT,
        {"metadata": {"name": "web"}, "spec": {"replica": 1}},
        400,
        'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.replica"',
    ),
]


@pytest.mark.parametrize(
    ("name", "kind", "sent", "code", "want"), REFUSED, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_scale_is_refused(name: str, kind: str, sent: Any, code: int, want: str) -> None:
    with pytest.raises(ApiError) as refused:
        scales.scaled(resource("deployments"), live(), kind, sent, "Strict")
    assert (refused.value.code, str(refused.value)) == (code, want)


def test_a_patch_that_does_not_fit_is_told_with_who_manages_the_number() -> None:
    with pytest.raises(ApiError) as refused:
        scales.scaled(resource("deployments"), live(), MERGE_PATCH, {"spec": {"replicas": "five"}}, "Strict")
    text = str(refused.value)
    manager = '{\\"manager\\":\\"tests\\",\\"operation\\":\\"Update\\",\\"apiVersion\\":\\"autoscaling/v1\\",'
    assert manager in text
    assert f'\\"time\\":\\"{BY.time}\\"' in text
    assert text.endswith("cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32")


def test_who_scales_manages_the_number_since_no_time() -> None:
    there = live()
    value, _ = scales.scaled(resource("deployments"), there, MERGE_PATCH, {"spec": {"replicas": 3}}, "Strict")
    options = WriteOptions("scaler", BY.time, subresource="scale")
    written = handlers.replace(resource("deployments"), there, value, options).value
    assert written is not None
    told = {each["manager"]: each.get("time") for each in written["metadata"]["managedFields"]}
    assert told == {"scaler": None, "tests": BY.time}
    assert written["metadata"]["managedFields"][0]["manager"] == "scaler"


def test_who_scales_to_what_it_is_leaves_the_number_to_nobody() -> None:
    there = live()
    options = WriteOptions("scaler", BY.time, subresource="scale")
    written = handlers.replace(resource("deployments"), there, there, options).value
    assert written is not None
    (entry,) = written["metadata"]["managedFields"]
    assert "f:replicas" not in entry["fieldsV1"]["f:spec"] and "f:template" in entry["fieldsV1"]["f:spec"]
    assert handlers.replace(resource("deployments"), written, written, options).value is None
