"""A simulation that plays v1.20.2, and the first-come-first-served preset."""

from collections.abc import Mapping
from typing import Any

import pytest

from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS, V1_34_1
from scheduler_core.legacy.emulation import V1_20_2
from scheduler_core.legacy.plugins.fifo_sort import PLUGINS
from scheduler_core.legacy.presets import FIFO_CONFIG, V1_10_CONFIG, V1_10_PRESET
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod

TAINTED = "0/1 nodes are available: 1 node(s) had taint {dedicated: gpu}, that the pod didn't tolerate."
POLICY = '{"kind": "Policy", "apiVersion": "v1", "predicates": [{"name": "PodFitsResources"}], "priorities": []}'


def apply(simulation: Simulation, command: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [record.data for record in simulation.apply(command)]


def create(simulation: Simulation, *objects: Any) -> None:
    apply(simulation, {"kind": "create", "objects": [dict(obj.manifest()) for obj in objects]})


def attempts(simulation: Simulation) -> list[dict[str, Any]]:
    records = apply(simulation, {"kind": "run", "until": "idle"})
    return [record["cycle"] for record in records if record["kind"] == "cycle"]


def test_its_records_say_which_version_they_emulate() -> None:
    simulation = Simulation.create(emulation=V1_20_2)
    create(simulation, make_node("a").taint("dedicated", "gpu", "NoSchedule"), make_pod("web"))
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record["emulates"] == "v1.20.2"
    assert record["cycle"]["message"] == TAINTED


def test_records_of_the_default_version_are_as_they_were() -> None:
    simulation = Simulation.create()
    create(simulation, make_node("a"), make_pod("web"))
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert "emulates" not in record


def test_a_policy_is_its_configuration() -> None:
    simulation = Simulation.create(emulation=V1_20_2, config=POLICY)
    create(simulation, make_node("a").cpu("1"), make_pod("web").cpu("2"))
    (attempt,) = attempts(simulation)
    filters = [step["plugin"] for step in attempt["steps"] if step["point"] == "Filter"]
    assert filters == ["NodeUnschedulable", "NodeResourcesFit"]
    assert attempt["message"] == "0/1 nodes are available: 1 Insufficient cpu."


def test_it_can_be_configured_anew() -> None:
    simulation = Simulation.create(emulation=V1_20_2)
    (record,) = apply(simulation, {"kind": "set_config", "yaml": "--algorithm-provider=ClusterAutoscalerProvider\n"})
    assert record["kind"] == "config"
    create(simulation, make_node("a"), make_node("b"), make_pod("web"))
    (attempt,) = attempts(simulation)
    scored = [step["plugin"] for step in attempt["steps"] if step["point"] == "Score"]
    assert "NodeResourcesMostAllocated" in scored and "NodeResourcesLeastAllocated" not in scored


def test_todays_configuration_is_refused() -> None:
    today = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    with pytest.raises(ConfigError, match="no kind"):
        Simulation.create(emulation=V1_20_2, config=today)


@pytest.mark.parametrize("emulation", EMULATIONS.values(), ids=lambda emulation: emulation.version)
def test_a_checkpoint_remembers_the_version(emulation: Any) -> None:
    simulation = Simulation.create(emulation=emulation)
    create(simulation, make_node("a"), make_node("b"), make_pod("one"), make_pod("two"))
    apply(simulation, {"kind": "schedule_one"})
    saved = simulation.checkpoint()
    assert saved is not None
    copy = Simulation.restore(saved)
    assert copy.emulation is emulation
    assert attempts(copy) == attempts(simulation)


def queue_of(simulation: Simulation) -> list[str]:
    create(simulation, make_node("a").cpu("1"), make_pod("first").cpu("1"))
    create(simulation, make_pod("second").priority(1000).cpu("1"))
    create(simulation, make_pod("third").cpu("100m"))
    return [f"{attempt['pod'].rpartition('/')[2]} {attempt['outcome']}" for attempt in attempts(simulation)]


def test_first_come_first_served() -> None:
    """Nobody overtakes and nobody is evicted: the first one has the node, whatever the second one's priority."""
    served = queue_of(Simulation.create(emulation=V1_10_PRESET))
    assert served == ["first scheduled", "second unschedulable", "third unschedulable"]


def test_the_same_queue_with_todays_plugins() -> None:
    registry = V1_34_1.registry.merged(PLUGINS)
    assert queue_of(Simulation.create(config=FIFO_CONFIG, registry=registry))[0] == "first scheduled"


def test_today_the_higher_priority_goes_first() -> None:
    assert queue_of(Simulation.create())[0] == "second scheduled"


def test_the_preset_runs_predicates_then_priorities() -> None:
    simulation = Simulation.create(emulation=V1_10_PRESET)
    create(simulation, make_node("a"), make_node("b"), make_pod("web"))
    (attempt,) = attempts(simulation)
    points = [step["point"] for step in attempt["steps"]]
    assert points.index("Filter") < points.index("Score")
    assert "PostFilter" not in points
    scores = {step["plugin"]: step["data"]["weight"] for step in attempt["steps"] if step["point"] == "Score"}
    assert scores["NodePreferAvoidPods"] == 10000 and scores["SelectorSpread"] == 1


def test_the_preset_can_be_said_in_full() -> None:
    points = V1_10_PRESET.registry.points()
    assert V1_10_PRESET.load(V1_10_CONFIG, points) == V1_10_PRESET.load(None, points)
