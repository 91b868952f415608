"""Writes of a client while somebody else writes between the client's read and its write."""

from collections.abc import Iterator
from typing import Any

import pytest

from kube_apiserver.writes import handlers
from playground.clusters import commands
from playground.models import Cluster, Command, CommandState
from tests.api.kubernetes.test_kubernetes import APPLY, MAPS, PODS, STRATEGIC, Kubernetes, configmap, kube

__all__ = ["kube"]

MERGE, JSON_PATCH = "application/merge-patch+json", "application/json-patch+json"
POD = f"{PODS}/web"


@pytest.fixture
def meanwhile(kube: Kubernetes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Queue a command that the cluster carries out right before the next write of a client."""

    def queue(**command: Any) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(commands, "trigger_commands", lambda cluster: None)
            commands.submit(kube.cluster_id, command)

    yield queue
    assert not Command.objects.filter(cluster=kube.cluster_id, state=CommandState.QUEUED).exists()


def running(kube: Kubernetes) -> dict[str, Any]:
    """Return the pod as scheduler and kubelet leave it."""
    found: dict[str, Any] = kube("GET", POD)
    condition = {"type": "Ready", "status": "True"}
    return {
        **found,
        "spec": {**found["spec"], "nodeName": "node-1"},
        "status": {**found["status"], "phase": "Running", "conditions": [condition]},
    }


@pytest.mark.parametrize(
    ("method", "path", "kind", "body"),
    [
        ("PATCH", POD, MERGE, {"metadata": {"labels": {"tier": "front"}}}),
        ("PATCH", POD, STRATEGIC, {"metadata": {"labels": {"tier": "front"}}}),
        ("PATCH", POD, JSON_PATCH, [{"op": "add", "path": "/metadata/labels", "value": {"tier": "front"}}]),
        ("PATCH", f"{POD}?fieldManager=me", APPLY, {"metadata": {"name": "web", "labels": {"tier": "front"}}}),
        ("PATCH", f"{POD}/status", MERGE, {"metadata": {"labels": {"tier": "front"}}}),
    ],
)
def test_a_patch_is_merged_into_what_others_wrote(
    kube: Kubernetes, meanwhile: Any, method: str, path: str, kind: str, body: Any
) -> None:
    if kind == APPLY:
        body = {"apiVersion": "v1", "kind": "Pod", **body}
    meanwhile(kind="update", objects=[running(kube)])
    answer = kube(method, path, body, kind=kind)
    for found in (answer, kube("GET", POD)):
        assert (found["spec"]["nodeName"], found["status"]["phase"]) == ("node-1", "Running")
        assert found["metadata"]["labels"] == {"tier": "front"}


def test_an_update_without_a_version_takes_the_status_that_others_wrote(kube: Kubernetes, meanwhile: Any) -> None:
    sent = kube("GET", "api/v1/nodes/node-1")
    newer = {**sent, "status": {**sent["status"], "conditions": [{"type": "Ready", "status": "True"}]}}
    del sent["metadata"]["resourceVersion"]
    sent["metadata"]["labels"]["tier"] = "front"
    meanwhile(kind="update", objects=[newer])
    kube("PUT", "api/v1/nodes/node-1", sent)
    found = kube("GET", "api/v1/nodes/node-1")
    assert found["metadata"]["labels"]["tier"] == "front"
    assert found["status"]["conditions"][0]["type"] == "Ready"


def test_an_update_of_an_older_version_is_a_conflict(kube: Kubernetes, meanwhile: Any) -> None:
    sent = kube("POST", MAPS, configmap("a", x="1"), status=201)
    meanwhile(kind="update", objects=[{**sent, "data": {"x": "2"}}])
    told = kube("PUT", f"{MAPS}/a", {**sent, "data": {"x": "3"}}, status=409)
    assert told["message"].endswith("please apply your changes to the latest version and try again")
    assert kube("GET", f"{MAPS}/a")["data"] == {"x": "2"}


def test_an_object_that_is_gone_meanwhile_is_not_found(kube: Kubernetes, meanwhile: Any) -> None:
    for method, body in (("PATCH", {"metadata": {"labels": {"a": "b"}}}), ("DELETE", None)):
        kube("POST", MAPS, configmap("a"), status=201)
        meanwhile(kind="delete", objects=[{"kind": "ConfigMap", "namespace": "default", "name": "a"}])
        assert kube(method, f"{MAPS}/a", body, status=404, kind=MERGE)["reason"] == "NotFound"
    meanwhile(kind="delete", objects=[{"kind": "Pod", "namespace": "default", "name": "web"}])
    assert kube("PATCH", POD, {"metadata": {"labels": {"a": "b"}}}, status=404, kind=MERGE)["reason"] == "NotFound"


@pytest.mark.parametrize("path", [POD, f"{POD}/status", f"{MAPS}/a"])
def test_an_object_that_goes_while_its_patch_is_computed_does_not_come_back(
    kube: Kubernetes, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    kube("POST", MAPS, configmap("a"), status=201)
    patch = handlers.patch
    kind, name = ("ConfigMap", "a") if path.startswith(MAPS) else ("Pod", "web")

    def delete_and_patch(*args: Any) -> Any:
        commands.submit(
            kube.cluster_id, {"kind": "delete", "objects": [{"kind": kind, "namespace": "default", "name": name}]}
        )
        return patch(*args)

    monkeypatch.setattr(handlers, "patch", delete_and_patch)
    assert kube("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, status=404, kind=MERGE)["reason"] == "NotFound"
    assert kube("GET", path.removesuffix("/status"), status=404)["reason"] == "NotFound"


def test_a_scale_a_binding_and_a_delete_leave_what_others_wrote(kube: Kubernetes, meanwhile: Any) -> None:
    deployments = "apis/apps/v1/namespaces/default/deployments"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    made = kube("POST", deployments, {"metadata": {"name": "d"}, "spec": spec}, status=201)
    meanwhile(kind="update", objects=[{**made, "metadata": {**made["metadata"], "labels": {"tier": "front"}}}])
    kube("PATCH", f"{deployments}/d/scale", {"spec": {"replicas": 3}}, kind=MERGE)
    found = kube("GET", f"{deployments}/d")
    assert (found["spec"]["replicas"], found["metadata"]["labels"]) == (3, {"tier": "front"})
    pod = kube("GET", POD)
    meanwhile(kind="update", objects=[{**pod, "metadata": {**pod["metadata"], "labels": {"tier": "front"}}}])
    kube("POST", f"{POD}/binding", {"metadata": {"name": "web"}, "target": {"name": "node-1"}}, status=201)
    pod = kube("GET", POD)
    assert (pod["spec"]["nodeName"], pod["metadata"]["labels"]) == ("node-1", {"tier": "front"})
    meanwhile(kind="update", objects=[{**pod, "metadata": {**pod["metadata"], "labels": {"tier": "back"}}}])
    assert kube("DELETE", f"{POD}?gracePeriodSeconds=30")["metadata"]["labels"] == {"tier": "back"}


def test_two_that_apply_a_new_object_at_once_are_merged(kube: Kubernetes, meanwhile: Any) -> None:
    place = {"name": "a", "namespace": "default"}
    meanwhile(kind="create", objects=[{**configmap("a", x="1"), "metadata": place}])
    kube("PATCH", f"{MAPS}/a?fieldManager=me", {**configmap("a", y="2")}, kind=APPLY)
    assert kube("GET", f"{MAPS}/a")["data"] == {"x": "1", "y": "2"}


def test_a_scenario_applies_a_change_whatever_the_object_is_by_then(kube: Kubernetes) -> None:
    from playground.exchange import scenarios

    kube("PATCH", POD, {"metadata": {"labels": {"tier": "front"}}}, kind=MERGE)
    given = scenarios.scenario_of(Cluster.objects.get(pk=kube.cluster_id)).commands
    assert [each["kind"] for each in given].count("update") == 1
    assert all("unchanged" not in each for each in given)


def test_a_scenario_merges_an_edit_as_the_cluster_did(kube: Kubernetes) -> None:
    """Played again, the edit leaves the newer status, and what it meets elsewhere does not stop it."""
    from playground.exchange import scenarios

    read = kube("GET", POD)
    commands.submit(kube.cluster_id, {"kind": "update", "objects": [running(kube)]})
    sent = {**read, "metadata": {**read["metadata"], "labels": {"tier": "front"}}}
    commands.submit(kube.cluster_id, {"kind": "update", "objects": [sent], "read": [read]})
    assert kube("GET", POD)["status"]["phase"] == "Running"
    *_, last = scenarios.scenario_of(Cluster.objects.get(pk=kube.cluster_id)).commands
    assert (last["read"], last["overwrite"]) == ([read], True)


BUDGETS = "apis/policy/v1/namespaces/default/poddisruptionbudgets"


def budget(kube: Kubernetes, allowed: int) -> dict[str, Any]:
    """Return a PodDisruptionBudget of the Pod `web`, which runs, as its controller left it."""
    pod = running(kube)
    pod["metadata"]["labels"] = {"app": "web"}
    commands.submit(kube.cluster_id, {"kind": "update", "objects": [pod]})
    spec = {"minAvailable": 0, "selector": {"matchLabels": {"app": "web"}}}
    made = kube("POST", BUDGETS, {"metadata": {"name": "keep"}, "spec": spec}, status=201)
    status = {"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2, "desiredHealthy": 1}
    found: dict[str, Any] = {**made, "status": {**status, "expectedPods": 2}}
    commands.submit(kube.cluster_id, {"kind": "update", "objects": [found]})
    return found


def evict(kube: Kubernetes, grace: int, status: int = 201) -> Any:
    body = {"metadata": {"name": "web"}, "deleteOptions": {"gracePeriodSeconds": grace}}
    return kube("POST", f"{POD}/eviction", body, status=status)


@pytest.mark.parametrize("grace", [0, 30])
def test_an_eviction_that_is_tried_again_spends_one_disruption(kube: Kubernetes, meanwhile: Any, grace: int) -> None:
    budget(kube, allowed=5)
    pod = kube("GET", POD)
    meanwhile(kind="update", objects=[{**pod, "metadata": {**pod["metadata"], "annotations": {"seen": "yes"}}}])
    evict(kube, grace)
    assert kube("GET", f"{BUDGETS}/keep")["status"]["disruptionsAllowed"] == 4
    if grace:
        found = kube("GET", POD)["metadata"]
        assert (found["annotations"], found["deletionGracePeriodSeconds"]) == ({"seen": "yes"}, 30)
    else:
        kube("GET", POD, status=404)


@pytest.mark.parametrize("grace", [0, 30])
def test_an_eviction_obeys_a_budget_that_is_used_up_meanwhile(kube: Kubernetes, meanwhile: Any, grace: int) -> None:
    made = budget(kube, allowed=1)
    meanwhile(kind="update", objects=[{**made, "status": {**made["status"], "disruptionsAllowed": 0}}])
    refused = evict(kube, grace, status=429)
    assert refused["details"]["causes"][0]["reason"] == "DisruptionBudget"
    assert "deletionTimestamp" not in kube("GET", POD)["metadata"]
    assert "disruptedPods" not in kube("GET", f"{BUDGETS}/keep")["status"]


@pytest.mark.parametrize("path", [f"{MAPS}/a", MAPS], ids=["one", "a collection"])
def test_a_delete_waits_for_a_finalizer_that_comes_meanwhile(kube: Kubernetes, meanwhile: Any, path: str) -> None:
    made = kube("POST", MAPS, configmap("a"), status=201)
    meanwhile(kind="update", objects=[{**made, "metadata": {**made["metadata"], "finalizers": ["a.b/c"]}}])
    kube("DELETE", path)
    found = kube("GET", f"{MAPS}/a")["metadata"]
    assert (found["finalizers"], "deletionTimestamp" in found) == (["a.b/c"], True)


def test_the_last_finalizer_does_not_end_an_object_that_has_a_new_one(kube: Kubernetes, meanwhile: Any) -> None:
    kube("POST", MAPS, {**configmap("a"), "metadata": {"name": "a", "finalizers": ["a.b/c"]}}, status=201)
    kube("DELETE", f"{MAPS}/a")
    found = kube("GET", f"{MAPS}/a")
    more = {**found["metadata"], "finalizers": ["a.b/c", "a.b/d"]}
    meanwhile(kind="update", objects=[{**found, "metadata": more}])
    kube("PATCH", f"{MAPS}/a", [{"op": "remove", "path": "/metadata/finalizers/0"}], kind=JSON_PATCH)
    assert kube("GET", f"{MAPS}/a")["metadata"]["finalizers"] == ["a.b/d"]


@pytest.mark.parametrize("condition", ["resourceVersion", "uid"])
def test_the_preconditions_of_a_delete_are_about_the_object_as_it_is_then(
    kube: Kubernetes, meanwhile: Any, condition: str
) -> None:
    made = kube("POST", MAPS, configmap("a"), status=201)
    other = {**made, "data": {"x": "2"}}
    if condition == "uid":
        meanwhile(kind="delete", objects=[{"kind": "ConfigMap", "namespace": "default", "name": "a"}])
        meanwhile(kind="create", objects=[{**other, "metadata": {**made["metadata"], "uid": "other"}}])
    else:
        meanwhile(kind="update", objects=[other])
    options = {"preconditions": {condition: made["metadata"][condition]}}
    refused = kube("DELETE", f"{MAPS}/a", options, status=409)
    assert f"in the precondition ({made['metadata'][condition]}) does not match" in refused["message"]
    assert kube("GET", f"{MAPS}/a")["data"] == {"x": "2"}


def test_an_update_that_is_tried_again_uses_a_quota_once(kube: Kubernetes, meanwhile: Any) -> None:
    services = "api/v1/namespaces/default/services"
    quotas = "api/v1/namespaces/default/resourcequotas"
    hard = {"services.nodeports": "5"}
    kube("POST", quotas, {"metadata": {"name": "q"}, "spec": {"hard": hard}}, status=201)
    kube("PATCH", f"{quotas}/q/status", {"status": {"hard": hard, "used": {"services.nodeports": "0"}}}, kind=MERGE)
    made = kube("POST", services, {"metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]}}, status=201)
    meanwhile(kind="update", objects=[{**made, "metadata": {**made["metadata"], "labels": {"tier": "front"}}}])
    kube("PATCH", f"{services}/s", {"spec": {"type": "NodePort"}}, kind=MERGE)
    assert kube("GET", f"{quotas}/q")["status"]["used"] == {"services.nodeports": "1"}
