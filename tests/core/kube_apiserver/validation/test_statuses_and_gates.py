"""Conditions, addresses and devices of statuses, and fields behind gates. Measured from kube-apiserver v1.36.2."""

import pytest

from kube_apiserver.validation import conditions, texts
from kube_apiserver.validation.groups import device_statuses
from tests.core.kube_apiserver.refusals import MAIN, Object, created

NAME_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
GIVEN = {"driver": "d.example.com", "pool": "p", "device": "g0"}
RIGHT = {"type": "Ready", "status": "True", "reason": "Fine", "lastTransitionTime": "2026-01-05T08:00:00Z"}


@pytest.mark.parametrize(
    ("name", "given", "want"),
    [
        ("right", [RIGHT], []),
        (
            "all wrong",
            [{"type": "bad type", "status": "Odd"}],
            [
                f'c[0].type: Invalid value: "bad type": {NAME_RULE}',
                'c[0].status: Unsupported value: "Odd": supported values: "False", "True", "Unknown"',
                "c[0].lastTransitionTime: Required value",
                "c[0].reason: Required value",
            ],
        ),
        ("twice", [RIGHT, RIGHT], ['c[1].type: Duplicate value: "Ready"']),
    ],
)
def test_conditions(name: str, given: list[Object], want: list[str]) -> None:
    assert [f"{each['field']}: {each['message']}" for each in conditions.validate_conditions(given, "c")] == want


TWO = "may specify no more than one IP for each IP family"


@pytest.mark.parametrize(
    ("name", "given", "want"),
    [
        ("one", ["10.0.0.1"], []),
        ("one of each family", ["10.0.0.1", "fd00::1"], []),
        ("two of one family", ["10.0.0.1", "10.0.0.2"], [TWO]),
        ("three", ["10.0.0.1", "fd00::1", "10.0.0.2"], [TWO]),
        ("no address", ["10.0.0.1", "x"], ["failed to check for dual stack with error:invalid IP[1]: x", TWO]),
    ],
)
def test_families_of_addresses(name: str, given: list[str], want: list[str]) -> None:
    assert [each["message"].rpartition(": ")[2] for each in texts.validate_ip_families(given, "p", given)] == [
        each.rpartition(": ")[2] for each in want
    ]


def test_only_devices_that_are_allocated_have_a_status() -> None:
    allocation = {"devices": {"results": [{**GIVEN, "request": "r"}]}}
    status = {"allocation": allocation, "devices": [GIVEN, {**GIVEN, "device": "zz"}]}
    (found,) = device_statuses.validate_device_statuses(status, "status.devices")
    shown = '{"Driver":"d.example.com","Pool":"p","Device":"zz","ShareID":""}'
    assert found["field"] == "status.devices[1]"
    assert found["message"] == f"Invalid value: {shown}: must be an allocated device in the claim"


def spec_of(plural: str, spec: Object) -> Object:
    value = created(plural, {"spec": spec}).value
    assert value is not None
    found: Object = value["spec"]
    return found


def test_what_is_behind_a_gate_that_is_off_is_dropped() -> None:
    hooked = {**MAIN, "lifecycle": {"stopSignal": "SIGTERM", "preStop": {"sleep": {"seconds": 1}}}}
    assert spec_of("pods", {"containers": [hooked]})["containers"][0]["lifecycle"] == {
        "preStop": {"sleep": {"seconds": 1}}
    }
    source = {"apiGroup": "", "kind": "x", "name": "y", "namespace": "other"}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "dataSourceRef": source}
    assert "dataSourceRef" not in spec_of("persistentvolumeclaims", claim)


def test_what_is_said_of_a_gated_pod_is_of_its_creation() -> None:
    value = created("pods", {"spec": {"schedulingGates": [{"name": "a"}], "containers": [MAIN]}}).value
    assert value is not None
    (condition,) = value["status"]["conditions"]
    assert (condition["lastTransitionTime"], condition["reason"]) == (
        value["metadata"]["creationTimestamp"],
        "SchedulingGated",
    )
