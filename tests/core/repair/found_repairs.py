"""The repairs for the Pod `p` of a small cluster, and their texts."""

from typing import Any

from scheduler_core.edits.costs import Prices
from scheduler_core.emulations import V1_34_1
from scheduler_core.framework.emulation import Emulation
from simulator.repair.finder import Finder, Limits, Repair
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.repair.random_clusters import POD, played

Manifest = dict[str, Any]


def found(
    objects: list[Manifest],
    prices: Prices | None = None,
    config: str | None = None,
    emulation: Emulation = V1_34_1,
    results: int = 6,
) -> tuple[Simulation, list[Repair]]:
    simulation = played(objects, config, emulation)
    finder = Finder(simulation, POD, prices or Prices(), lambda: 0.0, Limits(results=results))
    repairs = list(finder.find())
    assert finder.outcome.why is None, finder.outcome.why
    return simulation, repairs


def told(repair: Repair) -> set[str]:
    return {edit.sentence["text"] for edit in repair.edits}


def pod() -> Any:
    return make_pod("p").label("app", "p").cpu("100m")


def node(name: str = "a") -> Any:
    return make_node(name).cpu("2")
