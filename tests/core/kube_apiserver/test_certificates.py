"""Requests for certificates, from their creation to their approval. Measured from kube-apiserver v1.36.2."""

import base64
from typing import Any

import pytest

from kube_apiserver.access import UserInfo
from kube_apiserver.errors import ApiError
from kube_apiserver.resources import table
from kube_apiserver.writes import handlers
from kube_apiserver.writes.options import WriteOptions
from kube_apiserver.writes.patches import MERGE_PATCH

REQUESTS = table()["certificates.k8s.io", "v1", "certificatesigningrequests"]
JANE = UserInfo("jane", ("dev", "system:authenticated"), uid="j")
TIME = "2026-11-22T12:00:00Z"
PEM = b"-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n"
Object = dict[str, Any]
APPROVED = {"type": "Approved", "status": "True", "reason": "Known"}


def sent(**spec: Any) -> Object:
    wanted = {"request": base64.b64encode(PEM).decode(), "signerName": "example.com/x", "usages": ["client auth"]}
    return {"metadata": {"name": "jane"}, "spec": {**wanted, **spec}}


def made(**spec: Any) -> Object:
    value = handlers.create(REQUESTS, "", sent(**spec), WriteOptions("kubectl", TIME, caller=JANE)).value
    assert value is not None
    return value


def patched(live: Object, patch: Object, door: str) -> Object | None:
    return handlers.patch(REQUESTS, live, MERGE_PATCH, patch, WriteOptions("kubectl", TIME, subresource=door)).value


def test_who_asks_is_who_sends_it() -> None:
    spec = made(username="admin", groups=["system:masters"])["spec"]
    assert (spec["username"], spec["uid"], spec["groups"]) == ("jane", "j", ["dev", "system:authenticated"])


@pytest.mark.parametrize(
    ("name", "spec", "message"),
    [
        ("no request", {"request": "aGk="}, 'spec.request: Invalid value: "aGk=": PEM block type must be'),
        ("no usage", {"usages": []}, "spec.usages: Required value"),
        ("a usage twice", {"usages": ["any", "any"]}, 'spec.usages[1]: Duplicate value: "any"'),
        ("no such usage", {"usages": ["cooking"]}, 'spec.usages[0]: Unsupported value: "cooking"'),
        ("no domain", {"signerName": "x"}, "must be a fully qualified domain and path of the form"),
        ("a short domain", {"signerName": "x/y"}, "should be a domain with at least two segments separated by dots"),
        (
            "a wrong label",
            {"signerName": "a.B/y"},
            'spec.signerName: Invalid value: "a.B": validating label "B": a low',
        ),
        ("too short", {"expirationSeconds": 5}, "may not specify a duration less than 600 seconds (10 minutes)"),
    ],
)
def test_what_is_no_request_is_refused(name: str, spec: Object, message: str) -> None:
    with pytest.raises(ApiError) as caught:
        made(**spec)
    assert message in str(caught.value), name


def test_it_is_approved_through_its_door_alone() -> None:
    live = made()
    assert patched(live, {"spec": {"signerName": "example.com/y"}, "status": {"conditions": [APPROVED]}}, "") is None
    with pytest.raises(ApiError) as caught:
        patched(live, {"status": {"conditions": [APPROVED]}}, "status")
    assert 'updates may not add a condition of type "Approved"' in str(caught.value)
    value = patched(live, {"status": {"conditions": [APPROVED], "certificate": "eA=="}}, "approval")
    assert value is not None
    assert value["status"] == {"conditions": [{**APPROVED, "lastTransitionTime": TIME, "lastUpdateTime": TIME}]}
    with pytest.raises(ApiError) as caught:
        patched(value, {"status": {"conditions": []}}, "approval")
    assert 'updates may not remove a condition of type "Approved"' in str(caught.value)
    with pytest.raises(ApiError) as caught:
        patched(value, {"status": {"conditions": [APPROVED, {**APPROVED, "type": "Denied"}]}}, "approval")
    assert "Approved and Denied conditions are mutually exclusive" in str(caught.value)
