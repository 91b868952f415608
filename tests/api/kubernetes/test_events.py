"""Events of a live cluster with controllers, as clients read and watch them: what is alike is one that counts."""

from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from playground.kubernetes import event_objects, resource_versions, watch_events
from playground.models import Cluster
from tests.api.kubernetes.test_kubernetes import TABLE, Kubernetes
from tests.core.controllers.chaos import node, workload
from tests.web import Api, pod

EVENTS = "api/v1/namespaces/default/events"
APPS = "apis/apps/v1/namespaces/default"


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    cluster = api.cluster([])
    api.command(cluster, kind="set_actors", actors="all")
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    assert api.post(f"clusters/{cluster}/pace/", {"live": True})["live"]
    made = Kubernetes(cluster)
    made("POST", "api/v1/nodes", node(0), status=201)
    return made


def about(kube: Kubernetes, kind: str, name: str = "") -> list[dict[str, Any]]:
    """In the order in which they were first told."""
    selector = f"involvedObject.kind={kind}" + (f",involvedObject.name={name}" if name else "")
    return list(kube("GET", f"{EVENTS}?fieldSelector={selector}")["items"])


def test_what_is_similar_is_combined_and_too_much_left_out(kube: Kubernetes) -> None:
    kube("POST", f"{APPS}/deployments", workload("Deployment", "web", replicas=30), status=201)
    found = about(kube, "ReplicaSet")
    assert [each["count"] for each in found] == [1] * 9 + [16]
    assert found[-1]["message"].startswith("(combined from similar events): Created pod: web-")
    assert {each["involvedObject"]["apiVersion"] for each in found} == {"apps/v1"}
    cells = [row["cells"] for row in kube("GET", EVENTS, Accept=TABLE)["rows"]]
    assert [row[8] for row in cells if str(row[6]).startswith("(combined")] == [16]


def test_the_same_counts_and_a_watch_says_so(kube: Kubernetes) -> None:
    kube("POST", f"{APPS}/statefulsets", workload("StatefulSet", "db", replicas=1, serviceName="db"), status=201)
    (made,) = about(kube, "StatefulSet")
    version = int(kube("GET", EVENTS)["metadata"]["resourceVersion"])
    kube("DELETE", "api/v1/namespaces/default/pods/db-0?gracePeriodSeconds=0")
    (again,) = about(kube, "StatefulSet")
    assert (made["count"], again["count"]) == (1, 2)
    assert again["metadata"]["name"] == made["metadata"]["name"]
    assert (again["firstTimestamp"], again["message"]) == (made["firstTimestamp"], made["message"])
    counted = watch_events.changes_since(kube.cluster_id, version, {"Event"})
    assert counted is not None
    (change,) = (each for each in counted[1] if each.after and each.after["reason"] == "SuccessfulCreate")
    assert change.before is not None and change.after is not None
    assert change.before == {**made, "apiVersion": "v1", "kind": "Event"}
    assert {**again, "apiVersion": "v1", "kind": "Event"} == change.after
    assert int(again["metadata"]["resourceVersion"]) == change.version


def test_events_of_a_pod_are_not_those_of_another_of_its_name(kube: Kubernetes) -> None:
    kube("POST", f"{APPS}/statefulsets", workload("StatefulSet", "db", replicas=1, serviceName="db"), status=201)
    path = "api/v1/namespaces/default/pods/db-0"
    first = kube("GET", path)["metadata"]["uid"]
    kube("DELETE", f"{path}?gracePeriodSeconds=0")
    second = kube("GET", path)["metadata"]["uid"]
    bound = [each for each in about(kube, "Pod", "db-0") if each["reason"] == "Scheduled"]
    assert [each["involvedObject"]["uid"] for each in bound] == [first, second]


def test_attempts_of_the_scheduler_become_a_series(kube: Kubernetes) -> None:
    kube("POST", "api/v1/namespaces/default/pods", pod("huge", cpu="64"), status=201)
    # Each that goes may have made room.
    for _ in range(3):
        kube("POST", "api/v1/namespaces/default/pods", pod("small", cpu="1"), status=201)
        kube("DELETE", "api/v1/namespaces/default/pods/small?gracePeriodSeconds=0")
    found = [each for each in about(kube, "Pod", "huge") if each["reason"] == "FailedScheduling"]
    first, second = found
    assert "series" not in first and second["series"]["count"] == 2
    assert second["eventTime"] < second["series"]["lastObservedTime"]
    assert "count" not in second


def test_they_go_with_their_namespace(api: Api, kube: Kubernetes) -> None:
    kube("POST", "api/v1/namespaces", {"metadata": {"name": "team"}}, status=201)
    inside = "api/v1/namespaces/team"
    kube("POST", f"{inside}/pods", {**pod("web"), "metadata": {"name": "web"}}, status=201)
    (before,) = kube("GET", f"{inside}/events")["items"]
    version = int(kube("GET", f"{inside}/events")["metadata"]["resourceVersion"])
    kube("DELETE", "api/v1/namespaces/team")
    api.command(kube.cluster_id, kind="advance_clock", seconds=60)
    kube("GET", inside, status=404)
    assert kube("GET", f"{inside}/events")["items"] == []
    assert [each["metadata"]["namespace"] for each in kube("GET", "api/v1/events")["items"]].count("team") == 0
    told = watch_events.changes_since(kube.cluster_id, version, {"Event"})
    assert told is not None
    gone = [each.before for each in told[1] if each.after is None]
    assert before["metadata"]["name"] in [each["metadata"]["name"] for each in gone if each]
    kube("POST", "api/v1/namespaces", {"metadata": {"name": "team"}}, status=201)
    assert kube("GET", f"{inside}/events")["items"] == []
    kube("POST", f"{inside}/pods", {**pod("web"), "metadata": {"name": "web"}}, status=201)
    (again,) = kube("GET", f"{inside}/events")["items"]
    assert again["metadata"]["name"] != before["metadata"]["name"]


def test_moments_are_in_order_beyond_a_thousand_records(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.models import Event

    cluster = Cluster.objects.get(pk=api.cluster([]))
    cluster.revision = 2_500
    names = [f"default/pod-{number:04d}" for number in range(0, 2_500, 250)]
    Event.objects.bulk_create(
        Event(cluster=cluster, seq=seq, t=1.0, type="Normal", reason="Scheduled", kind="Pod", object=name, message="m")
        for seq, name in zip(range(0, 2_500, 250), names, strict=True)
    )
    found = sorted(event_objects.read_newest_events(cluster, "default"), key=lambda each: str(each["eventTime"]))
    assert [f"default/{each['involvedObject']['name']}" for each in found] == names


def test_too_many_writes_are_not_told(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    from playground.models import Event

    monkeypatch.setattr(event_objects, "MOST_WRITES", 3)
    cluster = Cluster.objects.get(pk=api.cluster([]))
    cluster.revision = 4
    Event.objects.bulk_create(
        Event(
            cluster=cluster,
            seq=seq,
            t=seq,
            type="Normal",
            reason="Scheduled",
            kind="Pod",
            object=f"a/{seq}",
            message="m",
        )
        for seq in range(5)
    )
    assert event_objects.read_event_writes(cluster, 0, 4) is None
    counted = event_objects.read_event_writes(cluster, 3, 4)
    assert counted is not None and [seq for seq, *_ in counted] == [3, 4]
    assert resource_versions.seq_of(int(counted[0][3]["metadata"]["resourceVersion"])) == 3
