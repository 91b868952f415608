"""What of a pod is read that nobody wrote, and whom one may ask. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver import pod_fields
from kube_apiserver.errors import ApiError
from kube_apiserver.reads import containers

ASKS = {"requests": {"cpu": "1"}}
ADDED = {"enableServiceLinks": True, "preemptionPolicy": "PreemptLowerPriority", "priority": 0}
SPECS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, ADDED),
    ({"enableServiceLinks": False, "priority": 7}, {**ADDED, "enableServiceLinks": False, "priority": 7}),
    (
        {"priorityClassName": "high", "preemptionPolicy": "Never"},
        {"priorityClassName": "high", "preemptionPolicy": "Never", "enableServiceLinks": True},
    ),
]


@pytest.mark.parametrize(("given", "want"), SPECS)
def test_a_spec_is_read_with_what_admission_would_have_added(given: dict[str, Any], want: dict[str, Any]) -> None:
    found = pod_fields.pod_spec({"spec": given})
    assert found == want
    assert list(found)[: len(given)] == list(given)


def test_a_status_says_how_well_a_pod_is_served() -> None:
    spec = {"containers": [{"name": "a", "resources": ASKS}]}
    assert pod_fields.pod_status({"spec": spec})["qosClass"] == "Burstable"
    assert pod_fields.pod_status({"spec": spec, "status": {"qosClass": "Guaranteed"}})["qosClass"] == "Guaranteed"
    assert pod_fields.pod_status({})["qosClass"] == "BestEffort"


ONE = {"containers": [{"name": "a"}]}
TWO = {"containers": [{"name": "a"}, {"name": "b"}], "initContainers": [{"name": "i"}]}
ASKED = [
    (ONE, "", ""),
    (ONE, "a", ""),
    (TWO, "i", ""),
    (ONE, "nope", "container nope is not valid for pod web"),
    (TWO, "", "a container name must be specified for pod web, choose one of: [i a b]"),
]


@pytest.mark.parametrize(("spec", "asked", "want"), ASKED)
def test_a_container_is_asked(spec: dict[str, Any], asked: str, want: str) -> None:
    told = ""
    try:
        containers.check_container({"metadata": {"name": "web"}, "spec": spec}, asked)
    except ApiError as refused:
        told = str(refused)
    assert told == want


def test_conditions_of_a_kubelet_say_which_generation_it_has_seen() -> None:
    own = [{"type": type_, "status": "True"} for type_ in ("PodReadyToStartContainers", "Ready", "PodScheduled")]
    pod = {"metadata": {"generation": 3}, "status": {"conditions": [*own, {"type": "Custom", "status": "True"}]}}
    found = pod_fields.pod_status(pod)
    assert [one.get("observedGeneration") for one in found["conditions"]] == [3, 3, 3, None]
    assert found["observedGeneration"] == 3
    bound = pod_fields.pod_status({**pod, "status": {"conditions": own[2:]}})
    assert "observedGeneration" not in bound and "observedGeneration" not in bound["conditions"][0]
