"""The written arithmetic comes to the very integers of the real scheduler, for every score of every vector."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.cycle.scheduler import CycleResult
from scheduler_core.emulations import V1_34_1, V1_36_3
from scheduler_core.facts.attempt_context import AttemptContext
from scheduler_core.framework.emulation import Emulation
from simulator.explain.arithmetic import ledger
from tests.core.explain.formulas import worked_out
from tests.core.explain.watching import scenarios, watch

FAMILIES = (
    "scoring",
    "taints",
    "nodeaffinity",
    "imagelocality",
    "topologyspread",
    "interpodaffinity",
    "mixed",
    "profiles",
    "fit",
    "preemption",
    "volumes",
)
# Digits that formulas do not show can move a fraction over the edge of an integer, but not further.
TOLERANCE = 1.000_001


def check_lines(calculation: Mapping[str, Any], where: str) -> None:
    """Each formula works out to its value; the last value is that of the calculation."""
    valued = [line for line in calculation["lines"] if line["value"] is not None]
    assert valued and valued[-1]["value"] == calculation["value"], where
    for line in valued:
        value, result = line["value"], worked_out(line["formula"])
        if isinstance(value, int) and isinstance(result, int) and "." not in line["formula"]:
            assert result == value, (where, line)
        else:
            slack = TOLERANCE if isinstance(value, int) else 1e-3 * max(1.0, abs(value))
            assert abs(result - value) <= slack, (where, line)


# Of v1.36.3 those that show what it changed.
CASES = [(family, "", V1_34_1) for family in FAMILIES] + [
    (family, "v1.36", V1_36_3) for family in ("scoring", "imagelocality", "profiles", "dra")
]


@pytest.mark.parametrize(("family", "folder", "emulation"), CASES, ids=lambda each: getattr(each, "version", each))
def test_every_score_is_explained(family: str, folder: str, emulation: Emulation) -> None:
    explained: Counter[str] = Counter()

    def look(context: AttemptContext, result: CycleResult, want: Mapping[str, Any]) -> None:
        nodes = {node for by_node in want.get("raw", {}).values() for node in by_node} | {*want.get("total", {})}
        ledgers = {node: ledger(context, node) for node in nodes}
        for plugin, by_node in want.get("raw", {}).items():
            if family == "dra" and plugin != "DynamicResources":
                continue  # of resources that devices stand behind the number stands alone
            for node, raw in by_node.items():
                where = f"{name} {want['pod']} {plugin} {node}"
                [found] = [found for found in ledgers[node]["plugins"] if found["plugin"] == plugin]
                # A calculation that comes to another value is shown without its lines.
                assert found["raw"]["value"] == raw and found["raw"]["lines"], where
                check_lines(found["raw"], where)
                final = found["normalized"] or found["raw"]
                assert final["value"] == want["normalized"][plugin][node], where
                check_lines(final, where)
                assert (
                    found["weighted"]["value"]
                    == worked_out(found["weighted"]["formula"])
                    == want["weighted"][plugin][node]
                )
                explained[plugin] += 1
        for node, total in want.get("total", {}).items():
            whole = ledgers[node]
            assert whole["total"] is not None
            assert whole["total"]["value"] == worked_out(whole["total"]["formula"]) == total
            assert (whole["rank"] == 1) == (node in want["ties"])
            assert whole["skipped"] == want.get("preScoreSkipped", [])

    for vector in scenarios(family, folder):
        name = vector["scenario"]["name"]
        watch(vector, look, emulation)
    assert explained.total() > 100
