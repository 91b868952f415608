"""The spread-domain table agrees with the verdicts and scores of the real scheduler."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.facts.calculation import round_like_go
from simulator.explain import spread
from simulator.explain.rerun import rerun
from simulator.explain.spread import UnknownConstraintError, spread_pods, spread_table
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.explain.watching import scenarios, watch

PLUGIN = "PodTopologySpread"
ZONE = "topology.kubernetes.io/zone"


@pytest.mark.parametrize("family", ["topologyspread", "mixed"])
def test_domains_explain_every_verdict_and_score(family: str) -> None:
    seen: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        table = spread_table(context)
        rows = [(found, {row["domain"]: row for row in found["domains"]}) for found in table["constraints"]]
        for node in context.nodes if context.attempt.pre_filter.status.is_success else ():
            failing = [
                found
                for found, domains in rows
                if found["hard"]
                and found["enforced"]
                and (found["topologyKey"] not in node.labels or not domains[node.labels[found["topologyKey"]]]["fits"])
            ]
            verdict = want.get("filter", {}).get(node.name, {}).get(PLUGIN)
            assert bool(failing) == (verdict is not None), (name, want["pod"], node.name)
            seen["verdicts"] += 1
        for node_name, raw in want.get("raw", {}).get(PLUGIN, {}).items():
            labels = context.node(node_name).labels
            soft = [(found, domains) for found, domains in rows if not found["hard"]]
            if table["origin"] != "system" and any(found["topologyKey"] not in labels for found, _ in soft):
                assert raw == 0
                continue
            scores = [
                domains[labels[found["topologyKey"]]]["score"]
                for found, domains in soft
                if found["topologyKey"] in labels
            ]
            assert round_like_go(sum(scores, 0.0)) == raw, (name, want["pod"], node_name)
            seen["scores"] += 1
        for found, domains in rows:
            check_pods(context, found, domains)

    def check_pods(context: AttemptContext, found: Mapping[str, Any], domains: Mapping[str, Any]) -> None:
        """Only domains without nodes that lack the label: upstream adds those to an empty value."""
        for domain, row in domains.items():
            pods = spread_pods(context, found["index"], domain)
            if domain:
                assert sum(pod["counts"] for pod in pods) == row["pods"], (name, found, domain, pods)
                seen["pods"] += len(pods)

    for vector in scenarios(family):
        name = vector["scenario"]["name"]
        watch(vector, look)
    assert all(seen[kind] for kind in ("verdicts", "scores", "pods")), seen


def three_zones() -> Simulation:
    simulation = Simulation.create()
    nodes = [make_node(f"node-{zone}").cpu("8").memory("8Gi").zone(zone) for zone in "abc"]
    nodes += [make_node("nowhere").cpu("8").memory("8Gi")]
    running = [
        make_pod(f"web-{i}").label("app", "web").node(node) for i, node in enumerate(["node-a", "node-a", "node-b"])
    ]
    running += [
        make_pod("leaving").label("app", "web").node("node-c").terminating(),
        make_pod("lost").label("app", "web").node("nowhere"),
    ]
    pod = make_pod("web-new").label("app", "web").spread(ZONE, {"app": "web"})
    objects = [dict(builder.manifest()) for builder in (*nodes, *running, pod)]
    list(simulation.apply({"kind": "create", "objects": objects}))
    return simulation


def test_a_table_by_zone() -> None:
    context = rerun(three_zones(), "default/web-new").context
    (found,) = spread_table(context)["constraints"]
    assert (found["hard"], found["lowest"], found["own"], found["domainCount"]) == (True, 0, True, 3)
    assert found["selector"] == "app=web"
    assert found["nodes"] == {"eligible": 3, "missingKey": 1, "affinity": 0, "taints": 0}
    assert found["domains"] == [
        {"domain": "a", "pods": 2, "nodes": 1, "eligible": 1, "skew": 3, "fits": False},
        {"domain": "b", "pods": 1, "nodes": 1, "eligible": 1, "skew": 2, "fits": False},
        {"domain": "c", "pods": 0, "nodes": 1, "eligible": 1, "skew": 1, "fits": True},
    ]


def test_which_pods_count() -> None:
    context = rerun(three_zones(), "default/web-new").context
    assert [(pod["pod"], pod["counts"]) for pod in spread_pods(context, 0, "a")] == [
        ("default/web-0", True),
        ("default/web-1", True),
    ]
    (leaving,) = spread_pods(context, 0, "c")
    assert (leaving["counts"], leaving["why"]["text"]) == (False, "does not count: it is being deleted")
    assert spread_pods(context, 0, "no such zone") == []
    with pytest.raises(UnknownConstraintError, match="has 1 spread constraints, and none numbered 1"):
        spread_pods(context, 1, "a")


def test_many_domains_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "MAX_DOMAINS", 2)
    (found,) = spread_table(rerun(three_zones(), "default/web-new").context)["constraints"]
    assert ([row["domain"] for row in found["domains"]], found["omitted"]) == (["a", "b"], 1)


def test_without_constraints_there_is_no_table() -> None:
    simulation = three_zones()
    list(simulation.apply({"kind": "create", "objects": [dict(make_pod("alone").manifest())]}))
    assert spread_table(rerun(simulation, "default/alone").context)["constraints"] == []
