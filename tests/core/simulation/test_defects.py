"""A defect of the engine ends one attempt: its pod returns to the queue with an error, everything else goes on."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from kube_objects.defects import describe_defect
from scheduler_core.cache.cache import Cache, CacheError
from scheduler_core.emulations import emulation_of
from scheduler_core.framework.events import ActionType, ClusterEvent, ClusterEventWithHint, EventResource
from scheduler_core.framework.interface import (
    BindPlugin,
    EnqueueExtensions,
    FilterPlugin,
    PermitPlugin,
    PermitResult,
    Plugin,
    PostBindPlugin,
    PostFilterPlugin,
    PreBindPlugin,
    PreEnqueuePlugin,
    PreFilterPlugin,
    PreScorePlugin,
    ReservePlugin,
    ScorePlugin,
)
from scheduler_core.framework.registry import Registry
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.verdicts import Verdicts
from scheduler_core.plugins.default_binder import DefaultBinder
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.priority_sort import PrioritySort
from simulator.simulation import Record, Simulation
from tests.conformance.testing import make_node, make_pod
from tests.core.cycle.test_group import GANGS, gang, node, pod
from tests.core.framework.scripted_profile import configured, plugin

# The plugins' states and pods are at different places in the arguments.
is_mended = False


def breaks(otherwise: Any) -> Callable[..., Any]:
    """A method of a plugin that fails for the pod `bad`, and gives `otherwise` for others."""

    def method(*arguments: Any) -> Any:
        pod = next(argument for argument in arguments if hasattr(argument, "scheduler_name"))
        if pod.name == "bad" and not is_mended:
            return {}[pod.name]
        return otherwise(arguments[-1]) if callable(otherwise) else otherwise

    return method


def passes(nodes: Any) -> Verdicts:
    return Verdicts.same(len(nodes), SUCCESS)


def zeros(nodes: Any) -> Any:
    return np.zeros(len(nodes), np.int64)


def nothing(*_: Any) -> None:
    return None


BROKEN: dict[str, type[Plugin]] = {
    "filter": plugin("Broken", FilterPlugin, filter=breaks(passes)),
    "preScore": plugin("Broken", PreScorePlugin, pre_score=breaks(SUCCESS)),
    "score": plugin("Broken", ScorePlugin, score=breaks(zeros)),
    "reserve": plugin("Broken", ReservePlugin, reserve=breaks(SUCCESS), unreserve=nothing),
    "unreserve": plugin(
        "Broken",
        ReservePlugin,
        PreBindPlugin,
        reserve=lambda *_: SUCCESS,
        unreserve=breaks(None),
        pre_bind=breaks(SUCCESS),
    ),
    "permit": plugin("Broken", PermitPlugin, permit=breaks(PermitResult(SUCCESS))),
    "preBind": plugin("Broken", PreBindPlugin, pre_bind=breaks(SUCCESS)),
    "bind": plugin("Broken", BindPlugin, bind=breaks(Status(Code.SKIP))),
}


def simulation_with(*plugins: type[Plugin], binder: bool = True) -> Simulation:
    registry = Registry([PrioritySort, DefaultBinder, NodeResourcesFit]).merged(plugins)
    return Simulation.create(config=configured([NodeResourcesFit, *plugins], binder=binder), registry=registry, seed=3)


def create(simulation: Simulation, *objects: Any) -> list[Record]:
    return list(simulation.apply({"kind": "create", "objects": [made.manifest() for made in objects]}))


def run(simulation: Simulation, seconds: int = 1) -> list[Record]:
    return list(simulation.apply({"kind": "run", "until": {"seconds": seconds}}))


def errors(records: Iterable[Record]) -> list[str]:
    return [record.data["error"] for record in records if "error" in record.data]


def bound(simulation: Simulation) -> list[str]:
    return sorted(pod.name for pod in simulation.cluster.store.list("Pod") if pod.node_name)


@pytest.mark.parametrize("point", BROKEN)
def test_a_defect_at_any_point_ends_one_attempt(point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = simulation_with(BROKEN[point])
    pods = [make_pod(name).cpu("1") for name in ("first", "bad", "last")]
    create(simulation, make_node("x").cpu("3"), make_node("y").cpu("1"), *pods)
    records = run(simulation)
    assert set(errors(records)) == {"KeyError: 'bad'"}
    assert {type(record.error) for record in records if record.error is not None} == {KeyError}
    cycles = [record.data["cycle"] for record in records if record.data["kind"] == "cycle"]
    assert [(cycle["pod"], cycle["outcome"]) for cycle in cycles] == [
        ("default/first", "scheduled"),
        ("default/bad", "error"),
        ("default/last", "scheduled"),
    ]
    assert [queued.pod.name for queued in simulation.cluster.queue.error_backoff()] == ["bad"]
    bad = simulation.cluster.find_pod("default/bad")
    assert bad is not None
    (condition,) = bad.conditions
    assert (condition.reason, condition.message) == ("SchedulerError", "the engine failed: KeyError: 'bad'")
    assert not simulation.cluster.cache.is_assumed(bad.uid)
    monkeypatch.setattr("tests.core.simulation.test_defects.is_mended", True)
    run(simulation, 30)
    assert bound(simulation) == ["bad", "first", "last"]


def test_a_defect_after_the_binding_leaves_the_pod_bound() -> None:
    simulation = simulation_with(plugin("Broken", PostBindPlugin, post_bind=breaks(None)))
    create(simulation, make_node("x").cpu("3"), *(make_pod(name).cpu("1") for name in ("bad", "last")))
    assert errors(run(simulation)) == ["KeyError: 'bad'"]
    assert bound(simulation) == ["bad", "last"]
    (view,) = simulation.cluster.scheduler.snapshot()
    assert view.requested("cpu") == 2000


def test_a_defect_of_preemption_ends_one_attempt() -> None:
    simulation = simulation_with(plugin("Broken", PostFilterPlugin, post_filter=breaks(None)))
    create(simulation, make_node("x").cpu("3"), make_pod("bad").cpu("9"), make_pod("last").cpu("1"))
    assert errors(run(simulation)) == ["KeyError: 'bad'"]
    assert bound(simulation) == ["last"]


def test_a_gate_that_fails_gates_the_pod() -> None:
    simulation = simulation_with(plugin("Broken", PreEnqueuePlugin, pre_enqueue=breaks(SUCCESS)))
    records = create(simulation, make_node("x").cpu("3"), make_pod("bad").cpu("1"), make_pod("last").cpu("1"))
    assert errors(records) == ["KeyError: 'bad'"]
    run(simulation)
    assert bound(simulation) == ["last"]
    assert [queued.gating_plugin for queued in simulation.cluster.queue.unschedulable()] == ["Broken"]


def test_a_hint_that_fails_queues_the_pod() -> None:
    class Hints(PreFilterPlugin, EnqueueExtensions):
        name = "Hints"

        def pre_filter(self, state: Any, pod: Any, nodes: Any) -> Any:
            raise AssertionError

        def events_to_register(self) -> list[ClusterEventWithHint]:
            return [ClusterEventWithHint(ClusterEvent(EventResource.NODE, ActionType.ADD), breaks(None))]

    rejects = plugin(
        "Hints",
        FilterPlugin,
        EnqueueExtensions,
        filter=lambda state, pod, nodes: Verdicts.same(len(nodes), Status.unschedulable("no")),
        events_to_register=lambda: Hints.events_to_register(Hints.__new__(Hints)),
    )
    simulation = simulation_with(rejects)
    create(simulation, make_node("x").cpu("3"), make_pod("bad").cpu("1"))
    run(simulation)
    assert errors(create(simulation, make_node("y").cpu("3"))) == ["KeyError: 'bad'"]
    assert [queued.pod.name for queued in simulation.cluster.queue.backoff()] == ["bad"]


def test_a_cache_that_contradicts_itself_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = simulation_with()
    create(simulation, make_node("x").cpu("3"), *(make_pod(name).cpu("1") for name in ("first", "bad", "last")))
    assume = Cache.assume

    def half_done(self: Cache, pod: Any) -> None:
        assume(self, pod)
        if pod.name == "bad":
            raise CacheError("half-written")

    with monkeypatch.context() as patch:
        patch.setattr(Cache, "assume", half_done)
        assert errors(run(simulation)) == ["CacheError: half-written"]
    run(simulation, 30)
    assert bound(simulation) == ["bad", "first", "last"]
    (view,) = simulation.cluster.scheduler.snapshot()
    assert view.requested("cpu") == 3000


def test_a_defect_in_the_middle_is_the_same_from_a_checkpoint() -> None:
    def story() -> Simulation:
        simulation = simulation_with(BROKEN["permit"])
        create(simulation, make_node("x").cpu("3"), *(make_pod(name).cpu("1") for name in ("first", "bad", "last")))
        run(simulation)
        return simulation

    simulation, restored = story(), story().checkpoint()
    assert restored is not None
    registry = Registry([PrioritySort, DefaultBinder, NodeResourcesFit]).merged([BROKEN["permit"]])
    other = Simulation.restore(restored, registry=registry)
    assert [json.dumps(one.data) for one in run(simulation, 60)] == [json.dumps(one.data) for one in run(other, 60)]


@pytest.mark.parametrize(
    ("broken", "left"),
    [
        ("scheduler_core.cycle.group.PodGroupCycle._run_algorithm", ["cycle error"]),
        (
            "scheduler_core.cycle.group.PodGroupCycle._submit_member",
            ["cycle waiting", "cycle waiting", "binding error", "binding error"],
        ),
        (
            "scheduler_core.cycle.schedule_one.AttemptRunner._run_binding_cycle",
            ["cycle waiting", "cycle waiting", "binding error", "binding error"],
        ),
    ],
)
def test_a_defect_in_the_cycle_of_a_group_sends_its_members_back(
    broken: str, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation.create(seed=1, emulation=emulation_of("v1.36.3", GANGS))
    objects = [node("a", "8"), gang("g", 2), pod("g-0", "g"), pod("g-1", "g")]
    list(simulation.apply({"kind": "create", "objects": objects}))

    def fails(*_: Any) -> None:
        raise KeyError("oops")

    with monkeypatch.context() as patch:
        patch.setattr(broken, fails)
        records = list(simulation.apply({"kind": "schedule_one"}))
    assert errors(records) == ["KeyError: 'oops'"]
    told = [(record.data["kind"], record.data["cycle"]["outcome"]) for record in records if "cycle" in record.data]
    assert [" ".join(one) for one in told] == left
    assert simulation.checkpoint() is not None
    assert len(simulation.cluster.queue.error_backoff()) == 2
    run(simulation, 30)
    assert bound(simulation) == ["g-0", "g-1"]
    assert simulation.cycle == max(record.data["cycle"]["number"] for record in records if "cycle" in record.data) + 2


def test_addresses_are_not_told() -> None:
    assert describe_defect(KeyError(object())) == "KeyError: <object object>"
