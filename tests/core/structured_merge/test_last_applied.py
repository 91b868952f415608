"""What `kubectl apply` noted, when kubectl applies on the server: measured from kube-apiserver v1.36.2."""

import json
from typing import Any

import pytest

from kube_apiserver.structured_merge.last_applied import ANNOTATION
from kube_apiserver.structured_merge.managed_fields import ApplyConflict, FieldManager, Writer
from kube_apiserver.structured_merge.openapi import from_definitions
from kube_apiserver.structured_merge.schema import TypeRef

Object = dict[str, Any]

_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_KIND = {
    "type": "object",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object", "properties": {"name": {"type": "string"}, "annotations": _TEXTS}},
        "data": _TEXTS,
    },
}
MANAGER = FieldManager(from_definitions({"kind": _KIND}), TypeRef("kind"))
_TIME = "2026-01-05T08:00:00Z"


def of(data: Object, **annotations: str) -> Object:
    metadata: Object = {"name": "c", **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def client_side(data: Object, changed: Object) -> Object:
    """As kubectl applied it without the server, and as somebody else changed it then."""
    noted = json.dumps(of(data))
    live = MANAGER.update(None, of(data, **{ANNOTATION: noted}), Writer("kubectl-client-side-apply", "v1", _TIME))
    after = {**live, "data": {**live["data"], **changed}}
    return MANAGER.update(live, after, Writer("other", "v1", _TIME)) if changed else live


@pytest.mark.parametrize(
    ("name", "manager", "changed", "sent", "conflicts"),
    [
        ("what kubectl set is its own", "kubectl", {}, {"a": "2"}, []),
        ("not so for another name", "mine", {}, {"a": "2"}, [".data.a"]),
        ("what somebody changed is theirs", "kubectl", {"a": "9"}, {"a": "2"}, [".data.a"]),
        ("only that is told", "kubectl", {"a": "9"}, {"a": "2", "b": "2"}, [".data.a"]),
        ("what was never applied is theirs", "kubectl", {"z": "9"}, {"z": "2"}, [".data.z"]),
    ],
)
def test_who_may_take_over(name: str, manager: str, changed: Object, sent: Object, conflicts: list[str]) -> None:
    live, writer = client_side({"a": "1", "b": "1"}, changed), Writer(manager, "v1", _TIME)
    found: list[str] = []
    try:
        MANAGER.apply(live, of(sent), writer, force=False)
    except ApplyConflict as conflict:
        found = [each["field"] for each in conflict.causes]
    assert found == conflicts


@pytest.mark.parametrize(
    ("name", "manager", "live", "want"),
    [
        ("kubectl's is followed", "kubectl", {ANNOTATION: "{}"}, True),
        ("that of another is not", "mine", {ANNOTATION: "{}"}, False),
        ("none is made", "kubectl", {"x": "y"}, False),
    ],
)
def test_the_annotation_says_what_is_applied_now(name: str, manager: str, live: Object, want: bool) -> None:
    there = MANAGER.update(None, of({"a": "<1>"}, **live), Writer("somebody", "v1", _TIME))
    sent = of({"a": "<1>"}, **{ANNOTATION: "what a client sends itself"}) if manager == "kubectl" else of({"a": "<1>"})
    sent["metadata"]["annotations"] = {"k": "v"} if "x" in live else sent["metadata"].get("annotations", {})
    found = MANAGER.apply(there, sent, Writer(manager, "v1", _TIME), force=True)
    assert found is not None
    noted = found["metadata"]["annotations"].get(ANNOTATION, "")
    start = (
        '{"apiVersion":"v1","data":{"a":"\\u003c1\\u003e"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"c"}}'
    )
    assert (noted == f"{start}\n") is want


def test_an_annotation_that_is_no_object_concedes_nothing() -> None:
    live = MANAGER.update(None, of({"a": "1"}, **{ANNOTATION: "[" * 5000}), Writer("somebody", "v1", _TIME))
    with pytest.raises(ApplyConflict):
        MANAGER.apply(live, of({"a": "2"}), Writer("kubectl", "v1", _TIME), force=False)
