"""What a Service keeps, gets and loses. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.admission.attributes import EMPTY_CLUSTER
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import MERGE_PATCH

SERVICES = table()["", "v1", "services"]
BY = WriteOptions("kubectl", "2026-11-22T12:00:00Z")
Object = dict[str, Any]


def made(**spec: Any) -> Object:
    sent = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}
    value = handlers.create(SERVICES, "shop", sent, BY, EMPTY_CLUSTER).value
    assert value is not None
    return value


def patched(live: Object, patch: Object, door: str = "") -> Object:
    asked = WriteOptions("kubectl", BY.time, subresource=door)
    value = handlers.patch(SERVICES, live, MERGE_PATCH, patch, asked, EMPTY_CLUSTER).value
    assert value is not None
    return value


HTTP, DNS = {"name": "http", "port": 80}, {"name": "dns", "port": 53, "protocol": "UDP"}


@pytest.mark.parametrize(
    ("name", "spec", "patch", "gone"),
    [
        (
            "ports and policy of a node port",
            {"type": "NodePort", "externalTrafficPolicy": "Local"},
            {"type": "ClusterIP"},
            ("externalTrafficPolicy",),
        ),
        (
            "what a load balancer has",
            {"type": "LoadBalancer", "loadBalancerClass": "a.example.com/b", "allocateLoadBalancerNodePorts": True},
            {"type": "ClusterIP"},
            ("externalTrafficPolicy", "loadBalancerClass", "allocateLoadBalancerNodePorts"),
        ),
    ],
)
def test_what_only_the_type_before_has_goes(name: str, spec: Object, patch: Object, gone: tuple[str, ...]) -> None:
    live = made(ports=[HTTP, DNS], **spec)
    assert all(each in live["spec"] for each in gone), name
    assert all(each["nodePort"] for each in live["spec"]["ports"])
    value = patched(live, {"spec": patch})["spec"]
    assert not any(each in value for each in gone), name
    assert not any("nodePort" in each for each in value["ports"]), name


def test_numbers_of_ports() -> None:
    both = made(type="NodePort", ports=[{**DNS, "name": "a", "protocol": "TCP"}, DNS, HTTP])
    first, second, third = (each["nodePort"] for each in both["spec"]["ports"])
    assert first == second != third
    # A port is known by its name; another gets a number of its own.
    live = made(type="NodePort", ports=[HTTP])
    number = live["spec"]["ports"][0]["nodePort"]
    ports = patched(live, {"spec": {"ports": [{**HTTP, "port": 81}, DNS]}})["spec"]["ports"]
    assert ports[0]["nodePort"] == number != ports[1]["nodePort"]


def test_an_address_of_a_load_balancer_is_virtual() -> None:
    live = made(type="LoadBalancer", ports=[HTTP])
    at = [{"ip": "192.0.2.9"}, {"hostname": "lb.example.com"}]
    found = patched(live, {"status": {"loadBalancer": {"ingress": at}}}, "status")["status"]["loadBalancer"]["ingress"]
    assert found == [{"ip": "192.0.2.9", "ipMode": "VIP"}, {"hostname": "lb.example.com"}]


_TAKEN = "provided port is already allocated"


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        (
            "families before all else",
            {"type": "NodePort", "ipFamilyPolicy": "Odd", "ports": [{"port": 0}]},
            'spec.ipFamilyPolicy: Unsupported value: "Odd": supported values: '
            '"PreferDualStack", "RequireDualStack", "SingleStack"',
        ),
        (
            "one number for two ports, before their names",
            {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30080}, {"port": 81, "nodePort": 30080}]},
            f"spec.ports[1].nodePort: Invalid value: 30080: {_TAKEN}",
        ),
        (
            "a number out of range, before a port out of range",
            {"type": "NodePort", "ports": [{"port": 0, "nodePort": 80}]},
            "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. "
            "The range of valid ports is 30000-32767",
        ),
    ],
)
def test_what_cannot_be_had_is_told_first(name: str, spec: Object, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        made(**spec)
    assert str(caught.value) == f'Service "web" is invalid: {message}', name


@pytest.mark.parametrize(
    ("name", "ports", "want"),
    [
        ("each its own", [HTTP, DNS], [30000, 30001]),
        ("one for two protocols", [{**HTTP, "name": "a"}, {**HTTP, "name": "b", "protocol": "UDP"}], [30000, 30000]),
        (
            "the one that the second says",
            [{**HTTP, "name": "a"}, {**HTTP, "name": "b", "protocol": "UDP", "nodePort": 30500}],
            [30500, 30500],
        ),
    ],
)
def test_ports_of_nodes(name: str, ports: list[Object], want: list[int]) -> None:
    spec = made(type="LoadBalancer", externalTrafficPolicy="Local", ports=ports)["spec"]
    assert [each["nodePort"] for each in spec["ports"]] == want, name
    assert 30000 <= spec["healthCheckNodePort"] <= 32767
    assert spec["healthCheckNodePort"] not in want


def test_both_families_of_what_chooses_no_pods() -> None:
    spec = made(clusterIP="None", ports=[HTTP])["spec"]
    assert (spec["ipFamilyPolicy"], spec["ipFamilies"]) == ("RequireDualStack", ["IPv4", "IPv6"])


# What is asked of a Service with one port of the number 30080, as a dry run or in earnest: numbers, or what is told.
CHANGES: list[tuple[str, bool, Object, list[int] | str]] = [
    ("a port more", False, {"ports": [HTTP, DNS]}, [30080, 30000]),
    ("a port more that is only tried", True, {"ports": [HTTP, DNS]}, [30080, 32769]),
    ("two that are only tried", True, {"ports": [HTTP, DNS, {"name": "c", "port": 81}]}, [30080, 32769, 32770]),
    ("out of range, only tried", True, {"ports": [{**HTTP, "nodePort": 100}]}, [100]),
    (
        "out of range",
        False,
        {"ports": [{**HTTP, "nodePort": 100}]},
        'Service "web" is invalid: spec.ports[0].nodePort: Invalid value: 100: '
        "provided port is not in the valid range. The range of valid ports is 30000-32767",
    ),
    (
        "its own number twice",
        False,
        {"ports": [HTTP, {**HTTP, "port": 0}]},
        "duplicate nodePort: {TCP 30080}",
    ),
    (
        "its own number for another protocol",
        False,
        {"ports": [{**HTTP, "nodePort": 30080}, {**DNS, "nodePort": 30080}]},
        [30080, 30080],
    ),
]


@pytest.mark.parametrize(
    ("name", "is_dry_run", "patch", "want"), CHANGES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_numbers_of_a_changed_service(name: str, is_dry_run: bool, patch: Object, want: list[int] | str) -> None:
    live = made(type="NodePort", ports=[{**HTTP, "protocol": "TCP", "nodePort": 30080}])
    asked = WriteOptions("kubectl", BY.time, is_dry_run=is_dry_run)
    try:
        value = handlers.patch(SERVICES, live, MERGE_PATCH, {"spec": patch}, asked, EMPTY_CLUSTER).value
    except ApiError as refused:
        assert str(refused) == want
    else:
        assert value is not None
        assert [each["nodePort"] for each in value["spec"]["ports"]] == want
