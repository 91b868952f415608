"""A fork goes its own way: what happens in it is what would have happened, and the simulation does not notice."""

from typing import Any

import pytest

from kube_objects.serialize import manifest_of
from simulator.simulation import Simulation
from simulator.simulation.fork import fork, fork_from_start
from tests.conformance.testing import make_node, make_pod
from tests.core.repair.random_clusters import cluster, played
from tests.core.repair.test_rules import device_claim, slice_of

RUN = {"kind": "run", "until": "idle"}
CHANGES: list[dict[str, Any]] = [
    {"kind": "create", "objects": [make_node("late").zone("late").label("disk", "nvme").manifest()]},
    {"kind": "drain", "node": "n0"},
    {"kind": "create", "objects": [make_pod(f"more-{i}").label("app", "b").cpu("300m").manifest() for i in range(4)]},
    RUN,
    {"kind": "advance_clock", "seconds": 400},
    RUN,
]


def go_on(simulation: Simulation) -> list[object]:
    return [record.data for command in CHANGES for record in simulation.apply(command)]


@pytest.mark.parametrize("seed", range(6))
def test_a_fork_does_what_the_simulation_would_have_done(seed: int) -> None:
    simulation = played(cluster(seed))
    before = simulation.checkpoint()
    trial, again = fork(simulation), fork(simulation)
    said = go_on(trial)
    assert simulation.checkpoint() == before
    assert go_on(simulation) == said
    assert go_on(again) == said, "what happened to the simulation has reached its fork"


@pytest.mark.parametrize("seed", range(6))
def test_a_fork_anew_is_the_scenario_played_again(seed: int) -> None:
    simulation = played(cluster(seed))
    trial = fork_from_start(simulation)
    for _ in trial.apply(RUN):
        pass
    again = played([dict(manifest_of(obj)) for obj in simulation.cluster.store])
    nodes = [{pod.key: pod.node_name for pod in one.cluster.store.list("Pod")} for one in (trial, again)]
    assert nodes[0] == nodes[1]
    assert trial.now == again.now


def using(name: str, claim: str) -> dict[str, Any]:
    return make_pod(name).spec(resourceClaims=[{"name": "gpu", "resourceClaimName": claim}]).manifest()


def test_a_fork_knows_which_devices_are_taken() -> None:
    simulation = played([make_node("a").manifest(), slice_of("a", 2), *device_claim(2), using("first", "gpus")])
    assert simulation.cluster.find_pod("default/first").node_name == "a"  # type: ignore[union-attr]
    _, claim = device_claim(1)
    other = claim | {"metadata": {"name": "gpus-2", "namespace": "default"}}
    second = using("second", "gpus-2")
    for trial in (fork(simulation), fork_from_start(simulation)):
        for command in ({"kind": "create", "objects": [other, second]}, RUN):
            for _ in trial.apply(command):
                pass
        pod = trial.cluster.find_pod("default/second")
        assert pod is not None and not pod.node_name, "a device was given twice"
