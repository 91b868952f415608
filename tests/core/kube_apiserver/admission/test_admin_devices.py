"""Devices that are asked for as their administrator. Measured from kube-apiserver v1.36.2."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from kube_apiserver.errors import ApiError
from kube_apiserver.writes import handlers
from tests.core.kube_apiserver.refusals import BY, Object, resource, sent

CLAIM: Object = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu", "adminAccess": True}}]}}
NOT_ALLOWED = (
    "spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the "
    "`resource.kubernetes.io/admin-access: true` label on the containing namespace"
)


class _World:
    def __init__(self, label: str) -> None:
        self.labels = {"resource.kubernetes.io/admin-access": label} if label else {}

    def get(self, kind: str, name: str, namespace: str = "") -> Mapping[str, Any] | None:
        return {"metadata": {"name": name, "labels": self.labels}}

    def list(self, kind: str, namespace: str = "") -> Sequence[Mapping[str, Any]]:
        return ()


@pytest.mark.parametrize("label", ["", "false", "true"])
@pytest.mark.parametrize(
    ("plural", "spec"),
    [("resourceclaims", CLAIM), ("resourceclaimtemplates", {"spec": CLAIM})],
    ids=["claim", "template"],
)
def test_a_namespace_says_whether_its_claims_may(plural: str, spec: Object, label: str) -> None:
    told = ""
    try:
        handlers.create(resource(plural), "default", sent(plural, {"spec": spec}), BY, _World(label))
    except ApiError as refused:
        told = str(refused).partition(" is invalid: ")[2]
    assert told == ("" if label == "true" else NOT_ALLOWED)
