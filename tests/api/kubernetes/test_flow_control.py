"""Flow control: what every cluster has of it, and whether the level of a schema is there. As kube-apiserver v1.36.2."""

from typing import Any

from tests.api.kubernetes.test_admitting import MERGE
from tests.api.kubernetes.test_admitting import kube as kube
from tests.api.kubernetes.test_kubernetes import Kubernetes

GROUP = "apis/flowcontrol.apiserver.k8s.io/v1"
SCHEMAS, LEVELS = f"{GROUP}/flowschemas", f"{GROUP}/prioritylevelconfigurations"
RULE = {
    "subjects": [{"kind": "User", "user": {"name": "jane"}}],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/"]}],
}


def _dangling(kube: Kubernetes, name: str) -> tuple[str, str]:
    (found,) = kube("GET", f"{SCHEMAS}/{name}")["status"]["conditions"]
    return found["status"], found["reason"]


def _names(kube: Kubernetes, path: str) -> list[str]:
    return [each["metadata"]["name"] for each in kube("GET", path)["items"]]


def test_every_cluster_has_what_a_server_makes(kube: Kubernetes) -> None:
    assert len(_names(kube, SCHEMAS)) == 11
    assert len(_names(kube, LEVELS)) == 8
    managers = [each["manager"] for each in kube("GET", f"{SCHEMAS}/probes")["metadata"]["managedFields"]]
    assert managers == [f"api-priority-and-fairness-config-{part}-v1" for part in ("consumer", "producer")]
    kube("DELETE", f"{SCHEMAS}/probes")
    assert "probes" in _names(kube, SCHEMAS)


def test_a_schema_says_whether_its_level_is_there(kube: Kubernetes) -> None:
    spec: dict[str, Any] = {"priorityLevelConfiguration": {"name": "mine"}, "rules": [RULE]}
    made = kube("POST", SCHEMAS, {"metadata": {"name": "mine"}, "spec": spec}, status=201)
    assert made["status"] == {}
    assert _dangling(kube, "mine") == ("True", "NotFound")
    level = {
        "metadata": {"name": "mine"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }
    kube("POST", f"{LEVELS}?dryRun=All", level, status=201)
    assert _dangling(kube, "mine") == ("True", "NotFound")
    kube("POST", LEVELS, level, status=201)
    assert _dangling(kube, "mine") == ("False", "Found")
    kube("DELETE", f"{LEVELS}/mine")
    assert _dangling(kube, "mine") == ("True", "NotFound")
    kube("PATCH", f"{SCHEMAS}/mine", {"spec": {"priorityLevelConfiguration": {"name": "exempt"}}}, kind=MERGE)
    assert _dangling(kube, "mine") == ("False", "Found")


def test_what_is_mandatory_stays_as_it_is(kube: Kubernetes) -> None:
    told = kube("PATCH", f"{SCHEMAS}/catch-all", {"spec": {"rules": None}}, kind=MERGE, status=422)["message"]
    assert told.endswith("\"Rules\":null}: spec of 'catch-all' must equal the fixed value")
    exempt = {"spec": {"exempt": {"nominalConcurrencyShares": 7}}}
    assert kube("PATCH", f"{LEVELS}/exempt", exempt, kind=MERGE)["metadata"]["generation"] == 2
    told = kube("PATCH", f"{LEVELS}/catch-all", {"spec": {"type": "Exempt"}}, kind=MERGE, status=422)["message"]
    assert "must be 'Exempt' if and only if `name` is 'exempt'" in told


def test_rows_are_in_the_order_in_which_schemas_are_matched(kube: Kubernetes) -> None:
    found = kube("GET", SCHEMAS, accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    assert [row["cells"][0] for row in found["rows"]][:2] == ["exempt", "probes"]
