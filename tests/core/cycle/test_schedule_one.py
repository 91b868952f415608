"""An attempt from the pop to the binding: what is given back, and where the pod goes, when a step fails."""

from typing import Any

import pytest

from scheduler_core.framework.interface import (
    BindPlugin,
    PermitPlugin,
    PermitResult,
    Plugin,
    PostBindPlugin,
    PreBindPlugin,
    ReservePlugin,
)
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.status import SUCCESS, Code, PluginError, Status
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.priority_sort import PrioritySort
from scheduler_core.queue.moves import SubQueue
from simulator.simulation import Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.framework.scripted_profile import configured, plugin

NO = Status.unschedulable("no")
WAIT = PermitResult(Status(Code.WAIT), 5.0)


def fails(*arguments: Any) -> Any:
    raise PluginError("boom")


def run(*plugins: type[Plugin], binder: bool = True) -> tuple[Simulation, dict[str, Any]]:
    """A cluster with room for one pod, and the record of the first pod's attempt."""
    registry = Registry([PrioritySort, DefaultBinder, NodeResourcesFit]).merged(plugins)
    config = configured([NodeResourcesFit, *plugins], binder=binder)
    simulation = Simulation.create(config=config, registry=registry)
    objects = [make_node("x").cpu("1").manifest(), make_pod("p").cpu("1").manifest()]
    list(simulation.apply({"kind": "create", "objects": objects}))
    (record,) = simulation.apply({"kind": "schedule_one"})
    return simulation, record.data["cycle"]


def free(simulation: Simulation) -> int:
    simulation.cluster.cache.update_snapshot()
    (node,) = simulation.cluster.scheduler.snapshot()
    return int(node.allocatable("cpu") - node.requested("cpu"))


def reserves(log: list[str], status: Status = SUCCESS) -> type[Plugin]:
    def reserve(*_: Any) -> Status:
        log.append("reserve")
        return status

    return plugin("Reserves", ReservePlugin, reserve=reserve, unreserve=lambda *_: log.append("unreserve"))


def test_an_attempt_that_succeeds_runs_every_point_once() -> None:
    log: list[str] = []
    after = plugin("After", PostBindPlugin, post_bind=lambda *_: log.append("post bind"))
    simulation, cycle = run(reserves(log), after)
    assert (cycle["outcome"], cycle["node"]) == ("scheduled", "x")
    assert log == ["reserve", "post bind"]
    assert free(simulation) == 0
    points = ["QueueSort", "PreFilter", "Filter", "SelectHost", "Assume", "Reserve", "Bind", "PostBind"]
    assert [step["point"] for step in cycle["steps"]] == points


FAILURES = [
    # name, the plugin that fails, outcome, message
    ("Reserve rejects", lambda log: reserves(log, NO), "unschedulable", "0/1 nodes are available: 1 no."),
    (
        "Permit rejects",
        lambda log: plugin("P", PermitPlugin, permit=lambda *_: PermitResult(NO)),
        "unschedulable",
        "0/1 nodes are available: 1 no.",
    ),
    (
        "Permit fails",
        lambda log: plugin("P", PermitPlugin, permit=fails),
        "error",
        'running Permit plugin "P": boom',
    ),
    (
        "PreBind fails",
        lambda log: plugin("P", PreBindPlugin, pre_bind=fails),
        "error",
        'running PreBind plugin "P": boom',
    ),
    ("Bind fails", lambda log: plugin("P", BindPlugin, bind=fails), "error", 'running Bind plugin "P": boom'),
    (
        "Bind rejects",
        lambda log: plugin("P", BindPlugin, bind=lambda *_: NO),
        "unschedulable",
        "0/1 nodes are available: 1 no.",
    ),
]


@pytest.mark.parametrize(("name", "failing", "outcome", "message"), FAILURES)
def test_whatever_fails_after_the_node_was_chosen_gives_its_room_back(
    name: str, failing: Any, outcome: str, message: str
) -> None:
    log: list[str] = []
    failed = failing(log)
    first = [] if failed.name == "Reserves" else [reserves(log)]
    simulation, cycle = run(*first, failed, binder=not name.startswith("Bind"))
    assert (cycle["outcome"], cycle["node"], cycle["message"]) == (outcome, None, message)
    assert log == ["reserve", "unreserve"], "what was reserved is given back, once"
    assert free(simulation) == 1000, "so is the room on the node"
    queued = simulation.cluster.queue.find("default/p")
    assert queued is not None and queued.attempts == 1, "the pod waits for another attempt"


def waiting(log: list[str]) -> tuple[Simulation, dict[str, Any]]:
    return run(reserves(log), plugin("Gate", PermitPlugin, permit=lambda *_: WAIT))


def permit(simulation: Simulation, decision: str) -> dict[str, Any]:
    records = list(simulation.apply({"kind": "permit", "pod": "default/p", "decision": decision}))
    (record,) = (record for record in records if record.data["kind"] == "binding")
    found: dict[str, Any] = record.data["cycle"]
    return found


def test_a_pod_that_waits_at_permit_holds_its_room() -> None:
    log: list[str] = []
    simulation, cycle = waiting(log)
    assert cycle["outcome"] == "waiting"
    assert (free(simulation), log) == (0, ["reserve"])


@pytest.mark.parametrize(
    ("decision", "outcome", "left", "done"),
    [("allow", "scheduled", 0, ["reserve"]), ("reject", "unschedulable", 1000, ["reserve", "unreserve"])],
)
def test_what_permit_decides_is_carried_out(decision: str, outcome: str, left: int, done: list[str]) -> None:
    log: list[str] = []
    simulation, _ = waiting(log)
    assert permit(simulation, decision)["outcome"] == outcome
    assert (free(simulation), log) == (left, done)


@pytest.mark.parametrize("decision", ["reject", "allow"], ids=["Permit rejects", "Bind fails"])
def test_room_that_is_given_back_wakes_who_waits_for_it(decision: str) -> None:
    gate = plugin("Gate", PermitPlugin, permit=lambda *_: WAIT)
    simulation, _ = run(gate, plugin("Binds", BindPlugin, bind=fails), binder=False)
    list(simulation.apply({"kind": "create", "objects": [make_pod("q").cpu("1").manifest()]}))
    list(simulation.apply({"kind": "schedule_one"}))
    queue = simulation.cluster.queue
    assert queue.where("default/q") is SubQueue.UNSCHEDULABLE
    permit(simulation, decision)
    assert queue.where("default/q") in (SubQueue.ACTIVE, SubQueue.BACKOFF)


def test_a_pod_whose_patience_ends_gives_its_room_back() -> None:
    log: list[str] = []
    simulation, _ = waiting(log)
    list(simulation.apply({"kind": "advance_clock", "seconds": 6}))
    assert (free(simulation), log) == (1000, ["reserve", "unreserve"])
    assert simulation.cluster.queue.find("default/p") is not None


def test_a_pod_that_is_being_deleted_is_not_tried() -> None:
    registry = Registry([PrioritySort, DefaultBinder])
    simulation = Simulation.create(config=configured([]), registry=registry)
    objects = [make_node("x").manifest(), make_pod("p").manifest()]
    list(simulation.apply({"kind": "create", "objects": objects}))
    queued = simulation.cluster.queue.pop()
    assert queued is not None
    queued.pod = make_pod("p").terminating().build()
    attempt = simulation.cluster.attempts.schedule_one(queued, None)
    assert attempt.skipped and attempt.cycle is None
    assert simulation.cluster.queue.find("default/p") is None, "nor does it come back"
