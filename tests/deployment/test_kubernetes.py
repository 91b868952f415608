"""examples/deployment/kubernetes.yaml: no word misspelt, it runs what Compose runs, and a scheduler can place it."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from simulator.simulation import Simulation
from tests.resilience.compose import ROOT, VARIABLES, Compose
from tests.web import node

FILE = ROOT / "examples" / "deployment" / "kubernetes.yaml"
# The fields of Kubernetes' API that the file uses, with their types; anything else is refused.
SCHEMA = yaml.safe_load((Path(__file__).parent / "kubernetes-schema.yaml").read_text())
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(FILE.read_text()))
WORKLOADS = [found for found in DOCUMENTS if found["kind"] in ("Deployment", "Job")]


def name_of(document: dict[str, Any]) -> str:
    return f"{document['kind']} {document['metadata']['name']}"


def container_of(workload: dict[str, Any]) -> dict[str, Any]:
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    assert isinstance(container, dict)
    return container


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_the_schema(document: dict[str, Any]) -> None:
    schema = {**SCHEMA, **SCHEMA["kinds"][document["kind"]]}
    jsonschema.Draft202012Validator(schema).validate(document)


def test_everything_is_there() -> None:
    assert [name_of(document) for document in DOCUMENTS] == [
        "ConfigMap playground",
        "Secret playground",
        "Job playground-migrate",
        "Service playground",
        "Deployment playground-web",
        "PodDisruptionBudget playground-web",
        "Deployment playground-worker",
        "HorizontalPodAutoscaler playground-worker",
        "Deployment playground-questions",
        "Deployment playground-beat",
    ]


@pytest.mark.parametrize("part", ["web", "worker", "questions", "beat"])
def test_it_runs_what_compose_runs(part: str) -> None:
    (workload,) = [found for found in WORKLOADS if found["metadata"]["name"] == f"playground-{part}"]
    assert container_of(workload)["command"] == Compose(VARIABLES).command(part)


@pytest.mark.parametrize("workload", WORKLOADS, ids=name_of)
def test_every_container_is_locked_down(workload: dict[str, Any]) -> None:
    template, container = workload["spec"]["template"], container_of(workload)
    assert template["spec"]["securityContext"]["runAsNonRoot"]
    assert not template["spec"]["automountServiceAccountToken"]
    # Otherwise a Service called `port` or `redis` would put settings into the environment.
    assert not template["spec"]["enableServiceLinks"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["requests"].keys() == {"cpu", "memory"}
    assert "memory" in container["resources"]["limits"]
    if workload["kind"] == "Deployment":
        selected = workload["spec"]["selector"]["matchLabels"]
        assert selected.items() <= template["metadata"]["labels"].items()


def test_services_and_budgets_select_the_web_and_the_autoscaler_the_workers() -> None:
    by_name = {name_of(document): document for document in DOCUMENTS}
    labels = by_name["Deployment playground-web"]["spec"]["template"]["metadata"]["labels"]
    assert by_name["Service playground"]["spec"]["selector"].items() <= labels.items()
    assert by_name["PodDisruptionBudget playground-web"]["spec"]["selector"]["matchLabels"].items() <= labels.items()
    target = by_name["HorizontalPodAutoscaler playground-worker"]["spec"]["scaleTargetRef"]
    assert f"{target['kind']} {target['name']}" in by_name
    # The autoscaler's business; a number here would undo what it did at every apply.
    assert "replicas" not in by_name["Deployment playground-worker"]["spec"]


def test_our_own_scheduler_places_it() -> None:
    pods = []
    for workload in WORKLOADS:
        template = workload["spec"]["template"]
        for number in range(workload["spec"].get("replicas", 1)):
            name = f"{workload['metadata']['name']}-{number}"
            metadata = {**template["metadata"], "name": name, "namespace": "playground"}
            pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
    simulation = Simulation.create(seed=1)
    nodes = [node(f"node-{i}", zone=f"zone-{i}") for i in range(3)]
    list(simulation.apply({"kind": "create", "objects": [*nodes, *pods]}))
    cycles = [record.data["cycle"] for record in simulation.apply({"kind": "run", "until": "idle"})]
    assert len(cycles) == len(pods)
    placed = {cycle["pod"]: cycle["node"] for cycle in cycles}
    assert all(placed.values()), cycles
    assert placed["playground/playground-web-0"] != placed["playground/playground-web-1"]
