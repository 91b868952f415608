"""Details of answers in which clients differ from people: parts that Go always writes, versions and headers."""

import json
from typing import Any

import pytest

from kube_apiserver import causes
from kube_apiserver.documents import parameters
from kube_apiserver.resources import by_kind
from kube_apiserver.writes import codec
from kube_objects import field_errors
from kube_objects.text.problems import Problem
from tests.api.kubernetes.test_kubernetes import Kubernetes
from tests.web import Api, node

_ZERO_NODE_INFO = dict.fromkeys(
    (
        *("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion"),
        *("kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"),
    ),
    "",
)
_ZERO_NODE_STATUS = {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": _ZERO_NODE_INFO}
GO_PARTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # kind, as it is stored, as an API server writes it
    ("Node", {}, {"spec": {}, "status": _ZERO_NODE_STATUS}),
    ("Node", {"spec": {"taints": []}, "status": None}, {"spec": {}, "status": _ZERO_NODE_STATUS}),
    ("Namespace", {}, {"spec": {}, "status": {}}),
    (
        "Service",
        {"spec": {"selector": {}, "type": "ClusterIP"}},
        {"spec": {"type": "ClusterIP"}, "status": {"loadBalancer": {}}},
    ),
    (
        "ReplicaSet",
        {"spec": {"selector": {"matchLabels": {}}, "template": {"spec": {"containers": []}}}},
        {
            "spec": {"selector": {}, "template": {"metadata": {}, "spec": {"containers": []}}},
            "status": {"replicas": 0},
        },
    ),
    ("LimitRange", {"spec": {"limits": []}}, {"spec": {"limits": []}}),
    ("ConfigMap", {"data": {}}, {}),
    ("ClusterRole", {}, {"rules": None}),
]


@pytest.mark.parametrize(("kind", "stored", "written"), GO_PARTS)
def test_parts_that_go_writes(kind: str, stored: dict[str, Any], written: dict[str, Any]) -> None:
    metadata = {"metadata": {"name": "a"}}
    assert codec.with_go_parts(by_kind(kind), metadata | stored) == metadata | written


def test_nodes_of_the_page_have_a_spec(api: Api) -> None:
    manifest = node("n1")
    manifest.pop("spec", None)
    kube = Kubernetes(api.cluster([manifest, node("n2", taints=[])]))
    assert [one["spec"] for one in kube("GET", "api/v1/nodes")["items"]] == [{}, {}]
    assert kube("GET", "api/v1/nodes/n1")["spec"] == {}


RELEASES = [
    ("v1.36.3", "0f29094e5b73085e3802ecc1298ecae13866bfe6"),
    ("v1.34.1", "93248f9ae092f571eb870b7664c534bfc7d00f03"),
    ("v1.20.2", "faecb196815e248d3ecfb03c680a4507229c2a56"),
]


@pytest.mark.parametrize(("emulates", "commit"), RELEASES)
def test_a_version_names_the_commit_of_its_release(api: Api, emulates: str, commit: str) -> None:
    """`kubectl --match-server-version` compares these three values with its own."""
    version = Kubernetes(api.cluster([], emulates=emulates))("GET", "version")
    assert (version["gitVersion"], version["gitCommit"], version["gitTreeState"]) == (emulates, commit, "clean")


ODD_VERSIONS = [
    ({"emulates": "v1.36.3", "featureGates": "GangScheduling=true,GenericWorkload=true"}, ("1", "36", "v1.36.3")),
    ({"emulates": "v1.10-preset"}, ("1", "10", "v1.10-preset")),
]


@pytest.mark.parametrize(("options", "expected"), ODD_VERSIONS)
def test_a_version_without_feature_gates(api: Api, options: dict[str, str], expected: tuple[str, ...]) -> None:
    cluster = api.post("clusters/", {"name": "odd", **options})["id"]
    version = Kubernetes(cluster)("GET", "version")
    assert (version["major"], version["minor"], version["gitVersion"]) == expected


CACHING = [
    # path, Vary: short answers are not compressed
    ("api/v1/nodes", "Accept-Encoding"),
    ("version", "Accept-Encoding"),
    ("api/v1/nodes/nope", None),
]


@pytest.mark.parametrize(("path", "vary"), CACHING)
def test_caching_headers(api: Api, path: str, vary: str | None) -> None:
    kube = Kubernetes(api.cluster([node("n1")]))
    answer = kube.client.get(f"/k8s/{kube.cluster_id}/{path}", headers={"Accept-Encoding": "gzip"})
    assert (answer.get("Vary"), answer["Cache-Control"]) == (vary, "no-cache, private")


def test_a_status_is_no_error_of_the_server(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    """The terminal of a playground showed an ERROR for each log that no kubelet can answer."""
    kube = Kubernetes(api.cluster([node("node-1")]))
    answer = kube("GET", "api/v1/nodes/node-1/proxy/", status=500)
    assert answer["message"] == "no preferred addresses found; known addresses: []"
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")] == []


def test_openapi_describes_query_parameters(api: Api) -> None:
    """Texts that upstream's test/cmd/discovery.sh looks for; operations share their parameters since v1.29."""
    document = Kubernetes(api.cluster([]))("GET", "openapi/v2")
    shared = document["parameters"]
    operation = document["paths"]["/api/v1/namespaces/{namespace}/pods"]["get"]
    described = {}
    for reference in operation["parameters"]:
        parameter = shared[reference["$ref"].removeprefix("#/parameters/")]
        described[parameter["name"]] = (parameter["in"], parameter["type"], parameter["description"])
    assert set(described) >= {"labelSelector", "fieldSelector", "limit", "continue", "watch", "pretty"}
    assert described["labelSelector"][2].startswith("A selector to restrict the list of returned objects")
    assert described["watch"] == ("query", "boolean", parameters.PARAMETERS["watch"][1])
    assert described["watch"][2].startswith("Watch for changes to the described resources")


PROBLEMS = [
    field_errors.required("spec.containers"),
    field_errors.duplicate("spec.schedulingGates[1].name", "a"),
    field_errors.not_supported("spec.tolerations[0].operator", "In", ("Exists", "Equal")),
    field_errors.forbidden("spec", "pod updates may not add or remove containers"),
    Problem("spec.requests.cpu", "-1", "must be greater than or equal to 0", field="spec.requests[cpu]"),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.rule)
def test_a_problem_of_a_failed_command_keeps_its_type(problem: Problem) -> None:
    """The worker stores the problem as JSON; the request that waits for it words it as an API server does."""
    from playground.problems import to_api_problem, to_engine_problem

    stored = json.loads(json.dumps(to_api_problem(problem)))
    assert causes.of_problem(to_engine_problem(stored)) == causes.of_problem(problem)
