"""Feature gates that are switched on the way: kube-scheduler starts anew, over the objects as they are."""

from collections.abc import Iterator
from typing import Any

import pytest

from kube_objects.documents import read_documents
from scheduler_core.config import ConfigError
from scheduler_core.emulations import EMULATIONS
from scheduler_core.framework.interface import Plugin
from simulator.exchange.scenario import Scenario
from simulator.simulation import CommandError, Simulation
from simulator.simulation.records import lane_of
from tests.core.cycle.test_group import gang, node, pod

GANGS = "GangScheduling=true,GenericWorkload=true"
V1_36 = EMULATIONS["v1.36.3"]
RUN = {"kind": "run", "until": "idle"}
NO_DEFAULTS = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint:
      enabled: [{name: Extra}]
"""


OBJECTS = [node("a", "2"), gang("pair", 2), pod("x", "pair"), pod("y", "pair")]
STORY: list[dict[str, Any]] = [
    {"kind": "create", "objects": OBJECTS},
    RUN,
    {"kind": "set_gates", "gates": GANGS},
    {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "x"}]},
    {"kind": "create", "objects": [pod("x", "pair")]},
    RUN,
    {"kind": "create", "objects": [node("b", "2")]},
    RUN,
]


def told(simulation: Simulation, *commands: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for command in commands:
        yield from (record.data for record in simulation.apply(command))


def simulation_of(*commands: dict[str, Any]) -> Simulation:
    simulation = Simulation.create(emulation=V1_36)
    list(told(simulation, *commands))
    return simulation


def test_a_gang_is_one_from_the_switch_on() -> None:
    simulation = Simulation.create(emulation=V1_36)
    records = list(told(simulation, *STORY))
    switched = next(index for index, record in enumerate(records) if record["kind"] == "gates")
    assert {record["emulates"] for record in records[:switched]} == {"v1.36.3"}
    assert {record["emulates"] for record in records[switched:]} == {f"v1.36.3 {GANGS}"}
    assert records[switched]["gates"] == GANGS
    # Before, one of two was placed; a gang that is half there stays so until there is room for the other half.
    before = [record["cycle"]["outcome"] for record in records[:switched] if record["kind"] == "cycle"]
    assert before[0] == "scheduled"
    assert {lane_of(simulation.cluster, f"default/{name}")["lane"] for name in "xy"} == {"bound"}


def test_the_queue_begins_anew() -> None:
    simulation = simulation_of(*STORY[:2])
    waits = next(name for name in "xy" if lane_of(simulation.cluster, f"default/{name}")["lane"] != "bound")
    lane = lane_of(simulation.cluster, f"default/{waits}")["lane"]
    (record,) = told(simulation, {"kind": "set_gates", "gates": "SchedulerPopFromBackoffQ=false"})
    (move,) = record["moves"]
    assert (move["pod"], move["from"], move["to"]) == (f"default/{waits}", lane, "active")
    assert lane_of(simulation.cluster, f"default/{waits}")["attempts"] == 0


def test_what_the_nodes_hold_stays() -> None:
    simulation = simulation_of(*STORY[:2])
    used = simulation.cluster.cache.table.requested("cpu").values.tolist()
    epoch = simulation.epoch
    list(told(simulation, {"kind": "set_gates", "gates": GANGS}))
    assert simulation.cluster.cache.table.requested("cpu").values.tolist() == used
    assert simulation.epoch > epoch
    assert [record["kind"] for record in told(simulation, {"kind": "reset"})] == ["reset"]
    assert simulation.emulation.version == f"v1.36.3 {GANGS}"


def test_taken_back_it_is_the_plain_version() -> None:
    simulation = simulation_of(*STORY, {"kind": "set_gates", "gates": ""})
    assert simulation.emulation is V1_36


def test_a_checkpoint_in_between_leads_to_the_same_bytes() -> None:
    simulation = Simulation.create(emulation=V1_36)
    whole = list(told(simulation, *STORY))
    for cut in range(1, len(STORY)):
        first = simulation_of(*STORY[:cut])
        saved = first.checkpoint()
        assert saved is not None
        rest = list(told(Simulation.restore(saved), *STORY[cut:]))
        assert rest == whole[len(whole) - len(rest) :]


def test_a_scenario_says_what_runs_at_its_end() -> None:
    scenario = Scenario("gates", "v1.36.3", commands=[*STORY, {"kind": "set_gates", "gates": "Nonsense=true"}])
    assert scenario.emulations == ["v1.36.3", f"v1.36.3 {GANGS}"]
    assert [record.data for record in scenario.play()] == list(told(Simulation.create(emulation=V1_36), *STORY))


@pytest.mark.parametrize(
    ("gates", "why"),
    [
        ("Nonsense=true", "unrecognized feature gate: Nonsense"),
        (
            "SchedulerQueueingHints=false",
            "cannot set feature gate SchedulerQueueingHints to false, feature is locked to true",
        ),
    ],
)
def test_refused(gates: str, why: str) -> None:
    simulation = simulation_of(*STORY[:2])
    with pytest.raises(CommandError) as caught:
        simulation.apply({"kind": "set_gates", "gates": gates})
    assert [(problem.path, str(problem.rule)) for problem in caught.value.problems] == [("gates", why)]
    assert simulation.emulation is V1_36


def test_plugins_of_others_stay() -> None:
    extra = type("Extra", (V1_36.registry.get("NodeName") or Plugin,), {"name": "Extra"})
    simulation = Simulation.create(emulation=V1_36, registry=V1_36.registry.merged([extra]), config=NO_DEFAULTS)
    list(told(simulation, {"kind": "set_gates", "gates": GANGS}))
    assert "Extra" in simulation.cluster.registry
    (profile,) = simulation.cluster.scheduler.frameworks.values()
    assert {"Extra", "GangScheduling"} <= set(profile.plugins)


def test_old_versions_have_none() -> None:
    simulation = Simulation.create(emulation=EMULATIONS["v1.20.2"])
    with pytest.raises(CommandError, match="unrecognized feature gate"):
        simulation.apply({"kind": "set_gates", "gates": GANGS})


KIND = """\
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
featureGates:
  GangScheduling: true
  GenericWorkload: true
nodes: [{role: control-plane}]
"""
KUBEADM = """\
apiVersion: kubeadm.k8s.io/{version}
kind: ClusterConfiguration
featureGates: {{ControlPlaneKubeletLocalMode: true}}
scheduler:
  extraArgs: {arguments}
"""
CLUSTER_FILES = {
    "kind": KIND,
    "kubeadm v1beta3": KUBEADM.format(version="v1beta3", arguments=f'{{feature-gates: "{GANGS}"}}'),
    "kubeadm v1beta4": KUBEADM.format(version="v1beta4", arguments=f'[{{name: feature-gates, value: "{GANGS}"}}]'),
}


@pytest.mark.parametrize("name", CLUSTER_FILES)
def test_a_file_that_makes_a_cluster_says_its_gates(name: str) -> None:
    assert read_documents(CLUSTER_FILES[name]).gates == [GANGS]


def test_gates_of_other_programs_are_not_taken() -> None:
    kubelet = "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nfeatureGates: {NodeSwap: true}\n"
    kubeadm = KUBEADM.format(version="v1beta4", arguments="[{name: v, value: '4'}]")
    assert read_documents(f"{kubelet}---\n{kubeadm}").gates == []


def test_a_configuration_has_no_field_for_them() -> None:
    text = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nfeatureGates: {A: true}\n"
    with pytest.raises(ConfigError) as caught:
        V1_36.load(text, V1_36.registry.points())
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == ("featureGates", 3)
    assert "--feature-gates=" in problem.hint
