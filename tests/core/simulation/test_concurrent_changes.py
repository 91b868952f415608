"""A change of an object that somebody else has changed since its editor read it."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from simulator.simulation import CommandError, Simulation
from simulator.simulation.concurrent_changes import merge
from tests.core.simulation.test_upkeep import cluster, do

READY, TAINT = {"type": "Ready", "status": "True"}, {"key": "gpu", "effect": "NoSchedule"}
MERGES: list[tuple[str, Any, Any, Any, Any]] = [
    ("other fields of a map", {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 2, "b": 2}),
    ("fields that both added", {}, {"l": {"a": 1}}, {"l": {"b": 1}}, {"l": {"a": 1, "b": 1}}),
    ("one that the client took out", {"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2}),
    ("one that somebody else took out", {"a": 1, "b": 1}, {"a": 1, "b": 2}, {"b": 1}, {"b": 2}),
    ("the same value from both", {"a": 1}, {"a": 2}, {"a": 2}, {"a": 2}),
    ("a list that only somebody else changed", {"l": [1]}, {"l": [1], "a": 1}, {"l": [1, 2]}, {"l": [1, 2], "a": 1}),
    (
        "items of one list",
        [{"name": "c", "image": "a"}],
        [{"name": "c", "image": "b"}],
        [{"name": "c", "image": "a", "ready": True}],
        [{"name": "c", "image": "b", "ready": True}],
    ),
]
CONFLICTS: list[tuple[str, Any, Any, Any, list[tuple[str, Any, Any]]]] = [
    ("two values", {"s": {"n": 1}}, {"s": {"n": 2}}, {"s": {"n": 3}}, [("s.n", 2, 3)]),
    ("a value that is gone", {"n": 1}, {"n": 2}, {}, [("n", 2, None)]),
    ("a value that was taken out", {"n": 1}, {}, {"n": 3}, [("n", None, 3)]),
    ("a map that is gone", {"m": {"a": 1}}, {"m": {"a": 2}}, {}, [("m", {"a": 2}, None)]),
    ("two lists", {"l": [1]}, {"l": [1, 2]}, {"l": [1, 3]}, [("l", [1, 2], [1, 3])]),
    ("an item", [{"name": "c", "n": 1}], [{"name": "c", "n": 2}], [{"name": "c", "n": 3}], [("[0].n", 2, 3)]),
]


@pytest.mark.parametrize(("name", "read", "sent", "live", "want"), MERGES, ids=[each[0] for each in MERGES])
def test_changes_of_both_are_merged(name: str, read: Any, sent: Any, live: Any, want: Any) -> None:
    assert merge(read, sent, live) == (want, [])


@pytest.mark.parametrize(("name", "read", "sent", "live", "want"), CONFLICTS, ids=[each[0] for each in CONFLICTS])
def test_a_field_that_both_changed_is_a_conflict(name: str, read: Any, sent: Any, live: Any, want: Any) -> None:
    merged, conflicts = merge(read, sent, live)
    assert [(each.path, each.sent, each.live) for each in conflicts] == want
    assert merged == sent


def read_node(simulation: Simulation) -> dict[str, Any]:
    stored = simulation.cluster.store.get("Node", "a")
    assert stored is not None
    return dict(manifest_of(stored))


@pytest.fixture
def changed() -> tuple[Simulation, dict[str, Any]]:
    """Return a cluster whose node a controller has changed, and the node as an editor had read it before."""
    metadata = {"name": "a", "uid": "u-1", "generation": 1}
    simulation = cluster({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {}, "status": {}})
    read = read_node(simulation)
    do(simulation, "update", objects=[{**read, "spec": {"taints": [TAINT]}, "status": {"conditions": [READY]}}])
    return simulation, read


def test_an_edit_of_other_fields_keeps_the_newer_status(changed: tuple[Simulation, dict[str, Any]]) -> None:
    simulation, read = changed
    sent = {**read, "metadata": {**read["metadata"], "labels": {"zone": "z"}}}
    do(simulation, "update", objects=[sent], read=[read])
    now = read_node(simulation)
    assert (now["metadata"]["labels"], now["status"]["conditions"]) == ({"zone": "z"}, [READY])
    assert now["spec"]["taints"] == [TAINT]


def test_a_conflict_says_both_values_and_changes_nothing(changed: tuple[Simulation, dict[str, Any]]) -> None:
    simulation, read = changed
    sent = {**read, "spec": {"taints": []}}
    with pytest.raises(CommandError) as refused:
        do(simulation, "update", objects=[sent], read=[read])
    (problem,) = refused.value.problems
    assert (problem.path, problem.is_conflict) == ("objects[0].spec.taints", True)
    taints = '[{"effect":"NoSchedule","key":"gpu"}]'
    assert problem.rule == f"has changed to {taints} since it was read; you wrote []"
    assert read_node(simulation)["spec"]["taints"] == [TAINT]
    do(simulation, "update", objects=[sent], read=[read], overwrite=True)
    now = read_node(simulation)
    assert (now["spec"]["taints"], now["status"]["conditions"]) == ([], [READY])


def test_an_object_that_was_created_again_is_a_conflict(changed: tuple[Simulation, dict[str, Any]]) -> None:
    simulation, read = changed
    former = {**read, "metadata": {**read["metadata"], "uid": "u-0"}}
    sent = {**former, "metadata": {**former["metadata"], "labels": {"zone": "z"}}}
    with pytest.raises(CommandError) as refused:
        do(simulation, "update", objects=[sent], read=[former])
    assert [each.path for each in refused.value.problems] == ["objects[0].metadata.uid"]
    do(simulation, "update", objects=[sent], read=[former], overwrite=True)
    assert read_node(simulation)["metadata"]["uid"] == "u-1"


def test_a_change_of_the_spec_has_the_next_generation() -> None:
    metadata = {"name": "web", "namespace": "default", "generation": 3}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    read = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    simulation = cluster(read)
    for replicas, generation in ((2, 4), (2, 4), (3, 5)):
        sent = {**read, "spec": {**spec, "replicas": replicas}}
        do(simulation, "update", objects=[sent], read=[read], overwrite=True)
        stored = simulation.cluster.store.get("Deployment", "default/web")
        assert stored is not None
        now = manifest_of(stored)
        assert (now["spec"]["replicas"], now["metadata"]["generation"]) == (replicas, generation)
