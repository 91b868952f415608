"""Kinds that a client registers with a cluster are served as all others are."""

import copy
import logging
from typing import Any

import pytest

from playground import limits
from tests.api.kubernetes.test_kubernetes import DISCOVERY, TABLE, Kubernetes
from tests.core.kube_apiserver.custom.test_custom import definition, widget
from tests.web import Api

DEFINITIONS = "apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "apis/example.com/v1/namespaces/default/widgets"


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """A cluster where a kind is registered; its commands are carried out as soon as they are posted."""
    from playground.clusters import commands
    from playground.engine import command_runner

    found = Kubernetes(api.cluster([]))
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    found("POST", DEFINITIONS, definition(), status=201)
    return found


def test_the_definition_is_established(kube: Kubernetes) -> None:
    status = kube("GET", f"{DEFINITIONS}/widgets.example.com")["status"]
    assert {each["type"]: each["status"] for each in status["conditions"]} == {
        "NamesAccepted": "True",
        "Established": "True",
    }
    assert (status["acceptedNames"]["listKind"], status["storedVersions"]) == ("WidgetList", ["v1"])


def test_discovery_and_openapi_tell_of_it(kube: Kubernetes) -> None:
    assert "example.com" in {each["name"] for each in kube("GET", "apis")["groups"]}
    groups = {each["metadata"]["name"]: each for each in kube("GET", "apis", Accept=DISCOVERY)["items"]}
    (resource,) = groups["example.com"]["versions"][0]["resources"]
    assert (resource["resource"], resource["shortNames"], resource["scope"]) == ("widgets", ["wd"], "Namespaced")
    assert {each["name"] for each in kube("GET", "apis/example.com/v1")["resources"]} == {"widgets", "widgets/status"}
    assert kube("GET", "apis/example.com")["preferredVersion"]["version"] == "v1"
    assert "apis/example.com/v1" in kube("GET", "openapi/v3")["paths"]
    document = kube("GET", "openapi/v3/apis/example.com/v1")
    schema = document["components"]["schemas"]["com.example.v1.Widget"]
    assert schema["x-kubernetes-group-version-kind"] == [{"group": "example.com", "kind": "Widget", "version": "v1"}]
    patch = document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]["patch"]
    assert "fieldValidation" in {each["name"] for each in patch["parameters"]}


def test_its_objects_are_written_read_and_shown(kube: Kubernetes) -> None:
    made = kube("POST", WIDGETS, widget(), status=201)
    assert made["spec"] == {"size": 3, "colour": "red"}
    assert kube("POST", WIDGETS, widget(size=0), status=422)["reason"] == "Invalid"
    kube("POST", WIDGETS, widget(), status=409)
    table = kube("GET", WIDGETS, Accept=TABLE)
    assert [each["cells"] for each in table["rows"]] == [["w", 3]]
    applied = copy.deepcopy(widget(size=5))
    kube("PATCH", f"{WIDGETS}/w?fieldManager=me&force=true", applied, kind="application/apply-patch+yaml")
    status = {"status": {"at": "work"}}
    kube("PATCH", f"{WIDGETS}/w/status", status, kind="application/merge-patch+json")
    found = kube("GET", "apis/example.com/v1/widgets")
    assert found["kind"] == "WidgetList"
    assert [(each["spec"]["size"], each["status"]["at"]) for each in found["items"]] == [(5, "work")]
    assert kube("GET", f"{WIDGETS}/w/scale", status=404)["message"] == 'widgets.example.com "w" not found'
    assert kube("DELETE", f"{WIDGETS}/w")["status"] == "Success"


def test_its_objects_go_with_the_definition(kube: Kubernetes) -> None:
    kube("POST", WIDGETS, widget(), status=201)
    kube("DELETE", f"{DEFINITIONS}/widgets.example.com")
    kube("GET", WIDGETS, status=404)
    kube("POST", DEFINITIONS, definition(), status=201)
    assert kube("GET", WIDGETS)["items"] == []


def test_an_older_version_serves_the_same_objects(kube: Kubernetes) -> None:
    both: dict[str, Any] = definition(v1={"storage": True}, v1beta1={})
    both["metadata"]["resourceVersion"] = kube("GET", f"{DEFINITIONS}/widgets.example.com")["metadata"][
        "resourceVersion"
    ]
    kube("PUT", f"{DEFINITIONS}/widgets.example.com", both)
    older = WIDGETS.replace("v1", "v1beta1")
    kube("POST", older, {**widget(), "apiVersion": "example.com/v1beta1"}, status=201)
    assert kube("GET", f"{older}/w")["apiVersion"] == "example.com/v1beta1"
    assert kube("GET", f"{WIDGETS}/w")["apiVersion"] == "example.com/v1"


def test_what_was_imported_in_another_form_makes_nothing(api: Api) -> None:
    broken = [
        {**definition(), "metadata": {"name": "a.example.com"}, "spec": {"names": ["Widget"], "versions": "all"}},
        {**definition(), "metadata": {"name": "b.example.com"}, "spec": {"names": {"kind": 7}, "versions": [1]}},
    ]
    kube = Kubernetes(api.cluster([*broken, definition()]))
    assert [each["name"] for each in kube("GET", "apis")["groups"] if "example" in each["name"]] == ["example.com"]
    assert len(kube("GET", DEFINITIONS)["items"]) == 3
    assert kube("GET", WIDGETS)["items"] == []


def test_a_definition_waits_for_objects_that_wait_for_something(kube: Kubernetes) -> None:
    """Measured from kube-apiserver v1.36.2."""
    held = {**widget(), "metadata": {"name": "held", "finalizers": ["a.com/b"]}}
    kube("POST", WIDGETS, held, status=201)
    kube("POST", WIDGETS, widget(), status=201)
    kube("DELETE", f"{DEFINITIONS}/widgets.example.com")
    waits = kube("GET", f"{DEFINITIONS}/widgets.example.com")
    assert waits["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    conditions = [(each["type"], each.get("reason")) for each in waits["status"]["conditions"]]
    assert conditions[-1] == ("Terminating", "InstanceDeletionInProgress")
    (left,) = kube("GET", WIDGETS)["items"]
    assert (left["metadata"]["name"], "deletionTimestamp" in left["metadata"]) == ("held", True)
    told = kube("POST", WIDGETS, widget(), status=403)["message"]
    assert told == (
        'widgets.example.com "w" is forbidden: create not allowed while custom resource definition is terminating'
    )
    kube("PATCH", f"{WIDGETS}/held", {"metadata": {"finalizers": None}}, kind="application/merge-patch+json")
    kube("GET", f"{DEFINITIONS}/widgets.example.com", status=404)
    kube("GET", WIDGETS, status=404)


def test_openapi_says_what_an_object_within_has(kube: Kubernetes) -> None:
    tmpl = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"tmpl": tmpl}}}}
    given = definition(v1={"storage": True, "schema": {"openAPIV3Schema": schema}})
    given["metadata"]["name"] = "boxes.example.com"
    given["spec"]["names"] = {"kind": "Box", "plural": "boxes"}
    kube("POST", DEFINITIONS, given, status=201)
    document = kube("GET", "openapi/v3/apis/example.com/v1")
    box = document["components"]["schemas"]["com.example.v1.Box"]
    found = box["properties"]["spec"]["properties"]["tmpl"]
    assert (sorted(found["properties"]), found["required"]) == (
        ["apiVersion", "kind", "metadata"],
        ["kind", "apiVersion"],
    )


HEAVY: list[tuple[str, dict[str, Any], Any, int, str]] = [
    (
        "alternatives that nothing fits",
        {"type": "integer", "anyOf": [{"minimum": 10 + number} for number in range(1000)]},
        [1] * 200,
        422,
        "must validate at least one schema (anyOf)",
    ),
    (
        "very many alternatives that nothing fits",
        {"type": "integer", "anyOf": [{"minimum": 10 + number} for number in range(6000)]},
        [1] * 5000,
        504,
        "Timeout: request did not complete within requested timeout - context deadline exceeded",
    ),
    ("a long enum", {"type": "string", "enum": [f"v{number}" for number in range(20_000)]}, ["x"] * 500, 422, ""),
    (
        "large defaults",
        {"type": "object", "properties": {"a": {"type": "string", "default": "x" * 280_000}}},
        [{}] * 1500,
        413,
        "Request entity too large: limit is 3145728",
    ),
]


@pytest.mark.parametrize(("name", "items", "value", "status", "message"), HEAVY)
def test_a_schema_that_needs_much_work(
    kube: Kubernetes,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    items: dict[str, Any],
    value: Any,
    status: int,
    message: str,
) -> None:
    monkeypatch.setattr(limits, "REQUEST_CPU_SECONDS", 0.6)
    heavy = definition()
    schema = heavy["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"] = {"type": "object", "properties": {"l": {"type": "array", "items": items}}}
    heavy["spec"]["versions"][0].pop("additionalPrinterColumns", None)
    kube("PUT", f"{DEFINITIONS}/widgets.example.com", {**heavy, "metadata": {"name": "widgets.example.com"}})
    refusal = kube("POST", WIDGETS, {**widget(), "spec": {"l": value}}, status)
    assert message in refusal["message"] and len(refusal["message"]) < 400_000
    # A request that was stopped is a line in the log, without a traceback.
    warnings = [(record.levelname, record.exc_info) for record in caplog.records if record.levelno >= logging.WARNING]
    assert warnings == ([("WARNING", None)] if status == 504 else [])
    kube("POST", WIDGETS, {**widget(), "spec": {}}, 201)
