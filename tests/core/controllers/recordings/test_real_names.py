"""Names as a real cluster makes them, so that one that is brought in goes on as it was.

`template_hashes.json`: computed by pkg/controller ComputeHash of Kubernetes v1.36.2, after a way through protobuf.
`real_cluster.yaml.gz`: `kubectl get … -A -o yaml` of a control plane v1.36.2 in which the manifests of Online Boutique
(GoogleCloudPlatform/microservices-demo) and some workloads more had come up.
"""

import gzip
import json
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kube_controllers import hashing
from kube_controllers.names import CONTROLLERS
from kube_objects.documents import read_documents
from simulator.simulation import Simulation
from tests.core.controllers.chaos import node, template, workload

UPSTREAM = hashing.HASHES[hashing.UPSTREAM]
TABLES = Path(__file__).parents[1] / "tables"
TEMPLATES = json.loads((TABLES / "template_hashes.json").read_text(encoding="utf-8"))


@cache
def real_cluster() -> list[dict[str, Any]]:
    read = read_documents(gzip.decompress((TABLES / "real_cluster.yaml.gz").read_bytes()))
    assert not read.problems
    return [dict(obj.manifest) for obj in read.objects]


@pytest.mark.parametrize(("want", "template"), TEMPLATES)
def test_of_a_template(want: str, template: dict[str, Any]) -> None:
    assert UPSTREAM.hash_template(template) == want


def test_another_of_the_same_hash_counts() -> None:
    _, template = TEMPLATES[0]
    assert UPSTREAM.hash_template(template, 0) not in (
        UPSTREAM.hash_template(template),
        UPSTREAM.hash_template(template, 1),
    )


def test_what_no_server_would_take_has_one_too() -> None:
    odd = {"metadata": [], "spec": {"containers": {"a": 1}, "volumes": ["x"], "overhead": {"cpu": "much", 3: None}}}
    assert UPSTREAM.hash_template(odd) != UPSTREAM.hash_template({})


def test_of_the_revisions_of_a_stateful_set() -> None:
    (found,) = (
        one for one in real_cluster() if one["kind"] == "ControllerRevision" and "db-" in one["metadata"]["name"]
    )
    assert f"db-{UPSTREAM.hash_revision(found['data'], 0)}" == found["metadata"]["name"]
    simulation = Simulation(seed=1)
    play(simulation, OF_UPSTREAM, {"kind": "create", "objects": [workload("StatefulSet", "db", replicas=1)]})
    (own,) = simulation.cluster.store.list("ControllerRevision")
    assert dict(own.labels) | {HASH: ""} == {**found["metadata"]["labels"], HASH: ""}
    assert own.name == f"db-{own.labels[HASH]}"


HASH = "controller.kubernetes.io/hash"
ON = {"kind": "set_actors", "actors": "all"}
OFF = {"kind": "set_actors", "actors": "none"}
OF_UPSTREAM = {**ON, "hashes": "upstream"}


def play(simulation: Simulation, *commands: dict[str, Any]) -> list[str]:
    """The names of all revisions then."""
    for command in commands:
        list(simulation.apply(command))
    store = simulation.cluster.store
    return [one.name for kind in ("ReplicaSet", "ControllerRevision") for one in store.list(kind)]


def restored(simulation: Simulation) -> Simulation:
    kept = simulation.checkpoint()
    assert kept is not None
    return Simulation.restore(kept)


def test_clusters_of_before_go_on_with_the_hashes_that_they_had() -> None:
    """Their commands and checkpoints have no word of it, and what stands in links names pods by them."""
    web = workload("Deployment", "web", replicas=1)
    others = [workload("StatefulSet", "db", replicas=1), workload("DaemonSet", "agent")]
    changed = {**web, "spec": {**web["spec"], "template": template("web", "app:2")}}
    simulation = Simulation.create(seed=1)
    create = {"kind": "create", "objects": [node(0), web, *others]}
    update = {"kind": "update", "objects": [changed]}
    assert play(simulation, create, ON) == ["web-6fbb8dd8f9", "db-7667fd8579", "agent-59dfc698b4"]
    assert "web-c9fd67d76" in play(restored(simulation), update)
    assert "web-c9fd67d76" in play(simulation, OFF, ON, update)


def test_once_upstreams_always_upstreams() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, OF_UPSTREAM)
    create = {"kind": "create", "objects": [node(0), workload("Deployment", "web", replicas=1)]}
    found = [play(restored(simulation), create), play(restored(simulation), OFF, ON, create)]
    made = Simulation.create(seed=1, actors=tuple(CONTROLLERS))
    assert found == [play(made, create)] * 2
    assert found[0] != ["web-6fbb8dd8f9"]


# Those of a real controller manager bring no Endpoints, and an autoscaler that finds no metrics says so.
_NEW = ("Endpoints",)
_MAY_CHANGE = ("Job", "HorizontalPodAutoscaler")


@pytest.mark.parametrize(
    ("what", "left_out"),
    [
        ("everything", ()),
        ("what `kubectl get all` prints", ("ControllerRevision", "EndpointSlice", "ConfigMap", "ServiceAccount")),
        ("pods and what they were made for", ("ReplicaSet", "ControllerRevision", "EndpointSlice")),
    ],
)
def test_a_real_cluster_goes_on_as_it_was(what: str, left_out: Collection[str]) -> None:
    objects = [one for one in real_cluster() if one["kind"] not in left_out]
    simulation = Simulation.create(seed=1)
    commands: list[dict[str, Any]] = [{"kind": "create", "objects": objects}]
    commands += [{"kind": "orphan"}] if "ReplicaSet" in left_out else []
    commands += [OF_UPSTREAM, {"kind": "run", "until": {"seconds": 300}}]
    for command in commands:
        list(simulation.apply(command))
    before = {(one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]): one for one in objects}
    now = {(one.kind, one.namespace, one.name): simulation.cluster.manifest_of(one) for one in simulation.cluster.store}
    assert before.keys() - now.keys() == set()
    assert {kind for kind, *_ in now.keys() - before.keys()} <= {*_NEW, *left_out}, what
    pods = {key for key in before if key[0] == "Pod"}
    assert len(pods) == 21
    changed = {key for key in before if now[key] != before[key] and key[0] not in _MAY_CHANGE}
    # Whoever lost its owner has the new one, and a Deployment says that it made it.
    adopted = {key for key in pods if _is_of_a_deployment(before[key])} if "ReplicaSet" in left_out else set()
    assert {key for key in changed if key[0] == "Pod"} == adopted
    assert {kind for kind, *_ in changed} == ({"Pod", "Deployment"} if adopted else set())


def _is_of_a_deployment(pod: dict[str, Any]) -> bool:
    return "pod-template-hash" in pod["metadata"]["labels"]
