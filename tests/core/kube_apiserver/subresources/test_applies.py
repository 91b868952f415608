"""Server-side applies that do not fit, and what is left of one. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import APPLY_PATCH, STRATEGIC_PATCH
from tests.core.kube_apiserver.refusals import BY, MAIN, Object, created, resource

TWO = WriteOptions("two", BY.time, force=True)
TYPED = "failed to create typed patch object (/web; /v1, Kind=Pod): "
CONVERTED = "failed to convert new object (/web; {0}) to proper version: unable to convert unstructured object to {0}: "
POD, LIMITS, NODE = (CONVERTED.format(f"/v1, Kind={kind}") for kind in ("Pod", "LimitRange", "Node"))
SIZES = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

# Each is of `web` by a second manager: the status, what is told.
REFUSED: list[tuple[str, str, Object, Object, int, str]] = [
    ("text for a map", "pods", {}, {"spec": "x"}, 500, f"{TYPED}.spec: expected map, got &{{x}}"),
    (
        "a switch for a list",
        "pods",
        {},
        {"metadata": {"ownerReferences": True}},
        500,
        f"{TYPED}.metadata.ownerReferences: expected list, got &{{true}}",
    ),
    (
        "a number for text",
        "pods",
        {},
        {"spec": {"schedulerName": 1}},
        500,
        f"{TYPED}.spec.schedulerName: expected string, got &value.valueUnstructured{{Value:1}}",
    ),
    (
        "a fraction",
        "pods",
        {},
        {"spec": {"priority": 1.5}},
        500,
        f"{POD}cannot convert float64 to int32",
    ),
    ("no quantity", "limitranges", {}, {"spec": {"limits": [{"max": {"cpu": "x!"}}]}}, 500, f"{LIMITS}{SIZES}"),
    (
        "no time",
        "nodes",
        {},
        {"spec": {"taints": [{"key": "a", "effect": "NoSchedule", "timeAdded": "x"}]}},
        500,
        f'{NODE}parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ),
    (
        "no version",
        "configmaps",
        {},
        {"metadata": {"resourceVersion": "é"}, "data": {"a": "b"}},
        500,
        'strconv.ParseUint: parsing "é": invalid syntax',
    ),
    (
        "too large a version",
        "configmaps",
        {},
        {"metadata": {"resourceVersion": "18446744073709551616"}, "data": {"a": "b"}},
        500,
        'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ),
]


@pytest.mark.parametrize(
    ("name", "plural", "given", "sent", "status", "want"),
    REFUSED,
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_apply_is_refused(name: str, plural: str, given: Object, sent: Object, status: int, want: str) -> None:
    live = created(plural, given or _least(plural)).value
    assert live is not None
    with pytest.raises(ApiError) as refused:
        handlers.patch(resource(plural), live, APPLY_PATCH[0], _applied(sent), TWO)
    assert (refused.value.code, str(refused.value)) == (status, want)


def _applied(sent: Object) -> Object:
    return {**sent, "metadata": {"name": "web", **sent.get("metadata", {})}}


def _least(plural: str) -> Object:
    return {"spec": {"containers": [MAIN]}} if plural == "pods" else {}


# A number that has too many bits for its field is cut where Go converts instead of decoding.
CUT: list[tuple[str, str, Any, Any]] = [
    ("one more than there are", APPLY_PATCH[0], 2**31, -(2**31)),
    ("one less", STRATEGIC_PATCH, -(2**31) - 1, 2**31 - 1),
    ("all bits", STRATEGIC_PATCH, 2**32 + 5, 5),
    ("one that fits", APPLY_PATCH[0], 7, 7),
]


@pytest.mark.parametrize(("name", "kind", "given", "want"), CUT, ids=lambda each: each if isinstance(each, str) else "")
def test_a_number_is_cut(name: str, kind: str, given: int, want: int) -> None:
    live = created("endpoints", {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 1}]}]}).value
    assert live is not None
    sent = _applied({"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": given}]}]})
    try:
        value = handlers.patch(resource("endpoints"), live, kind, sent, TWO).value
    except ApiError as refused:
        assert f"Invalid value: {want}: must be between 1 and 65535" in str(refused)
    else:
        assert value is not None
        assert value["subsets"][0]["ports"][0]["port"] == want


def test_who_applies_nothing_any_more_manages_nothing() -> None:
    of, limits = resource("limitranges"), {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}}
    sent = {"apiVersion": "v1", "kind": "LimitRange", **_applied(limits)}
    live = handlers.create_applied(of, "default", "web", sent, TWO).value
    assert live is not None
    value = handlers.patch(of, live, APPLY_PATCH[0], _applied({}), TWO).value
    assert value is not None
    assert "managedFields" not in value["metadata"]


def test_who_applies_what_is_not_there_names_it() -> None:
    with pytest.raises(ApiError) as refused:
        handlers.create_applied(resource("configmaps"), "default", "web", {"metadata": {}}, TWO)
    text = "the name of the object (web based on URL) was undeterminable: name must be provided"
    assert (refused.value.code, str(refused.value)) == (400, text)


def test_who_applies_a_status_before_anybody_applied_is_told_apart_by_the_door() -> None:
    live = created("nodes", {"status": {"capacity": {"cpu": "4"}}}).value
    assert live is not None
    live["metadata"].pop("managedFields", None)
    options = WriteOptions("two", BY.time, force=True, subresource="status")
    sent = _applied({"status": {"allocatable": {"cpu": "3"}}})
    value = handlers.patch(resource("nodes"), live, APPLY_PATCH[0], sent, options).value
    assert value is not None
    before = next(each for each in value["metadata"]["managedFields"] if each["manager"] == "before-first-apply")
    assert before["subresource"] == "status"
    # Structs that nobody set are no fields of anybody.
    fields = before["fieldsV1"]["f:status"]
    assert fields["f:capacity"] == {".": {}, "f:cpu": {}} and "f:nodeInfo" not in fields
