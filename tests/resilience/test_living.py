"""Controllers in a cluster of the playground: the records are the engine's, whatever interrupts a worker."""

import json
from typing import Any

import pytest

from kube_controllers.names import CONTROLLERS
from playground.engine import command_runner, loaded_clusters
from playground.models import Cluster
from playground.news.bodies import canonical
from playground.plugins import TODAY
from scheduler_core.emulations import EMULATIONS
from simulator.simulation import Simulation
from tests.core.controllers.chaos import template, workload
from tests.resilience.command_story import Killed, begin, bodies, everything, kill_at
from tests.web import node

WEB = workload("Deployment", "web", replicas=3)
NEXT = {**WEB, "spec": {**WEB["spec"], "template": template("web", "app:2")}}
STORY: list[dict[str, Any]] = [
    {"kind": "create", "objects": [node("a"), node("b")]},
    {"kind": "set_actors", "actors": "all"},
    {"kind": "create", "objects": [WEB, workload("DaemonSet", "agent")]},
    {"kind": "run", "until": {"cycles": 2}},
    {"kind": "run", "until": "idle"},
    {"kind": "update", "objects": [NEXT]},
    {"kind": "run", "until": {"seconds": 5}},
    {"kind": "drain", "node": "a"},
    {"kind": "run", "until": "idle"},
    {"kind": "set_actors", "actors": ["kubelet", "deployment"]},
    {"kind": "delete", "objects": [{"kind": "Deployment", "namespace": "default", "name": "web"}]},
    {"kind": "run", "until": {"seconds": 60}},
]


def test_the_playground_does_what_the_engine_does(web: None) -> None:
    simulation = Simulation.create(seed=11, emulation=EMULATIONS[TODAY])
    wanted = [canonical(record.data) for command in STORY for record in simulation.apply(command)]
    cluster = begin(STORY, "")
    command_runner.apply_commands(cluster)
    found = everything(cluster)
    assert found["records"] == wanted
    assert found["state"]["actors"] == ["deployment", "kubelet"]
    assert {json.loads(body).get("actor") for body in wanted} >= {"deployment", "replicaset", "daemonset", "kubelet"}


@pytest.mark.usefixtures("commit_every_record", "checkpoint_often")
def test_killed_at_every_commit(web: None, monkeypatch: pytest.MonkeyPatch) -> None:
    calm = begin(STORY, "")
    command_runner.apply_commands(calm)
    undisturbed = everything(calm)
    cluster, deaths = begin(STORY, ""), 0
    while Cluster.objects.get(pk=cluster).submitted != Cluster.objects.get(pk=cluster).applied:
        assert deaths < 200
        loaded_clusters.forget_all()
        with monkeypatch.context() as patch:
            kill_at(patch, 6, after=bool(deaths % 2))
            try:
                command_runner.apply_commands(cluster)
            except Killed:
                deaths += 1
        assert bodies(cluster) == undisturbed["records"][: len(bodies(cluster))]
    assert deaths > 5
    assert everything(cluster) == undisturbed


def test_all_is_kept_by_name(web: None) -> None:
    cluster = begin(STORY[:2], "")
    kept = Cluster.objects.get(pk=cluster).commands.get(number=2)
    assert kept.payload["actors"] == list(CONTROLLERS)
    assert kept.what
