"""Controllers that are switched on and off, what a run waits for then, and where it stops."""

import json
from typing import Any

import pytest

from kube_controllers.names import CONTROLLERS
from simulator.simulation import CommandError, Record, Simulation
from tests.core.controllers.chaos import node, workload

ON = {"kind": "set_actors", "actors": "all", "hashes": "upstream"}
RUN = {"kind": "run", "until": "idle"}
WEB = workload("Deployment", "web", replicas=2)


def play(simulation: Simulation, *commands: dict[str, Any]) -> list[Record]:
    return [record for command in commands for record in simulation.apply(command)]


def create(*objects: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "create", "objects": [node(0), node(1), *objects]}


def bodies(records: list[Record]) -> list[str]:
    return [json.dumps(record.data, sort_keys=True) for record in records]


def phases(simulation: Simulation) -> list[str]:
    return [pod.phase for pod in simulation.cluster.store.list("Pod")]


def test_switched_on_is_as_made_with_them() -> None:
    made, switched = Simulation.create(seed=1, actors=tuple(CONTROLLERS)), Simulation.create(seed=1)
    play(switched, ON)
    switched.seq = 0
    wanted = bodies(play(made, create(WEB), RUN))
    assert bodies(play(switched, create(WEB), RUN)) == wanted
    assert len(wanted) > 10


def test_a_run_until_idle_waits_for_kubelets_but_for_no_schedule() -> None:
    simulation = Simulation.create(seed=1)
    job = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}}}
    nightly = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "namespace": "default"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": job},
    }
    play(simulation, ON, create(WEB, nightly), RUN)
    assert phases(simulation) == ["Running", "Running"]
    assert simulation.now < 10
    assert play(simulation, RUN) == []
    day = play(simulation, {"kind": "run", "until": {"seconds": 86400}})
    # A tenth late, as upstream.
    assert next(record.data["t"] for record in day if record.data.get("actor") == "cronjob") == 10800.1
    assert day[-1].data["t"] == pytest.approx(simulation.now)  # time that passed is told of


def test_what_is_there_already_lives_when_they_are_switched_on() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, create(WEB), RUN)
    assert phases(simulation) == []
    switched = play(simulation, ON)[0]
    assert switched.data["kind"] == "actors"
    assert {"op": "update", "kind": "Deployment", "key": "default/web"} in switched.data["writes"]
    play(simulation, RUN)
    assert phases(simulation) == ["Running", "Running"]


def test_switched_off_nothing_waits_for_them() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, ON, create(WEB), {"kind": "run", "until": {"cycles": 2}})
    first, _ = simulation.cluster.store.list("Pod")
    assert phases(simulation) == ["Pending", "Pending"]
    play(simulation, {"kind": "evict", "pod": first.key}, {"kind": "set_actors", "actors": "none"})
    assert first.key not in {pod.key for pod in simulation.cluster.store.list("Pod")}
    assert "Running" in phases(simulation)
    assert simulation.cluster.controllers is None
    seen = {obj.uid for obj in simulation.cluster.store}
    play(simulation, ON, {"kind": "delete", "objects": [{"kind": "Deployment", "namespace": "default", "name": "web"}]})
    play(simulation, {"kind": "create", "objects": [WEB]}, RUN)
    assert not {pod.uid for pod in simulation.cluster.store.list("Pod")} & seen


def test_a_reset_keeps_them() -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, ON, create(WEB), RUN)
    records = play(simulation, {"kind": "reset"})
    assert "reconcile" in {record.data["kind"] for record in records}
    assert len(phases(simulation)) == 2


@pytest.mark.parametrize(
    ("wanted", "stops"),
    [
        ({"actor": "kubelet"}, True),
        ({"actor": "kubelet", "object": "default/web"}, True),
        ({"object": "default/web"}, True),
        ({"actor": "kubelet", "object": "default/we"}, False),
        ({"actor": "job"}, False),
    ],
    ids=["any kubelet", "of a pod of web", "web or its own", "another name", "another actor"],
)
def test_a_run_stops_where_an_actor_does_something(wanted: dict[str, str], stops: bool) -> None:
    simulation = Simulation.create(seed=1)
    play(simulation, ON, create(WEB), RUN)
    (first, _), met = simulation.cluster.store.list("Pod"), {"kind": "reconcile", **wanted}
    gone = {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": first.name}]}
    stop = {"kind": "run", "until": {"breakpoint": True}, "breakpoints": [met]}
    # The replica set answers at once; in the run there are kubelets.
    stopped = play(simulation, gone, stop)[-1].data.get("stoppedBy")
    assert stopped == (met if stops else None)
    # The Pod whose end stopped the run is still there; its kubelet removes it next.
    assert len(simulation.cluster.store.list("Pod")) == (3 if stops else 2)
    play(simulation, RUN)
    assert phases(simulation) == ["Running", "Running"]


def test_names_of_actors_are_checked() -> None:
    refused: list[Any] = ["some", ["deployment", "deploymint"], {}, [1]]
    for wrong in refused:
        with pytest.raises(CommandError, match="list of deployment, replicaset"):
            Simulation.create().apply({"kind": "set_actors", "actors": wrong})


def test_a_run_goes_on_from_a_checkpoint_to_the_same_end() -> None:
    commands = [ON, create(WEB, workload("Deployment", "late", replicas=3))]
    run = {"kind": "run", "until": {"seconds": 100}}
    whole = Simulation.create(seed=1)
    play(whole, *commands)
    wanted = bodies(play(whole, run))
    cycles = [at for at, body in enumerate(wanted) if json.loads(body)["kind"] == "cycle"]
    assert len(cycles) == 5
    for at in cycles:
        first = Simulation.create(seed=1)
        play(first, *commands)
        records = first.apply(run)
        for _ in range(at + 1):
            next(records)
        kept = first.checkpoint()
        assert kept is not None
        second = Simulation.restore(kept)
        assert bodies(list(second.resume(run))) == wanted[at + 1 :]
        assert second.now == whole.now
