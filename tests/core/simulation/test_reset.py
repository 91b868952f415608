"""Reset: what people made of the objects stays, what has happened to them is undone; the plan says so before."""

from typing import Any, Literal, cast

from simulator.simulation import Simulation, reset
from tests.conformance.testing import make_pod
from tests.core.simulation.test_upkeep import cluster, do, manifest, node, on, pods_on


def names(plan: reset.ResetPlan, part: Literal["keeps", "undoes"]) -> dict[str, list[str]]:
    return {
        name: found["names"]
        for name, found in cast(dict[str, Any], plan[part]).items()
        if isinstance(found, dict) and found.get("names")
    }


def played() -> Simulation:
    """Two nodes, a pod that was placed, one that came with its node; then everything that people can do."""
    simulation = cluster(node("a"), node("b"), node("c"), make_pod("web").cpu("1"), on("static"))
    do(simulation, "cordon", node="b")
    do(simulation, "fail_node", node="c")
    do(simulation, "finish_pod", pod="default/static", phase="Succeeded")
    do(simulation, "update", objects=[dict(node("a", cpu="8").manifest())])
    return simulation


def test_the_plan_names_what_stays_and_what_goes() -> None:
    simulation = played()
    plan = reset.plan_reset(simulation)
    assert names(plan, "keeps") == {"cordoned": ["b"]}
    undone = names(plan, "undoes")
    assert undone["nodes"] == ["c"] and undone["ended"] == ["default/static"]
    # The pod was on c, and left it, or is placed still.
    assert undone.get("placed", undone.get("gone")) == ["default/web"]
    assert plan["undoes"]["seconds"] == round(simulation.now, 6) > 0
    assert plan["undoes"]["seed"] is None


def test_a_reset_does_what_its_plan_says() -> None:
    simulation = played()
    do(simulation, "seed", seed=9)
    assert reset.plan_reset(simulation)["undoes"]["seed"] == {"from": 9, "to": 1}
    do(simulation, **reset.COMMAND)
    assert manifest(simulation, "Node", "b").unschedulable
    assert manifest(simulation, "Node", "c").taints == ()
    assert manifest(simulation, "Node", "a").allocatable["cpu"] == 8000
    assert pods_on(simulation, "a") == ["static"]
    assert manifest(simulation, "Pod", "default/web").node_name == ""
    plan = reset.plan_reset(simulation)
    assert names(plan, "keeps") == {"cordoned": ["b"]} and names(plan, "undoes") == {}
    # Cordons stay as often as one goes back, until somebody lifts them.
    do(simulation, "uncordon", node="b")
    do(simulation, **reset.COMMAND)
    assert not manifest(simulation, "Node", "b").unschedulable


def test_a_node_given_cordoned_and_uncordoned_by_hand_stays_so() -> None:
    simulation = cluster(dict(node("a").manifest(), spec={"unschedulable": True}))
    do(simulation, "uncordon", node="a")
    assert names(reset.plan_reset(simulation), "keeps") == {"uncordoned": ["a"]}
    do(simulation, **reset.COMMAND)
    assert not manifest(simulation, "Node", "a").unschedulable


def test_a_cordon_of_a_drain_stays_and_the_evicted_pods_come_back() -> None:
    simulation = cluster(node("a"), on("web"))
    do(simulation, "drain", node="a")
    plan = reset.plan_reset(simulation)
    assert names(plan, "keeps") == {"cordoned": ["a"]} and names(plan, "undoes") == {"gone": ["default/web"]}
    do(simulation, **reset.COMMAND)
    assert manifest(simulation, "Node", "a").unschedulable and pods_on(simulation, "a") == ["web"]


def test_a_reset_of_an_earlier_trace_replays_as_it_was() -> None:
    simulation = played()
    do(simulation, "reset")
    assert not manifest(simulation, "Node", "b").unschedulable


def test_a_long_list_is_counted_and_its_first_names_told() -> None:
    simulation = cluster(node("a", cpu="64"), *(make_pod(f"p{i}").cpu("1") for i in range(20)))
    placed = reset.plan_reset(simulation)["undoes"]["placed"]
    assert placed["count"] == 20 and len(placed["names"]) == reset.MOST_NAMED
