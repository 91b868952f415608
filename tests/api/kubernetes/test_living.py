"""Nodes and workloads that a Kubernetes client creates live, where controllers are on and the cluster is live."""

from typing import Any

import pytest

from playground.clusters import commands
from playground.engine import command_runner
from playground.kubernetes import waiting
from playground.models import Command
from tests.api.kubernetes.test_kubernetes import PODS, STRATEGIC, Kubernetes
from tests.core.controllers.chaos import node, workload
from tests.web import Api

DEPLOYMENTS = "apis/apps/v1/namespaces/default/deployments"


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """An empty cluster that goes on after every change."""
    cluster = api.cluster([])
    api.command(cluster, kind="set_actors", actors="all")
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    assert api.post(f"clusters/{cluster}/pace/", {"live": True})["live"]
    return Kubernetes(cluster)


def pods(kube: Kubernetes) -> list[tuple[str, str, str]]:
    """Image, phase and node of each."""
    found = kube("GET", PODS)["items"]
    return sorted(
        (one["spec"]["containers"][0]["image"], one["status"]["phase"], one["spec"].get("nodeName", ""))
        for one in found
    )


def status(of: dict[str, Any], type_: str) -> str:
    return next(str(one["status"]) for one in of["status"]["conditions"] if one["type"] == type_)


def test_a_node_and_a_deployment_lead_to_running_pods(kube: Kubernetes) -> None:
    kube("POST", DEPLOYMENTS, workload("Deployment", "web", replicas=2), status=201)
    assert pods(kube) == [("app:1", "Pending", "")] * 2
    kube("POST", "api/v1/nodes", node(0), status=201)
    registered = kube("GET", "api/v1/nodes/node-0")
    assert (status(registered, "Ready"), registered["spec"].get("taints", [])) == ("True", [])
    assert pods(kube) == [("app:1", "Running", "node-0")] * 2
    found = kube("GET", f"{DEPLOYMENTS}/web")
    assert (found["status"]["availableReplicas"], status(found, "Available")) == (2, "True")
    renewed = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}}}
    kube("PATCH", f"{DEPLOYMENTS}/web", renewed, kind=STRATEGIC)
    assert pods(kube) == [("app:2", "Running", "node-0")] * 2
    kube("DELETE", f"{DEPLOYMENTS}/web")
    assert pods(kube) == []


def test_a_service_has_its_pods_as_endpoints(kube: Kubernetes) -> None:
    kube("POST", "api/v1/nodes", node(0), status=201)
    kube("POST", DEPLOYMENTS, workload("Deployment", "web", replicas=2), status=201)
    wanted = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": wanted}
    kube("POST", "api/v1/namespaces/default/services", service, status=201)
    pods = sorted(one["status"]["podIP"] for one in kube("GET", PODS)["items"])
    slices = "apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
    (found,) = kube("GET", f"{slices}?labelSelector=kubernetes.io/service-name=web")["items"]
    assert sorted(at for one in found["endpoints"] for at in one["addresses"]) == pods
    assert {one["conditions"]["ready"] for one in found["endpoints"]} == {True}
    (subset,) = kube("GET", "api/v1/namespaces/default/endpoints/web")["subsets"]
    assert ([one["ip"] for one in subset["addresses"]], subset["ports"][0]["port"]) == (pods, 8080)
    kube("DELETE", "api/v1/namespaces/default/services/web")
    assert [one["metadata"]["name"] for one in kube("GET", slices)["items"]] == ["kubernetes"]
    kube("GET", "api/v1/namespaces/default/endpoints/web", status=404)


def test_a_delete_answers_the_pod_that_was_deleted(kube: Kubernetes) -> None:
    """Not the one that has come in its place already: kubectl would wait for the end of that one."""
    kube("POST", "api/v1/nodes", node(0), status=201)
    sets = "apis/apps/v1/namespaces/default/statefulsets"
    kube("POST", sets, workload("StatefulSet", "db", replicas=1, serviceName="db"), status=201)
    first = kube("GET", f"{PODS}/db-0")["metadata"]["uid"]
    told = kube("DELETE", f"{PODS}/db-0")["metadata"]
    assert told["uid"] == first
    assert told["deletionTimestamp"]
    assert kube("GET", f"{PODS}/db-0")["metadata"]["uid"] != first


def test_a_delete_of_a_pod_waits_for_what_comes_of_it(kube: Kubernetes, monkeypatch: pytest.MonkeyPatch) -> None:
    """kubectl looks for the pod twice then: it must not find the old one first and the one in its place after that."""
    kube("POST", "api/v1/nodes", node(0), status=201)
    kube("POST", PODS, {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, status=201)
    waited: list[str] = []
    over = waiting.over

    def noted(command: Command, patience: float | None = None) -> Command | None:
        waited.append(Command.objects.get(pk=command.pk).payload["kind"])
        return over(command, patience)

    monkeypatch.setattr(waiting, "over", noted)
    kube("DELETE", f"{PODS}/web")
    assert waited == ["update", commands.RUN_UNTIL_IDLE["kind"]]


@pytest.mark.parametrize(("plural", "name"), [("configmaps", "kube-root-ca.crt"), ("serviceaccounts", "default")])
def test_each_namespace_has_what_controllers_give_it(kube: Kubernetes, plural: str, name: str) -> None:
    kube("POST", "api/v1/namespaces", {"metadata": {"name": "shop"}}, status=201)
    uids = []
    for _ in range(3):
        (found,) = kube("GET", f"api/v1/namespaces/shop/{plural}")["items"]
        assert found["metadata"]["name"] == name
        uids.append(found["metadata"]["uid"])
        # Who deletes it has another at once.
        kube("DELETE", f"api/v1/namespaces/shop/{plural}/{name}")
    assert uids[0] != uids[1] != uids[2]
