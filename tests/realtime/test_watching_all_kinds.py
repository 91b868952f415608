"""A watch of each kind reports every change, from the start and from a version, also while controllers are on."""

import asyncio
from typing import Any

import pytest

from kube_apiserver import conversion
from kube_apiserver.resources import Resource, table
from playground.models import Cluster
from tests.realtime.test_watching import Watch, play, version, watching

KINDS = [
    each for each in table().values() if {"watch", "create"} <= set(each.verbs) and conversion.stored(each) is each
]
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
WORKLOAD = {"spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE}}
# The engine reads more of these than a name.
SPECS: dict[str, dict[str, Any]] = {
    "Pod": {"spec": {"containers": [{"name": "main", "image": "nginx"}]}},
    "PersistentVolume": {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}},
    "PersistentVolumeClaim": {
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    },
    "CSIStorageCapacity": {"storageClassName": "fast"},
    "DaemonSet": WORKLOAD,
    "Deployment": WORKLOAD,
    "PriorityClass": {"value": 7},
    "ReplicaSet": WORKLOAD,
    "ResourceSlice": {
        "spec": {
            "driver": "gpu.example.com",
            "nodeName": "node-0",
            "pool": {"name": "a", "generation": 1, "resourceSliceCount": 1},
        }
    },
    "StatefulSet": WORKLOAD,
    "VolumeAttachment": {
        "spec": {"attacher": "example.com/disk", "nodeName": "node-0", "source": {"persistentVolumeName": "a"}}
    },
    "StorageClass": {"provisioner": "example.com/disk"},
}
PROBE = "probe"


def manifest(resource: Resource, **labels: str) -> dict[str, Any]:
    place = {"namespace": "default"} if resource.namespaced else {}
    metadata = {"name": PROBE, **place, "labels": labels}
    about = {"apiVersion": resource.api_version, "kind": resource.manifest_kind, "metadata": metadata}
    return about | SPECS.get(resource.kind, {})


async def reported(watch: Watch) -> tuple[str, dict[str, str]]:
    """Return type and labels of the next event of our object: controllers write others."""
    while True:
        event = await asyncio.wait_for(watch.event(), 5)
        if event["object"]["metadata"].get("name") == PROBE:
            return event["type"], event["object"]["metadata"].get("labels") or {}


@pytest.mark.parametrize("resource", KINDS, ids=lambda each: each.qualified)
async def test_a_watch_reports_a_create_a_change_and_a_delete(small: Cluster, resource: Resource) -> None:
    await play(small, "set_actors", actors=["ttl-after-finished"])
    path = f"{resource.path}/{resource.name}"
    async with (
        watching(small, path) as from_start,
        watching(small, f"{path}?resourceVersion={await version(small, path)}") as from_version,
    ):
        reference = {**manifest(resource)["metadata"], "kind": resource.kind}
        reference.pop("labels")
        watches = (from_start, from_version)
        await play(small, "create", manifest(resource))
        assert [await reported(each) for each in watches] == [("ADDED", {})] * 2
        await play(small, "update", manifest(resource, tier="front"))
        assert [await reported(each) for each in watches] == [("MODIFIED", {"tier": "front"})] * 2
        await play(small, "delete", reference, at_once=True)
        if resource.kind == "Pod":
            # An API server writes twice when a Pod ends.
            assert [(await reported(each))[0] for each in watches] == ["MODIFIED"] * 2
        assert [(await reported(each))[0] for each in watches] == ["DELETED"] * 2
