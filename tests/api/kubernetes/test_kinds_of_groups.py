"""Kinds of several groups that have one name, beside one another in a cluster, as in any API server."""

from typing import Any

import pytest

from kube_apiserver.custom import naming
from playground.branches import services as branches
from playground.engine import thinned_records
from playground.kubernetes import watch_events
from playground.kubernetes.list_pages import resource_versions
from playground.models import Cluster, ClusterObject
from tests.api.kubernetes.test_kubernetes import DISCOVERY, Kubernetes
from tests.web import Api

DEFINITIONS = "apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ISTIO, GATEWAY_API = "networking.istio.io", "gateway.networking.k8s.io"
MERGE = "application/merge-patch+json"


def definition(group: str, kind: str = "Gateway") -> dict[str, Any]:
    plural = f"{kind.lower()}s"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"},
        },
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def gateway(group: str, name: str = "web", /, **spec: Any) -> dict[str, Any]:
    about = {"name": name, "namespace": "default"}
    return {"apiVersion": f"{group}/v1", "kind": "Gateway", "metadata": about, "spec": spec or {"of": group}}


def place(group: str, name: str = "", plural: str = "gateways") -> str:
    return f"apis/{group}/v1/namespaces/default/{plural}{name and f'/{name}'}"


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """An empty cluster; its commands are carried out as soon as they are posted."""
    from playground.clusters import commands
    from playground.engine import command_runner

    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return Kubernetes(api.cluster([]))


@pytest.fixture(params=[(ISTIO, GATEWAY_API), (GATEWAY_API, ISTIO)], ids=["istio first", "istio last"])
def groups(request: pytest.FixtureRequest, kube: Kubernetes) -> tuple[str, str]:
    """In the order in which their definitions and objects came."""
    for group in request.param:
        kube("POST", DEFINITIONS, definition(group), status=201)
        kube("POST", place(group), gateway(group), status=201)
    found: tuple[str, str] = request.param
    return found


def specs(kube: Kubernetes, group: str) -> list[dict[str, Any]]:
    return [each["spec"] for each in kube("GET", f"apis/{group}/v1/gateways")["items"]]


def test_each_is_written_and_read_by_itself(kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, second = groups
    kube("PATCH", place(first, "web"), {"spec": {"more": 1}}, kind=MERGE)
    assert specs(kube, first) == [{"of": first, "more": 1}]
    assert specs(kube, second) == [{"of": second}]
    uids = {kube("GET", place(group, "web"))["metadata"]["uid"] for group in groups}
    assert len(uids) == 2
    items = kube("GET", "apis", Accept=DISCOVERY)["items"]
    order = [each["metadata"]["name"] for each in items if each["metadata"]["name"] in groups]
    assert order == [GATEWAY_API, ISTIO]
    kube("DELETE", place(first, "web"))
    assert (specs(kube, first), specs(kube, second)) == ([], [{"of": second}])


def test_one_goes_with_its_definition_and_the_other_stays(kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, second = groups
    kube("DELETE", f"{DEFINITIONS}/gateways.{first}")
    kube("GET", place(first), status=404)
    assert specs(kube, second) == [{"of": second}]
    kube("POST", DEFINITIONS, definition(first), status=201)
    assert (specs(kube, first), specs(kube, second)) == ([], [{"of": second}])


def test_a_watch_hears_of_its_own_alone(kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, _ = groups
    kube("GET", place(first))
    version = resource_versions.cluster_version(Cluster.objects.get(pk=kube.cluster_id).revision)
    for group in groups:
        kube("PATCH", place(group, "web"), {"spec": {"more": 1}}, kind=MERGE)
    told = watch_events.changes_since(kube.cluster_id, version, {f"Gateway.{first}"})
    assert told is not None
    assert [each.after and each.after["spec"] for each in told[1]] == [{"of": first, "more": 1}]


def test_both_are_undone_and_forked_and_played_again(api: Api, kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, second = groups
    before = Cluster.objects.get(pk=kube.cluster_id).revision
    kube("DELETE", place(first, "web"))
    branch = Kubernetes(branches.fork_cluster(Cluster.objects.get(pk=kube.cluster_id), {"seq": before}).pk)
    assert [specs(branch, group) for group in groups] == [[{"of": first}], [{"of": second}]]
    api.post(f"clusters/{kube.cluster_id}/undo/", {})
    assert [specs(kube, group) for group in groups] == [[{"of": first}], [{"of": second}]]
    last = Cluster.objects.get(pk=kube.cluster_id).revision
    assert len(thinned_records.rebuild_thinned(kube.cluster_id, 1, last)) == last


def test_a_file_has_each_at_its_place(api: Api, kube: Kubernetes) -> None:
    objects = [definition(ISTIO), definition(GATEWAY_API), gateway(ISTIO), gateway(GATEWAY_API)]
    api.command(kube.cluster_id, kind="create", objects=objects)
    for group in (ISTIO, GATEWAY_API):
        assert specs(kube, group) == [{"of": group}]
    source = api.get(f"clusters/{kube.cluster_id}/source/", kind=f"Gateway.{ISTIO}", key="default/web")
    kinds = {each["kind"] for each in source["objects"]}
    assert {f"Gateway.{ISTIO}", f"Gateway.{GATEWAY_API}"} < kinds
    assert "networking.k8s.io" in source["own"]
    api.command(kube.cluster_id, kind="delete", objects=[{"kind": f"Gateway.{ISTIO}", "name": "web"}])
    assert (specs(kube, ISTIO), specs(kube, GATEWAY_API)) == ([], [{"of": GATEWAY_API}])


@pytest.mark.parametrize(("kind", "group", "version"), [("Ingress", "networking.k8s.io", "v1"), ("Event", "", "v1")])
def test_a_built_in_kind_stays_what_it_is(kube: Kubernetes, kind: str, group: str, version: str) -> None:
    kube("POST", DEFINITIONS, definition("config.example.com", kind), status=201)
    plural = f"{kind.lower()}s"
    about = {"name": "web", "namespace": "default"}
    sent = {"apiVersion": "config.example.com/v1", "kind": kind, "metadata": about, "spec": 1}
    made = kube("POST", place("config.example.com", plural=plural), sent, status=201)
    assert (made["kind"], made["spec"]) == (kind, 1)
    path = f"apis/{group}/{version}" if group else f"api/{version}"
    own = "ingresses" if kind == "Ingress" else "events"
    assert kube("GET", f"{path}/{own}")["items"] == []


def test_a_quota_counts_each_by_its_resource(kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, second = groups
    hard = {f"count/gateways.{first}": "1"}
    made = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    kube("POST", "api/v1/namespaces/default/resourcequotas", made, status=201)
    status = {"status": {"hard": hard, "used": dict.fromkeys(hard, "0")}}
    kube("PATCH", "api/v1/namespaces/default/resourcequotas/q/status", status, kind=MERGE)
    kube("POST", place(first), gateway(first, "one"), status=201)
    kube("POST", place(second), gateway(second, "one"), status=201)
    told = kube("POST", place(first), gateway(first, "two"), status=403)["message"]
    asked = f"count/gateways.{first}=1"
    assert told == (
        f'gateways.{first} "two" is forbidden: exceeded quota: q, requested: {asked}, used: {asked}, limited: {asked}'
    )


def test_with_controllers_a_quota_says_how_many_there_are(api: Api, kube: Kubernetes, groups: tuple[str, str]) -> None:
    first, second = groups
    kube("POST", place(first), gateway(first, "one"), status=201)
    hard = {f"count/gateways.{first}": "5", f"count/gateways.{second}": "5", "count/ingresses.networking.k8s.io": "1"}
    made = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    kube("POST", "api/v1/namespaces/default/resourcequotas", made, status=201)
    api.command(kube.cluster_id, kind="set_actors", actors=["garbage-collector"])
    used = kube("GET", "api/v1/namespaces/default/resourcequotas/q")["status"]["used"]
    assert used == {
        f"count/gateways.{first}": "2",
        f"count/gateways.{second}": "1",
        "count/ingresses.networking.k8s.io": "0",
    }


def test_a_definition_that_was_refused_for_another_groups_is_served(kube: Kubernetes, groups: tuple[str, str]) -> None:
    second = groups[1]
    row = ClusterObject.objects.get(cluster_id=kube.cluster_id, key=f"gateways.{second}")
    refused = ("False", "ListKindConflict", '"GatewayList" is already in use')
    status = naming.in_status(refused, naming.NOT_ESTABLISHED, None)
    row.manifest["status"] = {**status, "acceptedNames": {"kind": "", "plural": "gateways"}}
    row.seq += 1_000
    row.save()
    assert specs(kube, second) == [{"of": second}]
    found = kube("GET", f"{DEFINITIONS}/gateways.{second}")["status"]
    conditions = {each["type"]: each["status"] for each in found["conditions"]}
    assert (conditions["NamesAccepted"], conditions["Established"]) == ("True", "True")
    assert found["acceptedNames"]["kind"] == "Gateway"
