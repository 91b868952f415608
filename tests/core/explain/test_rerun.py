"""A rerun tells what would happen, to the byte, and leaves no trace."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from examples.plugins import PLUGINS
from scheduler_core.config import ConfigError
from scheduler_core.plugins.table import IN_TREE
from simulator.explain.rerun import RerunError, next_pod, rerun
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.simulation.test_properties import SEQUENCES, Manifest, play

HEADER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
MOST_ALLOCATED = (
    HEADER
    + """profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
"""
)
# What a rerun does not do.
OTHER_STEPS = ("QueueSort", "Assume", "Reserve", "Unreserve", "Permit", "PreBind", "Bind", "PostBind")


def decisions(cycle: dict[str, Any]) -> dict[str, Any]:
    """The part of a cycle that a rerun has too."""
    kept = {name: value for name, value in cycle.items() if name not in ("attempt", "outcome", "message", "node")}
    return kept | {"steps": [step for step in cycle["steps"] if step["point"] not in OTHER_STEPS]}


@given(SEQUENCES)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_it_says_what_will_happen_and_changes_nothing(commands: list[Manifest]) -> None:
    simulation = Simulation.create(seed=1)
    for command in [{"kind": "create", "objects": [dict(make_pod("pod-first").manifest())]}, *commands]:
        play(simulation, [command])
        key = next_pod(simulation)
        if key is None:
            continue
        before = simulation.checkpoint()
        foretold = rerun(simulation, key)
        rerun(simulation, key, config=MOST_ALLOCATED)
        assert simulation.checkpoint() == before
        (record, *_) = play(simulation, [{"kind": "schedule_one"}])
        if record.data["kind"] != "cycle" or record.data["cycle"]["pod"] != key:
            continue  # time passed, and another pod was ready
        cycle = record.data["cycle"]
        if not any(step["point"] == "Bind" and step["code"] != "Success" for step in cycle["steps"]):
            assert {name: foretold.cycle[name] for name in ("outcome", "message", "node", "attempt")} == {
                name: cycle[name] for name in ("outcome", "message", "node", "attempt")
            }
        assert decisions(foretold.cycle) == decisions(cycle)
        assert (foretold.matrix is None) == (record.matrix is None)
        assert foretold.matrix is None or foretold.matrix.to_plain() == record.matrix.to_plain()


def start(*objects: dict[str, Any], **options: Any) -> Simulation:
    simulation = Simulation.create(**options)
    apply(simulation, {"kind": "create", "objects": [dict(manifest) for manifest in objects]})
    return simulation


def apply(simulation: Simulation, command: dict[str, Any]) -> list[Record]:
    return list(simulation.apply(command))


def two_nodes(**options: Any) -> Simulation:
    full = make_pod("full").cpu("2").node("busy").manifest()
    nodes = [make_node(name).cpu("4").memory("8Gi").manifest() for name in ("busy", "idle")]
    return start(*nodes, full, make_pod("web").cpu("1").manifest(), **options)


def test_another_configuration_is_that_of_set_config() -> None:
    simulation = two_nodes()
    assert rerun(simulation, "default/web").cycle["node"] == "idle"
    foretold = rerun(simulation, "default/web", config=MOST_ALLOCATED)
    assert foretold.cycle["node"] == "busy"
    assert rerun(simulation, "default/web").cycle["node"] == "idle"
    apply(simulation, {"kind": "set_config", "yaml": MOST_ALLOCATED})
    (record,) = apply(simulation, {"kind": "schedule_one"})
    assert record.data["cycle"]["node"] == "busy"
    assert foretold.matrix is not None and foretold.matrix.to_plain() == record.matrix.to_plain()


def test_no_configuration_at_all_is_the_default_one() -> None:
    simulation = two_nodes(config=MOST_ALLOCATED)
    assert rerun(simulation, "default/web").cycle["node"] == "busy"
    assert rerun(simulation, "default/web", config="").cycle["node"] == "idle"


def test_preemption_is_decided_and_nobody_is_evicted() -> None:
    victim = make_pod("victim").cpu("3").node("only").manifest()
    vip = make_pod("vip").cpu("3").priority(100).manifest()
    simulation = start(make_node("only").cpu("4").memory("8Gi").manifest(), victim, vip)
    foretold = rerun(simulation, "default/vip")
    assert foretold.cycle["nominated"] == "only"
    assert foretold.cycle["steps"][-1]["data"]["victims"] == ["default/victim"]
    assert simulation.cluster.find_pod("default/victim") is not None


@pytest.mark.parametrize(
    ("key", "rule"),
    [
        ("default/nobody", "there is no pod default/nobody"),
        ("default/full", "has a node already: busy"),
        ("default/leaving", "is being deleted"),
        ("default/strange", "no profile has the pod's schedulerName, 'elsewhere'"),
    ],
)
def test_what_cannot_be_tried(key: str, rule: str) -> None:
    simulation = two_nodes()
    leaving = make_pod("leaving").terminating().manifest()
    apply(simulation, {"kind": "create", "objects": [leaving, make_pod("strange").scheduler("elsewhere").manifest()]})
    with pytest.raises(RerunError, match=rule):
        rerun(simulation, key)


def test_a_broken_configuration_is_refused() -> None:
    with pytest.raises(ConfigError):
        rerun(two_nodes(), "default/web", config=HEADER + "profiles: 3\n")


def test_a_complete_matrix_comes_along_under_any_configuration() -> None:
    simulation = two_nodes()
    for config in (None, MOST_ALLOCATED):
        found = rerun(simulation, "default/web", config=config, with_complete=True)
        assert found.matrix is not None and found.complete is not None
        assert found.complete.evaluated == len(found.matrix.rows) == 2
        assert found.complete.totals.tolist() == found.matrix.totals.tolist()
    assert rerun(simulation, "default/web").complete is None


def test_a_pod_at_permit_is_not_tried_again() -> None:
    gang = HEADER + "profiles:\n- plugins: {multiPoint: {enabled: [{name: Gang}]}}\n"
    labels = {"gang.example.com/name": "train", "gang.example.com/size": "2"}
    members = [make_pod(f"train-{i}").cpu("1").labels(**labels).manifest() for i in range(2)]
    node = make_node("a").cpu("8").memory("16Gi").manifest()
    simulation = start(node, *members, config=gang, registry=IN_TREE.merged(PLUGINS))
    apply(simulation, {"kind": "schedule_one"})
    with pytest.raises(RerunError, match="waits for its binding"):
        rerun(simulation, "default/train-0")
    assert rerun(simulation, "default/train-1").cycle["node"] == "a"
    assert len(simulation.cluster.scheduler.waiting) == 1
