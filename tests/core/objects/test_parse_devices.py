"""Slices, classes, claims and templates: every problem with its path, and claims written again."""

import copy
from typing import Any

import pytest

from kube_objects.devices import ALL, Allocation, Consumer, DeviceId
from kube_objects.parse import parse_object, read_object
from kube_objects.serialize import manifest_of
from kube_objects.text.problems import Problem
from tests.core.dra.devices import (
    Manifest,
    claim,
    device,
    device_class,
    read_claim,
    read_device,
    read_slice,
    request,
    resource_slice,
    template,
)


def attributed(**attributes: Any) -> Manifest:
    return resource_slice("n", [device("d", attributes=attributes)])


def with_capacity(**fields: Any) -> Manifest:
    return resource_slice("n", [device("d", capacity={"memory": fields})])


BAD: list[tuple[str, Manifest, list[str]]] = [
    ("no driver", resource_slice("n", driver=""), ["spec.driver"]),
    ("no pool", {**resource_slice("n"), "spec": {"driver": "d"}}, ["spec.pool.name"]),
    ("generation", resource_slice("n", generation=-1), ["spec.pool.generation"]),
    ("slice count", resource_slice("n", slices=0), ["spec.pool.resourceSliceCount"]),
    ("too many devices", resource_slice("n", [f"d{i}" for i in range(129)]), ["spec.devices"]),
    ("device without a name", resource_slice("n", [device("")]), ["spec.devices[0].name"]),
    ("attribute of no type", attributed(a={}), ["spec.devices[0].attributes.a"]),
    ("attribute of two types", attributed(a={"int": 1, "bool": True}), ["spec.devices[0].attributes.a"]),
    ("attribute of a wrong type", attributed(a={"int": "1"}), ["spec.devices[0].attributes.a.int"]),
    ("bool is no int", attributed(a={"int": True}), ["spec.devices[0].attributes.a.int"]),
    ("long attribute", attributed(a={"string": "x" * 65}), ["spec.devices[0].attributes.a.string"]),
    ("too many attributes", attributed(**{f"a{i}": {"int": i} for i in range(33)}), ["spec.devices[0]"]),
    ("capacity", with_capacity(value="1Gx"), ["spec.devices[0].capacity.memory.value"]),
    (
        "capacity policy",
        with_capacity(value="1Gi", requestPolicy={"validValues": ["x"], "validRange": {"min": "y"}}),
        [
            "spec.devices[0].capacity.memory.requestPolicy.validValues[0]",
            "spec.devices[0].capacity.memory.requestPolicy.validRange.min",
        ],
    ),
    (
        "taint",
        resource_slice("n", [device("d", taints=[{"key": "k", "effect": "x"}])]),
        ["spec.devices[0].taints[0].effect"],
    ),
    ("counters", resource_slice("n", sharedCounters=[{"counters": {}}]), ["spec.sharedCounters[0].name"]),
    ("selector", device_class("c", ""), ["spec.selectors[0].cel.expression"]),
    ("long selector", device_class("c", "x" * 10_241), ["spec.selectors[0].cel.expression"]),
    ("too many selectors", device_class("c", *["true"] * 33), ["spec.selectors"]),
    ("neither of both", claim("c", {"name": "r"}), ["spec.devices.requests[0]"]),
    (
        "both",
        claim("c", {**request(), "firstAvailable": [{"name": "a", "deviceClassName": "g"}]}),
        ["spec.devices.requests[0]"],
    ),
    ("no class", claim("c", request(class_name="")), ["spec.devices.requests[0].exactly.deviceClassName"]),
    ("mode", claim("c", request(allocationMode="Some")), ["spec.devices.requests[0].exactly.allocationMode"]),
    ("count", claim("c", request(count=0)), ["spec.devices.requests[0].exactly.count"]),
    ("too many requests", claim("c", *[request(f"r{i}") for i in range(33)]), ["spec.devices.requests"]),
    (
        "too many alternatives",
        claim("c", {"name": "r", "firstAvailable": [{"name": f"a{i}", "deviceClassName": "g"} for i in range(9)]}),
        ["spec.devices.requests[0].firstAvailable", "spec.devices.requests[0]"],
    ),
    (
        "toleration",
        claim("c", request(tolerations=[{"operator": "x"}])),
        ["spec.devices.requests[0].exactly.tolerations[0].operator"],
    ),
    ("reserved for", claim("c", status={"reservedFor": [{"name": 1}]}), ["status.reservedFor[0].name"]),
    (
        "result",
        claim("c", status={"allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p"}]}}}),
        ["status.allocation.devices.results[0].device"],
    ),
    ("template", template("t", request(count=-1)), ["spec.spec.devices.requests[0].exactly.count"]),
    ("template's labels", template("t", labels={"a": 1}), ["spec.metadata.labels.a"]),
    ("template's annotations", template("t", annotations={"a b": "x"}), ["spec.metadata.annotations"]),
]


@pytest.mark.parametrize(("name", "manifest", "paths"), BAD)
def test_problems(name: str, manifest: Manifest, paths: list[str]) -> None:
    problems: list[Problem] = []
    read_object(manifest, problems)
    assert [problem.path for problem in problems] == paths


@pytest.mark.parametrize("value", [None, 0.5, "x", [], [1], {"a": 1}, True])
@pytest.mark.parametrize("kind", ["ResourceSlice", "DeviceClass", "ResourceClaim", "ResourceClaimTemplate"])
def test_nothing_raises(kind: str, value: Any) -> None:
    for part in ("spec", "status"):
        manifest = {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": "x"}, part: value}
        read_object(manifest, [])
        for field in ("devices", "selectors", "pool", "allocation", "reservedFor", "metadata", "spec", "config"):
            read_object({**manifest, part: {field: value}}, [])


def test_defaults() -> None:
    (asked,) = read_claim(claim("c")).requests
    assert (asked.mode, asked.count, asked.admin_access) == ("ExactCount", 1, None)
    (every,) = read_claim(claim("c", request(allocationMode=ALL))).requests
    assert every.count == 0
    assert read_slice(resource_slice("n")).slice_count == 1
    assert read_device(attributes={"v": {"version": "1.2.3"}}).attributes["v"].type == "version"


# Written again

GIVEN = {
    "allocation": {
        "devices": {
            "results": [
                {"request": "r", "driver": "d", "pool": "p", "device": "a", "adminAccess": True},
                {
                    "request": "r/s",
                    "driver": "d",
                    "pool": "p",
                    "device": "b",
                    "shareID": "00000001-0000-4000-8000-000000000000",
                    "consumedCapacity": {"memory": "4Gi"},
                    "tolerations": [{"key": "k", "operator": "Exists"}],
                },
            ],
            "config": [{"source": "FromClass", "requests": ["r"], "opaque": {"driver": "d", "parameters": {"x": [1]}}}],
        },
        "nodeSelector": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}],
                },
                {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]},
            ]
        },
    },
    "reservedFor": [
        {"resource": "pods", "name": "p", "uid": "1"},
        {"apiGroup": "x.io", "resource": "jobs", "name": "j", "uid": "2"},
    ],
}


def test_an_allocated_claim_is_written_as_it_was_read() -> None:
    """Of a claim that was given nothing yet, with what the other has: nothing is lost, nothing is added."""
    want = claim("c", status=GIVEN)
    want["metadata"]["finalizers"] = ["resource.kubernetes.io/delete-protection"]
    given, written = read_claim(want), copy.copy(read_claim(claim("c")))
    written.allocation, written.reserved_for, written.finalizers = (
        given.allocation,
        given.reserved_for,
        given.finalizers,
    )
    assert manifest_of(written) == want
    assert parse_object(manifest_of(written)) == given
    assert manifest_of(given) is given.manifest, "unchanged: as it was given"


def test_a_freed_claim_has_nothing_left() -> None:
    freed = copy.copy(read_claim(claim("c", status=GIVEN)))
    freed.allocation, freed.reserved_for = None, (Consumer("pods", "p", "1"),)
    assert manifest_of(freed)["status"] == {"reservedFor": [{"resource": "pods", "name": "p", "uid": "1"}]}
    freed.allocation, freed.reserved_for = Allocation(), ()
    assert manifest_of(freed)["status"] == {"allocation": {"devices": {"results": []}}}


def test_device_ids_read_as_upstream_writes_them() -> None:
    assert str(DeviceId("d.io", "pool", "gpu-0")) == "d.io/pool/gpu-0"


def test_names_of_a_pods_claims_are_labels() -> None:
    problems: list[Problem] = []
    spec = {"containers": [{"name": "c"}], "resourceClaims": [{"name": "a.b"}, {"resourceClaimName": "x"}]}
    status = {"resourceClaimStatuses": [{"name": "a", "resourceClaimName": 3}, {"name": "b"}]}
    read_object(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec, "status": status}, problems
    )
    assert [problem.path for problem in problems] == [
        "spec.resourceClaims[0].name",
        "spec.resourceClaims[1].name",
        "status.resourceClaimStatuses[0].resourceClaimName",
    ]
