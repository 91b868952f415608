"""v1.20 is explained as far as its formulas are today's; where they are not, the numbers stand alone."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.emulations import EMULATIONS
from scheduler_core.facts.attempt_context import AttemptContext
from simulator.explain.arithmetic import ledger
from simulator.explain.compare import compare
from simulator.explain.decoder import decode
from simulator.explain.node import explain_node
from simulator.explain.preemption import explain_preemption
from simulator.explain.rerun import rerun
from simulator.explain.spread import spread_table
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.explain.test_arithmetic_vectors import check_lines
from tests.core.explain.watching import scenarios, watch


@pytest.mark.parametrize("family", ["legacy_default", "legacy_plugins", "legacy_policy", "legacy_autoscaler"])
def test_what_is_told_is_right_and_nothing_breaks(family: str) -> None:
    seen: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        json.dumps([spread_table(context), explain_preemption(context, steps(result))])
        for node in context.nodes:
            told = explain_node(context, node.name)
            failed = [answer for answer in told["plugins"] if answer["code"] != "Success"]
            if told["state"] == "rejected":
                assert failed[0]["plugin"] == want["filterFirst"][node.name]["plugin"]
            for answer in told["plugins"]:
                facts = answer["facts"]
                seen["facts"] += bool(facts)
                assert not facts or any(fact["fails"] for fact in facts) == (answer["code"] != "Success")
            whole = ledger(context, node.name)
            for score in whole.get("plugins", ()):
                raw = want["raw"][score["plugin"]][node.name]
                assert score["raw"]["value"] == raw
                for calculation in (score["raw"], score["normalized"]):
                    if calculation is not None and calculation["lines"]:
                        check_lines(calculation, f"{name} {score['plugin']} {node.name}")
                        seen["lines"] += 1
            compare(context, node.name, context.nodes[0].name)
        if want.get("message") and "schedulingError" not in want:
            assert decode(want["message"])["recognised"], want["message"]

    for vector in scenarios(family):
        name = vector["scenario"]["name"]
        watch(vector, look)
    assert seen["facts"] and seen["lines"], seen


def steps(result: CycleResult) -> list[dict[str, Any]]:
    outcome = result.post_filter
    if outcome is None:
        return []
    step = {"point": "PostFilter", "plugin": "DefaultPreemption", "code": outcome.status.code.upstream_name}
    return [step | ({"data": outcome.detail} if outcome.detail else {})]


@pytest.mark.parametrize("version", sorted(EMULATIONS))
def test_a_rerun_plays_the_simulations_version(version: str) -> None:
    simulation = Simulation.create(emulation=EMULATIONS[version])
    nodes = [make_node(name).cpu("4").memory("8Gi").manifest() for name in "ab"]
    objects = [dict(manifest) for manifest in (*nodes, make_pod("web").cpu("1").manifest())]
    list(simulation.apply({"kind": "create", "objects": objects}))
    foretold = rerun(simulation, "default/web")
    other = rerun(simulation, "default/web", config="")
    (record,) = simulation.apply({"kind": "schedule_one"})
    assert foretold.matrix is not None and other.matrix is not None
    assert foretold.matrix.to_plain() == other.matrix.to_plain() == record.matrix.to_plain()
