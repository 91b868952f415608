"""What is told of objects where people bring them, and scheduling takes: path and rule of each mistake."""

import copy
from typing import Any

import pytest
import yaml

from kube_objects.collect import Collector
from kube_objects.kinds.table import DESCRIBED
from kube_objects.text.limits import Limits

Path = tuple[str | int, ...]
LOAD = ("metadata", "annotations", "playground.kube-scheduler/load-cpu")
PODS = ("spec", "template", "spec")
REQUESTS = ("devices", "requests")
NOT_CEL = [{"cel": {"expression": "device.driver ="}}]
UNKNOWN_NAME = [{"cel": {"expression": "true"}}, {"cel": {"expression": "devise.driver == 'a'"}}]
MISSING = object()

MISTAKES: list[tuple[str, Path, object, str]] = [
    ("Deployment", ("spec", "replicas"), -1, "spec.replicas"),
    ("Deployment", ("spec", "replicas"), "3", "spec.replicas"),
    ("Deployment", ("spec", "selector"), MISSING, "spec.selector"),
    ("Deployment", ("spec", "selector", "matchLabels", "app"), "other", "spec.template.metadata.labels"),
    ("Deployment", ("spec", "selector", "matchLabels"), {}, "spec.selector"),
    ("Deployment", ("spec", "template"), MISSING, "spec.template"),
    ("Deployment", ("spec", "strategy"), {"type": "Blue"}, "spec.strategy.type"),
    (
        "Deployment",
        ("spec", "strategy"),
        {"rollingUpdate": {"maxSurge": "a few"}},
        "spec.strategy.rollingUpdate.maxSurge",
    ),
    ("Deployment", (*PODS, "restartPolicy"), "Never", "spec.template.spec.restartPolicy"),
    (
        "Deployment",
        (*PODS, "containers", 0, "resources", "requests", "cpu"),
        "half",
        "spec.template.spec.containers[0].resources.requests.cpu",
    ),
    ("ReplicaSet", ("spec", "replicas"), True, "spec.replicas"),
    ("StatefulSet", ("spec", "podManagementPolicy"), "Any", "spec.podManagementPolicy"),
    ("StatefulSet", ("spec", "ordinals"), {"start": -1}, "spec.ordinals.start"),
    (
        "DaemonSet",
        ("spec", "updateStrategy"),
        {"rollingUpdate": {"maxUnavailable": -2}},
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
    ),
    ("Job", (*PODS, "restartPolicy"), MISSING, "spec.template.spec.restartPolicy"),
    ("Job", (*PODS, "restartPolicy"), "Always", "spec.template.spec.restartPolicy"),
    ("Job", ("spec",), {"completionMode": "Indexed"}, "spec.completions"),
    ("CronJob", ("spec", "schedule"), "every day", "spec.schedule"),
    ("CronJob", ("spec", "timeZone"), "Mars/Base", "spec.timeZone"),
    ("CronJob", ("spec", "jobTemplate", "spec", "backoffLimit"), 1.5, "spec.jobTemplate.spec.backoffLimit"),
    ("HorizontalPodAutoscaler", ("spec", "maxReplicas"), 1, "spec.maxReplicas"),
    ("HorizontalPodAutoscaler", ("spec", "scaleTargetRef"), MISSING, "spec.scaleTargetRef"),
    ("HorizontalPodAutoscaler", ("spec", "metrics", 0, "type"), "Mood", "spec.metrics[0].type"),
    ("HorizontalPodAutoscaler", LOAD, "0h", "metadata.annotations[playground.kube-scheduler/load-cpu]"),
    ("PodDisruptionBudget", ("spec", "maxUnavailable"), "half", "spec.maxUnavailable"),
    ("PodDisruptionBudget", ("spec", "minAvailable"), 1, "spec"),
    ("NodeGroup", ("spec", "maxSize"), -1, "spec.maxSize"),
    ("NodeGroup", ("spec", "minSize"), 11, "spec.maxSize"),
    ("NodeGroup", ("spec", "price"), "cheap", "spec.price"),
    ("NodeGroup", ("spec", "template", "status", "capacity"), MISSING, "spec.template.status.capacity"),
    ("Arrivals", ("spec", "curve"), "0h=5 noon", "spec.curve"),
    ("Arrivals", ("spec", "poisson"), {"perMinute": 5}, "spec"),
    ("Arrivals", ("spec", "template"), MISSING, "spec"),
    ("DeviceClass", ("spec", "selectors"), NOT_CEL, "spec.selectors[0].cel.expression"),
    (
        "ResourceClaim",
        ("spec", *REQUESTS, 0, "exactly", "selectors"),
        UNKNOWN_NAME,
        "spec.devices.requests[0].exactly.selectors[1].cel.expression",
    ),
    (
        "ResourceClaimTemplate",
        ("spec", "spec", *REQUESTS),
        [{"name": "g", "firstAvailable": [{"name": "a", "deviceClassName": "c", "selectors": NOT_CEL}]}],
        "spec.spec.devices.requests[0].firstAvailable[0].selectors[0].cel.expression",
    ),
    (
        "ResourceClaim",
        ("spec", *REQUESTS),
        [{"name": "g", "exactly": {"deviceClassName": "c"}}, {"name": "g", "exactly": {"deviceClassName": "c"}}],
        "spec.devices.requests[1].name",
    ),
    ("ResourceSlice", ("spec", "devices"), [{"name": "a"}, {"name": "b"}, {"name": "a"}], "spec.devices[2].name"),
]


def changed(kind: str, path: Path, value: object) -> dict[str, Any]:
    """The example of the kind with another value at a path."""
    manifest = yaml.safe_load(DESCRIBED[kind].example)
    at: Any = manifest
    for key in path[:-1]:
        at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
    if value is MISSING:
        del at[path[-1]]
    else:
        at[path[-1]] = copy.deepcopy(value)
    return manifest


def taken(manifest: dict[str, Any]) -> Collector:
    collector = Collector(Limits(), strict=True)
    collector.take(manifest)
    return collector


@pytest.mark.parametrize(
    ("kind", "path", "value", "want"), MISTAKES, ids=[f"{case[0]} {case[3]} {at}" for at, case in enumerate(MISTAKES)]
)
def test_a_mistake_is_told_with_its_path_and_the_object_is_not_taken(
    kind: str, path: Path, value: object, want: str
) -> None:
    collector = taken(changed(kind, path, value))
    assert want in [problem.path for problem in collector.problems]
    assert collector.objects == []


def test_scheduling_takes_it_all_the_same_and_says_that_it_is_not_used() -> None:
    collector = Collector(Limits())
    collector.take(changed("Deployment", ("spec", "replicas"), -1))
    assert (collector.problems, len(collector.objects)) == ([], 1)
    assert [(one.kind, one.path) for one in collector.unused] == [("Deployment", "")]
    collector.take(yaml.safe_load(DESCRIBED["Job"].example))
    assert [one.kind for one in collector.unused] == ["Deployment"]


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet"])
def test_owners_of_pods_that_are_given_need_no_template(kind: str) -> None:
    collector = taken(changed(kind, ("spec", "template"), MISSING))
    assert (collector.problems, len(collector.objects)) == ([], 1)


def test_another_groups_kind_of_the_same_name_has_its_own_rules() -> None:
    volcano = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}}
    collector = taken({**volcano, "spec": {"tasks": []}})
    assert (collector.problems, len(collector.objects)) == ([], 1)
