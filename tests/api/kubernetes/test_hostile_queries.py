"""Queries that no client sends: each is answered as upstream answers it, and none with a traceback."""

import base64
import json
from typing import Any

import pytest

from tests.api.kubernetes.test_kubernetes import MAPS, Kubernetes, configmap, kube

__all__ = ["kube"]


@pytest.mark.parametrize("name", ["v", "rv", "start"])
@pytest.mark.parametrize("value", [None, -1, 2**70, [], {}, "\0", "\ud800", True, 1.5, "../x"])
def test_a_forged_token_of_a_list(kube: Kubernetes, name: str, value: Any) -> None:
    for letter in "ab":
        kube("POST", MAPS, configmap(letter), status=201)
    token = kube("GET", f"{MAPS}?limit=1")["metadata"]["continue"]
    written = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    forged = base64.urlsafe_b64encode(json.dumps({**written, name: value}).encode()).decode()
    path = f"{MAPS}?limit=1&continue={forged}"
    if (name, value) in (("rv", -1), ("start", "\0"), ("start", "\ud800")):
        # The newest version; the beginning; and a text in which U+FFFD stands for what is no character.
        assert kube("GET", path)["kind"] == "ConfigMapList"
        return
    status = 410 if (name, value) == ("rv", 2**70) else 400
    assert kube("GET", path, status=status)["kind"] == "Status"


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("limit=9223372036854775807", 200, ""),
        ("limit=%EF%BC%91", 400, 'strconv.ParseInt: parsing "\uff11": invalid syntax'),
        ("limit=9223372036854775808", 400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'),
        ("resourceVersion=%EF%BC%91", 400, "invalid resource version: resourceVersion: Invalid value"),
        ("resourceVersion=18446744073709551616", 400, "value out of range"),
        ("watch=1&resourceVersion=-1", 500, 'strconv.ParseUint: parsing "-1": invalid syntax'),
    ],
)
def test_numbers(kube: Kubernetes, query: str, status: int, message: str) -> None:
    assert message in kube("GET", f"{MAPS}?{query}", status=status).get("message", "")


@pytest.mark.parametrize("seconds", ["99999999999999999999999", "\uff11", "1_0", "nan"])
def test_a_grace_period_that_is_no_number(kube: Kubernetes, seconds: str) -> None:
    kube("POST", MAPS, configmap("a"), status=201)
    assert "ParseInt" in kube("DELETE", f"{MAPS}/a?gracePeriodSeconds={seconds}", status=400)["message"]
