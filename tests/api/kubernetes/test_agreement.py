"""What kubectl reads agrees with what the page shows, at each moment: `get pods`, `get events`, `wait`."""

from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from tests.api.kubernetes.test_kubernetes import PODS, TABLE, Kubernetes
from tests.web import Api, node, pod

OBJECTS = [
    node("small", cpu="1"),
    node("large", cpu="4"),
    *(pod(f"web-{number}", cpu="900m") for number in range(5)),
    pod("huge", cpu="64"),
]
NAMES = [f"web-{number}" for number in range(5)] + ["huge"]


@pytest.fixture
def both(api: Api, monkeypatch: pytest.MonkeyPatch) -> tuple[Api, Kubernetes]:
    """The page of a cluster, and a client of its API."""
    cluster = api.cluster(OBJECTS)
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return api, Kubernetes(cluster)


def scheduled(found: dict[str, Any]) -> str:
    """What `kubectl wait --for=condition=PodScheduled` waits for."""
    conditions = found["status"].get("conditions") or ()
    return next((str(each["status"]) for each in conditions if each["type"] == "PodScheduled"), "")


def said(page: Api, kube: Kubernetes) -> list[int]:
    """How many Events each pod has; where, in which state and with which Events it is, both say alike."""
    events = kube("GET", "api/v1/namespaces/default/events")["items"]
    by_pod: dict[str, list[tuple[str, str, str]]] = {name: [] for name in NAMES}
    for each in sorted(events, key=lambda found: int(found["metadata"]["resourceVersion"])):
        if each["involvedObject"]["kind"] == "Pod":
            by_pod[each["involvedObject"]["name"]].append((each["type"], each["reason"], each["message"]))
    rows = {each["cells"][0]: each["cells"] for each in kube("GET", PODS, Accept=TABLE)["rows"]}
    for name in NAMES:
        shown = page.get(f"clusters/{kube.cluster_id}/pods/default/{name}/")
        found = kube("GET", f"{PODS}/{name}")
        assert (found["spec"].get("nodeName") or "") == (shown["node"] or "")
        assert (scheduled(found) == "True") == (shown["lane"] == "bound")
        # What was said again only counts in an Event object.
        told = [(each["type"], each["reason"], each["message"]) for each in shown["events"]]
        assert list(dict.fromkeys(told)) == list(dict.fromkeys(by_pod[name]))
        assert rows[name][2] == found["status"]["phase"]
        assert (rows[name][6] == "<none>") == (shown["lane"] != "bound")
    return [len(by_pod[name]) for name in NAMES]


def test_after_each_step(both: tuple[Api, Kubernetes]) -> None:
    page, kube = both
    assert said(page, kube) == [0] * 6
    for step in range(1, 7):
        page.command(kube.cluster_id, kind="schedule_one")
        assert sum(said(page, kube)) == step
    assert page.get(f"clusters/{kube.cluster_id}/")["counts"]["bound"] == 5
    assert scheduled(kube("GET", f"{PODS}/huge")) == "False"


def test_where_time_runs_on_by_itself(both: tuple[Api, Kubernetes]) -> None:
    page, kube = both
    assert page.post(f"clusters/{kube.cluster_id}/pace/", {"live": True})["live"]
    kube("PATCH", "api/v1/nodes/large", {"metadata": {"labels": {"a": "b"}}}, kind="application/merge-patch+json")
    assert [count > 0 for count in said(page, kube)] == [True] * 6
    kube("DELETE", f"{PODS}/web-0?gracePeriodSeconds=0")
    kube("POST", PODS, OBJECTS[2], status=201)
    said(page, kube)
    assert page.get(f"clusters/{kube.cluster_id}/")["counts"]["bound"] == 5
    assert scheduled(kube("GET", f"{PODS}/web-0")) == "True"


def test_events_of_the_scheduler_are_as_its_recorder_writes_them_and_in_their_order(
    both: tuple[Api, Kubernetes],
) -> None:
    page, kube = both
    page.command(kube.cluster_id, kind="run", until="idle")
    found = kube("GET", "api/v1/events?fieldSelector=source=default-scheduler")["items"]
    in_order = sorted(found, key=lambda each: each["eventTime"])
    assert [each["involvedObject"]["name"] for each in in_order] == NAMES
    own: dict[str, Any] = {
        "source": {},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "reportingComponent": "default-scheduler",
    }
    assert all(own.items() <= each.items() for each in found)
    assert [each["action"] for each in in_order] == 5 * ["Binding"] + ["Scheduling"]
    newer = kube("GET", "apis/events.k8s.io/v1/events")["items"]
    assert {each["eventTime"] for each in newer} == {each["eventTime"] for each in found}


def test_what_the_page_created_can_be_scaled(both: tuple[Api, Kubernetes]) -> None:
    """A server fills in what is stored when it reads it: nobody has to send a strategy to change the replicas."""
    page, kube = both
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "m", "image": "x"}]}}
    for kind in ("Deployment", "ReplicaSet", "StatefulSet"):
        spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
        meta = {"name": "web", "namespace": "default"}
        stored = {"apiVersion": "apps/v1", "kind": kind, "metadata": meta, "spec": spec}
        page.command(kube.cluster_id, kind="create", objects=[stored])
        path = f"apis/apps/v1/namespaces/default/{kind.lower()}s/web/scale"
        told = kube("PATCH", path, {"spec": {"replicas": 1}}, kind="application/merge-patch+json")
        assert told["spec"] == {"replicas": 1}
        assert kube("PUT", path, {**told, "spec": {"replicas": 3}})["spec"] == {"replicas": 3}
