"""Clients that write at the same time, over connections of their own."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.clients.conftest import Cluster
from tests.web import node, pod

MERGE = {"Content-Type": "application/merge-patch+json"}
CLIENTS = 8
PODS = "api/v1/namespaces/default/pods"


def made(place: str, value: Mapping[str, Any]) -> None:
    answer = httpx.post(place, json=value, timeout=60)
    assert answer.status_code == 201, answer.text


def test_patches_of_one_object_lose_nothing_of_each_other(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server
    made(f"{server}/api/v1/nodes", node("a"))
    place = f"{server}/api/v1/nodes/a"

    def label(number: int) -> int:
        body = {"metadata": {"labels": {f"client-{number}": "was-here"}}}
        return httpx.patch(place, json=body, headers=MERGE, timeout=60).status_code

    with ThreadPoolExecutor(CLIENTS) as clients:
        assert list(clients.map(label, range(CLIENTS))) == [200] * CLIENTS
    labels = httpx.get(place, timeout=60).json()["metadata"]["labels"]
    assert {f"client-{number}" for number in range(CLIENTS)} <= labels.keys()


def test_of_those_who_make_one_object_the_others_hear_that_it_exists(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server
    place = f"{server}/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"

    def lead(number: int) -> tuple[int, str]:
        body = {"metadata": {"name": "leader"}, "spec": {"holderIdentity": str(number)}}
        answer = httpx.post(place, json=body, timeout=60)
        return answer.status_code, answer.json().get("reason", "")

    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = sorted(clients.map(lead, range(CLIENTS)))
    assert answers == [(201, "")] + [(409, "AlreadyExists")] * (CLIENTS - 1)


def test_names_that_the_server_draws_at_the_same_time_differ(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server

    def make(_: int) -> int:
        body = {"metadata": {"generateName": "job-"}}
        return httpx.post(f"{server}/api/v1/namespaces/default/configmaps", json=body, timeout=60).status_code

    with ThreadPoolExecutor(CLIENTS) as clients:
        assert list(clients.map(make, range(CLIENTS))) == [201] * CLIENTS


def test_of_two_evictions_at_once_a_budget_for_one_allows_one(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server
    made(f"{server}/api/v1/nodes", node("a"))
    for name in ("one", "two"):
        found = pod(name, nodeName="a")
        made(f"{server}/{PODS}", {**found, "metadata": {**found["metadata"], "labels": {"app": "web"}}})
    spec: dict[str, Any] = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    status = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2}
    budgets = f"{server}/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    made(budgets, {"metadata": {"name": "web"}, "spec": spec})
    body = {"status": {**status, "observedGeneration": 1}}
    assert httpx.patch(f"{budgets}/web/status", json=body, headers=MERGE, timeout=60).status_code == 200
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    for name in ("one", "two"):
        done = httpx.patch(f"{server}/{PODS}/{name}/status", json=ready, headers=MERGE, timeout=60)
        assert done.status_code == 200, done.text

    def evict(name: str) -> int:
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        return httpx.post(f"{server}/{PODS}/{name}/eviction", json=body, timeout=60).status_code

    with ThreadPoolExecutor(2) as clients:
        assert sorted(clients.map(evict, ("one", "two"))) == [201, 429]
