"""What of a pod may change, and what fits through its doors. Facts of pkg/apis/core/validation of v1.36."""

import pytest

from kube_apiserver.writes import handlers
from kube_apiserver.writes.patches import MERGE_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, created, pod, resource, told_of_change

C0 = "spec.containers[0]"
GATED = {
    "schedulingGates": [{"name": "a.b/c"}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
            }
        }
    },
}


def narrowed(*terms: Object) -> Object:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"spec": {"affinity": {"nodeAffinity": required}}}


TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
CHANGES: list[tuple[str, Object, Object, list[str]]] = [
    (
        "a term of a gated pod",
        pod(**GATED),
        narrowed({"matchExpressions": [{"key": "b", "operator": "Exists"}]}),
        [
            f'{TERMS}[0]: Invalid value: {{"MatchExpressions":[{{"Key":"b","Operator":"Exists","Values":null}}],'
            '"MatchFields":null}: only additions are allowed (no mutations or deletions)'
        ],
    ),
    (
        "an image that is padded",
        pod(),
        {"spec": {"containers": [{**MAIN, "image": " nginx", "imagePullPolicy": "Always"}]}},
        [f'{C0}.image: Invalid value: " nginx": must not have leading or trailing whitespace'],
    ),
    ("an image", pod(), {"spec": {"containers": [{**MAIN, "image": "nginx:2", "imagePullPolicy": "Always"}]}}, []),
    (
        "no image",
        pod(),
        {"spec": {"containers": [{"name": "main", "image": "", "imagePullPolicy": "Always"}]}},
        [f"{C0}.image: Required value"],
    ),
]


@pytest.mark.parametrize(
    ("name", "given", "patch", "want"), CHANGES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_change_of_a_pod_is_refused(name: str, given: Object, patch: Object, want: list[str]) -> None:
    assert [each.split("\n")[0] for each in told_of_change("pods", given, patch)] == want


RUNNING = {
    "phase": "Running",
    "qosClass": "BestEffort",
    "containerStatuses": [{"name": "main", "state": {"terminated": {}}}],
}
DOORS: list[tuple[str, str, Object, Object, list[str]]] = [
    (
        "status",
        "quality",
        pod(restartPolicy="Never"),
        {"status": {"qosClass": "Guaranteed"}},
        ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ),
    (
        "status",
        "what has ended",
        pod(restartPolicy="Never"),
        {"status": {"containerStatuses": [{"name": "main", "state": {"running": {}}}]}},
        ["status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"],
    ),
    (
        "status",
        "what starts again",
        pod(),
        {"status": {"containerStatuses": [{"name": "main", "state": {"running": {}}}]}},
        [],
    ),
    (
        "resize",
        "another quality",
        pod(),
        {"spec": {"containers": [{**MAIN, "resources": {"requests": {"cpu": "1"}}}]}},
        ['spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'],
    ),
    (
        "resize",
        "a container less",
        pod(containers=[MAIN, {**MAIN, "name": "side"}]),
        {"spec": {"containers": [MAIN]}},
        ["spec.containers: Forbidden: containers may not be added or removed on resize"],
    ),
    (
        "ephemeralcontainers",
        "a name twice",
        pod(),
        {"spec": {"ephemeralContainers": [{"name": "main", "image": "a"}]}},
        ['spec.ephemeralContainers[0].name: Duplicate value: "main"'],
    ),
]


@pytest.mark.parametrize(
    ("door", "name", "given", "patch", "want"), DOORS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_does_not_fit_through_a_door(door: str, name: str, given: Object, patch: Object, want: list[str]) -> None:
    assert told_of_change("pods", given, patch, RUNNING, door) == want


@pytest.mark.parametrize("cpu", [1, 1.0, "1000m", "1"])
def test_an_imported_pod_accepts_an_update_whatever_the_form_of_its_quantities(cpu: object) -> None:
    live = {
        **(created("pods", pod()).value or {}),
        **pod(containers=[{**MAIN, "resources": {"requests": {"cpu": cpu}}}]),
    }
    labels = {"metadata": {"labels": {"a": "b"}}}
    written = handlers.patch(resource("pods"), live, MERGE_PATCH, labels, BY)
    assert written.value is not None and written.value["metadata"]["labels"] == {"a": "b"}
