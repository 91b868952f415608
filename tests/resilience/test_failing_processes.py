"""What breaks if nodes fail, on a real playground: worked out by its two worker processes, one of which is killed."""

from collections.abc import Callable
from typing import Any

import psutil

from scheduler_core.emulations import DEFAULT
from simulator.repair.capacity import simulate_failures
from simulator.simulation import Simulation
from tests.resilience.test_processes import Browser
from tests.services import Playground, wait_for
from tests.web import node, pod

SEED = 5
# Each node that fails has eight pods, which are scheduled anew: all of them are some seconds of work.
OBJECTS = [node(f"node-{i:03}", zone=f"zone-{i % 3}", cpu="4", memory="64Gi") for i in range(160)]
OBJECTS += [pod(f"web-{i}", cpu="495m", memory="1Gi") for i in range(1275)]


def test_the_workers_share_what_breaks(start_playground: Callable[..., Playground]) -> None:
    playground = start_playground()
    browser = Browser(playground)
    made = browser.post("clusters/", {"name": "breaking", "seed": SEED})
    browser.apply(made["id"], kind="create", objects=OBJECTS)
    browser.apply(made["id"], kind="run", until="idle")
    path = f"clusters/{made['id']}/capacity/failures/"

    found = wait_for(lambda: answer if (answer := browser.get(path))["helpers"] == 2 else None, "two helpers")
    if not found["finished"]:
        # What it was at is taken by the other one.
        worker = wait_for(playground.worker, "the worker")
        psutil.Process(worker.children()[0].pid).kill()
    found = wait_for(lambda: answer if (answer := browser.get(path))["finished"] else None, "the answer", 240)
    assert [(one["what"], one["pending"]) for one in found["failures"]] == undisturbed()
    assert found["of"] == len(found["failures"]) == 160

    # Asked once and no more: it is cancelled, and a cluster that is run goes first meanwhile.
    browser.get(f"{path}?by=kubernetes.io/hostname")
    assert browser.apply(made["id"], kind="schedule_one")["state"] == "done"


def undisturbed() -> list[tuple[str, list[str]]]:
    """What the engine says by itself."""
    simulation = Simulation.create(seed=SEED, record_steps=False, emulation=DEFAULT)
    commands: list[dict[str, Any]] = [{"kind": "create", "objects": OBJECTS}, {"kind": "run", "until": "idle"}]
    for command in commands:
        for _ in simulation.apply(command):
            pass
    return [(one.what, one.pending) for one in simulate_failures(simulation)]
