"""The preemption view agrees with the real scheduler's candidates, and says what decided between them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.facts.attempt_context import AttemptContext
from simulator.explain.preemption import explain_preemption
from simulator.explain.rerun import rerun
from simulator.simulation import Simulation
from tests.conformance.testing import PodBuilder, make_node, make_pod
from tests.core.explain.watching import scenarios, watch
from tests.core.preemption.preemption_cluster import budget

PLUGIN = "DefaultPreemption"


@pytest.mark.parametrize("family", ["preemption", "messages", "mixed"])
def test_candidates_are_those_of_the_real_scheduler(family: str) -> None:
    seen: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        if "postFilter" not in want or result.post_filter is None:
            return
        expected, outcome = want["postFilter"], result.post_filter
        reasons = [reason for reason in outcome.status.reasons if reason.startswith("preemption: ")]
        step = {"point": "PostFilter", "plugin": PLUGIN, "code": expected["code"], "reasons": reasons}
        told = explain_preemption(context, [step | ({"data": outcome.detail} if outcome.detail else {})])
        assert told is not None
        check_nodes(context, told)
        candidates = {found["node"]: found for found in told["candidates"]}
        assert {
            node: {"victims": [pod["pod"] for pod in found["victims"]], "pdbViolations": found["pdbViolations"]}
            for node, found in candidates.items()
        } == expected.get("candidates", {})
        for node, found in candidates.items():
            check_candidate(context, node, found)
        if candidates:
            assert sorted(node for node, found in candidates.items() if found["outBy"] is None) == sorted(
                expected["ties"]
            )
            assert told["candidates"][0]["chosen"] and told["why"] is not None
            seen["helped"] += 1
        else:
            assert told["why"] is None
            seen["in vain"] += 1

    def check_nodes(context: AttemptContext, told: Mapping[str, Any]) -> None:
        numbers = told["nodes"]
        assert numbers["helpful"] + numbers["notHelpful"] == len(context.nodes)
        assert told["notHelpful"]["count"] == numbers["notHelpful"]
        assert numbers["candidates"] + told["withoutVictims"]["count"] <= numbers["helpful"]

    def check_candidate(context: AttemptContext, node: str, found: Mapping[str, Any]) -> None:
        pods = [pod["pod"] for pod in (*found["victims"], *found["reprieved"])]
        lower = [pod.key for pod in context.node(node).pods if pod.priority < context.pod.priority]
        assert sorted(pods) == sorted(lower)
        assert sum(bool(pod["budgets"]) for pod in found["victims"]) >= found["pdbViolations"]

    for vector in scenarios(family):
        watch(vector, look)
    assert all(seen[kind] for kind in (["helped", "in vain"] if family != "messages" else ["in vain"]))


def cluster(*pods: PodBuilder, budgets: tuple[Any, ...] = (), nodes: str = "a b") -> Simulation:
    simulation = Simulation.create()
    objects = [make_node(name).cpu("4").memory("8Gi").manifest() for name in nodes.split()]
    vip = make_pod("vip").cpu("4").priority(1000).manifest()
    objects += [*(pod.manifest() for pod in pods), *budgets, vip]
    list(simulation.apply({"kind": "create", "objects": [dict(manifest) for manifest in objects]}))
    return simulation


def running(name: str, node: str, priority: int = 0, cpu: str = "4", month: int = 1) -> PodBuilder:
    pod = make_pod(name).cpu(cpu).node(node).priority(priority).label("app", name)
    return pod.started(f"2025-{month:02}-01T00:00:00Z")


CASES = [
    # what decides, pods on node a, pods on node b (the one that is chosen)
    ("pdbViolations", [running("guarded", "a")], [running("free", "b", 10)]),
    ("highestPriority", [running("x", "a", 10)], [running("y", "b", 5)]),
    ("prioritySum", [running("x1", "a", 5, "2"), running("x2", "a", 5, "2")], [running("y", "b", 5)]),
    ("start", [running("x", "a", 5)], [running("y", "b", 5, month=2)]),
]


@pytest.mark.parametrize(("criterion", "on_a", "on_b"), CASES, ids=[case[0] for case in CASES])
def test_the_criterion_that_decides(criterion: str, on_a: list[PodBuilder], on_b: list[PodBuilder]) -> None:
    simulation = cluster(*on_a, *on_b, budgets=(budget("keep", 0, app="guarded"),))
    again = rerun(simulation, "default/vip")
    told = explain_preemption(again.context, again.cycle["steps"])
    assert told is not None
    assert [entry["id"] for entry in told["criteria"] if entry["decides"]] == [criterion]
    assert [(found["node"], found["chosen"], found["outBy"]) for found in told["candidates"]] == [
        ("b", True, None),
        ("a", False, criterion),
    ]
    assert told["why"] is not None and told["why"]["text"].startswith("b was chosen: ")
    if criterion == "pdbViolations":
        assert told["candidates"][1]["victims"][0]["budgets"] == ["default/keep"]


def test_equals_are_drawn_and_a_single_candidate_needs_no_criterion() -> None:
    again = rerun(cluster(running("x", "a"), running("y", "b")), "default/vip")
    told = explain_preemption(again.context, again.cycle["steps"])
    assert told is not None and told["why"] is not None
    assert told["why"]["text"].startswith("2 candidates are equal by all criteria")
    again = rerun(cluster(running("x", "a"), nodes="a"), "default/vip")
    told = explain_preemption(again.context, again.cycle["steps"])
    assert told is not None and told["why"] is not None
    assert told["why"]["text"] == "a was the only candidate"


def test_spared_pods_are_named() -> None:
    small, large = running("small", "a", 1, "1"), running("large", "a", 0, "3")
    simulation = cluster(small, large, nodes="a")
    vip = {"kind": "update", "objects": [dict(make_pod("vip").cpu("3").priority(1000).manifest())]}
    list(simulation.apply(vip))
    again = rerun(simulation, "default/vip")
    told = explain_preemption(again.context, again.cycle["steps"])
    assert told is not None
    (found,) = told["candidates"]
    assert [pod["pod"] for pod in found["victims"]] == ["default/large"]
    assert [pod["pod"] for pod in found["reprieved"]] == ["default/small"]


def test_why_preemption_was_not_tried() -> None:
    simulation = Simulation.create()
    objects = [make_node("a").cpu("1").memory("1Gi").manifest(), make_pod("meek").cpu("2").never_preempts().manifest()]
    list(simulation.apply({"kind": "create", "objects": [dict(manifest) for manifest in objects]}))
    again = rerun(simulation, "default/meek")
    told = explain_preemption(again.context, again.cycle["steps"])
    assert told is not None and told["candidates"] == []
    assert told["message"] == "not eligible due to preemptionPolicy=Never."
    assert told["meaning"] is not None
    assert told["meaning"]["text"].startswith("the pod's priority class says that it never evicts")


def test_no_preemption_no_view() -> None:
    simulation = Simulation.create()
    objects = [make_node("a").cpu("1").memory("1Gi").manifest(), make_pod("small").manifest()]
    list(simulation.apply({"kind": "create", "objects": [dict(manifest) for manifest in objects]}))
    again = rerun(simulation, "default/small")
    assert explain_preemption(again.context, again.cycle["steps"]) is None
