"""Claims get their volumes, and a ReplicationController its pods."""

from typing import Any

import pytest

from simulator.simulation import Simulation
from tests.core.controllers.chaos import template, workload
from tests.core.controllers.test_living import run, simulation_of


def storage_class(named: str, **fields: Any) -> dict[str, Any]:
    about = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": named}}
    return {**about, "provisioner": "example.com/disk", **fields}


def stateful(named: str, of: str | None) -> dict[str, Any]:
    made = workload("StatefulSet", named, replicas=2)
    asked: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}
    if of is not None:
        asked["storageClassName"] = of
    made["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": asked}]
    made["spec"]["persistentVolumeClaimRetentionPolicy"] = {"whenDeleted": "Delete"}
    return made


def claim(named: str, **about: Any) -> dict[str, Any]:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}
    metadata = {"name": named, "namespace": "default", **about}
    spec = {**asked, "storageClassName": "manual"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def volume(named: str, size: str) -> dict[str, Any]:
    asked = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": "manual"}
    spec = {**asked, "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": "/data"}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": named}, "spec": spec}


def phases(simulation: Simulation) -> dict[str, str]:
    found = simulation.cluster.store.list("PersistentVolume")
    return {one.name: one.manifest.get("status", {}).get("phase", "") for one in found}


def placed(simulation: Simulation) -> list[bool]:
    return [bool(pod.node_name) for pod in simulation.cluster.store.list("Pod")]


def test_a_class_makes_volumes_that_go_with_their_claims() -> None:
    simulation = simulation_of(storage_class("fast"), stateful("db", "fast"))
    run(simulation, 60)
    assert placed(simulation) == [True, True]
    assert list(phases(simulation).values()) == ["Bound", "Bound"]
    gone = {"kind": "delete", "objects": [{"kind": "StatefulSet", "name": "db", "namespace": "default"}]}
    assert list(simulation.apply(gone))
    run(simulation, 60)
    assert phases(simulation) == {}


def test_the_default_class_is_that_of_a_claim_without_one() -> None:
    default = storage_class("usual")
    default["metadata"]["annotations"] = {"storageclass.kubernetes.io/is-default-class": "true"}
    simulation = simulation_of(default, stateful("db", None))
    run(simulation, 60)
    assert placed(simulation) == [True, True]
    assert {one.storage_class_name for one in simulation.cluster.store.list("PersistentVolumeClaim")} == {"usual"}


def test_the_smallest_volume_that_does_and_released_ones_stay() -> None:
    manual = storage_class("manual", provisioner="kubernetes.io/no-provisioner")
    found = [volume("small", "1Gi"), volume("large", "50Gi"), volume("middle", "5Gi")]
    simulation = simulation_of(manual, *found, stateful("db", "manual"))
    run(simulation, 60)
    assert phases(simulation) == {"small": "Available", "large": "Bound", "middle": "Bound"}
    claims = {one.name: one.volume_name for one in simulation.cluster.store.list("PersistentVolumeClaim")}
    assert claims == {"data-db-0": "middle", "data-db-1": "large"}
    gone = {"kind": "delete", "objects": [{"kind": "StatefulSet", "name": "db", "namespace": "default"}]}
    assert list(simulation.apply(gone))
    run(simulation, 60)
    assert phases(simulation) == {"small": "Available", "large": "Released", "middle": "Released"}


def test_a_volume_is_available_until_a_claim_has_it() -> None:
    kept = volume("kept", "5Gi")
    kept["spec"]["claimRef"] = {"namespace": "default", "name": "later"}
    simulation = simulation_of(volume("free", "5Gi"), kept)
    run(simulation, 10)
    assert phases(simulation) == {"free": "Available", "kept": "Available"}


def test_a_replication_controller_selects_by_labels_alone() -> None:
    made = workload("ReplicaSet", "old", replicas=3) | {"apiVersion": "v1", "kind": "ReplicationController"}
    made["spec"] = {"replicas": 3, "selector": {"app": "old"}, "template": template("old", "app:1")}
    simulation = simulation_of(made)
    run(simulation, 30)
    assert placed(simulation) == [True, True, True]
    (found,) = simulation.cluster.store.list("ReplicationController")
    assert found.manifest["status"]["readyReplicas"] == 3
    assert found.manifest["spec"]["selector"] == {"app": "old"}
    assert "terminatingReplicas" not in found.manifest["status"]


def test_what_is_deleted_waits_for_who_uses_it() -> None:
    protected = volume("disk", "5Gi")
    protected["metadata"]["finalizers"] = ["kubernetes.io/pv-protection"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "db", "namespace": "default"},
        "spec": {
            **template("db")["spec"],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    }
    simulation = simulation_of(protected, claim("data", finalizers=["kubernetes.io/pvc-protection"]), pod)
    run(simulation, 60)
    assert phases(simulation) == {"disk": "Bound"}

    def delete(kind: str, name: str) -> None:
        place = {"kind": kind, "name": name} | ({} if kind == "PersistentVolume" else {"namespace": "default"})
        list(simulation.apply({"kind": "delete", "objects": [place]}))
        run(simulation, 60)

    delete("PersistentVolumeClaim", "data")
    delete("PersistentVolume", "disk")
    assert phases(simulation) == {"disk": "Bound"}
    delete("Pod", "db")
    assert simulation.cluster.store.list("PersistentVolumeClaim") == []
    assert phases(simulation) == {}


MANUAL = storage_class("manual", provisioner="kubernetes.io/no-provisioner")
RESERVED = volume("free", "5Gi")
RESERVED["spec"]["claimRef"] = {"namespace": "default", "name": "data"}


@pytest.mark.parametrize(
    ("come", "after", "is_bound"),
    [
        ([volume("free", "5Gi")], 14.5, False),
        ([volume("free", "5Gi")], 16.0, True),
        ([storage_class("other")], 16.0, False),
        ([RESERVED], 1.0, True),
    ],
    ids=[
        "a volume is not looked for at once",
        "but every 15 seconds",
        "no volume is none",
        "one that is kept for it is",
    ],
)
def test_a_claim_that_waits_finds_a_volume_that_comes(come: list[dict[str, Any]], after: float, is_bound: bool) -> None:
    simulation = simulation_of(MANUAL, claim("data"))
    run(simulation, 15)  # The looks are at 0, 15, 30, … seconds.
    assert list(simulation.apply({"kind": "create", "objects": come}))
    run(simulation, after)
    assert [bool(one.volume_name) for one in simulation.cluster.store.list("PersistentVolumeClaim")] == [is_bound]


BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"


@pytest.mark.parametrize(
    ("reserved", "named", "of_volume", "of_claim"),
    [(False, False, True, True), (True, False, False, True), (False, True, True, False), (True, True, False, False)],
)
def test_what_the_controller_bound_says_so(reserved: bool, named: bool, of_volume: bool, of_claim: bool) -> None:
    disk, wish = volume("disk", "5Gi"), claim("data")
    if reserved:
        disk["spec"]["claimRef"] = {"namespace": "default", "name": "data"}
    if named:
        wish["spec"]["volumeName"] = "disk"
    simulation = simulation_of(MANUAL, disk, wish)
    run(simulation, 60)
    has = [
        BY_CONTROLLER in (found.manifest["metadata"].get("annotations") or {})
        for kind in ("PersistentVolume", "PersistentVolumeClaim")
        for found in simulation.cluster.store.list(kind)
    ]
    assert has == [of_volume, of_claim]


def test_a_class_of_attributes_waits_for_its_claims() -> None:
    metadata = {"name": "gold", "finalizers": ["kubernetes.io/vac-protection"]}
    gold = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass", "metadata": metadata, "driverName": "d"}
    wish = claim("data")
    wish["spec"]["volumeAttributesClassName"] = "gold"
    simulation = simulation_of(gold, wish)
    for name, place, left in (
        ("VolumeAttributesClass", {"name": "gold"}, 1),
        ("PersistentVolumeClaim", {"name": "data", "namespace": "default"}, 0),
    ):
        list(simulation.apply({"kind": "delete", "objects": [{"kind": name, **place}]}))
        run(simulation, 60)
        assert len(simulation.cluster.store.list("VolumeAttributesClass")) == left
