"""Objects whose owners are not in the cluster, as of an import of nodes and pods alone, when controllers begin."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from playground.__main__ import main
from simulator.simulation import CommandError, Simulation
from simulator.simulation.ownerless import find_ownerless
from tests.core.controllers.chaos import node, workload

ON = {"kind": "set_actors", "actors": "all", "hashes": "upstream"}
RUN = {"kind": "run", "until": "idle"}


def play(simulation: Simulation, *commands: dict[str, Any]) -> None:
    for command in commands:
        list(simulation.apply(command))


def names(simulation: Simulation, kind: str = "Pod") -> list[str]:
    return [obj.name for obj in simulation.cluster.store.list(kind)]


def exported(*kinds: str) -> list[dict[str, Any]]:
    """These kinds of a cluster in which a Deployment of two pods has come up: what `kubectl get` of them prints."""
    simulation = Simulation.create(seed=1)
    play(simulation, ON, {"kind": "create", "objects": [node(0), node(1), workload("Deployment", "web", replicas=2)]})
    play(simulation, RUN)
    return [dict(simulation.cluster.manifest_of(obj)) for obj in simulation.cluster.store if obj.kind in kinds]


def owned(owner: dict[str, Any], name: str = "one", **about: Any) -> dict[str, Any]:
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1"} | owner
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", "ownerReferences": [reference], **about},
    }


OWNER = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web", "namespace": "default", "uid": "1"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}}},
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "webs.example.com"},
    "spec": {"group": "example.com", "names": {"kind": "Web", "plural": "webs"}},
}


@pytest.mark.parametrize(
    ("what", "objects", "alone"),
    [
        ("no owner is named", [{**owned({}), "metadata": {"name": "one", "namespace": "default"}}], []),
        ("the owner is not there", [owned({})], ["one"]),
        ("the owner is there", [OWNER, owned({})], []),
        ("another one of the same name is there", [OWNER, owned({"uid": "2"})], ["one"]),
        ("it is in another namespace", [OWNER, owned({}, namespace="other")], ["one"]),
        ("nobody knows such a kind", [owned({"apiVersion": "example.com/v1", "kind": "Web"})], []),
        ("somebody has defined it", [DEFINITION, owned({"apiVersion": "example.com/v1", "kind": "Web"})], ["one"]),
        ("an owner in no namespace", [node(0) | {"metadata": {"name": "n", "uid": "n"}},
                                      owned({"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "n"})], []),
    ],
)  # fmt: skip
def test_who_is_left_alone(what: str, objects: list[dict[str, Any]], alone: list[str]) -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, {"kind": "create", "objects": objects})
    assert [obj.name for obj in find_ownerless(list(simulation.cluster.store))] == alone, what


def test_without_it_they_are_collected_and_with_it_they_stay() -> None:
    given = {"kind": "create", "objects": exported("Node", "Pod")}
    collected, kept = Simulation.create(seed=1), Simulation.create(seed=1)
    play(collected, given, ON, RUN)
    play(kept, given, {"kind": "orphan"}, ON, RUN)
    assert names(collected) == []
    assert len(names(kept)) == 2
    assert {pod.phase for pod in kept.cluster.store.list("Pod")} == {"Running"}


def test_what_was_let_go_is_adopted_by_who_would_have_made_it() -> None:
    objects = exported("Node", "Pod", "Deployment")
    simulation = Simulation.create(seed=1)
    play(simulation, {"kind": "create", "objects": objects}, {"kind": "orphan"}, ON, RUN)
    (replica_set,) = simulation.cluster.store.list("ReplicaSet")
    pods = simulation.cluster.store.list("Pod")
    assert [pod.name for pod in pods] == [one["metadata"]["name"] for one in objects if one["kind"] == "Pod"]
    assert {pod.controller.uid for pod in pods} == {replica_set.uid}


def test_a_reset_brings_them_back_as_they_were_let_go() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, {"kind": "create", "objects": [node(0), owned({})]}, {"kind": "orphan"}, {"kind": "reset"})
    assert find_ownerless(list(simulation.cluster.store)) == []
    assert names(simulation, "ConfigMap") == ["one"]


def test_there_is_nothing_to_let_go() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, {"kind": "create", "objects": [OWNER, owned({})]})
    with pytest.raises(CommandError, match="no object has a missing owner"):
        simulation.apply({"kind": "orphan"})


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ([], "1 Pod: owners are missing from the scenario, so the garbage collector will delete them"),
        (["--keep-ownerless"], ""),
    ],
)
def test_pods_without_their_owners(
    options: list[str], want: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = {**owned({}), "kind": "Pod", "spec": {"nodeName": "node-0", "containers": [{"name": "main"}]}}
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(yaml.safe_dump_all([node(0), alone]))
    assert main(["run", str(scenario), "--controllers", "all", *options]) == 0
    err = capsys.readouterr().err
    assert want in err and bool(err) == bool(want)
