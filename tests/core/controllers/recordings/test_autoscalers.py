"""HorizontalPodAutoscalers of a cluster without servers of metrics. Source: pkg/controller/podautoscaler."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.core.controllers.chaos import workload
from tests.core.controllers.recordings.sequence_replay import Played, Step

APPLY, READY, PERIOD = "kubectl apply -f w.yaml", {"kubelet": "ready"}, 15.0
WEB = workload("Deployment", "web", replicas=2)
_NO_RESOURCES = (
    "unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: "
    "the server could not find the requested resource (get pods.metrics.k8s.io)"
)
_FAILED = f"failed to get cpu resource metric value: failed to get cpu utilization: {_NO_RESOURCES}"
_NO_CUSTOM = "unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered"
_NO_EXTERNAL = "the server could not find the requested resource (get queue.external.metrics.k8s.io)"


def scaler(named: str = "web", of: str = "Deployment", group: str = "apps/v1", **wanted: Any) -> dict[str, Any]:
    target = {"apiVersion": group, "kind": of, "name": wanted.pop("target", "web")}
    spec = {"scaleTargetRef": target, "maxReplicas": 4, **wanted}
    about = {"name": named}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": about, "spec": spec}


def metric(of: str, **wanted: Any) -> list[dict[str, Any]]:
    return [{"type": of[0].upper() + of[1:], of: wanted}]


_HITS = {"name": "hits"}
_INGRESS = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "main"}
_BY_VALUE, _BY_POD = {"type": "Value", "value": "9"}, {"type": "AverageValue", "averageValue": "9"}
_OF_OBJECT = f"unable to get metric hits: Ingress on default main/{_NO_CUSTOM}"
_OF_QUEUE = "unable to get external metric default/queue/{}: unable to fetch metrics from external metrics API: {}"
_SELECTED = "&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}"
METRICS: Mapping[str, tuple[Sequence[Mapping[str, Any]], str, str, str]] = {
    "resource": ((), "FailedGetResourceMetric", _FAILED.partition(": ")[2], _FAILED),
    "pods": (
        metric("pods", metric=_HITS, target=_BY_POD),
        "FailedGetPodsMetric",
        f"unable to get metric hits: {_NO_CUSTOM}",
        f"failed to get pods metric value: unable to get metric hits: {_NO_CUSTOM}",
    ),
    "object": (
        metric("object", metric=_HITS, describedObject=_INGRESS, target=_BY_VALUE),
        "FailedGetObjectMetric",
        _OF_OBJECT,
        f"failed to get object metric value: {_OF_OBJECT}",
    ),
    "object, for each pod": (
        metric("object", metric=_HITS, describedObject=_INGRESS, target=_BY_POD),
        "FailedGetObjectMetric",
        _OF_OBJECT,
        f"failed to get object metric value: failed to get hits object metric: {_OF_OBJECT}",
    ),
    "external": (
        metric("external", metric={"name": "queue"}, target=_BY_VALUE),
        "FailedGetExternalMetric",
        _OF_QUEUE.format("nil", _NO_EXTERNAL),
        "failed to get queue external metric value: failed to get external metric queue: "
        + _OF_QUEUE.format("nil", _NO_EXTERNAL),
    ),
    "external, selected, for each pod": (
        metric("external", metric={"name": "queue", "selector": {"matchLabels": {"a": "b"}}}, target=_BY_POD),
        "FailedGetExternalMetric",
        _OF_QUEUE.format(_SELECTED, _NO_EXTERNAL),
        "failed to get queue external metric value: failed to get queue external metric: "
        + _OF_QUEUE.format(_SELECTED, _NO_EXTERNAL),
    ),
}


@pytest.mark.parametrize("named", METRICS)
def test_metrics_that_nobody_serves(named: str) -> None:
    metrics, reason, inner, whole = METRICS[named]
    hpa = scaler()
    if metrics:
        hpa["spec"]["metrics"] = metrics
    played = Played([APPLY, PERIOD], WEB, hpa)
    first = "invalid metrics (1 invalid out of 1), first error is: "
    assert played.told() == [
        f"HorizontalPodAutoscaler/web FailedComputeMetricsReplicas 1: {first}{whole}",
        f"HorizontalPodAutoscaler/web {reason} 1: {inner}",
    ]


_RESCALED = "HorizontalPodAutoscaler/web SuccessfulRescale 1: New size: {}; reason: Current number of replicas {}"
BOUNDS: Mapping[str, tuple[Sequence[Step], Mapping[str, Any], Sequence[str]]] = {
    "more than the most": (
        ["kubectl scale deploy web --replicas=6", PERIOD],
        {},
        [_RESCALED.format(4, "above Spec.MaxReplicas")],
    ),
    "fewer than the fewest": ([PERIOD], {"minReplicas": 3}, [_RESCALED.format(3, "below Spec.MinReplicas")]),
    "none": (["kubectl scale deploy web --replicas=0", PERIOD], {}, []),
    "before a period is over": ([10.0], {"minReplicas": 3}, []),
}


@pytest.mark.parametrize("named", BOUNDS)
def test_bounds(named: str) -> None:
    steps, wanted, told = BOUNDS[named]
    found = Played([APPLY, *steps], WEB, scaler(**wanted)).told()
    assert [one for one in found if one.startswith("Horizontal")] == told


TARGETS = [
    (scaler(target="none"), 'deployments.apps "none" not found'),
    (scaler(of="ReplicationController", group="v1"), 'replicationcontrollers "web" not found'),
    (scaler(of="Sparrow", group="birds.io/v1"), 'no matches for kind "Sparrow" in group "birds.io"'),
    (scaler(group="extensions/v1beta1"), 'no matches for kind "Deployment" in group "extensions"'),
    (scaler(of="DaemonSet"), "the server could not find the requested resource"),
]


@pytest.mark.parametrize(("hpa", "why"), TARGETS, ids=[why for _, why in TARGETS])
def test_targets_that_are_not_there(hpa: Mapping[str, Any], why: str) -> None:
    assert Played([APPLY, PERIOD], WEB, hpa).told() == [f"HorizontalPodAutoscaler/web FailedGetScale 1: {why}"]


def test_two_of_one_target() -> None:
    """The first one does not know of the other, which has not looked yet."""
    why = "pods by selector app=web are controlled by multiple HPAs: [{web default} {other default}]"
    told = Played([APPLY, PERIOD, PERIOD], WEB, scaler(), scaler("other")).told()
    assert told == [
        f"HorizontalPodAutoscaler/{named} {reason} {count}: {why}"
        for named, count in (("other", 2), ("web", 1))
        for reason in ("AmbiguousSelector", "FailedComputeMetricsReplicas")
    ]
