"""Clients that write at the same time, over connections of their own."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from tests.clients.conftest import Cluster
from tests.services import wait_for
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


def guarded_pods(server: str, names: tuple[str, ...], allowed: int) -> str:
    """Create running Pods and their PodDisruptionBudget; return the budget's address."""
    made(f"{server}/api/v1/nodes", node("a"))
    for name in names:
        found = pod(name, nodeName="a")
        made(f"{server}/{PODS}", {**found, "metadata": {**found["metadata"], "labels": {"app": "web"}}})
    spec: dict[str, Any] = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    status = {"disruptionsAllowed": allowed, "currentHealthy": allowed + 1, "desiredHealthy": 1, "expectedPods": 9}
    budgets = f"{server}/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    made(budgets, {"metadata": {"name": "web"}, "spec": spec})
    body = {"status": {**status, "observedGeneration": 1}}
    assert httpx.patch(f"{budgets}/web/status", json=body, headers=MERGE, timeout=60).status_code == 200
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    for name in names:
        done = httpx.patch(f"{server}/{PODS}/{name}/status", json=ready, headers=MERGE, timeout=60)
        assert done.status_code == 200, done.text
    return f"{budgets}/web"


def evict(server: str, name: str) -> int:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    return httpx.post(f"{server}/{PODS}/{name}/eviction", json=body, timeout=60).status_code


def test_of_two_evictions_at_once_a_budget_for_one_allows_one(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server
    guarded_pods(server, ("one", "two"), 1)
    with ThreadPoolExecutor(2) as clients:
        assert sorted(clients.map(evict, (server, server), ("one", "two"))) == [201, 429]


def test_evictions_of_pods_that_change_spend_one_disruption_each(make_cluster: Callable[..., Cluster]) -> None:
    server = make_cluster(objects=[]).server
    names = ("one", "two", "three")
    budget = guarded_pods(server, names, len(names))

    def annotate(name: str) -> set[int]:
        bodies = ({"metadata": {"annotations": {"turn": str(turn)}}} for turn in range(5))
        place = f"{server}/{PODS}/{name}"
        return {httpx.patch(place, json=body, headers=MERGE, timeout=60).status_code for body in bodies}

    with ThreadPoolExecutor(2 * len(names)) as clients:
        annotated = clients.map(annotate, names)
        assert list(clients.map(evict, [server] * len(names), names)) == [201] * len(names)
        assert set().union(*annotated) == {200}
    assert httpx.get(budget, timeout=60).json()["status"]["disruptionsAllowed"] == 0
    for name in names:
        found = httpx.get(f"{server}/{PODS}/{name}", timeout=60).json()["metadata"]
        assert (found["annotations"]["turn"], "deletionTimestamp" in found) == ("4", True)


def test_an_edit_of_the_page_keeps_what_clients_write_meanwhile(make_cluster: Callable[..., Cluster]) -> None:
    cluster = make_cluster(objects=[node("a")])
    place, commands = f"{cluster.server}/api/v1/nodes/a", f"clusters/{cluster.number}/commands/"
    settle(cluster, 1)
    read = cluster.page.get(f"clusters/{cluster.number}/objects/Node/a/")

    def report(number: int) -> int:
        condition = {"type": f"Check{number}", "status": "True"}
        body = {"status": {"conditions": [condition]}}
        headers = {"Content-Type": "application/strategic-merge-patch+json"}
        return httpx.patch(f"{place}/status", json=body, headers=headers, timeout=60).status_code

    with ThreadPoolExecutor(CLIENTS) as clients:
        reported = clients.map(report, range(CLIENTS))
        for number in range(CLIENTS):
            labels = {**read["metadata"]["labels"], f"edit-{number}": "was-here"}
            sent = {**read, "metadata": {**read["metadata"], "labels": labels}}
            last = cluster.page.post(commands, {"kind": "update", "objects": [sent], "read": [read]})["number"]
        assert list(reported) == [200] * CLIENTS
    settle(cluster, last)
    found = httpx.get(place, timeout=60).json()
    assert {each["type"] for each in found["status"]["conditions"]} == {f"Check{number}" for number in range(CLIENTS)}
    assert {f"edit-{number}" for number in range(CLIENTS)} <= found["metadata"]["labels"].keys()


def settle(cluster: Cluster, number: int) -> None:
    """Wait until the worker has carried out the command of this number."""
    place = f"clusters/{cluster.number}/commands/{number}/"
    wait_for(lambda: cluster.page.get(place)["state"] == "done", "the command")
