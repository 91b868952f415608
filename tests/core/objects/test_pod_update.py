"""What an API server refuses of a change to a pod, in upstream's words. Source: ValidatePodUpdate."""

from typing import Any

import pytest

from kube_objects import pod_update
from kube_objects.pod_update import refusals

GOLD = {"key": "dedicated", "value": "gold", "effect": "NoSchedule"}
TYPO = {**GOLD, "key": "dedicatd"}
TERM = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
DISK = {"key": "disk", "operator": "Exists"}
NARROWER = {"matchExpressions": [*TERM["matchExpressions"], DISK]}


def pod(**spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "app:1", "resources": {"requests": {"cpu": "500m"}}}
    return {"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container], **spec}}


def asks(cpu: str, image: str = "app:1") -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": image, "resources": {"requests": {"cpu": cpu}}}]}


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERMS_PATH = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"


def terms(*found: Any) -> dict[str, Any]:
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(found)}}}}


GATED = {"schedulingGates": [{"name": "wait"}]}
ALLOWED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # name                                  before                           after
    ("nothing", {}, {}),
    ("another image", {}, asks("500m", "app:2")),
    ("the same amount in other words", {}, asks("0.5")),
    ("a default said aloud", {}, {"schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30}),
    ("another toleration", {"tolerations": [TYPO]}, {"tolerations": [TYPO, GOLD]}),
    ("patience", {"tolerations": [GOLD]}, {"tolerations": [{**GOLD, "tolerationSeconds": 5}]}),
    ("a first deadline", {}, {"activeDeadlineSeconds": 60}),
    ("a deadline brought forward", {"activeDeadlineSeconds": 60}, {"activeDeadlineSeconds": 30}),
    ("a negative grace", {"terminationGracePeriodSeconds": -1}, {"terminationGracePeriodSeconds": 1}),
    ("a gate less", {"schedulingGates": [{"name": "wait"}, {"name": "go"}]}, GATED),
    ("the last gate", GATED, {}),
    (
        "a narrower selector of a gated pod",
        GATED | {"nodeSelector": {"a": "1"}},
        GATED | {"nodeSelector": {"a": "1", "b": "2"}},
    ),
    ("a first term of a gated pod", GATED, GATED | terms(TERM)),
    ("a narrower term of a gated pod", GATED | terms(TERM), GATED | terms(NARROWER)),
]
NOT_UPDATABLE, NO_CONTAINERS, TOLERATIONS = (
    f"Forbidden: {detail}" for detail in (pod_update.NOT_UPDATABLE, pod_update.NO_CONTAINERS, pod_update.TOLERATIONS)
)
REFUSED: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [
    # name                                  before, after                                    path, rule
    (
        "a toleration corrected",
        {"tolerations": [TYPO]},
        {"tolerations": [GOLD]},
        "spec.tolerations",
        TOLERATIONS,
    ),
    ("a toleration removed", {"tolerations": [TYPO]}, {}, "spec.tolerations", TOLERATIONS),
    ("less cpu", {}, asks("100m"), "spec", NOT_UPDATABLE),
    ("a selector", {}, {"nodeSelector": {"a": "1"}}, "spec", NOT_UPDATABLE),
    ("a priority", {"priority": 0}, {"priority": 5}, "spec", NOT_UPDATABLE),
    ("another scheduler", {}, {"schedulerName": "other"}, "spec", NOT_UPDATABLE),
    ("affinity", {}, terms(TERM), "spec", NOT_UPDATABLE),
    ("a container more", {}, {"containers": asks("1")["containers"] * 2}, "spec.containers", NO_CONTAINERS),
    (
        "a new gate",
        {},
        GATED,
        "spec.schedulingGates[0].name",
        "Forbidden: only deletion is allowed, but found new scheduling gate 'wait'",
    ),
    (
        "a deadline put off",
        {"activeDeadlineSeconds": 60},
        {"activeDeadlineSeconds": 90},
        "spec.activeDeadlineSeconds",
        pod_update.DEADLINE,
    ),
    ("no deadline any more", {"activeDeadlineSeconds": 60}, {}, "spec.activeDeadlineSeconds", pod_update.NO_DEADLINE),
    (
        "another grace",
        {"terminationGracePeriodSeconds": 5},
        {"terminationGracePeriodSeconds": 1},
        "spec",
        NOT_UPDATABLE,
    ),
    (
        "a wider selector of a gated pod",
        GATED | {"nodeSelector": {"a": "1"}},
        GATED,
        "spec.nodeSelector",
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    ),
    ("a term more of a gated pod", GATED | terms(TERM), GATED | terms(TERM, TERM), TERMS_PATH, pod_update.TERMS),
    ("a wider term of a gated pod", GATED | terms(NARROWER), GATED | terms(TERM), f"{TERMS_PATH}[0]", pod_update.TERM),
]


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in ALLOWED], ids=[case[0] for case in ALLOWED])
def test_what_may_be_changed(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert refusals(pod(**before), pod(**after)) == []


@pytest.mark.parametrize(
    ("before", "after", "path", "rule"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_is_refused(before: dict[str, Any], after: dict[str, Any], path: str, rule: str) -> None:
    (refusal,) = refusals(pod(**before), pod(**after))
    assert (refusal.problem.path, refusal.problem.rule) == (path, rule)
    assert refusal.problem.hint


def test_the_fields_behind_a_refusal_are_named() -> None:
    (refusal,) = refusals(pod(), pod(nodeSelector={"a": "1"}, schedulerName="other"))
    assert refusal.fields == ("spec.nodeSelector", "spec.schedulerName")
    assert "spec.nodeSelector, spec.schedulerName" in refusal.problem.hint


def test_the_text_is_upstreams() -> None:
    assert pod_update.NOT_UPDATABLE == (
        "pod updates may not change fields other than `spec.containers[*].image`,"
        "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
        "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
    )


def test_what_may_be_updated_as_paths() -> None:
    paths = pod_update.UPDATABLE_PATHS
    assert len(paths) == len(set(paths)) == len(pod_update.UPDATABLE) + 3
    for path in paths:
        assert any(f"`{path}`" in text for text in pod_update.UPDATABLE) or path in (
            "metadata.annotations",
            "metadata.labels",
            "spec.schedulingGates",
        )
