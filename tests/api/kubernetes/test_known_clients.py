"""The requests of programs that cannot run here: k9s, Headlamp, client-node, client-go's informers.

Sources: k9s internal/dao/table.go and internal/client; Headlamp frontend/src/lib/k8s; kubernetes-client/javascript
src/informer.ts and src/watch.ts; client-go metadata/metadatainformer and rest/config.go.
"""

import pytest

from tests.api.kubernetes.test_kubernetes import PODS, Kubernetes, kube

__all__ = ["kube"]

PROTOBUF = "application/vnd.kubernetes.protobuf"
ROWS = "as=Table;v=v1;g=meta.k8s.io"
METADATA = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
# What each asks for, and the kind of what it takes for an answer.
WANTED = [
    ("client-go", f"{PROTOBUF},application/json", "PodList"),
    ("client-go with blanks", f"{PROTOBUF}, */*", "PodList"),
    ("client-go, CBOR first", "application/cbor,application/json", "PodList"),
    (
        "a metadata informer",
        f"{PROTOBUF};{METADATA},application/json;{METADATA},application/json",
        "PartialObjectMetadataList",
    ),
    ("k9s", f"application/json;{ROWS},application/json;as=Table;v=v1beta1;g=meta.k8s.io", "Table"),
    (
        "k9s with a fallback",
        f"application/json;{ROWS}, application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json",
        "Table",
    ),
    ("Headlamp", "application/json, text/plain, */*", "PodList"),
    ("client-node", "application/json, application/yaml, application/vnd.kubernetes.protobuf", "PodList"),
    ("curl", "*/*", "PodList"),
    ("nobody says anything", "", "PodList"),
]


@pytest.mark.parametrize(("accept", "kind"), [pytest.param(*rest, id=name) for name, *rest in WANTED])
def test_what_is_taken_for_an_answer(kube: Kubernetes, accept: str, kind: str) -> None:
    assert kube("GET", f"{PODS}?limit=500&resourceVersion=0", Accept=accept)["kind"] == kind
    assert kube.content_type == "application/json"


def test_who_takes_nothing_but_protobuf_is_told_so(kube: Kubernetes) -> None:
    assert kube("GET", PODS, status=406, Accept=PROTOBUF)["reason"] == "NotAcceptable"


def test_k9s_begins(kube: Kubernetes) -> None:
    """Its connection check, whether there are metrics, what it may do, and a table with the objects in it."""
    assert kube("GET", "version?timeout=5s")["gitVersion"]
    groups = {each["name"] for each in kube("GET", "apis?timeout=5s")["groups"]}
    assert "apps" in groups
    assert "metrics.k8s.io" not in groups
    for verb in ("list", "watch", "delete"):
        about = {"verb": verb, "group": "", "resource": "pods", "namespace": "default"}
        review = {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1"}
        sent = {**review, "spec": {"resourceAttributes": about}}
        place = "apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        assert kube("POST", place, sent, status=201)["status"]["allowed"]
    rows = kube("GET", f"{PODS}?includeObject=Object", Accept=f"application/json;{ROWS}")
    assert rows["rows"][0]["object"]["spec"]["containers"]
    assert "Nominated Node" in [each["name"] for each in rows["columnDefinitions"]]
    kube("GET", "apis/metrics.k8s.io/v1beta1/nodes", status=404)


def test_headlamp_begins(kube: Kubernetes) -> None:
    """Health, version, its user's rules in a namespace, lists of what its pages show, and the kinds of clients."""
    assert kube.client.get(f"/k8s/{kube.cluster_id}/healthz").content == b"ok"
    sent = {"kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1", "spec": {"namespace": "default"}}
    told = kube("POST", "apis/authorization.k8s.io/v1/selfsubjectrulesreviews", sent, status=201)
    assert told["status"]["resourceRules"]
    lists = ["api/v1/nodes", "api/v1/namespaces", "api/v1/events?limit=2000", "apis/apps/v1/deployments"]
    lists += ["apis/batch/v1/jobs", "apis/networking.k8s.io/v1/ingresses", "apis/storage.k8s.io/v1/storageclasses"]
    lists += ["apis/apiextensions.k8s.io/v1/customresourcedefinitions", "apis/policy/v1/poddisruptionbudgets"]
    for each in lists:
        found = kube("GET", each)
        assert found["kind"].endswith("List")
        assert found["metadata"]["resourceVersion"]
    scale = "apis/apps/v1/namespaces/default/deployments/web/scale"
    assert (
        kube("PATCH", scale, {"spec": {"replicas": 2}}, status=404, kind="application/merge-patch+json")["code"] == 404
    )


def test_client_node_begins(kube: Kubernetes) -> None:
    """An informer's list, without any parameter; a patch in a form that it has to name, of a pod made on the page."""
    found = kube("GET", "api/v1/namespaces/default/pods", Accept="application/json")
    assert [each["metadata"]["name"] for each in found["items"]] == ["web"]
    patch = [{"op": "add", "path": "/metadata/labels", "value": {"tier": "front"}}]
    done = kube("PATCH", f"{PODS}/web", patch, kind="application/json-patch+json")
    assert done["metadata"]["labels"] == {"tier": "front"}
