"""Versions that are served beside the one that is stored: what a client sends and sees."""

import json
from typing import Any

import pytest

from kube_apiserver import conversion, errors
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import table
from kube_apiserver.validation import events

EVENTS = table()["events.k8s.io", "v1", "events"]
AUTOSCALERS = table()["autoscaling", "v1", "horizontalpodautoscalers"]
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
OTHERS: list[dict[str, Any]] = [
    {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
    {
        "type": "Object",
        "object": {
            "metric": {"name": "hits", "selector": {"matchLabels": {"path": "x"}}},
            "describedObject": {"kind": "Service", "name": "main"},
            "target": {"type": "Value", "value": "100"},
        },
    },
]


def autoscaler(**spec: Any) -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    head = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
    return {**head, "spec": {"scaleTargetRef": target, "maxReplicas": 5, **spec}}


def test_an_autoscaler_of_the_older_version_has_one_number_for_cpu() -> None:
    sent = autoscaler(targetCPUUtilizationPercentage=60) | {"apiVersion": "autoscaling/v1"}
    stored = conversion.into(AUTOSCALERS, sent)
    assert (stored["apiVersion"], stored["spec"]["metrics"]) == ("autoscaling/v2", [CPU])
    shown = conversion.answer(AUTOSCALERS, stored)
    assert (shown["apiVersion"], shown["spec"]) == ("autoscaling/v1", sent["spec"])


def test_what_the_older_version_has_no_field_for_stands_in_annotations_and_comes_back() -> None:
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    stored = autoscaler(metrics=[*OTHERS, CPU], behavior=behavior)
    stored["status"] = {
        "currentReplicas": 2,
        "desiredReplicas": 3,
        "conditions": [{"type": "AbleToScale", "status": "True"}],
        "currentMetrics": [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 55}}}],
    }
    shown = conversion.answer(AUTOSCALERS, stored)
    assert shown["status"]["currentCPUUtilizationPercentage"] == 55
    notes = shown["metadata"]["annotations"]
    metrics = json.loads(notes["autoscaling.alpha.kubernetes.io/metrics"])
    assert metrics[0]["resource"] == {"name": "memory", "targetAverageValue": "1Gi"}
    assert metrics[1]["object"]["target"] == {"kind": "Service", "name": "main"}
    assert conversion.into(AUTOSCALERS, shown) == stored


def test_an_event_has_other_names_for_the_same() -> None:
    told: dict[str, Any] = {
        "kind": "Event",
        "apiVersion": "v1",
        "metadata": {"name": "e"},
        "involvedObject": {"kind": "Pod"},
    }
    told |= {"message": "x", "count": 2, "source": {}, "reportingComponent": "", "firstTimestamp": None}
    shown = conversion.answer(EVENTS, told)
    assert shown == {
        "kind": "Event",
        "apiVersion": "events.k8s.io/v1",
        "metadata": {"name": "e"},
        "regarding": {"kind": "Pod"},
        "note": "x",
        "deprecatedCount": 2,
        "deprecatedSource": {},
        "deprecatedFirstTimestamp": None,
    }
    rows = {"kind": "Table", "rows": [{"cells": [], "object": told}, {"cells": []}]}
    assert conversion.answer(EVENTS, rows)["rows"][0]["object"] == shown
    found = conversion.answer(EVENTS, {"kind": "EventList", "apiVersion": "v1", "items": [{"message": "x"}]})
    assert (found["apiVersion"], found["items"]) == ("events.k8s.io/v1", [{"note": "x"}])
    selector = "regarding.name=web,reportingController!=x,reason=regarding.y"
    in_older_words = "involvedObject.name=web,reportingComponent!=x,reason=regarding.y"
    assert conversion.field_selector(EVENTS, selector) == in_older_words


def test_a_new_event_must_say_who_did_what_when() -> None:
    whole = {"eventTime": "2026-01-05T08:00:00Z", "reportingComponent": "c", "reportingInstance": "c-0"}
    whole |= {"action": "Binding", "reason": "Scheduled", "type": "Normal"}
    events.reject_invalid_event(EVENTS, whole)
    with pytest.raises(errors.ApiError) as refused:
        events.reject_invalid_event(EVENTS, {**whole, "action": "", "type": "Odd", "count": 3})
    causes = refused.value.status["details"]["causes"]
    assert [each["field"] for each in causes] == ["action", "type", "count"]


@pytest.mark.parametrize("value", [None, [], {"kind": "Pod"}, {"apiVersion": "v2"}])
def test_what_is_no_such_object_stays_as_it_is(value: Any) -> None:
    assert conversion.into(AUTOSCALERS, value) == value


@pytest.mark.parametrize("metrics", ["{", "[[[", "7", '[7, {"resource": 3}]'])
def test_annotations_may_hold_anything(metrics: str) -> None:
    annotations = {"autoscaling.alpha.kubernetes.io/metrics": metrics}
    sent = {"metadata": {"annotations": annotations}, "spec": {}}
    assert conversion.into(AUTOSCALERS, sent)["apiVersion"] == "autoscaling/v2"


FIELDS = [
    ("regarding.kind=Pod,reportingController!=x", "involvedObject.kind=Pod,reportingComponent!=x"),
    ("reason=a,type==Normal,metadata.name=b", "reason=a,type==Normal,metadata.name=b"),
    ("involvedObject.kind=Pod", "field label not supported: involvedObject.kind"),
    ("reason=a,source=kubelet", "field label not supported: source"),
]


@pytest.mark.parametrize(("written", "want"), FIELDS)
def test_events_are_asked_for_by_the_names_of_their_version(written: str, want: str) -> None:
    """Measured from kube-apiserver v1.36.2."""
    try:
        found = conversion.field_selector(EVENTS, written)
    except ApiError as refused:
        found = str(refused)
    assert found == want
    assert conversion.field_selector(table()["", "v1", "events"], written) == written
