"""The allocator: pools, counts, constraints with going back, shared counters, taints, parts of devices."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scheduler_core.dra.allocator import Allocator
from scheduler_core.dra.errors import AllocationError, NodeAllocationError
from scheduler_core.dra.pools import PoolIndex
from scheduler_core.dra.rules import V1_34, V1_36, AllocatorRules
from scheduler_core.dra.state import AllocatedState
from tests.conformance.testing import make_node
from tests.core.dra.devices import (
    DRIVER,
    Manifest,
    claim,
    device,
    device_class,
    read_claim,
    read_class,
    read_slice,
    request,
    resource_slice,
)

NODE = make_node("n").build()


def given(
    slices: Sequence[Manifest],
    *claims: Manifest,
    rules: AllocatorRules = V1_36,
    taken: Sequence[Manifest] = (),
    classes: Sequence[Manifest] = (),
) -> list[list[str]] | None:
    """The devices that each claim gets on the node; `taken` are claims that have their devices already."""
    stored = [read_claim(each).allocation for each in taken]
    state = AllocatedState.from_allocations(one for one in stored if one is not None)
    known = {each.name: each for each in map(read_class, classes or [device_class()])}
    allocator = Allocator(rules, state, known, PoolIndex(rules, [read_slice(each) for each in slices]))
    found = allocator.allocate(NODE, [read_claim(each) for each in claims])
    return None if found is None else [[each.id.device for each in one.devices] for one in found]


def has(name: str, *devices: str, pool: str = "n", **result: Any) -> Manifest:
    """A claim that was given devices."""
    results = [{"request": "r", "driver": DRIVER, "pool": pool, "device": each, **result} for each in devices]
    return claim(name, status={"allocation": {"devices": {"results": results}}})


def test_each_claim_gets_what_is_left() -> None:
    slices = [resource_slice("n", ["a", "b", "c"])]
    assert given(slices, claim("x"), claim("y"), taken=[has("z", "b")]) == [["a"], ["c"]]
    assert given(slices, claim("x", request(count=2)), taken=[has("z", "b")]) == [["a", "c"]]
    assert given(slices, claim("x", request(count=3)), taken=[has("z", "b")]) is None


def test_access_for_administrators_takes_nothing() -> None:
    slices = [resource_slice("n", ["a"])]
    assert given(slices, claim("x", request(adminAccess=True)), taken=[has("z", "a")]) == [["a"]]
    assert given(slices, claim("x"), taken=[has("z", "a", adminAccess=True)]) == [["a"]]


def test_the_first_alternative_that_can_be_had() -> None:
    first = {"name": "big", "deviceClassName": "gpu", "count": 3}
    second = {"name": "small", "deviceClassName": "gpu", "count": 1}
    asked = claim("x", {"name": "r", "firstAvailable": [first, second]})
    assert given([resource_slice("n", ["a", "b", "c"])], asked) == [["a", "b", "c"]]
    assert given([resource_slice("n", ["a", "b"])], asked) == [["a"]]


# Pools

OLD = resource_slice("n", ["old"], name="s1", generation=1)
NEW = resource_slice("n", ["new"], name="s2", generation=2)
POOLS: list[tuple[str, AllocatorRules, list[Manifest], Manifest, Any]] = [
    ("newest generation alone", V1_34, [OLD, NEW], request(), [["new"]]),
    ("newest generation alone", V1_36, [NEW, OLD], request(), [["new"]]),
    (
        "elsewhere a newer one: the pool is of no use here",
        V1_36,
        [
            resource_slice("n", ["old"], name="s1", slices=2),
            resource_slice("m", ["x"], name="s2", pool="n", generation=2),
        ],
        request(),
        None,
    ),
    ("incomplete, used", V1_34, [resource_slice("n", ["a"], slices=2)], request(), [["a"]]),
    ("incomplete, not used", V1_36, [resource_slice("n", ["a"], slices=2)], request(), None),
    (
        "incomplete, all asked for",
        V1_34,
        [resource_slice("n", ["a"], slices=2)],
        request(allocationMode="All"),
        "claim default/x, request r: asks for all devices, "
        "but resource pool gpu.example.com/n is currently being updated",
    ),
    (
        "twice the same",
        V1_34,
        [resource_slice("n", ["a", "a"])],
        request(),
        "pool n is invalid: duplicate device name a",
    ),
    ("twice the same", V1_36, [resource_slice("n", ["a", "a"])], request(), "invalid resource pools were encountered"),
    (
        "another pool is fine",
        V1_36,
        [resource_slice("n", ["a", "a"]), resource_slice("n", ["b"], pool="o")],
        request(),
        [["b"]],
    ),
    ("all of two", V1_36, [resource_slice("n", ["a", "b"])], request(allocationMode="All"), [["a", "b"]]),
    ("all of none", V1_36, [resource_slice("m", ["a"])], request(allocationMode="All"), None),
    ("another node's", V1_36, [resource_slice("m", ["a"])], request(), None),
    ("any node's", V1_36, [resource_slice("", ["a"], pool="p", allNodes=True)], request(), [["a"]]),
]


@pytest.mark.parametrize(("name", "rules", "slices", "asked", "want"), POOLS)
def test_pools(name: str, rules: AllocatorRules, slices: list[Manifest], asked: Manifest, want: Any) -> None:
    if isinstance(want, str):
        with pytest.raises((AllocationError, NodeAllocationError)) as caught:
            given(slices, claim("x", asked), rules=rules)
        assert str(caught.value) == want
    else:
        assert given(slices, claim("x", asked), rules=rules) == want


# Partitions that share counters


def partition(name: str, amount: int) -> Manifest:
    return device(name, consumesCounters=[{"counterSet": "gpu", "counters": {"slots": {"value": str(amount)}}}])


def partitioned(*partitions: Manifest, slots: int = 4) -> list[Manifest]:
    counters = [{"name": "gpu", "counters": {"slots": {"value": str(slots)}}}]
    shared = resource_slice("n", [], name="counters", slices=2, sharedCounters=counters)
    return [shared, resource_slice("n", partitions, name="devices", slices=2)]


COUNTERS: list[tuple[str, list[Manifest], list[Manifest], list[list[str]] | None]] = [
    ("both fit", [partition("a", 2), partition("b", 2)], [], [["a", "b"]]),
    ("goes back to the smaller ones", [partition("a", 3), partition("b", 2), partition("c", 2)], [], [["b", "c"]]),
    ("too much", [partition("a", 3), partition("b", 2)], [], None),
    ("what is taken counts", [partition("a", 2), partition("b", 2), partition("c", 1)], [has("z", "a")], None),
    (
        "what is left is enough",
        [partition("a", 1), partition("b", 2), partition("c", 1)],
        [has("z", "a")],
        [["b", "c"]],
    ),
]


@pytest.mark.parametrize(("name", "partitions", "taken", "want"), COUNTERS)
def test_counters(name: str, partitions: list[Manifest], taken: list[Manifest], want: Any) -> None:
    asked = claim("x", request(count=2))
    assert given(partitioned(*partitions), asked, taken=taken) == want
    assert given(partitioned(*partitions), asked, taken=taken, rules=V1_34) is None, "v1.34 knows no partitions"


def test_counters_that_nobody_declared() -> None:
    wrong = device("a", consumesCounters=[{"counterSet": "none", "counters": {"slots": {"value": "1"}}}])
    with pytest.raises(NodeAllocationError):
        given(partitioned(wrong), claim("x"))


# Constraints


def on(name: str, **attributes: str) -> Manifest:
    return device(name, attributes={f"{DRIVER}/{key}": {"string": value} for key, value in attributes.items()})


MATCH = {"matchAttribute": f"{DRIVER}/numa"}
DISTINCT = {"distinctAttribute": f"{DRIVER}/numa"}
NUMA = [on("a", numa="0"), on("b", numa="1"), on("c", numa="1"), device("d")]
CONSTRAINTS: list[tuple[str, list[Manifest], list[Manifest], list[list[str]] | None]] = [
    ("none", [request(count=2)], [], [["a", "b"]]),
    ("the same: goes back from the first", [request(count=2)], [MATCH], [["b", "c"]]),
    ("the same for two requests", [request("r"), request("s")], [MATCH], [["b", "c"]]),
    (
        "the same for one of them",
        [request("r", count=2), request("s")],
        [{**MATCH, "requests": ["r"]}],
        [["b", "c", "a"]],
    ),
    ("three of one are not there", [request(count=3)], [MATCH], None),
    ("different", [request("r"), request("s")], [DISTINCT], [["a", "b"]]),
    ("not three different ones", [request("r"), request("s"), request("t")], [DISTINCT], None),
    ("contradicting ones", [request("r"), request("s")], [MATCH, DISTINCT], None),
    ("an attribute that no device has", [request()], [{"matchAttribute": f"{DRIVER}/none"}], None),
]


@pytest.mark.parametrize(("name", "requests", "constraints", "want"), CONSTRAINTS)
def test_constraints(name: str, requests: list[Manifest], constraints: list[Manifest], want: Any) -> None:
    assert given([resource_slice("n", NUMA)], claim("x", *requests, constraints=constraints)) == want


def test_a_claim_goes_back_for_the_next_one() -> None:
    """The first claim could have any device, the second just one of them."""
    special = [f'device.attributes["{DRIVER}"].?numa.orValue("") == "0"']
    asked = [claim("x"), claim("y", request(selectors=special))]
    assert given([resource_slice("n", NUMA)], *asked) == [["b"], ["a"]]


# Taints, and devices of which several claims have a part

TAINT = {"key": "sick", "value": "yes", "effect": "NoSchedule"}
TAINTS: list[tuple[Manifest, list[list[str]] | None]] = [
    (request(), None),
    (request(tolerations=[{"key": "sick", "operator": "Exists"}]), [["a"]]),
    (request(tolerations=[{"key": "sick", "operator": "Equal", "value": "yes"}]), [["a"]]),
    (request(tolerations=[{"key": "sick", "operator": "Equal", "value": "no"}]), None),
    (request(tolerations=[{"operator": "Exists", "effect": "NoExecute"}]), None),
]


@pytest.mark.parametrize(("asked", "want"), TAINTS)
def test_taints(asked: Manifest, want: Any) -> None:
    slices = [resource_slice("n", [device("a", taints=[TAINT])])]
    assert given(slices, claim("x", asked)) == want
    assert given(slices, claim("x", asked), rules=V1_34) == [["a"]], "v1.34 knows no taints of devices"


def capacity(value: str, **policy: Any) -> Mapping[str, Any]:
    return {"memory": {"value": value, **({"requestPolicy": policy} if policy else {})}}


def part(amount: str) -> Manifest:
    return request(capacity={"requests": {"memory": amount}})


PARTS: list[tuple[str, Mapping[str, Any], list[str], bool]] = [
    ("two halves", capacity("10Gi"), ["5Gi", "5Gi"], True),
    ("more than there is", capacity("10Gi"), ["5Gi", "6Gi"], False),
    ("rounded up to a value", capacity("10Gi", default="1Gi", validValues=["1Gi", "6Gi"]), ["2Gi", "2Gi"], False),
    ("the next value", capacity("10Gi", default="1Gi", validValues=["1Gi", "5Gi"]), ["2Gi", "2Gi"], True),
    ("beyond all values", capacity("10Gi", default="1Gi", validValues=["1Gi", "2Gi"]), ["3Gi"], False),
    (
        "rounded up to a step",
        capacity("10Gi", default="1Gi", validRange={"min": "1Gi", "step": "3Gi"}),
        ["5Gi"] * 2,
        False,
    ),
    ("a step that fits", capacity("10Gi", default="1Gi", validRange={"min": "1Gi", "step": "3Gi"}), ["4Gi"] * 2, True),
    ("more than the range", capacity("10Gi", default="1Gi", validRange={"min": "1Gi", "max": "4Gi"}), ["5Gi"], False),
    ("at least the minimum", capacity("10Gi", default="6Gi", validRange={"min": "6Gi"}), ["1Gi", "1Gi"], False),
]


@pytest.mark.parametrize(("name", "has_capacity", "wanted", "fits"), PARTS)
def test_parts(name: str, has_capacity: Mapping[str, Any], wanted: list[str], fits: bool) -> None:
    slices = [resource_slice("n", [device("a", capacity=has_capacity, allowMultipleAllocations=True)])]
    found = given(slices, *(claim(f"x{i}", part(amount)) for i, amount in enumerate(wanted)))
    assert found == ([["a"]] * len(wanted) if fits else None)


def test_what_others_have_of_a_device_is_gone() -> None:
    slices = [resource_slice("n", [device("a", capacity=capacity("10Gi"), allowMultipleAllocations=True)])]
    taken = has("z", "a", shareID="0", consumedCapacity={"memory": "6Gi"})
    assert given(slices, claim("x", part("4Gi")), taken=[taken]) == [["a"]]
    assert given(slices, claim("x", part("5Gi")), taken=[taken]) is None


# What cannot be asked

ERRORS: list[tuple[str, Manifest, str]] = [
    (
        "no class",
        claim("x", request(class_name="none")),
        "claim default/x, request r: could not retrieve device class none: "
        'deviceclass.resource.k8s.io "none" not found',
    ),
    (
        "too many",
        claim("x", request(count=33)),
        "claim default/x: number of requested devices 33 exceeds the claim limit of 32",
    ),
    (
        "selector of the claim",
        claim("x", request(selectors=["true", f'device.attributes["{DRIVER}"].none == 1'])),
        "claim default/x: selector #1: CEL runtime error: no such key: none",
    ),
    (
        "empty constraint",
        claim("x", constraints=[{"requests": ["r"]}]),
        "claim default/x, constraint #0: empty constraint (unsupported constraint type?)",
    ),
]


@pytest.mark.parametrize(("name", "asked", "text"), ERRORS)
def test_errors_end_the_attempt(name: str, asked: Manifest, text: str) -> None:
    with pytest.raises(AllocationError) as caught:
        given([resource_slice("n", ["a"])], asked)
    assert str(caught.value) == text


def test_a_selector_of_the_class_is_named() -> None:
    with pytest.raises(AllocationError) as caught:
        given([resource_slice("n", ["a"])], claim("x"), classes=[device_class("gpu", "device.driver")])
    want = "class gpu: selector #0: CEL compile error: must evaluate to bool or the unknown type, not string"
    assert str(caught.value) == want
