"""Whatever the cluster: explanations do not raise, are JSON, agree with the engine, and leave no trace."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings

from simulator.explain.arithmetic import ledger
from simulator.explain.compare import compare
from simulator.explain.node import explain_node
from simulator.explain.preemption import explain_preemption
from simulator.explain.reasons import reason_tree
from simulator.explain.rerun import Rerun, next_pod, rerun
from simulator.explain.spread import spread_pods, spread_table
from simulator.simulation import Simulation
from tests.core.simulation.test_properties import SEQUENCES, Manifest, play


@given(SEQUENCES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_moment_can_be_explained(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for command in commands:
        play(simulation, [command])
        key = next_pod(simulation)
        if key is not None:
            before = simulation.checkpoint()
            again = rerun(simulation, key)
            told = everything(simulation, again)
            assert json.loads(json.dumps(told, allow_nan=False)) == told
            check(again, told)
            assert simulation.checkpoint() == before


def everything(simulation: Simulation, again: Rerun) -> dict[str, Any]:
    context, names = again.context, simulation.node_names
    table = spread_table(context)
    return {
        "tree": reason_tree(again.cycle, again.matrix, names),
        "nodes": {name: explain_node(context, name) for name in names},
        "ledgers": {name: ledger(context, name) for name in names},
        "compare": [compare(context, names[0], name) for name in names],
        "spread": table,
        "pods": [
            spread_pods(context, found["index"], row["domain"])
            for found in table["constraints"]
            for row in found["domains"]
        ],
        "preemption": explain_preemption(context, again.cycle["steps"]),
    }


def check(again: Rerun, told: dict[str, Any]) -> None:
    """The node's state is what became of it; totals are the engine's, and add up."""
    states = [node["state"] for node in told["nodes"].values()]
    assert states.count("feasible") + states.count("chosen") == again.cycle["nodes"]["feasible"]
    for name, whole in told["ledgers"].items():
        if whole["scored"]:
            parts = [score["weighted"]["value"] for score in whole["plugins"]]
            assert sum(parts) == whole["total"]["value"]
            assert all(score["raw"]["lines"] for score in whole["plugins"])
            assert (whole["rank"] == 1) == (name == again.cycle["node"] or name in whole["ties"])
    for row in told["compare"]:
        assert row["gap"] is None or row["gap"] == sum(plugin["difference"] for plugin in row["plugins"])
