"""What a draft would change in one attempt, and that nothing is changed by asking."""

from typing import Any

from simulator.explain.draft import MOST_NODES, draft_effect
from simulator.explain.rerun import rerun
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
MOST_ALLOCATED = HEADER + (
    "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: "
    "{type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]}]\n"
)
NO_TAINTS = HEADER + "profiles: [{plugins: {multiPoint: {disabled: [{name: TaintToleration}]}}}]\n"
HEAVY_FIT = HEADER + "profiles: [{plugins: {score: {enabled: [{name: NodeResourcesFit, weight: 9}]}}}]\n"


def compare_draft(simulation: Simulation, pod: str, config: str) -> Any:
    return draft_effect(rerun(simulation, pod), rerun(simulation, pod, config), simulation.node_names)


def start(*objects: Any) -> Simulation:
    simulation = Simulation.create(seed=1)
    list(simulation.apply({"kind": "create", "objects": [dict(each.manifest()) for each in objects]}))
    return simulation


def two_nodes() -> Simulation:
    nodes = [make_node(name).cpu("4").memory("8Gi") for name in ("busy", "idle")]
    return start(*nodes, make_pod("full").cpu("2").node("busy"), make_pod("web").cpu("1"))


def test_another_node_would_win() -> None:
    simulation = two_nodes()
    before = simulation.checkpoint()
    effect = compare_draft(simulation, "default/web", MOST_ALLOCATED)
    assert simulation.checkpoint() == before
    assert (effect["before"]["node"], effect["after"]["node"]) == ("idle", "busy")
    assert effect["moved"] == 2
    assert (effect["passes"]["count"], effect["fails"]["count"]) == (0, 0)
    assert [node["node"] for node in effect["nodes"]] == ["busy", "idle"]


def test_the_numbers_are_those_of_the_two_attempts() -> None:
    simulation = two_nodes()
    effect = compare_draft(simulation, "default/web", HEAVY_FIT)
    for side, attempt in (
        ("before", rerun(simulation, "default/web")),
        ("after", rerun(simulation, "default/web", HEAVY_FIT)),
    ):
        matrix = attempt.matrix
        assert matrix is not None
        totals = {simulation.node_names[row]: int(total) for row, total in zip(matrix.rows, matrix.totals, strict=True)}
        assert {node["node"]: node[side] for node in effect["nodes"]} == totals
        assert effect[side]["total"] == max(totals.values())
        for node in effect["nodes"]:
            points = [pair[side == "after"] for pair in node["points"]]
            assert sum(point for point in points if point is not None) == node[side]
    (fit,) = [plugin for plugin in effect["plugins"] if plugin["plugin"] == "NodeResourcesFit"]
    assert fit == {"plugin": "NodeResourcesFit", "before": 1, "after": 9, "moved": 2}


def test_nodes_that_pass_now_say_what_stood_in_the_way() -> None:
    simulation = start(make_node("free"), make_node("tainted").taint("a", "b", "NoSchedule"), make_pod("web"))
    effect = compare_draft(simulation, "default/web", NO_TAINTS)
    assert effect["passes"] == {
        "count": 1,
        "nodes": [
            {"node": "tainted", "plugin": "TaintToleration", "reasons": ["node(s) had untolerated taint {a: b}"]}
        ],
    }
    assert effect["fails"] == {"count": 0, "nodes": []}
    list(simulation.apply({"kind": "set_config", "yaml": NO_TAINTS}))
    back = compare_draft(simulation, "default/web", HEADER)
    assert [node["node"] for node in back["fails"]["nodes"]] == ["tainted"]
    assert back["passes"]["count"] == 0


def test_without_nodes_there_is_nothing_to_compare() -> None:
    effect = compare_draft(start(make_pod("web")), "default/web", HEAVY_FIT)
    assert effect["before"] == effect["after"]
    assert effect["before"]["evaluated"] == 0 and effect["before"]["total"] is None
    assert effect["nodes"] == effect["plugins"] == []


def test_many_nodes_are_cut_and_counted() -> None:
    nodes = [make_node(f"node-{i:03d}").cpu(str(4 + i)).memory("8Gi") for i in range(60)]
    effect = compare_draft(start(*nodes, make_pod("web").cpu("1")), "default/web", MOST_ALLOCATED)
    assert len(effect["nodes"]) == MOST_NODES and effect["omitted"] == 40
    shown = {node["node"] for node in effect["nodes"]}
    assert {effect["before"]["node"], effect["after"]["node"]} <= shown
