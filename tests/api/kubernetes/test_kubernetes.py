"""The Kubernetes API of a cluster, as clients call it."""

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import pytest

from tests.core.kube_apiserver.test_protobuf import CASES as PROTOBUF_CASES
from tests.web import Api, Manifest, node, pod

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
PODS, MAPS = "api/v1/namespaces/default/pods", "api/v1/namespaces/default/configmaps"
PROTOBUF = "application/vnd.kubernetes.protobuf"
STRATEGIC, APPLY = "application/strategic-merge-patch+json", "application/apply-patch+yaml"


class Kubernetes:
    """A client without cookies, as kubectl is one."""

    def __init__(self, cluster_id: int) -> None:
        from django.test import Client

        self.cluster_id = cluster_id
        self.client = Client(enforce_csrf_checks=True)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        status: int = 200,
        kind: str = "application/json",
        **headers: str,
    ) -> Any:
        answer = self.client.generic(
            method,
            f"/k8s/{self.cluster_id}/{path}",
            body if isinstance(body, bytes) else json.dumps(body) if body is not None else "",
            kind,
            headers={"User-Agent": "kubectl/v1.34.5 (linux/amd64)", **headers},
        )
        assert answer.status_code == status, answer.content
        self.warning = answer.get("Warning")
        self.content_type = answer["Content-Type"]
        is_text = answer["Content-Type"].startswith("text/plain; charset=utf-8") and status == 404
        return answer.content.decode() if is_text else json.loads(answer.content)


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """The API of a cluster with two nodes and a pod; its commands are carried out as soon as they are posted."""
    from playground.clusters import commands
    from playground.engine import command_runner

    cluster = api.cluster([node("node-1"), node("node-2"), pod("web")])
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return Kubernetes(cluster)


def configmap(name: str, **data: str) -> Manifest:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_texts_are_written_as_go_writes_them(kube: Kubernetes) -> None:
    kube("POST", "api/v1/namespaces/default/configmaps", configmap("signs", text="a && b <é> \u2028"), status=201)
    for more in ("", "?pretty=true"):
        path = f"/k8s/{kube.cluster_id}/api/v1/namespaces/default/configmaps/signs{more}"
        found = kube.client.get(path, headers={"User-Agent": "kubectl/v1.34.5"}).content.decode()
        assert r'"a \u0026\u0026 b \u003cé\u003e \u2028"' in found
        assert json.loads(found)["data"] == {"text": "a && b <é> \u2028"}


def test_discovery(kube: Kubernetes) -> None:
    assert kube("GET", "api", Accept=DISCOVERY)["kind"] == "APIGroupDiscoveryList"
    assert kube.content_type == "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    assert kube("GET", "apis")["kind"] == "APIGroupList"
    assert kube("GET", "api")["versions"] == ["v1"]
    assert kube("GET", "apis/apps")["name"] == "apps"
    assert "pods" in {each["name"] for each in kube("GET", "api/v1")["resources"]}
    assert kube("GET", "version")["gitVersion"].startswith("v1.")
    index = kube("GET", "openapi/v3")["paths"]["apis/apps/v1"]["serverRelativeURL"]
    path, _, is_known = index.removeprefix("/").partition("?hash=")
    assert is_known
    schemas = kube("GET", path)["components"]["schemas"]
    assert schemas["io.k8s.api.apps.v1.Deployment"]["description"].startswith("Deployment enables")
    assert kube("GET", "openapi/v2")["definitions"].keys() >= schemas.keys()
    assert {"/apis/apps/v1", "/metrics"} <= set(kube("GET", "")["paths"])
    metrics = kube.client.get(f"/k8s/{kube.cluster_id}/metrics").content.decode()
    assert metrics.endswith('major="1",minor="36",platform="playground"} 1\n')
    for path in ("apis/apps/v9", "api/v1/nope", "api/v9", "api/v1/nodes/x/y/z"):
        assert kube("GET", path, status=404)["reason"] == "NotFound"
    for path in ("apis/nope", "apis/nope/v1/x", "openapi/v3/api/v9", "nope", "healthz/nope"):
        assert kube("GET", path, status=404) == "404 page not found\n", path


def test_lists_tables_pages_and_selectors(kube: Kubernetes) -> None:
    found = kube("GET", "api/v1/nodes")
    assert [each["metadata"]["name"] for each in found["items"]] == ["node-1", "node-2"]
    assert found["items"][0]["metadata"]["uid"]
    assert int(found["metadata"]["resourceVersion"]) >= int(found["items"][0]["metadata"]["resourceVersion"]) > 0
    first = kube("GET", "api/v1/nodes?limit=1")
    assert first["metadata"]["remainingItemCount"] == 1
    rest = kube("GET", f"api/v1/nodes?limit=1&continue={first['metadata']['continue']}")
    assert [each["metadata"]["name"] for each in first["items"] + rest["items"]] == ["node-1", "node-2"]
    assert "continue" not in rest["metadata"]
    rows = kube("GET", "api/v1/pods", Accept=TABLE)["rows"]
    assert rows[0]["cells"][:3] == ["web", "0/1", "Pending"]
    assert kube("GET", f"{PODS}/web", Accept=TABLE)["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    assert (
        kube("GET", "api/v1/nodes?labelSelector=kubernetes.io/hostname=node-2")["items"][0]["metadata"]["name"]
        == "node-2"
    )
    assert kube("GET", "api/v1/pods?fieldSelector=spec.nodeName=node-1")["items"] == []
    assert "field label not supported" in kube("GET", "api/v1/pods?fieldSelector=a=b", status=400)["message"]
    assert kube("GET", "api/v1/pods?limit=x", status=400)["reason"] == "BadRequest"
    assert kube("GET", "api/v1/pods?continue=x", status=400)["reason"] == "BadRequest"
    told = kube("GET", "api/v1/pods?continue=zzz", status=400)["message"]
    assert told.endswith(r"continue key is not valid: invalid character '\xcf' looking for beginning of value")
    names = {each["metadata"]["name"] for each in kube("GET", "api/v1/namespaces")["items"]}
    assert names == {"default", "kube-node-lease", "kube-public", "kube-system"}


def test_an_object_of_any_kind_comes_changes_and_goes(kube: Kubernetes, api: Api) -> None:
    made = kube("POST", f"{MAPS}?fieldManager=kubectl-create", configmap("settings", x="1"), 201)
    assert made["metadata"]["managedFields"][0]["manager"] == "kubectl-create"
    assert kube("POST", MAPS, configmap("settings"), 409)["reason"] == "AlreadyExists"
    merged = kube("PATCH", f"{MAPS}/settings", {"data": {"y": "2"}}, kind=STRATEGIC)
    assert merged["data"] == {"x": "1", "y": "2"}
    assert int(merged["metadata"]["resourceVersion"]) > int(made["metadata"]["resourceVersion"])
    assert kube("PUT", f"{MAPS}/settings", made, 409)["reason"] == "Conflict"
    dry = kube("PUT", f"{MAPS}/settings?dryRun=All", {**merged, "data": {"z": "3"}})
    assert dry["data"] == {"z": "3"}
    assert kube("GET", f"{MAPS}/settings") == merged
    assert kube("DELETE", f"{MAPS}/settings")["status"] == "Success"
    told = kube("GET", f"{MAPS}/settings", status=404)
    assert told["message"] == 'configmaps "settings" not found'
    whats = [each["what"] for each in api.get(f"clusters/{kube.cluster_id}/changes/")["changes"]]
    assert whats[:3] == [f"{what} ConfigMap default/settings" for what in ("delete", "update", "create")]
    from playground.models import Command

    last = Command.objects.filter(cluster_id=kube.cluster_id).latest("number")
    assert (last.author, last.client) == ("local", "kubectl/v1.34.5")


def test_what_a_client_did_is_undone_on_the_page(kube: Kubernetes, api: Api) -> None:
    from playground.engine import command_runner

    kube("POST", MAPS, configmap("settings", x="1"), 201)
    kube("PATCH", f"{MAPS}/settings", {"data": {"x": "2"}}, kind="application/merge-patch+json")
    told = api.get(f"clusters/{kube.cluster_id}/")["can_undo"]
    assert (told["client"], told["what"]) == ("kubectl/v1.34.5", "update ConfigMap default/settings")
    api.post(f"clusters/{kube.cluster_id}/undo/", {})
    command_runner.apply_commands(kube.cluster_id)
    assert kube("GET", f"{MAPS}/settings")["data"] == {"x": "1"}
    api.post(f"clusters/{kube.cluster_id}/undo/", {})
    command_runner.apply_commands(kube.cluster_id)
    kube("GET", f"{MAPS}/settings", status=404)


def test_a_pod_that_a_client_made_is_scheduled(kube: Kubernetes, api: Api) -> None:
    made = kube("POST", PODS, {**pod("db"), "metadata": {"generateName": "db-"}}, 201)
    name = made["metadata"]["name"]
    assert made["spec"]["tolerations"]
    api.command(kube.cluster_id, kind="run", until="idle")
    live = kube("GET", f"{PODS}/{name}")
    assert live["spec"]["nodeName"] in ("node-1", "node-2")
    assert live["status"]["phase"] == "Running"
    (event,) = kube("GET", f"api/v1/events?fieldSelector=involvedObject.uid={live['metadata']['uid']}")["items"]
    assert (event["reason"], event["involvedObject"]["name"]) == ("Scheduled", name)
    told = kube("PATCH", f"{PODS}/{name}", {"spec": {"schedulerName": "other"}}, 422, kind=STRATEGIC)
    assert told["reason"] == "Invalid"
    status = kube(
        "PATCH", f"{PODS}/{name}/status", {"status": {"phase": "Succeeded"}}, kind="application/merge-patch+json"
    )
    assert (status["status"]["phase"], status["spec"]) == ("Succeeded", live["spec"])


def test_server_side_apply(kube: Kubernetes) -> None:
    path = f"{MAPS}/settings?fieldManager="
    kube("PATCH", f"{path}alpha", configmap("settings", x="1"), 201, kind=APPLY)
    told = kube("PATCH", f"{path}beta", configmap("settings", x="2"), 409, kind=APPLY)
    assert told["message"] == 'Apply failed with 1 conflict: conflict with "alpha": .data.x'
    assert told["details"]["causes"][0]["field"] == ".data.x"
    assert kube("PATCH", f"{path}beta&force=true", configmap("settings", x="2"), kind=APPLY)["data"] == {"x": "2"}


def test_a_typed_command_sends_protobuf(kube: Kubernetes) -> None:
    case = next(each for each in PROTOBUF_CASES if each["run"].startswith("kubectl create configmap settings"))
    made = kube("POST", f"{MAPS}?fieldValidation=Strict", b64decode(case["body"]), 201, kind=PROTOBUF)
    assert kube("GET", f"{MAPS}/settings")["data"] == made["data"] == case["object"]["data"]


def test_what_is_not_taken_is_told(kube: Kubernetes) -> None:
    told = kube("POST", PODS, {**pod("Bad_name")}, 422)
    assert (told["reason"], told["details"]["causes"][0]["field"]) == ("Invalid", "metadata.name")
    kube("POST", f"{PODS}?fieldValidation=Strict", pod("db", nodeNam="x"), 400)
    kube("POST", f"{PODS}?fieldValidation=Warn", pod("db", nodeNam="x"), 201)
    assert kube.warning == '299 - "unknown field \\"spec.nodeNam\\""'
    assert (
        kube("POST", "api/v1/namespaces/nowhere/configmaps", configmap("x"), 404)["message"]
        == 'namespaces "nowhere" not found'
    )
    kube("POST", MAPS, b"k8s\x00", 400, kind=PROTOBUF)
    kube("POST", MAPS, b"{}", 415, kind="text/plain")
    kube("POST", MAPS, configmap("untyped"), 201, kind="")
    kube("POST", MAPS, b"{", 400)
    kube("PATCH", f"{MAPS}/settings", {}, 415, kind="text/plain")
    kube("PATCH", f"{MAPS}/settings", {}, 404, kind=STRATEGIC)
    told = kube("GET", f"{MAPS}?resourceVersion=-5", status=400)["message"]
    assert told.startswith('invalid resource version: resourceVersion: Invalid value: "-5": strconv.ParseUint')
    # Of one object it is an error without a reason, as upstream's storage gives it.
    told = kube("GET", f"{MAPS}/settings?resourceVersion=-5", status=500)["message"]
    assert told.startswith('resourceVersion: Invalid value: "-5": strconv.ParseUint')
    kube("DELETE", "api/v1/namespaces/default", status=403)
    kube("POST", f"{MAPS}?dryRun=x", configmap("x"), 422)
    # The parameters are read before it is looked whether there is one of the name.
    kube("POST", f"{MAPS}?dryRun=x", configmap("untyped"), 422)
    told = kube("PUT", f"{MAPS}/other", configmap("untyped"), 400)["message"]
    assert told == "the name of the object (untyped) does not match the name on the URL (other)"
    kube("GET", "api/v1/namespaces/default/endpoints")
    assert kube.warning.startswith('299 - "v1 Endpoints is deprecated')
    twice = b'{"metadata": {"name": "twice"}, "data": {"a": "1", "a": "2"}}'
    assert kube("POST", f"{MAPS}?fieldValidation=Strict", twice, 400)["message"].endswith('duplicate field "data.a"')
    kube("POST", MAPS, twice, 201)
    assert kube.warning == '299 - "duplicate field \\"data.a\\""'


def test_a_scale_is_a_door_to_replicas(kube: Kubernetes) -> None:
    path = "apis/apps/v1/namespaces/default/deployments"
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "m", "image": "x"}]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    kube("POST", path, {"metadata": {"name": "web"}, "spec": spec}, 201)
    told = kube("GET", f"{path}/web/scale")
    assert (told["kind"], told["spec"], told["status"]) == (
        "Scale",
        {"replicas": 2},
        {"replicas": 0, "selector": "app=web"},
    )
    merge = "application/merge-patch+json"
    assert kube("PATCH", f"{path}/web/scale?fieldManager=k", {"spec": {"replicas": 5}}, kind=merge)["spec"] == {
        "replicas": 5
    }
    live = kube("GET", f"{path}/web")
    assert (live["spec"]["replicas"], live["metadata"]["generation"]) == (5, 2)
    assert {each.get("subresource") for each in live["metadata"]["managedFields"]} == {None, "scale"}
    assert kube("PUT", f"{path}/web/scale", told, 409)["reason"] == "Conflict"
    kube("PATCH", f"{path}/web/scale", {"spec": {"replicas": -1}}, 422, kind=merge)
    kube("PATCH", f"{path}/web/scale", {"spec": []}, 422, kind=merge)
    kube("GET", f"{MAPS}/x/scale", status=404)


def test_another_scheduler_binds_a_pod(kube: Kubernetes, api: Api) -> None:
    binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "web", "annotations": {"why": "test"}}}
    told = kube("POST", f"{PODS}/web/binding", {**binding, "target": {"kind": "Pod", "name": "x"}}, 500)["message"]
    assert told == 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'
    kube("POST", f"{PODS}/web/binding", {**binding, "target": {"kind": "Node"}}, 500)
    kube("POST", f"{PODS}/web/binding", {**binding, "target": {"kind": "Node", "name": "node-2"}}, 201)
    live = kube("GET", f"{PODS}/web")
    assert (live["spec"]["nodeName"], live["metadata"]["annotations"]) == ("node-2", {"why": "test"})
    assert live["status"]["conditions"][0]["type"] == "PodScheduled"
    again = kube("POST", f"{PODS}/web/binding", {**binding, "target": {"kind": "Node", "name": "node-1"}}, 409)
    assert again["message"].endswith('pod web is already assigned to node "node-2"')
    kube("POST", f"{PODS}/nope/binding", {**binding, "metadata": {"name": "nope"}, "target": {"name": "node-1"}}, 404)


def test_a_pod_without_a_node_has_no_host_to_ask(kube: Kubernetes) -> None:
    assert kube("POST", f"{PODS}/web/exec?command=ls", {}, 400)["message"] == "pod web does not have a host assigned"
    kube("POST", f"{PODS}/nope/exec?command=ls", {}, 404)
    assert kube("GET", f"{PODS}/web/proxy/a/b", status=400)["message"] == "address not allowed"
    assert kube("GET", "api/v1/nodes/nope/proxy/metrics", status=404)["message"] == 'nodes "nope" not found'
    target = {"kind": "Node", "name": "node-2"}
    kube("POST", f"{PODS}/web/binding", {"kind": "Binding", "metadata": {"name": "web"}, "target": target}, 201)
    status = {"status": {"addresses": [{"type": "InternalIP", "address": "192.0.2.1"}]}}
    kube("PATCH", "api/v1/nodes/node-2/status", status, kind="application/merge-patch+json")
    for method, door in (("POST", "exec"), ("POST", "attach"), ("GET", "log")):
        assert kube(method, f"{PODS}/web/{door}", status=400)["message"].startswith("nothing runs in a playground")


def test_who_owns_the_fields_of_a_new_pod(kube: Kubernetes) -> None:
    sent = {"metadata": {"name": "db"}, "spec": {"containers": [{"name": "m", "image": "nginx:1.27"}]}}
    (entry,) = kube("POST", f"{PODS}?fieldManager=k", sent, 201)["metadata"]["managedFields"]
    assert set(entry["fieldsV1"]) == {"f:spec"}
    assert "." not in entry["fieldsV1"]["f:spec"]
    assert list(entry["fieldsV1"]["f:spec"]["f:containers"]) == ['k:{"name":"m"}']
    assert "f:tolerations" not in entry["fieldsV1"]["f:spec"]
    merge = "application/merge-patch+json"
    live = kube("PATCH", f"{PODS}/db/status?fieldManager=kubelet", {"status": {"message": "x"}}, kind=merge)
    last = live["metadata"]["managedFields"][-1]
    assert (last["manager"], last["subresource"], last["fieldsV1"]) == (
        "kubelet",
        "status",
        {"f:status": {"f:message": {}}},
    )


def test_names_of_any_kind_are_checked(kube: Kubernetes) -> None:
    told = kube("POST", MAPS, configmap("Bad Name"), 422)
    assert told["message"].startswith(
        'ConfigMap "Bad Name" is invalid: metadata.name: Invalid value: "Bad Name": a lowercase'
    )
    role = {"metadata": {"name": "system:reader"}, "rules": []}
    kube("POST", "apis/rbac.authorization.k8s.io/v1/clusterroles", role, 201)


def test_an_eviction_asks_the_budget(kube: Kubernetes) -> None:
    budget = {"metadata": {"name": "guard"}, "spec": {"selector": {}, "maxUnavailable": 0}}
    kube("POST", "apis/policy/v1/namespaces/default/poddisruptionbudgets", budget, 201)
    running = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    kube("PATCH", f"{PODS}/web/status", running, kind="application/merge-patch+json")
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "web"}}
    told = kube("POST", f"{PODS}/web/eviction", eviction, 429)
    assert told["details"]["retryAfterSeconds"] == 10
    kube("DELETE", "apis/policy/v1/namespaces/default/poddisruptionbudgets/guard")
    kube("POST", f"{PODS}/web/eviction", eviction, 201)
    kube("GET", f"{PODS}/web", status=404)


def test_events_of_clients_stand_among_those_of_the_scheduler(kube: Kubernetes, api: Api) -> None:
    api.command(kube.cluster_id, kind="run", until="idle")
    about = {"kind": "Pod", "namespace": "default", "name": "web"}
    event = {"metadata": {"name": "web.a1"}, "involvedObject": about, "reason": "Labelled", "type": "Normal"}
    kube("POST", "api/v1/namespaces/default/events", event, 201)
    found = kube("GET", "api/v1/events?fieldSelector=involvedObject.name=web")["items"]
    assert {each["reason"] for each in found} == {"Labelled", "Scheduled"}
    kube("DELETE", "api/v1/namespaces/default/events/web.a1")
    kube("GET", "api/v1/namespaces/default/events/web.a1", status=404)


def test_a_binding_is_posted_as_an_object(kube: Kubernetes) -> None:
    binding = {"kind": "Binding", "metadata": {"name": "web"}, "target": {"kind": "Node", "name": "node-2"}}
    kube("POST", "api/v1/namespaces/default/bindings", binding, 201)
    assert kube("GET", f"{PODS}/web")["spec"]["nodeName"] == "node-2"
    kube("GET", "api/v1/namespaces/default/bindings", status=405)


def test_what_every_control_plane_holds(kube: Kubernetes) -> None:
    assert kube("GET", "api/v1/namespaces/default/services/kubernetes")["spec"]["clusterIP"] == "10.96.0.1"
    names = [each["metadata"]["name"] for each in kube("GET", "apis/scheduling.k8s.io/v1/priorityclasses")["items"]]
    assert names == ["system-cluster-critical", "system-node-critical"]
    service = {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "type": "NodePort"}}
    spec = kube("POST", "api/v1/namespaces/default/services", service, 201)["spec"]
    assert (spec["clusterIP"], spec["ports"][0]["nodePort"]) == ("10.96.0.10", 30000)


def test_all_of_a_kind_go_by_selector(kube: Kubernetes) -> None:
    for name, tier in (("a", "front"), ("b", "back")):
        kube("POST", MAPS, {**configmap(name), "metadata": {"name": name, "labels": {"tier": tier}}}, 201)
    assert len(kube("DELETE", f"{MAPS}?labelSelector=tier=front")["items"]) == 1
    assert [each["metadata"]["name"] for each in kube("GET", MAPS)["items"]] == ["b"]


@pytest.mark.parametrize("header", [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_pages_of_others_are_refused(kube: Kubernetes, header: dict[str, str]) -> None:
    kube("GET", "api/v1/pods", status=403, **header)
    kube("POST", MAPS, configmap("x"), 403, **header)


def test_who_has_logged_in_has_no_way_in_yet(kube: Kubernetes, make_user: Callable[[str], Any]) -> None:
    user = make_user("someone")
    kube("GET", "api/v1/pods", status=401)
    kube.client.force_login(user)
    kube("GET", "api/v1/pods", status=401)
    kube("POST", MAPS, configmap("x"), 401)


def test_a_cluster_that_is_not_there(kube: Kubernetes) -> None:
    kube.cluster_id += 1
    assert kube("GET", "api/v1/pods", status=404)["kind"] == "Status"


def test_other_versions_of_a_kind_are_the_same_objects(kube: Kubernetes) -> None:
    old, new = (f"apis/autoscaling/{version}/namespaces/default/horizontalpodautoscalers" for version in ("v1", "v2"))
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": 3}
    head = {"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}
    made = kube("POST", old, {**head, "spec": {**spec, "targetCPUUtilizationPercentage": 50}}, 201)
    assert (made["apiVersion"], made["spec"]["targetCPUUtilizationPercentage"]) == ("autoscaling/v1", 50)
    path = f"{old}/web"
    kube("PATCH", path, {"spec": {"targetCPUUtilizationPercentage": 70}}, kind=STRATEGIC)
    (metric,) = kube("GET", f"{new}/web")["spec"]["metrics"]
    assert metric["resource"]["target"]["averageUtilization"] == 70
    (listed,) = kube("GET", old)["items"]
    assert listed["spec"] == {**spec, "minReplicas": 1, "targetCPUUtilizationPercentage": 70}
    kube("PUT", path, {**kube("GET", path), "spec": {**spec, "targetCPUUtilizationPercentage": 20}})
    assert kube("GET", path)["spec"]["targetCPUUtilizationPercentage"] == 20
    assert kube("GET", path, Accept=TABLE)["rows"][0]["cells"][:2] == ["web", "Deployment/web"]
    event = {"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"}}
    told = kube("POST", "apis/events.k8s.io/v1/namespaces/default/events", {**event, "type": "Normal"}, 422)
    assert told["details"]["causes"][0]["field"] == "eventTime"
    assert [each["metadata"]["name"] for each in kube("GET", "api/v1/componentstatuses")["items"]][1:] == [
        "etcd-0",
        "scheduler",
    ]
    assert kube("GET", "api/v1/namespaces/default/bindings", status=405)["reason"] == "MethodNotAllowed"
