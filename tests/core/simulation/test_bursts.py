"""However much a manifest asks for, one reconcile does a bounded part of it, and a defect ends one reconcile only."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest

from kube_controllers import api as writes
from kube_controllers.job.index_sets import IndexSet
from kube_controllers.replica_set.replica_set_controller import ReplicaSetController
from simulator.simulation import Record, Simulation
from tests.core.controllers.chaos import node, template, workload
from tests.core.controllers.test_living import simulation_of

BILLION = 10**9


def job(**asked: Any) -> dict[str, Any]:
    made = template("job")
    made["spec"]["restartPolicy"] = "Never"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "job", "namespace": "default"},
        "spec": {"template": made, "parallelism": BILLION, "completions": BILLION, **asked},
    }


def cron_job(schedule: str) -> dict[str, Any]:
    about = {"name": "pi", "namespace": "default"}
    asked = {"schedule": schedule, "jobTemplate": {"spec": job()["spec"]}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": about, "spec": asked}


def replication_controller() -> dict[str, Any]:
    asked = {"replicas": BILLION, "selector": {"app": "rc"}, "template": template("rc")}
    return {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "rc", "namespace": "default"},
        "spec": asked,
    }


def created(records: Iterable[Record]) -> list[int]:
    """Return how many Pods each of these records creates, of those that create any."""
    counts = [
        sum(op == "create" and kind == "Pod" for op, kind, _, _ in record.manifests)
        for record in records
        if record.data["kind"] == "reconcile"
    ]
    return [count for count in counts if count]


@pytest.mark.parametrize(
    ("owner", "burst"),
    [
        (workload("Deployment", "web", replicas=BILLION), 500),
        (workload("ReplicaSet", "web", replicas=BILLION), 500),
        (replication_controller(), 500),
        (workload("StatefulSet", "web", replicas=BILLION, podManagementPolicy="Parallel"), 1_000),
        (workload("StatefulSet", "web", replicas=BILLION), 1),
        (job(), 500),
        (job(completionMode="Indexed"), 500),
    ],
    ids=["Deployment", "ReplicaSet", "ReplicationController", "parallel", "ordered", "Job", "indexed"],
)
def test_a_billion_pods_come_in_bursts(owner: dict[str, Any], burst: int) -> None:
    simulation = Simulation.create(
        seed=1, actors=("deployment", "replicaset", "replicationcontroller"), record_steps=False
    )
    for command in ({"kind": "set_actors", "actors": "all"}, {"kind": "create", "objects": [node(0)]}):
        assert list(simulation.apply(command))
    records = simulation.apply({"kind": "create", "objects": [owner]})
    assert created(islice(records, 12))[:1] == [burst]


def test_large_pods_come_in_smaller_bursts() -> None:
    owner = workload("ReplicaSet", "web", replicas=BILLION)
    owner["spec"]["template"]["metadata"]["annotations"] = {"note": "x" * (2 << 20)}
    simulation = simulation_of()
    records = simulation.apply({"kind": "create", "objects": [owner]})
    assert created(islice(records, 3)) == [3, 3]


def test_controllers_fill_a_cluster_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writes, "MOST_OF_A_KIND", 20)
    simulation = simulation_of(workload("ReplicaSet", "web", replicas=BILLION), actors=("replicaset",))
    assert len(simulation.cluster.store.list("Pod")) == 20
    (owner,) = simulation.cluster.store.list("ReplicaSet")
    (condition,) = owner.manifest["status"]["conditions"]
    assert condition["reason"] == "FailedCreate"
    assert "is forbidden: the playground has room for 20 pods" in condition["message"]


def test_a_job_of_a_billion_indexes_that_are_done() -> None:
    status = {"completedIndexes": "0-999999998", "succeeded": BILLION - 1, "startTime": "2026-01-01T00:00:00Z"}
    indexed = job(completionMode="Indexed", parallelism=1)
    simulation = simulation_of({**indexed, "status": status})
    assert [pod.name.rpartition("-")[0] for pod in simulation.cluster.store.list("Pod")] == ["job-999999999"]


@pytest.mark.parametrize(
    ("text", "completions", "written", "size"),
    [
        ("", 5, "", 0),
        ("0,2-4,7", 10, "0,2-4,7", 5),
        ("1-3,2-6,8,7", 10, "1-8", 8),
        ("3,4", 10, "3,4", 2),
        ("2-9", 4, "2,3", 2),
        ("x,1-y,3", 5, "3", 1),
        ("0-999999998", BILLION, "0-999999998", BILLION - 1),
    ],
)
def test_index_sets(text: str, completions: int, written: str, size: int) -> None:
    indexes = IndexSet.parse(text, completions)
    assert (str(indexes), len(indexes)) == (written, size)
    assert [at in indexes for at in range(-1, 10)] == [at in set(_all(indexes)) for at in range(-1, 10)]
    by_hand = (at for at in range(min(completions, 20)) if at not in indexes)
    assert list(islice(indexes.missing(completions), 3)) == list(islice(by_hand, 3)) or completions == BILLION
    assert completions != BILLION or list(indexes.missing(completions)) == [BILLION - 1]


def _all(indexes: IndexSet) -> Iterable[int]:
    return (at for first, last in indexes.intervals for at in range(first, min(last, 20) + 1))


def test_a_schedule_that_never_runs_is_told() -> None:
    simulation = simulation_of()
    records = list(simulation.apply({"kind": "create", "objects": [cron_job("59 23 31 2 *")]}))
    events = [event for record in records for event in record.data.get("events", ()) if event["kind"] == "CronJob"]
    assert [(event["type"], event["reason"], event["message"]) for event in events] == [
        (
            "Warning",
            "InvalidSchedule",
            "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second",
        )
    ]


def test_a_defect_of_one_controller_lets_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, obj: Any, view: Any) -> Any:
        raise ZeroDivisionError("oops")

    simulation = simulation_of()
    with monkeypatch.context() as patch:
        patch.setattr(ReplicaSetController, "reconcile", broken)
        objects = [workload("ReplicaSet", "web", replicas=1), workload("DaemonSet", "agent")]
        records = list(simulation.apply({"kind": "create", "objects": objects}))
    errors = [record.data["error"] for record in records if "error" in record.data]
    assert errors == ["ZeroDivisionError: oops"]
    assert len(simulation.cluster.store.list("Pod")) == 2  # of the DaemonSet
    assert list(simulation.apply({"kind": "run", "until": {"seconds": 5}}))
    assert len(simulation.cluster.store.list("Pod")) == 3
