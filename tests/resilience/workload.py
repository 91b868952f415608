"""The workload of a round: small, with every kind of command that takes another path through the runner."""

import json
import random
from typing import Any

from playground import plugins
from scheduler_core.emulations import DEFAULT
from simulator.simulation import Simulation
from tests.web import node, pod

SEED = 11
# Every cycle is a commit of its own, so that a fault finds a commit to interrupt wherever it comes.
PACE = 60
GANG = (
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
    "- plugins:\n    multiPoint:\n      enabled:\n      - name: Gang\n"
)


def _member(gang: str, name: str, **options: Any) -> dict[str, Any]:
    made = pod(name, **options)
    made["metadata"]["labels"] = {"gang.example.com/name": gang, "gang.example.com/size": "3"}
    return made


def commands(variant: int) -> list[dict[str, Any]]:
    """Return the commands of a round, in order, for any number of variants."""
    rng = random.Random(variant)
    nodes = [node(f"node-{i}", zone=f"z{i % 3}") for i in range(rng.randint(4, 6))]
    pods = [pod(f"low-{i}", cpu=f"{rng.choice((300, 500, 900))}m") for i in range(24)]
    pods += [pod(f"high-{i}", cpu="2", priority=1000) for i in range(4)] + [pod("large", cpu="64")]
    pods += [_member("first", f"first-{i}", cpu="100m", priority=2000) for i in range(3)]
    pods += [_member("lonely", "lonely-0", cpu="100m", priority=3000)]
    return [
        {"kind": "create", "objects": nodes + pods},
        {"kind": "schedule_one"},
        {"kind": "run", "until": {"cycles": rng.randint(3, 8)}},
        {"kind": "fail_binding", "message": "no luck"},
        {"kind": "run", "until": {"pod": f"default/low-{rng.randint(10, 20)}"}},
        {"kind": "create", "objects": [node("late")]},
        {"kind": "create", "objects": [node("late")]},  # fails: it is there
        {"kind": "run", "until": "idle"},
        {"kind": "advance_clock", "seconds": 12},
        {"kind": "run", "until": "idle"},
        {"kind": "delete", "objects": [{"kind": "Pod", "namespace": "default", "name": "low-1"}]},
        {"kind": "set_config", "yaml": GANG + "podInitialBackoffSeconds: 3\n"},
        {"kind": "create", "objects": [pod(f"more-{i}", cpu="200m") for i in range(8)]},
        {"kind": "run", "until": "idle"},
        {"kind": "advance_clock", "seconds": 60},  # the lonely gang gives up
        {"kind": "run", "until": {"cycles": 5}},
    ]


def by_the_engine_alone(variant: int) -> list[str]:
    """Return the records of the engine without a server."""
    simulation = Simulation.create(seed=SEED, config=GANG, emulation=DEFAULT, registry=plugins.registry())
    bodies = []
    for command in commands(variant):
        try:
            bodies += [_canonical(record.data) for record in simulation.apply(command)]
        except ValueError:
            continue
    return bodies


def _canonical(data: dict[str, Any]) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"))
