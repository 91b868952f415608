"""What an API server alone counts and asks as it lets a write in. Measured from kube-apiserver v1.36.2."""

from typing import Any

import pytest

from tests.api.kubernetes.test_kubernetes import Kubernetes
from tests.web import Api

MERGE = "application/merge-patch+json"
DEFAULT = "api/v1/namespaces/default"
POLICIES = "apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"


@pytest.fixture
def kube(api: Api, monkeypatch: pytest.MonkeyPatch) -> Kubernetes:
    """A cluster without controllers; its commands are carried out as soon as they are posted."""
    from playground.clusters import commands
    from playground.engine import command_runner

    found = Kubernetes(api.cluster([]))
    monkeypatch.setattr(commands, "trigger_commands", command_runner.apply_commands)
    return found


def _quota(kube: Kubernetes, used: dict[str, str]) -> None:
    hard = {"services": "3", "services.nodeports": "1", "count/configmaps": "1"}
    made = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}
    kube("POST", f"{DEFAULT}/resourcequotas", made, status=201)
    status = {"status": {"hard": hard, "used": used}}
    kube("PATCH", f"{DEFAULT}/resourcequotas/q/status", status, kind=MERGE)


def _service(name: str) -> dict[str, Any]:
    spec = {"type": "NodePort", "ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def test_a_quota_counts_what_is_let_in(kube: Kubernetes) -> None:
    _quota(kube, {"services": "1", "services.nodeports": "0", "count/configmaps": "0"})
    kube("POST", f"{DEFAULT}/services?dryRun=All", _service("one"), status=201)
    kube("POST", f"{DEFAULT}/services", _service("one"), status=201)
    told = kube("POST", f"{DEFAULT}/services", _service("two"), status=403)["message"]
    assert told == (
        'services "two" is forbidden: exceeded quota: q, '
        "requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1"
    )
    kube("PATCH", f"{DEFAULT}/services/one", {"metadata": {"labels": {"a": "b"}}}, kind=MERGE)
    used = kube("GET", f"{DEFAULT}/resourcequotas/q")["status"]["used"]
    assert used == {"count/configmaps": "0", "services": "2", "services.nodeports": "1"}


def test_what_a_quota_has_not_counted_yet_is_not_let_in(kube: Kubernetes) -> None:
    _quota(kube, {"services": "1"})
    told = kube("POST", f"{DEFAULT}/services", _service("one"), status=403)["message"]
    assert told == 'services "one" is forbidden: status unknown for quota: q, resources: services,services.nodeports'


def test_a_policy_is_asked_of_scales(kube: Kubernetes) -> None:
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["UPDATE"], "resources": ["deployments/scale"]}
    told = "request.kind.kind + ' of ' + string(oldObject.spec.replicas)"
    spec: dict[str, Any] = {
        "matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": "object.spec.replicas < 3", "messageExpression": told}],
    }
    kube("POST", f"{POLICIES}ies", {"metadata": {"name": "p"}, "spec": spec}, status=201)
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    kube("POST", f"{POLICIES}ybindings", {"metadata": {"name": "b"}, "spec": bound}, status=201)
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    web = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}}
    path = "apis/apps/v1/namespaces/default/deployments"
    kube("POST", path, web, status=201)
    kube("PATCH", f"{path}/web/scale", {"spec": {"replicas": 2}}, kind=MERGE)
    refusal = kube("PATCH", f"{path}/web/scale", {"spec": {"replicas": 3}}, kind=MERGE, status=422)
    assert refusal["message"].endswith("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: Scale of 2")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("api/v1/namespaces/default", {"f:metadata": {"f:labels": {".": {}, "f:kubernetes.io/metadata.name": {}}}}),
        (
            "apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
            {"f:description": {}, "f:preemptionPolicy": {}, "f:value": {}},
        ),
    ],
)
def test_what_is_there_from_the_start_is_managed_by_the_server(kube: Kubernetes, path: str, fields: Any) -> None:
    (entry,) = kube("GET", path)["metadata"]["managedFields"]
    assert (entry["manager"], entry["operation"], entry["fieldsV1"]) == ("kube-apiserver", "Update", fields)


def test_a_node_without_addresses_is_not_asked_about_its_containers(kube: Kubernetes) -> None:
    kube("POST", "api/v1/nodes", {"metadata": {"name": "bare"}}, status=201)
    for node, code, want in (
        ("bare", 500, "no preferred addresses found; known addresses: []"),
        ("none", 404, 'pods "none" not found'),
    ):
        spec = {"nodeName": node, "containers": [{"name": "c", "image": "x"}]}
        kube("POST", f"{DEFAULT}/pods", {"metadata": {"name": f"on-{node}"}, "spec": spec}, status=201)
        assert kube("GET", f"{DEFAULT}/pods/on-{node}/log", status=code)["message"] == want
    assert kube("GET", "api/v1/nodes/bare/proxy/healthz", status=500)["message"].startswith("no preferred")


def test_what_is_not_there_is_told_in_the_version_that_was_asked_for(kube: Kubernetes) -> None:
    path = "apis/events.k8s.io/v1/namespaces/default/events/zz"
    want = 'events.events.k8s.io "zz" not found'
    assert kube("PATCH", path, {"note": "x"}, kind=MERGE, status=404)["message"] == want
    assert kube("DELETE", path, status=404)["message"] == want
    assert kube("GET", path, status=404)["message"] == want
