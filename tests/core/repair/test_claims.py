"""Several resource claims of a pod: what is done about one of them decides what helps the others."""

from typing import Any

from scheduler_core.edits.costs import Prices
from simulator.repair.finder import MINIMUM
from tests.core.repair.found_repairs import found, node, pod, told
from tests.core.repair.test_rules import device_claim, slice_of

Manifest = dict[str, Any]
# Else there are cheaper ways around what is asked here.
SWAPS = Prices({"drop_claim": None, "claim_class": None, "disable_plugin": None, "add_node": None})

# In place of what a slice of GPUs says.
NIC = {
    "metadata": {"name": "a-nics"},
    "spec": {
        "driver": "nic.example.com",
        "nodeName": "a",
        "pool": {"name": "a-nics", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "nic-0"}],
    },
}


def device_class(name: str) -> Manifest:
    head = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name}}
    return {**head, "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{name}.example.com"'}}]}}


def more_claims(of_class: str, *names: str) -> list[Manifest]:
    exactly = {"deviceClassName": of_class}
    spec = {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}
    head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
    return [{**head, "metadata": {"name": name, "namespace": "default"}, "spec": spec} for name in names]


def naming(*names: str) -> Manifest:
    entries = [{"name": name, "resourceClaimName": name} for name in names]
    manifest: Manifest = pod().spec(resourceClaims=entries).manifest()
    return manifest


def test_one_claim_stands_in_for_two() -> None:
    """It is given devices for each time that the pod names it."""
    nics = [device_class("nic"), *more_claims("nic", "left", "right")]
    objects = [node().manifest(), slice_of("a", 2), *device_claim(1), *nics, naming("left", "right")]
    _, repairs = found(objects, SWAPS)
    assert told(repairs[0]) == {
        "Use the resource claim gpus instead of left",
        "Use the resource claim gpus instead of right",
    }
    assert repairs[0].claim == MINIMUM


def test_a_claim_that_the_pod_names_already_stands_in_for_another() -> None:
    objects = [node().manifest(), slice_of("a", 2), *device_claim(1), device_class("nic"), *more_claims("nic", "left")]
    _, repairs = found([*objects, naming("gpus", "left")], SWAPS)
    assert told(repairs[0]) == {"Use the resource claim gpus instead of left"}
    assert repairs[0].claim == MINIMUM


def test_what_stands_in_asks_for_less() -> None:
    objects = [node().manifest(), slice_of("a", 1), *device_claim(2), device_class("nic"), *more_claims("nic", "left")]
    _, repairs = found([*objects, naming("left")], SWAPS)
    assert told(repairs[0]) == {
        "Use the resource claim gpus instead of left",
        "Let the claim gpus ask for 1 devices instead of 2",
    }
    assert repairs[0].claim == MINIMUM


def test_of_a_claim_that_is_named_twice_one_place_may_change() -> None:
    classes = [device_class("gpu"), device_class("nic")]
    slices = [slice_of("a", 1), {**slice_of("a", 1), **NIC}]
    objects = [node().manifest(), *slices, *classes, *more_claims("gpu", "gpus"), *more_claims("nic", "left")]
    twice = [{"name": name, "resourceClaimName": "gpus"} for name in ("one", "two")]
    _, repairs = found([*objects, pod().spec(resourceClaims=twice).manifest()], SWAPS)
    assert told(repairs[0]) == {"Use the resource claim left instead of gpus"}
    assert repairs[0].claim == MINIMUM
