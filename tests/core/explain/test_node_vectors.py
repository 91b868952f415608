"""What is told about a node agrees with every verdict of the real scheduler's filters."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.plugins.table import FACTS
from simulator.explain.node import explain_node
from tests.core.explain.watching import scenarios, watch

FAMILIES = (
    "fit",
    "taints",
    "nodeaffinity",
    "nodeports",
    "topologyspread",
    "interpodaffinity",
    "volumes",
    "preemption",
    "messages",
    "profiles",
    "mixed",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_facts_agree_with_every_verdict(family: str) -> None:
    told: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        if not context.attempt.pre_filter.status.is_success or result.status.code == 1:
            return
        skipped = context.state.skip_filter_plugins
        for node in context.nodes:
            verdicts = want.get("filter", {}).get(node.name, {})
            for plugin in context.framework.filter:
                if plugin.name in skipped or plugin.name not in FACTS:
                    continue
                facts = FACTS[plugin.name](context, context.state, node)
                failing = [fact for fact in facts if fact.fails]
                where = (name, want["pod"], node.name, plugin.name)
                assert bool(failing) == (plugin.name in verdicts), (where, facts)
                if plugin.name == "NodeResourcesFit" and failing:
                    assert len(failing) == len(verdicts[plugin.name]["reasons"]), where
                told[plugin.name] += len(facts)
            check_first(context, node.name, want)

    def check_first(context: AttemptContext, node_name: str, want: Mapping[str, Any]) -> None:
        found = explain_node(context, node_name)
        first = next((answer for answer in found["plugins"] if answer["code"] != "Success"), None)
        narrowed = "preFilterNodes" in want and node_name not in want["preFilterNodes"]
        expected = want.get("filterFirst", {}).get(node_name)
        if expected is not None:
            assert first is not None, (name, want["pod"], node_name)
            told = {"plugin": first["plugin"], "code": first["code"], "reasons": first["reasons"]}
            assert told == expected
            # The vectors look at every node, the scheduler stops where one is enough.
            one_is_enough = not context.framework.score or "nominatedNodeUsed" in want
            assert found["state"] == "rejected" or (one_is_enough and found["state"] == "notEvaluated")
            assert found["evicting"] is not None
        elif not narrowed:
            assert found["state"] in ("chosen", "feasible", "notEvaluated"), (name, want["pod"], node_name, found)

    for vector in scenarios(family):
        name = vector["scenario"]["name"]
        watch(vector, look)
    assert told.total() > 100
