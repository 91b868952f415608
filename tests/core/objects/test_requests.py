"""What a pod requests: as nodes count it, as Filter and Score ask for it."""

from typing import Any

import pytest

from kube_objects.parse import parse_pod
from tests.conformance.testing import make_pod

MI, GI = 2**20, 2**30


def container(name: str, **requests: str) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": requests}}


def status(name: str, requests: dict[str, str], allocated: dict[str, str]) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": requests}, "allocatedResources": allocated}


def pod(spec: dict[str, Any], **pod_status: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec, "status": pod_status}


REQUESTS = [
    # name, pod, requests, nonzero requests
    (
        "nothing requested",
        pod({"containers": [container("a")]}),
        {},
        {"cpu": 100, "memory": 200 * MI},
    ),
    (
        "one container",
        pod({"containers": [container("a", cpu="1", memory="1Gi")]}),
        {"cpu": 1000, "memory": GI},
        {"cpu": 1000, "memory": GI},
    ),
    (
        "zero is a request",
        pod({"containers": [container("a", cpu="0", memory="0")]}),
        {"cpu": 0, "memory": 0},
        {"cpu": 0, "memory": 0},
    ),
    (
        "each container that misses one is given the default",
        pod({"containers": [container("a", cpu="1"), container("b", memory="1Gi")]}),
        {"cpu": 1000, "memory": GI},
        {"cpu": 1100, "memory": GI + 200 * MI},
    ),
    (
        "limits stand in for requests",
        pod({"containers": [{"name": "a", "resources": {"limits": {"cpu": "2"}, "requests": {"memory": "1Gi"}}}]}),
        {"cpu": 2000, "memory": GI},
        {"cpu": 2000, "memory": GI},
    ),
    (
        "the largest init container counts if it is larger",
        pod({"containers": [container("a", cpu="1")], "initContainers": [container("b", cpu="3"), container("c")]}),
        {"cpu": 3000},
        {"cpu": 3000, "memory": 200 * MI},
    ),
    (
        "sidecars run beside the containers",
        pod(
            {
                "containers": [container("a", cpu="1")],
                "initContainers": [{**container("b", cpu="500m"), "restartPolicy": "Always"}],
            }
        ),
        {"cpu": 1500},
        {"cpu": 1500, "memory": 400 * MI},
    ),
    (
        "an init container runs beside the sidecars before it, not those after it",
        pod(
            {
                "containers": [container("a", cpu="1")],
                "initContainers": [
                    {**container("b", cpu="500m"), "restartPolicy": "Always"},
                    container("c", cpu="2"),
                    {**container("d", cpu="250m"), "restartPolicy": "Always"},
                ],
            }
        ),
        {"cpu": 2500},
        {"cpu": 2500, "memory": 600 * MI},
    ),
    (
        "overhead comes on top",
        pod({"containers": [container("a", cpu="1")], "overhead": {"cpu": "250m", "memory": "120Mi"}}),
        {"cpu": 1250, "memory": 120 * MI},
        {"cpu": 1250, "memory": 320 * MI},
    ),
    (
        "fractions of bytes are added before they are rounded up",
        pod({"containers": [container("a", memory="500m"), container("b", memory="500m")]}),
        {"memory": 1},
        {"cpu": 200, "memory": 1},
    ),
    (
        "amounts below a thousandth are rounded up at once",
        pod({"containers": [container("a", cpu="0.1m"), container("b", cpu="100u")]}),
        {"cpu": 2},
        {"cpu": 2, "memory": 400 * MI},
    ),
]


@pytest.mark.parametrize(
    ("manifest", "requests", "nonzero"), [case[1:] for case in REQUESTS], ids=[c[0] for c in REQUESTS]
)
def test_requests(manifest: dict[str, Any], requests: dict[str, int], nonzero: dict[str, int]) -> None:
    parsed = parse_pod(manifest)
    assert parsed.requests == requests
    assert parsed.nonzero_requests == nonzero
    assert parsed.filter_requests == requests
    assert parsed.scoring_requests == nonzero


# NodeResourcesFit scores what the containers request and leaves pod-level resources out: upstream's scorer is built
# without the feature gate's value. Source: noderesources/fit.go nodeResourceStrategyTypeMap.
POD_LEVEL = [
    # name, containers, pod-level resources, requests, counted non-zero on a node, asked for when scoring
    (
        "requests replace those of the containers",
        [container("a", cpu="1", memory="1Gi")],
        {"requests": {"cpu": "4"}},
        {"cpu": 4000, "memory": GI},
        {"cpu": 4000, "memory": GI},
        {"cpu": 1000, "memory": GI},
    ),
    (
        "what one container requests is not assumed for the other",
        [container("a", memory="1Gi"), container("b")],
        {"requests": {"cpu": "4"}},
        {"cpu": 4000, "memory": GI},
        {"cpu": 4000, "memory": GI},
        {"cpu": 200, "memory": GI + 200 * MI},
    ),
    (
        "nobody requests memory",
        [container("a"), container("b")],
        {"requests": {"cpu": "4"}},
        {"cpu": 4000},
        {"cpu": 4000, "memory": 400 * MI},
        {"cpu": 200, "memory": 400 * MI},
    ),
    (
        "limits become requests where no container requests anything",
        [container("a")],
        {"limits": {"cpu": "2", "memory": "1Gi"}},
        {"cpu": 2000, "memory": GI},
        {"cpu": 2000, "memory": GI},
        {"cpu": 100, "memory": 200 * MI},
    ),
    (
        "requests become the sum of the containers' where there are some",
        [container("a", cpu="500m"), container("b", cpu="250m")],
        {"limits": {"cpu": "2", "memory": "1Gi"}},
        {"cpu": 750, "memory": GI},
        {"cpu": 750, "memory": GI},
        {"cpu": 750, "memory": 400 * MI},
    ),
]


@pytest.mark.parametrize("case", POD_LEVEL, ids=[case[0] for case in POD_LEVEL])
def test_pod_level_resources(case: Any) -> None:
    _, containers, resources, requests, nonzero, scoring = case
    parsed = parse_pod(pod({"containers": containers, "resources": resources}))
    assert (parsed.requests, parsed.nonzero_requests, parsed.scoring_requests) == (requests, nonzero, scoring)
    assert parsed.filter_requests == requests


INFEASIBLE = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
DEFERRED = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]
RESIZES = [
    # name, requested, status requests, allocated, conditions, counted
    ("growing: the larger one", "2", "1", "1", [], 2000),
    ("shrinking: what runs still counts", "1", "2", "1", [], 2000),
    ("shrinking: what is allocated still counts", "1", "1", "3", [], 3000),
    ("deferred: the wish counts", "4", "1", "1", DEFERRED, 4000),
    ("infeasible: the wish does not count", "4", "1", "2", INFEASIBLE, 2000),
]


@pytest.mark.parametrize("case", RESIZES, ids=[case[0] for case in RESIZES])
def test_a_resize_under_way(case: Any) -> None:
    _, requested, running, allocated, conditions, counted = case
    spec = {"nodeName": "n", "containers": [container("a", cpu=requested)]}
    statuses = [status("a", {"cpu": running}, {"cpu": allocated})]
    parsed = parse_pod(pod(spec, containerStatuses=statuses, conditions=conditions))
    assert parsed.requests["cpu"] == parsed.nonzero_requests["cpu"] == counted
    assert parsed.filter_requests["cpu"] == parsed.scoring_requests["cpu"] == int(requested) * 1000


def test_a_resize_counts_for_sidecars_but_not_for_init_containers() -> None:
    spec = {
        "containers": [container("a", cpu="1")],
        "initContainers": [
            container("once", cpu="100m"),
            {**container("beside", cpu="100m"), "restartPolicy": "Always"},
        ],
    }
    statuses = [status("once", {"cpu": "9"}, {"cpu": "9"}), status("beside", {"cpu": "2"}, {"cpu": "2"})]
    assert parse_pod(pod(spec, initContainerStatuses=statuses)).requests == {"cpu": 3000}


def test_a_status_without_resources_changes_nothing() -> None:
    spec = {"containers": [container("a", cpu="1")]}
    parsed = parse_pod(pod(spec, containerStatuses=[{"name": "a", "allocatedResources": {"cpu": "9"}}]))
    assert parsed.requests == {"cpu": 1000}


def test_huge_amounts_fit_an_int64() -> None:
    parsed = make_pod("p").cpu("10000000000000000").memory("1e30").build()
    assert parsed.requests == {"cpu": -8446744073709551616, "memory": 0}
