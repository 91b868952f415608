"""Fixtures for tests of shared links: a cluster to share, a guest without an account, and crafted links."""

import base64
import itertools
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from playground.engine import command_runner
from tests.web import Api, node, pod

EXTENDER = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders: [{urlPrefix: "http://127.0.0.1:1/x", filterVerb: filter}]
"""


class Guest:
    """A client without an account, cookies or token."""

    addresses = itertools.count(1)

    def __init__(self) -> None:
        # Each from an address of its own: what an address may ask for in a minute has a test of its own.
        number = next(self.addresses)
        self.client = Client(enforce_csrf_checks=True, REMOTE_ADDR=f"127.3.{number // 250}.{number % 250 + 1}")

    def open(self, status: int = 200, **which: Any) -> Any:
        answer = self.client.post("/api/v1/shares/open/", which, "application/json")
        assert answer.status_code == status, answer.content
        assert not answer.cookies
        return answer.json()

    def get(self, opened: Any, path: str = "", status: int = 200, **headers: str) -> Any:
        headers = {"X-Share-Key": opened["key"], **headers}
        answer = self.client.get(f"/api/v1/clusters/{opened['cluster']}/{path}", headers=headers)
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def owner(make_user: Callable[[str], Any]) -> Api:
    return Api(make_user("owner"))


@pytest.fixture
def played(owner: Api) -> int:
    cluster = owner.cluster([node(f"n{i}") for i in range(3)] + [pod(f"p{i}") for i in range(4)], seed=3)
    owner.command(cluster, kind="run", until="idle")
    return cluster


def link_of(made: Any) -> str:
    return str(made["path"].partition("#")[2])


def folded(document: Any) -> str:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "1." + base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")


def document(**changes: Any) -> dict[str, Any]:
    scenario = {"apiVersion": "kube-scheduler-playground/v1", "kind": "Scenario", "name": "x", "commands": []}
    return {"share": 1, "trace": 1, "title": "x", "scenario": scenario, "cursor": {}} | changes


def trace(cluster: int) -> list[Any]:
    from playground.engine import history_reads

    return history_reads.read_record_bodies(cluster, 0, 1000)


@pytest.fixture
def opened(owner: Api, played: int) -> Any:
    found = Guest().open(link=link_of(owner.post(f"clusters/{played}/shares/", {}, 201)))
    command_runner.apply_commands(found["cluster"])
    return found
