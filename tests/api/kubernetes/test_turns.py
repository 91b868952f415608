"""Clients that ask much wait for each other, not the others for them."""

import sys
from typing import Any

import pytest

from playground import asgi
from playground.kubernetes import waiting
from playground.kubernetes.turns import LISTS, turn
from tests.api.kubernetes.test_kubernetes import MAPS, PODS, Kubernetes, configmap, kube

__all__ = ["kube"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.01)


def test_one_list_is_made_at_a_time_and_nothing_else_waits_for_it(kube: Kubernetes, impatient: None) -> None:
    with turn(LISTS):
        told: dict[str, Any] = kube("GET", PODS, status=429)
        assert told["details"]["retryAfterSeconds"] == 1
        assert kube("GET", f"{PODS}/web")["metadata"]["name"] == "web"
        kube("POST", MAPS, configmap("a"), status=201)
    assert kube("GET", PODS)["items"]


def test_a_write_waits_for_one_to_the_same_object_alone(kube: Kubernetes, impatient: None) -> None:
    for name in ("a", "b"):
        kube("POST", MAPS, configmap(name), status=201)
    patch, kind = {"data": {"x": "2"}}, "application/merge-patch+json"
    with turn(kube.cluster_id, "ConfigMap", "default/a"):
        kube("PATCH", f"{MAPS}/a", patch, status=429, kind=kind)
        kube("PATCH", f"{MAPS}/b", patch, kind=kind)
    kube("PATCH", f"{MAPS}/a", patch, kind=kind)


def test_a_thread_that_computes_lets_others_in_soon() -> None:
    assert asgi.application
    assert sys.getswitchinterval() == 0.0005
