"""A client that keeps what a watch told it knows the version by which it may write."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.clients.conftest import Cluster
from tests.clients.test_at_once import MERGE, PODS, made
from tests.web import node, pod

READY = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
BUDGETS = "apis/policy/v1/namespaces/default/poddisruptionbudgets"
BUDGET = {
    "metadata": {"name": "web"},
    "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "web"}}},
}
ALLOWED = {
    "status": {
        "disruptionsAllowed": 1,
        "currentHealthy": 1,
        "desiredHealthy": 0,
        "expectedPods": 1,
        "observedGeneration": 1,
    }
}


@pytest.fixture
def story(make_cluster: Callable[..., Cluster]) -> tuple[str, str]:
    """A cluster in which a pod was bound, ran, and was evicted as a budget allowed, and its version before that."""
    server = make_cluster(objects=[]).server
    # From the first watch on changes are kept.
    assert list(events(f"{server}/{PODS}", "")) == []
    before = httpx.get(f"{server}/{PODS}", timeout=60).json()["metadata"]["resourceVersion"]
    made(f"{server}/api/v1/nodes", node("a"))
    found = pod("web", schedulerName="another")
    made(f"{server}/{PODS}", {**found, "metadata": {**found["metadata"], "labels": {"app": "web"}}})
    target = {"metadata": {"name": "web"}, "target": {"kind": "Node", "name": "a"}}
    made(f"{server}/{PODS}/web/binding", target)
    made(f"{server}/{BUDGETS}", BUDGET)
    for place, body in ((f"{BUDGETS}/web/status", ALLOWED), (f"{PODS}/web/status", READY)):
        assert httpx.patch(f"{server}/{place}", json=body, headers=MERGE, timeout=60).status_code == 200
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web"}}
    made(f"{server}/{PODS}/web/eviction", eviction)
    return server, before


def events(place: str, version: str) -> Iterator[dict[str, Any]]:
    """What happened since."""
    query = {"watch": "1", "timeoutSeconds": "1", "resourceVersion": version}
    with httpx.stream("GET", place, params=query, timeout=60) as answer:
        yield from map(json.loads, answer.iter_lines())


@pytest.mark.parametrize("place", [PODS, BUDGETS])
def test_each_event_has_a_later_version_and_the_last_is_the_object_s(story: tuple[str, str], place: str) -> None:
    server, before = story
    told = list(events(f"{server}/{place}", before))
    versions = [int(each["object"]["metadata"]["resourceVersion"]) for each in told]
    assert len(told) >= 3
    assert versions == sorted(set(versions))
    # Only the read of one object shows the managed fields of controllers: docs/reference/kubernetes-api.md.
    last, read = told[-1]["object"], httpx.get(f"{server}/{place}/web", timeout=60).json()
    for shown in (last, read):
        shown["metadata"].pop("managedFields", None)
    assert last == read
