"""Pods that controllers make are held to the level of their namespace. Source: pod-security-admission/admission."""

from collections.abc import Mapping
from typing import Any

import pytest

from kube_apiserver.admission.pod_security import checks
from kube_objects.manifests import condition, conditions
from tests.core.controllers.recordings.sequence_replay import Played

LEVEL = "pod-security.kubernetes.io/enforce"
STRICT: Mapping[str, Any] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "strict"}}
PLAIN: Mapping[str, Any] = {"containers": [{"name": "main", "image": "a:1"}]}
OF_NODE: Mapping[str, Any] = {**PLAIN, "hostNetwork": True}
WHY = 'violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)'
LABELS = {"app": "web"}
GROUPS = {"ReplicationController": "v1", "Job": "batch/v1"}


def workload(kind: str, pod: Mapping[str, Any]) -> Mapping[str, Any]:
    asked: dict[str, Any] = {"template": {"metadata": {"labels": LABELS}, "spec": pod}}
    if kind != "Job":
        asked["selector"] = LABELS if kind == "ReplicationController" else {"matchLabels": LABELS}
    if kind == "StatefulSet":
        asked["serviceName"] = "web"
    metadata = {"name": "web", "namespace": "strict"}
    return {"apiVersion": GROUPS.get(kind, "apps/v1"), "kind": kind, "metadata": metadata, "spec": asked}


def played(kind: str, pod: Mapping[str, Any], *more: Any) -> Played:
    labelled = {**STRICT, "metadata": {"name": "strict", "labels": {LEVEL: "baseline"}}}
    given = {**pod, "restartPolicy": "Never"} if kind == "Job" else pod
    return Played(["kubectl create -f w.yaml", *more], workload(kind, given), labelled)


KINDS = ("ReplicaSet", "ReplicationController", "DaemonSet", "StatefulSet", "Job", "Deployment")


@pytest.mark.parametrize("kind", KINDS)
def test_one_that_violates_it_is_not_made_and_an_event_says_why(kind: str) -> None:
    found = played(kind, OF_NODE)
    assert found.names("Pod") == []
    told = found.events("FailedCreate")
    assert told and all(one.endswith(f"is forbidden: {WHY}") for one in told)


@pytest.mark.parametrize("kind", KINDS)
def test_others_are_made(kind: str) -> None:
    found = played(kind, PLAIN)
    assert found.names("Pod") != [] and found.events("FailedCreate") == []


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController", "Deployment"])
def test_its_controller_says_so_until_it_is_let_in(kind: str) -> None:
    steps = (f"kubectl label ns strict {LEVEL}-", 20.0)
    for more, is_there in (((), True), (steps, False)):
        found = played(kind, OF_NODE, *more)
        (of,) = found.player.life.manager.objects.of_kind(kind)
        failure = condition(conditions(of), "ReplicaFailure")
        assert (failure is not None) == is_there
        if failure is not None:
            assert failure["reason"] == "FailedCreate" and str(failure["message"]).endswith(WHY)
        assert (found.names("Pod") == []) == is_there


FORMS: list[tuple[str, Any, str]] = [
    ("nothing at all", None, ""),
    ("what is no list", {"containers": {"privileged": True}}, ""),
    ("what is no object", {"containers": ["privileged"], "securityContext": "privileged"}, ""),
    (
        "of another type",
        {"containers": [{"securityContext": {"privileged": "yes", "capabilities": {"add": "ALL"}}}]},
        "",
    ),
    (
        "beside what can be read",
        {"containers": 3, "hostPID": True, "volumes": [None]},
        "host namespaces (hostPID=true)",
    ),
    ("a volume of the node", {"volumes": [{"name": 3, "hostPath": []}]}, 'hostPath volumes (volume "3")'),
]


@pytest.mark.parametrize(("what", "spec", "want"), FORMS)
def test_a_template_that_nobody_has_looked_at_is_read_as_far_as_it_can_be(what: str, spec: Any, want: str) -> None:
    found = checks.of_controller({LEVEL: "baseline"}, {"metadata": {"annotations": {"a": 1}}, "spec": spec})
    assert found == (f'violates PodSecurity "baseline:latest": {want}' if want else "")
