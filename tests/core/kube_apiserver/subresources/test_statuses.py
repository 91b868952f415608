"""What the door of a status fills in and refuses. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import MERGE_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, created, pod, resource, told_of_change

LATER = WriteOptions("tests", "2025-06-01T01:00:00Z", subresource="status")
VOLUME: Object = {
    "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "nfs": {"server": "a", "path": "/"}}
}
CLAIM: Object = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
BALANCED: Object = {"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}}
SINCE = "lastPhaseTransitionTime"

# Status that is put, and fields of what comes of it.
FILLED: list[tuple[str, str, Object, Object, Object]] = [
    ("a pod's class", "pods", pod(), {"phase": "Running"}, {"qosClass": "BestEffort", "phase": "Running"}),
    ("a pod's address", "pods", pod(), {"podIP": "10.0.0.1"}, {"podIPs": [{"ip": "10.0.0.1"}]}),
    (
        "a pod's other address",
        "pods",
        pod(),
        {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.2"}]},
        {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]},
    ),
    ("a pod's addresses", "pods", pod(), {"podIPs": [{"ip": "10.0.0.2"}]}, {"podIP": "10.0.0.2"}),
    ("a volume's phase", "persistentvolumes", VOLUME, {"message": "a"}, {"phase": "Pending", SINCE: BY.time}),
    ("a volume's new phase", "persistentvolumes", VOLUME, {"phase": "Available"}, {SINCE: LATER.time}),
    (
        "a volume's own time",
        "persistentvolumes",
        VOLUME,
        {"phase": "Available", SINCE: "2025-01-01T00:00:00Z"},
        {SINCE: "2025-01-01T00:00:00Z"},
    ),
    ("a claim's phase", "persistentvolumeclaims", CLAIM, {"capacity": {"storage": "1Gi"}}, {"phase": "Pending"}),
    ("a namespace's phase", "namespaces", {}, {"conditions": [{"type": "a", "status": "True"}]}, {"phase": "Active"}),
]


@pytest.mark.parametrize(("name", "plural", "given", "status", "want"), FILLED, ids=[each[0] for each in FILLED])
def test_a_status_is_filled_in(name: str, plural: str, given: Object, status: Object, want: Object) -> None:
    live = created(plural, given).value
    assert live is not None
    value = handlers.replace(resource(plural), live, {**live, "status": status}, LATER).value
    found: Any = (value or live)["status"]
    assert {key: found.get(key) for key in want} == want


def _balanced(**fields: Any) -> Object:
    return {"status": {"loadBalancer": {"ingress": [fields]}}}


AT = "status.loadBalancer.ingress[0]"
EXTENDED, CLAIMS = "status.extendedResourceClaimStatus", "status.resourceClaimStatuses"
FEATURE = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)
JOB: Object = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [MAIN]}}}}
REFUSED: list[tuple[str, str, Object, Object, list[str]]] = [
    ("an address", "services", BALANCED, _balanced(ip="192.0.2.1"), []),
    (
        "a mode without an address",
        "services",
        BALANCED,
        _balanced(ipMode="VIP"),
        [f"{AT}.ipMode: Forbidden: may not be specified when `ip` is not set"],
    ),
    (
        "an unknown mode",
        "services",
        BALANCED,
        _balanced(ip="192.0.2.1", ipMode="Odd"),
        [f'{AT}.ipMode: Unsupported value: "Odd": supported values: "Proxy", "VIP"'],
    ),
    (
        "a name that is an address",
        "services",
        BALANCED,
        _balanced(hostname="192.0.2.1"),
        [f'{AT}.hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address'],
    ),
    (
        "what is not balanced",
        "services",
        {"spec": {"ports": [{"port": 80}]}},
        _balanced(ip="192.0.2.1"),
        ["status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
    ),
    (
        "a quota's use",
        "resourcequotas",
        {"spec": {"hard": {"pods": "1"}}},
        {"status": {"used": {"pods": "-1"}}},
        ['status.used[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    ),
    (
        "a quota of nothing",
        "resourcequotas",
        {"spec": {"hard": {"pods": "1"}}},
        {"status": {"hard": {"in": "1"}}},
        [
            'status.hard[in]: Invalid value: "in": must be a standard resource type or fully qualified',
            'status.hard[in]: Invalid value: "in": must be a standard resource for quota',
        ],
    ),
    (
        "a claim that a pod does not have",
        "pods",
        pod(),
        {"status": {"resourceClaimStatuses": [{"name": "a"}, {"name": "a", "resourceClaimName": "b"}]}},
        [
            f'{CLAIMS}[0].name: Invalid value: "a": must match the name of an entry in `spec.resourceClaims`',
            f'{CLAIMS}[1].name: Invalid value: "a": must match the name of an entry in `spec.resourceClaims`',
            f'{CLAIMS}[1].name: Duplicate value: "a"',
        ],
    ),
    (
        "an extended resource's claim without requests",
        "pods",
        pod(),
        {"status": {"extendedResourceClaimStatus": {"resourceClaimName": "x", "requestMappings": []}}},
        [f"{EXTENDED}.requestMappings: Required value: at least one request mapping is required"],
    ),
    (
        "features of a node",
        "nodes",
        {},
        {"status": {"declaredFeatures": ["b", "c", "c"]}},
        [
            f'status.declaredFeatures[0]: Invalid value: "b": invalid feature name "b": {FEATURE}',
            f'status.declaredFeatures[1]: Invalid value: "c": invalid feature name "c": {FEATURE}',
            'status.declaredFeatures[2]: Duplicate value: "c"',
            f'status.declaredFeatures[2]: Invalid value: "c": invalid feature name "c": {FEATURE}',
        ],
    ),
    (
        "what a node can give, from what it has",
        "nodes",
        {},
        {"status": {"capacity": {"pods": "1500m"}}},
        [f'status.{part}.pods: Invalid value: "1500m": must be an integer' for part in ("capacity", "allocatable")],
    ),
    (
        "a job with less than no pods",
        "jobs",
        JOB,
        {"status": {"active": -1}},
        ["status.active: Invalid value: -1: must be greater than or equal to 0"],
    ),
]


@pytest.mark.parametrize(("name", "plural", "given", "patch", "want"), REFUSED, ids=[each[0] for each in REFUSED])
def test_a_status_is_refused(name: str, plural: str, given: Object, patch: Object, want: list[str]) -> None:
    assert told_of_change(plural, given, patch, door="status") == want


def test_who_makes_a_daemon_set_manages_how_often_its_template_changed() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [MAIN]}}
    live = created("daemonsets", {"spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}).value
    assert live is not None
    name = "deprecated.daemonset.template.generation"
    assert live["metadata"]["annotations"] == {name: "1"}
    fields = live["metadata"]["managedFields"][0]["fieldsV1"]["f:metadata"]
    assert fields == {"f:annotations": {".": {}, f"f:{name}": {}}}
    patch = {"spec": {"minReadySeconds": 3}}
    value = handlers.patch(resource("daemonsets"), live, MERGE_PATCH, patch, BY).value
    assert value is not None
    assert value["metadata"]["annotations"] == {name: "1"}


@pytest.mark.parametrize("door", ["resize", "ephemeralcontainers"])
def test_the_doors_to_a_part_of_a_pod_leave_its_metadata(door: str) -> None:
    live = created("pods", {**pod(), "metadata": {"labels": {"a": "b"}}}).value
    assert live is not None
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1"}
    patch = {"metadata": {"labels": {"k": "v"}, "ownerReferences": [owner]}}
    options = WriteOptions("tests", BY.time, subresource=door)
    value = handlers.patch(resource("pods"), live, MERGE_PATCH, patch, options).value or live
    assert value["metadata"]["labels"] == {"a": "b"} and "ownerReferences" not in value["metadata"]


def test_devices_that_are_given_back_have_no_status() -> None:
    device = {"driver": "d.example.com", "pool": "p", "device": "one"}
    spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}
    live = created("resourceclaims", {"spec": spec}).value
    assert live is not None
    results = {"devices": {"results": [{"request": "r", **device}]}}
    held = handlers.replace(
        resource("resourceclaims"), live, {**live, "status": {"allocation": results, "devices": [device]}}, LATER
    ).value
    assert held is not None and [each["device"] for each in held["status"]["devices"]] == ["one"]
    patch = {"status": {"allocation": None}}
    value = handlers.patch(resource("resourceclaims"), held, MERGE_PATCH, patch, LATER).value
    assert value is not None and not (value.get("status") or {}).get("devices")
