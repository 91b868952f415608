"""Objects that are deleted through the Kubernetes API of a cluster, and what they wait for."""

import pytest

from tests.api.kubernetes.test_kubernetes import MAPS, PODS, Kubernetes, configmap
from tests.web import Api, node, pod


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """A cluster with a node; its commands are carried out as soon as they are posted."""
    from playground.clusters import commands
    from playground.engine import command_runner

    cluster = api.cluster([node("node-1")])
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return Kubernetes(cluster)


def test_a_namespace_waits_for_its_controller(kube: Kubernetes) -> None:
    kube("POST", "api/v1/namespaces", {"metadata": {"name": "shop"}}, 201)
    gone = kube("DELETE", "api/v1/namespaces/shop")
    assert gone["status"]["phase"] == "Terminating"
    told = kube("POST", "api/v1/namespaces/shop/configmaps", configmap("a"), 403)
    assert told["message"].endswith("in namespace shop because it is being terminated")
    told = kube("POST", "api/v1/namespaces", {"metadata": {"name": "shop"}}, 409)
    assert told["message"] == 'object is being deleted: namespaces "shop" already exists'
    # What holds it has a door of its own.
    merge = "application/merge-patch+json"
    held = kube("PATCH", "api/v1/namespaces/shop", {"spec": {"finalizers": []}}, kind=merge)
    assert held["spec"] == {"finalizers": ["kubernetes"]}
    kube("PUT", "api/v1/namespaces/shop/finalize", {**gone, "spec": {}})
    kube("GET", "api/v1/namespaces/shop", status=404)


def test_a_pod_on_a_node_is_given_its_grace(kube: Kubernetes) -> None:
    kube("POST", PODS, {**pod("db"), "spec": {**pod("db")["spec"], "nodeName": "node-1"}}, 201)
    marked = kube("DELETE", f"{PODS}/db", {"kind": "DeleteOptions", "gracePeriodSeconds": 9})
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 9
    assert kube("GET", f"{PODS}/db")["metadata"]["deletionTimestamp"] == marked["metadata"]["deletionTimestamp"]
    kube("DELETE", f"{PODS}/db?gracePeriodSeconds=0")
    kube("GET", f"{PODS}/db", status=404)


def test_what_waits_for_a_finalizer_goes_with_its_last_one(kube: Kubernetes) -> None:
    kube("POST", MAPS, {**configmap("held"), "metadata": {"name": "held", "finalizers": ["a.b/c"]}}, 201)
    assert kube("DELETE", f"{MAPS}/held")["metadata"]["finalizers"] == ["a.b/c"]
    kube("PATCH", f"{MAPS}/held", {"metadata": {"finalizers": None}}, kind="application/merge-patch+json")
    kube("GET", f"{MAPS}/held", status=404)


@pytest.mark.parametrize("length", [2, 3, 5])
def test_owners_in_a_cycle_go_together(api: Api, kube: Kubernetes, length: int) -> None:
    """As upstream: the last one of the cycle no longer blocks its owner, so none waits for ever."""
    api.command(kube.cluster_id, kind="set_actors", actors="all")
    names = [f"m{n}" for n in range(length)]
    uids = {name: kube("POST", MAPS, configmap(name), 201)["metadata"]["uid"] for name in names}
    for name, owner in zip(names, [*names[1:], names[0]], strict=True):
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": uids[owner]}
        patch = {"metadata": {"ownerReferences": [{**reference, "blockOwnerDeletion": True}]}}
        kube("PATCH", f"{MAPS}/{name}", patch, kind="application/merge-patch+json")
    kube("DELETE", f"{MAPS}/m0", {"kind": "DeleteOptions", "propagationPolicy": "Foreground"})
    assert not {item["metadata"]["name"] for item in kube("GET", MAPS)["items"]} & set(names)
