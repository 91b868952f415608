"""How long steps took: measured by a clock that is given, never part of what is decided or recorded."""

import itertools
import json
from typing import Any

import pytest

from scheduler_core.plugins.node_resources.fit import NodeResourcesFit as Fit
from simulator.simulation import Record, Simulation
from simulator.simulation.records import MAX_MOVES
from tests.conformance.testing.nodes import make_node
from tests.conformance.testing.pods import make_pod

NODES = [make_node(f"n{i}").build() for i in range(3)]
PODS = [make_pod("small").cpu("1").build(), make_pod("large").cpu("100").build()]


def run(**options: Any) -> list[Record]:
    simulation = Simulation.create(seed=1, **options)
    objects = [dict(obj.manifest) for obj in (*NODES, *PODS)]
    return [
        *simulation.apply({"kind": "create", "objects": objects}),
        *simulation.apply({"kind": "run", "until": "idle"}),
    ]


# Their steps are told once all of their plugins have run.
TOLD_AT_ONCE = {"PreFilter", "Filter", "PreScore", "Score", "NormalizeScore"}


def test_every_step_is_measured_since_the_one_before() -> None:
    """A clock that ticks once a call: every step takes a second, and where plugins are measured, two for each more."""
    ticks = itertools.count()
    _, small, large = run(clock=lambda: float(next(ticks)))
    for record in (small, large):
        steps = record.data["cycle"]["steps"]
        assert [timing[:2] for timing in record.timings] == [(step["point"], step["code"]) for step in steps]
        assert {seconds for point, _, seconds in record.timings if point not in TOLD_AT_ONCE} == {1.0}
        assert len(steps) > 10
        assert min(seconds for _, code, seconds in record.timings if code != "Skip") > 0


@pytest.mark.parametrize(("point", "name"), [("PreFilter", "pre_filter"), ("Filter", "filter")])
def test_a_plugin_that_is_slow_is_the_one_that_takes_long(
    monkeypatch: pytest.MonkeyPatch, point: str, name: str
) -> None:
    now = [0.0]
    answer = getattr(Fit, name)

    def slow(*arguments: Any) -> Any:
        now[0] += 3.0
        return answer(*arguments)

    monkeypatch.setattr(Fit, name, slow)
    _, small, large = run(clock=lambda: now[0])
    for record in (small, large):
        took = [
            (step["plugin"], timing[2])
            for step, timing in zip(record.data["cycle"]["steps"], record.timings, strict=True)
            if step["point"] == point and timing[2]
        ]
        assert [plugin for plugin, _ in took] == ["NodeResourcesFit"]
        assert took[0][1] >= 3.0


def test_a_clock_changes_no_byte() -> None:
    ticks = itertools.count()
    with_clock, without = run(clock=lambda: float(next(ticks))), run()
    assert [json.dumps(record.data) for record in with_clock] == [json.dumps(record.data) for record in without]
    assert [record.timings for record in without] == [[], [], []]


def test_all_moves_travel_beside_the_record() -> None:
    simulation = Simulation.create()
    pods = [dict(make_pod(f"p{i}").build().manifest) for i in range(MAX_MOVES + 7)]
    (record,) = simulation.apply({"kind": "create", "objects": pods})
    assert (len(record.data["moves"]), record.data["movesOmitted"], len(record.moves)) == (MAX_MOVES, 7, MAX_MOVES + 7)
