"""Managed fields of controllers over HTTP: where a client sees them, and that none are stored."""

import json
from typing import Any

import pytest

from playground.clusters import commands
from playground.models import ClusterObject
from tests.api.kubernetes.test_kubernetes import APPLY, PODS, Kubernetes, kube

__all__ = ["kube"]

MERGE = "application/merge-patch+json"
TIME = "2025-06-01T00:00:05Z"
POD = f"{PODS}/db"


@pytest.fixture
def running(kube: Kubernetes) -> Kubernetes:
    """Return the API of a cluster in which a kubelet has started the Pod `db` of a client."""
    spec = {"containers": [{"name": "main", "image": "nginx"}]}
    made = kube("POST", PODS, {"metadata": {"name": "db"}, "spec": spec}, status=201)
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": TIME}]
    status = {**made["status"], "phase": "Running", "conditions": conditions, "startTime": TIME}
    value = {**made, "spec": {**made["spec"], "nodeName": "node-1"}, "status": status}
    commands.submit(kube.cluster_id, {"kind": "update", "objects": [value]})
    return kube


def stored_managers(kube: Kubernetes) -> list[str]:
    row = ClusterObject.objects.get(cluster_id=kube.cluster_id, kind="Pod", key="default/db")
    return managers(row.manifest)


def managers(value: Any) -> list[str]:
    return [each["manager"] for each in value["metadata"]["managedFields"]]


def test_a_client_that_reads_or_writes_one_object_sees_the_kubelet(running: Kubernetes) -> None:
    assert managers(running("GET", POD)) == ["kubectl", "kubelet"]
    patched = running("PATCH", POD, {"metadata": {"labels": {"tier": "front"}}}, kind=MERGE)
    assert sorted(managers(patched)) == ["kubectl", "kubelet"]
    assert stored_managers(running) == ["kubectl"]


def test_an_apply_conflicts_with_the_kubelet(running: Kubernetes) -> None:
    applied = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "db"}, "status": {"phase": "Failed"}}
    refused = running("PATCH", f"{POD}/status?fieldManager=me", applied, status=409, kind=APPLY)
    conflict = 'conflict with "kubelet" with subresource "status" using v1'
    assert refused["message"] == f"Apply failed with 1 conflict: {conflict}: .status.phase"
    cause = {"reason": "FieldManagerConflict", "message": conflict, "field": ".status.phase"}
    assert refused["details"]["causes"] == [cause]
    running("PATCH", f"{POD}/status?fieldManager=me&force=true", applied, kind=APPLY)
    assert running("GET", POD)["status"]["phase"] == "Failed"
    assert stored_managers(running) == ["me", "kubectl"]


@pytest.mark.parametrize("of_list", [True, False], ids=["as a list has it", "as a read has it"])
def test_an_update_that_changes_nothing_writes_nothing(running: Kubernetes, of_list: bool) -> None:
    """Clients with informers send back objects of lists and watches, which lack the managed fields of controllers."""
    (item,) = (each for each in running("GET", PODS)["items"] if each["metadata"]["name"] == "db")
    sent = {"apiVersion": "v1", "kind": "Pod", **item} if of_list else running("GET", POD)
    assert ("kubelet" in json.dumps(sent["metadata"]["managedFields"])) is not of_list
    answer = running("PUT", POD, sent)
    assert answer["metadata"]["resourceVersion"] == item["metadata"]["resourceVersion"]
