"""A database that can be read but not written."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.api.kubernetes.test_kubernetes import MAPS, Kubernetes, configmap, kube
from tests.web import Api

__all__ = ["kube"]

ON, OFF = (
    ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
    if connection.vendor == "sqlite"
    else ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
)


@pytest.fixture
def read_only(api: Api, kube: Kubernetes) -> Iterator[None]:
    kube("POST", MAPS, configmap("a", x="1"), status=201)
    with connection.cursor() as cursor:
        cursor.execute(ON)
        yield
        cursor.execute(OFF)


def test_writes_are_refused_and_reads_go_on(api: Api, kube: Kubernetes, read_only: None) -> None:
    answer = kube("POST", MAPS, configmap("b"), status=503)
    assert (answer["kind"], answer["reason"], answer["message"]) == (
        "Status",
        "ServiceUnavailable",
        "the database is read-only",
    )
    assert kube("GET", f"{MAPS}/a")["data"] == {"x": "1"}
    assert "a" in {item["metadata"]["name"] for item in kube("GET", MAPS)["items"]}
    path = f"clusters/{kube.cluster_id}/"
    refused = api.post(f"{path}commands/", {"kind": "schedule_one"}, status=503)
    assert refused["problems"][0]["rule"] == "the database is read-only"
    assert api.get(path)["id"] == kube.cluster_id
