"""How much fits, what must be added, what can go, what breaks: each as a run of the scheduler says."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from kube_objects.node import Node
from playground.__main__ import main
from simulator.repair.capacity import Group, add_nodes, count_copies, drainable_nodes, simulate_failures
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.repair.random_clusters import ZONE, played


def node_of(simulation: Simulation, name: str) -> Node:
    found = simulation.cluster.store.get("Node", name)
    assert isinstance(found, Node)
    return found


# Those of cluster-capacity's README ("Demonstration", examples/pod.yaml and examples/rc.yml), at v1.34.1.
SMALL_POD = make_pod("small-pod").labels(app="guestbook", tier="frontend").cpu("150m").memory("100Mi").manifest()


@pytest.mark.parametrize(
    ("running", "placed", "on_nodes"), [(0, 52, [13, 13, 13, 13]), (6, 46, [11, 11, 12, 12])], ids=["empty", "6 run"]
)
def test_the_demonstration_of_cluster_capacity(running: int, placed: int, on_nodes: list[int]) -> None:
    """4 nodes of 2 CPUs and 4 GB; then with 6 replicas of its replication controller, scheduled before."""
    nodes = [make_node(f"kube-node-{i}").cpu("2").memory("4Gi").manifest() for i in range(1, 5)]
    replicas = [make_pod(f"nginx-{i}").label("app", "nginx").cpu("150m").memory("100Mi") for i in range(running)]
    simulation = played([*nodes, *(pod.manifest() for pod in replicas)])
    found = count_copies(simulation, SMALL_POD)
    assert (found.placed, sorted(found.nodes.values())) == (placed, on_nodes)
    assert found.stopped.startswith("0/4 nodes are available: 4 Insufficient cpu.")
    assert len(simulation.cluster.store.list("Pod")) == running, "the simulation itself has been filled"


@pytest.mark.parametrize(("limit", "placed"), [(6, 6), (100, 9)])
def test_the_prediction_of_cluster_capacity(limit: int, placed: int) -> None:
    """Source: TestPrediction of pkg/framework/simulator_test.go: 6 copies reach the limit, without one it is
    Unschedulable that ends it (3 pods of each node: that is all they may have).
    """
    sizes = {"test-node-1": ("300m", "1G"), "test-node-2": ("400m", "2G"), "test-node-3": ("1200m", "1G")}
    nodes = [make_node(name).cpu(cpu).memory(memory).pods(3).manifest() for name, (cpu, memory) in sizes.items()]
    found = count_copies(played(nodes), make_pod("simulated-pod").cpu("100m").memory("5M").manifest(), limit)
    assert found.placed == placed
    assert bool(found.stopped) == (placed < limit)


def test_a_limit_ends_it_and_what_waits_goes_not_first() -> None:
    waits = make_pod("waits").cpu("1").node_selector("disk", "ssd").manifest()
    simulation = played([make_node("a").cpu("4").manifest(), waits])
    assert count_copies(simulation, make_pod("x").cpu("1").manifest(), 2).as_dict() == {
        "placed": 2,
        "nodes": {"a": 2},
        "stopped": "",
    }


def test_as_few_nodes_as_do() -> None:
    objects = [make_node("a").cpu("2").manifest(), *(make_pod(f"p{i}").cpu("900m").manifest() for i in range(9))]
    simulation = played(objects)
    found = add_nodes(simulation)
    # Two fit on each: seven wait, and four nodes take them.
    assert (found.nodes, found.placed, found.pending) == ({"a": 4}, 7, [])


# name, groups with prices, what is added, its price
GROUPS: list[tuple[str, list[tuple[str, float]], dict[str, int], float]] = [
    ("the small ones are cheaper", [("small", 1.0), ("large", 4.0)], {"small": 3}, 3.0),
    ("one large one is cheaper", [("small", 1.0), ("large", 2.0)], {"large": 1}, 2.0),
]


@pytest.mark.parametrize(("name", "groups", "nodes", "price"), GROUPS, ids=[case[0] for case in GROUPS])
def test_the_cheapest_group(name: str, groups: list[tuple[str, float]], nodes: dict[str, int], price: float) -> None:
    objects = [make_node("small").cpu("1").manifest(), make_node("large").cpu("4").manifest()]
    objects += [
        make_pod(f"full{i}").cpu(cpu).node(at).manifest()
        for i, (at, cpu) in enumerate((("small", "1"), ("large", "4")))
    ]
    objects += [make_pod(f"p{i}").cpu("1").manifest() for i in range(3)]
    simulation = played(objects)
    found = add_nodes(simulation, [Group(node_of(simulation, at), cost) for at, cost in groups])
    assert (found.nodes, found.price, found.pending) == (nodes, price, [])


def test_several_groups_where_one_does_not_do() -> None:
    objects = [make_node("cpu").cpu("4").manifest(), make_node("disk").cpu("1").label("disk", "ssd").manifest()]
    objects += [make_pod("full").cpu("4").node("cpu").manifest(), make_pod("also").cpu("1").node("disk").manifest()]
    objects += [make_pod("big").cpu("3").manifest(), make_pod("fast").cpu("1").node_selector("disk", "ssd").manifest()]
    objects += [make_pod("nowhere").node_selector("disk", "nvme").manifest()]
    found = add_nodes(played(objects))
    assert (found.nodes, found.placed, found.pending) == ({"cpu": 1, "disk": 1}, 2, ["default/nowhere"])


def test_nodes_that_can_go_one_after_the_other() -> None:
    objects = [make_node(name).cpu("4").manifest() for name in "abc"]
    objects += [
        make_pod(f"{name}{i}").cpu("1").node(name).manifest()
        for name, n in (("a", 1), ("b", 2), ("c", 3))
        for i in range(n)
    ]
    found = [one.node for one in drainable_nodes(played(objects))]
    # Six CPUs are used of twelve: one can go, and after that no second one.
    assert found == ["a"]


def test_a_budget_and_a_daemon_are_respected() -> None:
    budget: dict[str, Any] = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "keep", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"disruptionsAllowed": 0},
    }
    agent = make_pod("agent").owner("DaemonSet", "agents").node("b").manifest()
    objects = [make_node("a").manifest(), make_node("b").manifest(), agent]
    objects += [budget, make_pod("kept").label("app", "a").node("a").manifest()]
    (gone,) = drainable_nodes(played(objects))
    assert (gone.node, gone.moved, gone.stays) == ("b", {}, ["default/agent"])


def test_what_breaks_if_a_zone_or_a_node_fails() -> None:
    objects = [make_node("a").zone("z1").cpu("2").manifest(), make_node("b").zone("z2").cpu("2").manifest()]
    objects += [make_node("c").zone("z2").cpu("2").manifest()]
    objects += [make_pod(f"{name}{i}").cpu("1").node(name).manifest() for name in "bc" for i in range(2)]
    simulation = played(objects)
    zones = {one.what: (one.nodes, one.lost, len(one.pending)) for one in simulate_failures(simulation, ZONE)}
    assert zones == {"z1": (1, 0, 0), "z2": (2, 4, 2)}
    assert {one.what: len(one.pending) for one in simulate_failures(simulation)} == {"a": 0, "b": 0, "c": 0}


SCENARIO = """
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
"""

# arguments, status, what is printed (JSON) or part of an error
COMMANDS: list[tuple[list[str], int, Any]] = [
    (["capacity", "-", "--pod", "POD"], 0, {"placed": 1, "nodes": {"a": 1}}),
    (["add-nodes", "-"], 0, {"nodes": {}, "placed": 0, "pending": []}),
    (["drainable", "-"], 1, []),
    (["failures", "-"], 1, [{"what": "a", "nodes": 1, "lost": 1, "pending": ["default/p"], "names": ["a"]}]),
    (["failures", "-", "--by", "zone"], 2, "--by: no node has the label zone"),
    (["add-nodes", "-", "--group", "b=1"], 2, "--group: there is no node b"),
    (["add-nodes", "-", "--group", "a=-1"], 2, "the price must be a number above 0"),
]


@pytest.mark.parametrize(("arguments", "status", "wanted"), COMMANDS, ids=[" ".join(case[0]) for case in COMMANDS])
def test_the_commands(
    arguments: list[str],
    status: int,
    wanted: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pod = tmp_path / "pod.yaml"
    pod.write_text(SCENARIO.split("---")[1])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SCENARIO.encode())))
    given = [str(pod) if one == "POD" else one for one in arguments]
    assert main([*given, "--json"]) == status
    out, err = capsys.readouterr()
    if status == 2:
        assert wanted in err
        return
    told = json.loads(out)
    assert (told if isinstance(wanted, list) else {name: told[name] for name in wanted}) == wanted
