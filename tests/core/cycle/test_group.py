"""Pods of a group are scheduled in one cycle: what the records say, and what is left when it fails."""

from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.emulations import emulation_of
from simulator.simulation import CommandError, Record, Simulation

Manifest = dict[str, Any]
GANGS = {"GenericWorkload": True, "GangScheduling": True}


def node(name: str, cpu: str = "4") -> Manifest:
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": allocatable}}


def pod(name: str, group: str = "", cpu: str = "2", **spec: Any) -> Manifest:
    containers = [{"name": "c", "image": "nginx", "resources": {"requests": {"cpu": cpu}}}]
    member = {"schedulingGroup": {"podGroupName": group}} if group else {}
    metadata = {"name": name, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers, **member, **spec},
    }


def gang(name: str, minimum: int) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": minimum}}},
    }


def cluster(*objects: Manifest, gates: Mapping[str, bool] = GANGS) -> Simulation:
    simulation = Simulation.create(seed=1, emulation=emulation_of("v1.36.3", gates))
    apply(simulation, kind="create", objects=list(objects))
    return simulation


def apply(simulation: Simulation, **command: Any) -> list[Record]:
    return list(simulation.apply(command))


def told(records: list[Record]) -> list[tuple[str, int, str, str, str | None]]:
    cycles = [(record.data["kind"], record.data["cycle"]) for record in records if "cycle" in record.data]
    return [(kind, c["number"], c["pod"].split("/")[1], c["outcome"], c["node"]) for kind, c in cycles]


def condition(simulation: Simulation, name: str) -> tuple[str, str, str]:
    found = simulation.cluster.store.get("PodGroup", f"default/{name}")
    assert found is not None
    (only,) = found.conditions
    return only.status, only.reason, only.message


def lose_in_cycle(simulation: Simulation, key: str) -> None:
    """Try a gang of two, and delete this pod of it when both were tried and none is bound yet."""
    records = simulation.apply({"kind": "schedule_one"})
    for _ in range(2):
        next(records)
    gone = simulation.cluster.find_pod(key)
    assert gone is not None
    simulation.cluster.delete(gone)
    list(records)


def test_a_gang_that_fits_is_bound_as_a_whole() -> None:
    simulation = cluster(node("a"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g"))
    records = apply(simulation, kind="run", until="idle")
    assert told(records) == [
        ("cycle", 1, "g-1", "waiting", "a"),
        ("cycle", 2, "g-0", "waiting", "a"),
        ("binding", 1, "g-1", "scheduled", "a"),
        ("binding", 2, "g-0", "scheduled", "a"),
    ]
    assert {record.data["cycle"]["group"] for record in records} == {"default/g"}
    assert condition(simulation, "g") == ("True", "Scheduled", "")


def test_a_gang_that_does_not_fit_leaves_nothing_behind_and_the_run_ends() -> None:
    simulation = cluster(node("a"), gang("g", 3), pod("g-0", "g"), pod("g-1", "g"), pod("g-2", "g"))
    records = apply(simulation, kind="run", until="idle")
    assert [entry[2:] for entry in told(records)] == [
        ("g-2", "waiting", "a"),
        ("g-0", "waiting", "a"),
        ("g-1", "unschedulable", None),
        ("g-2", "unschedulable", None),
        ("g-0", "unschedulable", None),
    ]
    assert condition(simulation, "g") == ("False", "Unschedulable", "pod group is unschedulable")
    assert simulation.cluster.cache.table.pods == [{}]
    assert apply(simulation, kind="run", until="idle") == []
    apply(simulation, kind="create", objects=[node("b")])
    assert [entry[3] for entry in told(apply(simulation, kind="run", until="idle"))[3:]] == ["scheduled"] * 3


def test_members_wait_for_their_group_and_for_one_another() -> None:
    simulation = cluster(node("a"), pod("g-0", "g"))
    queued = simulation.cluster.queue.find("default/g-0")
    assert queued is not None and queued.gating_plugin == "GangScheduling"
    apply(simulation, kind="create", objects=[gang("g", 2)])
    assert told(apply(simulation, kind="run", until="idle")) == []
    apply(simulation, kind="create", objects=[pod("g-1", "g")])
    assert len(told(apply(simulation, kind="run", until="idle"))) == 4


def test_two_half_placed_gangs_block_one_another_only_without_the_gates() -> None:
    objects = [
        node("a"),
        *(gang(name, 2) for name in ("g", "h")),
        *(pod(name, name[0]) for name in ("g-0", "h-0", "g-1", "h-1")),
    ]
    without = cluster(*objects, gates={})
    apply(without, kind="run", until="idle")
    bound = {found.name for found in without.cluster.store.list("Pod") if found.node_name}
    assert bound == {"g-0", "h-0"}
    with_gates = cluster(*objects)
    apply(with_gates, kind="run", until="idle")
    assert len({found.name[0] for found in with_gates.cluster.store.list("Pod") if found.node_name}) == 1


def test_evictions_for_a_group_happen_after_its_cycle_and_make_the_next_one_fit() -> None:
    simulation = cluster(node("a"), pod("low-0"), pod("low-1"))
    apply(simulation, kind="run", until="idle")
    members = [pod(f"g-{i}", "g", priority=10) for i in range(2)]
    apply(simulation, kind="create", objects=[gang("g", 2), *members])
    records = apply(simulation, kind="run", until="idle")
    written = [write for record in records for write in record.data.get("writes", ()) if write["op"] == "delete"]
    assert {write["key"] for write in written} == {"default/low-0", "default/low-1"}
    assert [entry[3] for entry in told(records)][-2:] == ["scheduled", "scheduled"]
    assert condition(simulation, "g")[0] == "True"


def test_a_gang_that_loses_a_member_in_its_cycle_gives_up_after_five_minutes_at_permit() -> None:
    simulation = cluster(node("a"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g"))
    lose_in_cycle(simulation, "default/g-0")
    assert [each.pod.name for each in simulation.cluster.scheduler.waiting.values()] == ["g-1", "g-0"]
    assert told(apply(simulation, kind="advance_clock", seconds=299)) == []
    ended = apply(simulation, kind="advance_clock", seconds=2)
    assert [entry[2:4] for entry in told(ended)] == [("g-1", "unschedulable"), ("g-0", "unschedulable")]
    text = "rejected due to timeout after waiting 5m0s at plugin GangScheduling"
    assert text in ended[0].data["cycle"]["message"]


def test_a_cycle_left_in_the_middle_is_gone_on_with_by_the_next_command() -> None:
    whole = cluster(node("a"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g"))
    want = [record.data for record in apply(whole, kind="run", until="idle")]
    simulation = cluster(node("a"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g"))
    begun = simulation.apply({"kind": "run", "until": "idle"})
    got = [next(begun).data]
    assert simulation.checkpoint() is None
    got += [record.data for record in apply(simulation, kind="run", until="idle")]
    assert got == want


def test_a_cycle_is_over_with_its_last_record() -> None:
    """Whoever reads as many records as were told before is where the cluster was."""
    simulation = cluster(node("a"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g"))
    begun = simulation.apply({"kind": "schedule_one"})
    assert [simulation.checkpoint() is not None for _ in zip(range(4), begun, strict=False)] == [False] * 3 + [True]


def test_checkpoints_know_the_groups() -> None:
    simulation = cluster(node("a"), gang("g", 3), pod("g-0", "g"), pod("g-1", "g"))
    data = simulation.checkpoint()
    assert data is not None
    restored = Simulation.restore(data)
    assert restored.emulation is simulation.emulation
    for each in (simulation, restored):
        apply(each, kind="create", objects=[pod("g-2", "g")])
    assert simulation.checkpoint() == restored.checkpoint()


def test_all_members_must_name_one_scheduler() -> None:
    config = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: other
"""
    simulation = Simulation.create(config=config, emulation=emulation_of("v1.36.3", GANGS))
    members = [pod("g-0", "g"), pod("g-1", "g", schedulerName="other")]
    apply(simulation, kind="create", objects=[node("a"), gang("g", 2), *members])
    records = apply(simulation, kind="schedule_one")
    messages = {record.data["cycle"]["message"] for record in records}
    assert messages == {
        "all pods in a single pod group should have the same .spec.schedulerName set, "
        'got: "other" and "default-scheduler"'
    }


def away_from(app: str) -> Manifest:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def labelled(manifest: Manifest, **labels: str) -> Manifest:
    return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}


def host(name: str) -> Manifest:
    return labelled(node(name), **{"kubernetes.io/hostname": name})


# Measured from kube-scheduler v1.36.2: a pod that is assumed for a group's cycle makes no node one of those that are
# listed as having pods with terms, or a claim one of those in use (backend/cache/snapshot.go AssumePod).
@pytest.mark.parametrize(
    ("name", "running", "second", "placed"),
    [
        ("its refusal is not seen on a node without such pods", {}, {}, True),
        ("it is on a node that has one", away_from("db"), {}, False),
        ("a term of one's own is looked for in all pods", {}, away_from("web"), False),
    ],
)
def test_terms_of_members_that_are_held(name: str, running: Manifest, second: Manifest, placed: bool) -> None:
    there = labelled(pod("there", cpu="100m", nodeName="a", **running), app="other")
    members = [
        labelled(pod("g-0", "g", priority=10, **away_from("web")), app="web"),
        labelled(pod("g-1", "g", cpu="1", **second), app="web"),
    ]
    simulation = cluster(host("a"), there, gang("g", 2), *members)
    records = apply(simulation, kind="run", until="idle")
    assert [entry[3] for entry in told(records)][:2] == ["waiting", "waiting" if placed else "unschedulable"]
    assert condition(simulation, "g")[0] == str(placed)


@pytest.mark.parametrize(("used", "placed"), [(False, True), (True, False)])
def test_claims_of_members_that_are_held(used: bool, placed: bool) -> None:
    """A claim for one pod alone (ReadWriteOncePod), of two members."""
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "data",
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {
            "accessModes": ["ReadWriteOncePod"],
            "volumeName": "disk",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    disk = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {
            "accessModes": ["ReadWriteOncePod"],
            "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/d"},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"},
        },
    }
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    users = [pod("there", cpu="1", nodeName="a", volumes=volumes)] if used else []
    members = [pod(f"g-{i}", "g", cpu="1", volumes=volumes) for i in range(2)]
    simulation = cluster(node("a"), disk, claim, *users, gang("g", 2), *members)
    apply(simulation, kind="run", until="idle")
    assert condition(simulation, "g")[0] == str(placed)


@pytest.mark.parametrize(
    ("policy", "path"),
    [({}, "spec.schedulingPolicy"), ({"gang": {"minCount": 0}}, "spec.schedulingPolicy.gang.minCount")],
)
def test_a_pod_group_is_checked(policy: Manifest, path: str) -> None:
    wrong = {**gang("g", 1), "spec": {"schedulingPolicy": policy}}
    with pytest.raises(CommandError) as caught:
        cluster(wrong)
    assert [problem.path.split(".", 1)[-1] for problem in caught.value.problems] == [path]
