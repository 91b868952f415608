"""Clients that ask much wait for each other, not the others for them."""

import sys

import pytest

from playground import asgi
from playground.kubernetes import waiting
from playground.kubernetes.keyed_locks import keyed_lock
from tests.api.kubernetes.test_kubernetes import MAPS, Kubernetes, configmap, kube

__all__ = ["kube"]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_SECONDS", 0.01)


def test_a_write_waits_for_one_to_the_same_object_alone(kube: Kubernetes, impatient: None) -> None:
    for name in ("a", "b"):
        kube("POST", MAPS, configmap(name), status=201)
    patch, kind = {"data": {"x": "2"}}, "application/merge-patch+json"
    with keyed_lock(kube.cluster_id, "ConfigMap", "default/a"):
        kube("PATCH", f"{MAPS}/a", patch, status=429, kind=kind)
        kube("PATCH", f"{MAPS}/b", patch, kind=kind)
    kube("PATCH", f"{MAPS}/a", patch, kind=kind)


def test_a_thread_that_computes_lets_others_in_soon() -> None:
    assert asgi.application
    assert sys.getswitchinterval() == 0.0005
