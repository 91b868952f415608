"""A database that can be read but not written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from django.db import connection
from django.test import Client

from tests.api.kubernetes.test_kubernetes import MAPS, Kubernetes, configmap, kube
from tests.web import Api

__all__ = ["kube"]

ON, OFF = (
    ("PRAGMA query_only = 1", "PRAGMA query_only = 0")
    if connection.vendor == "sqlite"
    else ("SET default_transaction_read_only = on", "SET default_transaction_read_only = off")
)


@contextmanager
def refusing_writes() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute(ON)
        try:
            yield
        finally:
            cursor.execute(OFF)


@pytest.fixture
def read_only(api: Api, kube: Kubernetes) -> Iterator[None]:
    kube("POST", MAPS, configmap("a", x="1"), status=201)
    with refusing_writes():
        yield


def test_a_token_reads(api: Api, kube: Kubernetes) -> None:
    made = api.post(f"clusters/{kube.cluster_id}/tokens/", {"name": "reader", "role": "view"})
    token = yaml.safe_load(made["kubeconfig"])["users"][0]["user"]["token"]
    with refusing_writes():
        kube("GET", "api/v1/pods", Authorization=f"Bearer {token}")
    assert api.get(f"clusters/{kube.cluster_id}/tokens/")[0]["used"] is None
    kube("GET", "api/v1/pods", Authorization=f"Bearer {token}")
    assert api.get(f"clusters/{kube.cluster_id}/tokens/")[0]["used"]


def test_a_page_that_has_to_write_says_so(make_user: Callable[[str], Any]) -> None:
    make_user("ada")
    # Wrong passwords of other tests are counted for their address.
    client = Client(raise_request_exception=False, REMOTE_ADDR="198.51.100.23")
    with refusing_writes():
        assert client.get("/accounts/login/").status_code == 200
        answer = client.post("/accounts/login/", {"username": "ada", "password": "ada-password"})
    assert (answer.status_code, answer["Retry-After"]) == (503, "1")
    assert answer.content == b"503: the database is read-only\n"
    assert client.post("/accounts/login/", {"username": "ada", "password": "ada-password"}).status_code == 302


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
