"""Rows as `kubectl get` prints them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kube_apiserver import built_in
from kube_apiserver.reads import other_cells
from kube_apiserver.reads.cells import duration, selector, since
from kube_apiserver.reads.tables import table
from kube_apiserver.resources import table as resources

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
HOUR, DAY = 3600, 86400
Object = dict[str, Any]


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (-5, "<invalid>"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (150, "2m30s"),
        (599, "9m59s"),
        (600, "10m"),
        (179 * 60, "179m"),
        (3 * HOUR, "3h"),
        (3 * HOUR + 60, "3h1m"),
        (47 * HOUR, "47h"),
        (48 * HOUR, "2d"),
        (2 * DAY + HOUR, "2d1h"),
        (8 * DAY, "8d"),
        (729 * DAY, "729d"),
        (730 * DAY, "2y"),
        (731 * DAY, "2y1d"),
        (9 * 365 * DAY, "9y"),
    ],
)
def test_durations_as_upstream_rounds_them(seconds: int, want: str) -> None:
    assert duration(seconds) == want
    if seconds >= 0:
        assert since((NOW - timedelta(seconds=seconds)).isoformat(), NOW) == want


def row(group: str, name: str, value: Object) -> list[Any]:
    resource = resources()[group, "v1", name]
    made = table(resource, [value], {"resourceVersion": "7"}, NOW, "None")
    assert made["metadata"] == {"resourceVersion": "7"}
    (only,) = made["rows"]
    assert len(only["cells"]) == len(resource.columns)
    return list(only["cells"])


def pod(status: Object, **fields: Any) -> Object:
    spec = {"containers": [{"name": "a"}, {"name": "b"}], **fields.pop("spec", {})}
    return {
        "metadata": {"name": "web", "creationTimestamp": "2026-11-22T11:59:00Z", **fields},
        "spec": spec,
        "status": status,
    }


def state(ready: bool = False, **state: Any) -> Object:
    return {"ready": ready, "state": state, "restartCount": 0}


GATED = [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]
ENDED = {"restartCount": 2, "ready": True, "state": {"running": {}}}
ENDED["lastState"] = {"terminated": {"finishedAt": "2026-11-22T11:58:00Z"}}
PODS = [
    # name, pod, ready, status, restarts
    ("pending", pod({"phase": "Pending"}), "0/2", "Pending", "0"),
    ("gated", pod({"phase": "Pending", "conditions": GATED}), "0/2", "SchedulingGated", "0"),
    ("runs", pod({"phase": "Running", "containerStatuses": [state(True, running={})] * 2}), "2/2", "Running", "0"),
    (
        "crashes",
        pod({"phase": "Running", "containerStatuses": [state(waiting={"reason": "CrashLoopBackOff"})]}),
        "0/2",
        "CrashLoopBackOff",
        "0",
    ),
    (
        "over",
        pod({"phase": "Succeeded", "containerStatuses": [state(terminated={"reason": "Completed"})]}),
        "0/2",
        "Completed",
        "0",
    ),
    (
        "failed",
        pod({"phase": "Failed", "containerStatuses": [state(terminated={"exitCode": 3})]}),
        "0/2",
        "ExitCode:3",
        "0",
    ),
    ("evicted", pod({"phase": "Failed", "reason": "Evicted"}), "0/2", "Evicted", "0"),
    ("going", pod({"phase": "Running"}, deletionTimestamp="2026-11-22T12:00:00Z"), "0/2", "Terminating", "0"),
    ("again", pod({"phase": "Running", "containerStatuses": [ENDED]}), "1/2", "Running", "2 (2m ago)"),
    (
        "starts",
        pod(
            {"phase": "Pending", "initContainerStatuses": [state(running={})]}, spec={"initContainers": [{"name": "i"}]}
        ),
        "0/2",
        "Init:0/1",
        "0",
    ),
    (
        "cannot start",
        pod(
            {"phase": "Pending", "initContainerStatuses": [state(terminated={"exitCode": 1})]},
            spec={"initContainers": [{"name": "i"}]},
        ),
        "0/2",
        "Init:ExitCode:1",
        "0",
    ),
]


@pytest.mark.parametrize(("name", "value", "ready", "status", "restarts"), PODS, ids=[each[0] for each in PODS])
def test_pods(name: str, value: Object, ready: str, status: str, restarts: str) -> None:
    assert row("", "pods", value)[:5] == ["web", ready, status, restarts, "60s"]


def test_a_pods_place_and_its_gates() -> None:
    gates = {"readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}], "nodeName": "n1"}
    status = {"conditions": [{"type": "a", "status": "True"}], "podIP": "10.0.0.1", "nominatedNodeName": "n2"}
    assert row("", "pods", pod(status, spec=gates))[5:] == ["10.0.0.1", "n1", "n2", "1/2"]


def test_nodes() -> None:
    value = {
        "metadata": {
            "name": "n1",
            "labels": {"node-role.kubernetes.io/control-plane": ""},
            "creationTimestamp": "2026-11-20T12:00:00Z",
        },
        "spec": {"unschedulable": True},
        "status": {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "10.1.0.1"}],
            "nodeInfo": {"kubeletVersion": "v1.36.2", "kernelVersion": "6.8", "architecture": "amd64"},
        },
    }
    want = [
        "n1",
        "Ready,SchedulingDisabled",
        "control-plane",
        "2d",
        "v1.36.2",
        "10.1.0.1",
        "<none>",
        "<unknown>",
        "6.8 (amd64)",
        "<unknown>",
    ]
    assert row("", "nodes", value) == want


@pytest.mark.parametrize(
    ("group", "name", "value", "want"),
    [
        ("", "configmaps", {"data": {"a": "1"}, "binaryData": {"b": "2"}}, ["x", 2, "<unknown>"]),
        ("", "secrets", {"type": "Opaque", "data": {"a": "1"}}, ["x", "Opaque", 1, "<unknown>"]),
        (
            "",
            "services",
            {"spec": {"ports": [{"port": 80, "nodePort": 30001}], "selector": {"a": "b"}}},
            ["x", "ClusterIP", "<none>", "<none>", "80:30001/TCP", "<unknown>", "a=b"],
        ),
        ("scheduling.k8s.io", "priorityclasses", {"value": 5}, ["x", 5, False, "<unknown>", "PreemptLowerPriority"]),
        ("policy", "poddisruptionbudgets", {"spec": {"minAvailable": "50%"}}, ["x", "50%", "N/A", 0, "<unknown>"]),
        (
            "storage.k8s.io",
            "storageclasses",
            {"provisioner": "p"},
            ["x", "p", "Delete", "Immediate", False, "<unknown>"],
        ),
        (
            "resource.k8s.io",
            "resourceclaims",
            {"status": {"allocation": {}, "reservedFor": [{}]}},
            ["x", "allocated,reserved", "<unknown>"],
        ),
        (
            "apps",
            "deployments",
            {"spec": {"replicas": 3}, "status": {"readyReplicas": 1}},
            ["x", "1/3", 0, 0, "<unknown>", "", "", "<none>"],
        ),
    ],
)
def test_other_kinds(group: str, name: str, value: Object, want: list[Any]) -> None:
    assert row(group, name, {"metadata": {"name": "x"}, **value}) == want


def test_every_resource_has_a_row_whatever_its_object_lacks() -> None:
    for (group, version, name), resource in resources().items():
        made = table(resource, [{"metadata": {"name": "x"}}], {}, NOW, "Object")
        assert len(made["rows"][0]["cells"]) == len(resource.columns), (group, version, name)
        assert made["rows"][0]["object"] == {"metadata": {"name": "x"}}


@pytest.mark.parametrize(
    ("written", "want"),
    [
        (None, "<none>"),
        ({"b": "2", "a": "1"}, "a=1,b=2"),
        (
            {
                "matchLabels": {"a": "1"},
                "matchExpressions": [
                    {"key": "b", "operator": "In", "values": ["x", "y"]},
                    {"key": "c", "operator": "DoesNotExist"},
                ],
            },
            "a=1,b in (x,y),!c",
        ),
        ("x", "<unknown>"),
    ],
)
def test_selectors_as_text(written: Any, want: str) -> None:
    assert selector(written) == want


@pytest.mark.parametrize(
    ("group", "name", "value", "want"),
    [
        ("", "endpoints", {"subsets": []}, ["<none>"]),
        (
            "",
            "endpoints",
            {"subsets": [{"addresses": [{"ip": f"10.0.0.{n}"} for n in range(4)], "ports": [{"port": 80}]}]},
            ["10.0.0.0:80,10.0.0.1:80,10.0.0.2:80 + 1 more..."],
        ),
        ("", "endpoints", {"subsets": [{"addresses": [{"ip": "10.0.0.1"}]}]}, ["10.0.0.1"]),
        (
            "discovery.k8s.io",
            "endpointslices",
            {
                "addressType": "IPv4",
                "ports": [{"port": 80}, {"name": "web"}],
                "endpoints": [{"addresses": ["10.0.0.1"]}],
            },
            ["IPv4", "80,web", "10.0.0.1"],
        ),
        ("discovery.k8s.io", "endpointslices", {"addressType": "IPv4"}, ["IPv4", "<unset>", "<unset>"]),
        (
            "networking.k8s.io",
            "ingresses",
            {
                "spec": {"rules": [{"host": "a"}, {}, {"host": "b"}, {"host": "c"}], "tls": [{}]},
                "status": {"loadBalancer": {"ingress": [{"hostname": "lb"}, {"ip": "10.0.0.1"}]}},
            },
            ["<none>", "a,b + 1 more...", "10.0.0.1,lb", "80, 443"],
        ),
        ("networking.k8s.io", "ingresses", {"spec": {"ingressClassName": "n"}}, ["n", "*", "", "80"]),
        (
            "networking.k8s.io",
            "ingressclasses",
            {"spec": {"controller": "c", "parameters": {"apiGroup": "g", "kind": "K", "name": "p"}}},
            ["c", "K.g/p"],
        ),
        ("networking.k8s.io", "networkpolicies", {"spec": {"podSelector": {"matchLabels": {"a": "b"}}}}, ["a=b"]),
        (
            "networking.k8s.io",
            "ipaddresses",
            {"spec": {"parentRef": {"resource": "services", "namespace": "shop", "name": "web"}}},
            ["services/shop/web"],
        ),
        ("networking.k8s.io", "servicecidrs", {"spec": {"cidrs": ["10.96.0.0/16"]}}, ["10.96.0.0/16"]),
        (
            "rbac.authorization.k8s.io",
            "rolebindings",
            {
                "roleRef": {"kind": "Role", "name": "r"},
                "subjects": [
                    {"kind": "User", "name": "jane"},
                    {"kind": "ServiceAccount", "name": "sa", "namespace": "shop"},
                    {"kind": "User", "name": "joe"},
                ],
            },
            ["Role/r", "jane, joe", "", "shop/sa"],
        ),
        (
            "apps",
            "controllerrevisions",
            {
                "metadata": {
                    "ownerReferences": [
                        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "db", "controller": True}
                    ]
                },
                "revision": 2,
            },
            ["daemonset.apps/db", 2],
        ),
        ("apps", "controllerrevisions", {"revision": 1}, ["<none>", 1]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_rows_of_networks_bindings_and_revisions(group: str, name: str, value: Object, want: list[Any]) -> None:
    made = {**value, "metadata": {"name": "own", "creationTimestamp": NOW.isoformat(), **value.get("metadata", {})}}
    cells = row(group, name, made)
    assert cells[0] == "own"
    assert [each for each in cells[1:] if each != "0s"] == want


POLICIES: list[tuple[str, str, Object, list[Any]]] = [
    ("flowcontrol.apiserver.k8s.io", "flowschemas", {"spec": {
        "matchingPrecedence": 900, "priorityLevelConfiguration": {"name": "low"},
        "distinguisherMethod": {"type": "ByUser"},
    }, "status": {"conditions": [{"type": "Dangling", "status": "False"}]}},
     ["low", 900, "ByUser", "<unknown>", "False"]),
    ("flowcontrol.apiserver.k8s.io", "flowschemas", {"spec": {}}, ["", 0, "<none>", "<unknown>", "?"]),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", {"spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 30,
        "limitResponse": {"queuing": {"queues": 64, "handSize": 8, "queueLengthLimit": 50}},
    }}}, ["Limited", 30, 64, 8, 50, "<unknown>"]),
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", {"spec": {"type": "Exempt"}},
     ["Exempt", "<none>", "<none>", "<none>", "<none>", "<unknown>"]),
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations", {"webhooks": [{}, {}]}, [2, "<unknown>"]),
    ("admissionregistration.k8s.io", "validatingadmissionpolicies",
     {"spec": {"validations": [{}], "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}},
     [1, "v1/ConfigMap", "<unknown>"]),
    ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings",
     {"spec": {"policyName": "p", "paramRef": {"name": "x"}}}, ["p", "*/x", "<unknown>"]),
    ("", "podtemplates", {"template": {
        "metadata": {"labels": {"b": "2", "a": "1"}}, "spec": {"containers": [{"name": "c", "image": "i"}]},
    }}, ["c", "i", "a=1,b=2"]),
]  # fmt: skip


@pytest.mark.parametrize(("group", "name", "given", "want"), POLICIES)
def test_policies_and_templates(group: str, name: str, given: Object, want: list[Any]) -> None:
    assert row(group, name, {"metadata": {"name": "x"}, **given}) == ["x", *want]


# Measured from kube-apiserver v1.36.2.
@pytest.mark.parametrize(
    ("name", "value", "want"),
    [
        ("its own", built_in.objects_of("APIService")["v1.apps"], ("Local", "True")),
        (
            "of a service that is gone",
            {
                "spec": {"service": {"namespace": "kube-system", "name": "metrics"}},
                "status": {"conditions": [{"type": "Available", "status": "False", "reason": "ServiceNotFound"}]},
            },
            ("kube-system/metrics", "False (ServiceNotFound)"),
        ),
    ],
)
def test_what_serves_a_group(name: str, value: Mapping[str, Any], want: tuple[str, str]) -> None:
    found = other_cells.api_service(value, datetime.now(UTC))
    assert (found["Service"], found["Available"]) == want, name


_CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 60}}}
_RATE = {"type": "Pods", "pods": {"target": {"averageValue": "1k"}}}
_QUEUE = {"type": "External", "external": {"target": {"averageValue": "30"}}}
_HITS = {"type": "Object", "object": {"target": {"value": "10k"}}}


@pytest.mark.parametrize(
    ("name", "metrics", "current", "want"),
    [
        ("none", [], [], "<none>"),
        ("nothing known", [_CPU, _RATE], [], "cpu: <unknown>/60%, <unknown>/1k"),
        (
            "two of three",
            [_CPU, _RATE, _HITS],
            [{"resource": {"current": {"averageUtilization": 81}}}],
            "cpu: 81%/60%, <unknown>/1k + 1 more...",
        ),
        (
            "by place",
            [_QUEUE, _HITS],
            [{"external": {"current": {"averageValue": "7"}}}, {"object": {"current": {"value": "3"}}}],
            "7/30 (avg), 3/10k",
        ),
        ("of no known type", [{"type": "Odd"}], [], "<unknown type>"),
    ],
)
def test_targets_of_an_autoscaler(name: str, metrics: list[Object], current: list[Object], want: str) -> None:
    value = {"metadata": {"name": "web"}, "spec": {"metrics": metrics}, "status": {"currentMetrics": current}}
    rows = table(resources()["autoscaling", "v2", "horizontalpodautoscalers"], [value], {}, NOW, "None")["rows"]
    assert rows[0]["cells"][2] == want, name
