"""Runs that stop where the user wants to look."""

from typing import Any

import pytest

from scheduler_core.framework.interface import PermitPlugin, PermitResult
from scheduler_core.framework.status import Code, Status
from scheduler_core.plugins.table import IN_TREE
from simulator.simulation import CommandError, Record, Simulation
from simulator.simulation.breakpoints import MAX_BREAKPOINTS
from tests.conformance.testing import make_node, make_pod

Manifest = dict[str, Any]


def objects() -> list[Manifest]:
    nodes = [make_node("a").cpu("2").memory("8Gi"), make_node("b").cpu("4").memory("8Gi").cordoned()]
    pods = [make_pod("p0").cpu("1"), make_pod("p1").cpu("1"), make_pod("p2").cpu("1"), make_pod("p3").cpu("9")]
    return [dict(one.manifest()) for one in (*nodes, *pods, make_pod("vip").cpu("2").priority(-1))]


def simulation(**options: Any) -> Simulation:
    made = Simulation.create(seed=1, **options)
    list(made.apply({"kind": "create", "objects": objects()}))
    return made


def run(made: Simulation, *breakpoints: Manifest) -> list[Record]:
    return list(made.apply({"kind": "run", "until": {"breakpoint": True}, "breakpoints": list(breakpoints)}))


def pods(records: list[Record]) -> list[str]:
    return [record.data["cycle"]["pod"].removeprefix("default/") for record in records]


ALL = ["p0", "p1", "p2", "p3", "vip"]
STOPS: list[tuple[str, Manifest, list[str]]] = [
    # name, breakpoint, cycles until then
    ("a pod", {"kind": "pod", "pod": "default/p1"}, ["p0", "p1"]),
    ("a plugin on any node", {"kind": "rejection", "plugin": "NodeUnschedulable"}, ["p0"]),
    ("a plugin on a node", {"kind": "rejection", "plugin": "NodeResourcesFit", "node": "a"}, ["p0", "p1", "p2"]),
    ("never on that node", {"kind": "rejection", "plugin": "NodeResourcesFit", "node": "b"}, ALL),
    ("a node that is not there", {"kind": "rejection", "plugin": "NodeUnschedulable", "node": "x"}, ALL),
    ("no failure", {"kind": "failure", "point": "Bind"}, ALL),
    ("no preemption", {"kind": "preemption"}, ALL),
]


@pytest.mark.parametrize("record_steps", [True, False])
@pytest.mark.parametrize(("wanted", "cycles"), [case[1:] for case in STOPS], ids=[case[0] for case in STOPS])
def test_a_run_stops_after_the_cycle_that_meets_it(wanted: Manifest, cycles: list[str], record_steps: bool) -> None:
    records = run(simulation(record_steps=record_steps), wanted)
    assert pods(records) == cycles
    stopped = [record.data.get("stoppedBy") for record in records]
    assert stopped[:-1] == [None] * (len(cycles) - 1)
    assert stopped[-1] == (wanted if len(cycles) < 5 else None)
    assert all(bool(record.data["cycle"]["steps"]) is record_steps for record in records)


def test_a_failed_binding_stops_a_run() -> None:
    made = simulation(record_steps=False)
    list(made.apply({"kind": "fail_binding"}))
    records = run(made, {"kind": "failure", "point": "Score"}, {"kind": "failure", "point": "Bind"})
    assert pods(records) == ["p0"]
    assert records[0].data["stoppedBy"] == {"kind": "failure", "point": "Bind"}


def test_a_preemption_stops_a_run() -> None:
    made = simulation()
    list(made.apply({"kind": "run", "until": "idle"}))
    urgent = dict(make_pod("urgent").cpu("2").priority(100).manifest())
    list(made.apply({"kind": "create", "objects": [urgent, dict(make_pod("last").manifest())]}))
    records = run(made, {"kind": "preemption"})
    assert pods(records) == ["urgent"]
    assert records[0].data["stoppedBy"] == {"kind": "preemption"}


def test_a_run_goes_on_behind_its_breakpoint_as_if_it_had_not_stopped() -> None:
    stopping, whole = simulation(), simulation()
    everywhere = {"kind": "rejection", "plugin": "NodeUnschedulable"}
    records: list[Record] = []
    while part := run(stopping, everywhere):
        assert len(part) == 1
        records += part
    for record in records:
        del record.data["stoppedBy"]
    assert [record.data for record in records] == [
        record.data for record in whole.apply({"kind": "run", "until": "idle"})
    ]


class Patient(PermitPlugin):
    """Everybody waits for ten seconds."""

    name = "Patient"

    def permit(self, state: Any, pod: Any, node: str) -> PermitResult:
        return PermitResult(Status(Code.WAIT), 10.0)


PATIENT = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {permit: {enabled: [{name: Patient}]}}
"""


def test_what_a_late_end_does_stops_a_run_but_not_what_was_before() -> None:
    made = simulation(registry=IN_TREE.merged((Patient,)), config=PATIENT)
    list(made.apply({"kind": "schedule_one"}))
    list(made.apply({"kind": "permit", "pod": "default/p0", "decision": "allow"}))
    # p0's end is no reason to stop, though the breakpoint would have met its beginning.
    records = run(made, {"kind": "pod", "pod": "default/p1"})
    assert [record.data["kind"] for record in records] == ["cycle"]
    waiting = made.apply({"kind": "permit", "pod": "default/p1", "decision": "reject"})
    next(waiting)  # the answer is given, and what follows from it is left to the next command
    late = run(made, {"kind": "failure", "point": "Permit"}, {"kind": "rejection", "plugin": "NodeUnschedulable"})
    assert [record.data["kind"] for record in late] == ["binding", "cycle"]
    assert "stoppedBy" not in late[0].data, "it was decided before the run"
    assert late[1].data["stoppedBy"]["kind"] == "rejection"


BAD: list[tuple[str, Any, list[str]]] = [
    ("no list", {}, ["breakpoints"]),
    ("too many", [{"kind": "preemption"}] * (MAX_BREAKPOINTS + 1), ["breakpoints"]),
    ("no object", ["pod"], ["breakpoints[0]"]),
    ("no kind", [{"kind": "preemption"}, {"pod": "default/p"}], ["breakpoints[1].kind"]),
    ("an unknown kind", [{"kind": ["pod"]}], ["breakpoints[0].kind"]),
    ("a missing and an extra field", [{"kind": "pod", "node": "a"}], ["breakpoints[0].pod", "breakpoints[0].node"]),
    ("an empty name", [{"kind": "pod", "pod": ""}], ["breakpoints[0].pod"]),
    ("no point", [{"kind": "failure", "point": "Binding"}], ["breakpoints[0].point"]),
    ("two of them", [{"kind": "failure", "point": 1}, {"kind": "x"}], ["breakpoints[0].point", "breakpoints[1].kind"]),
]


@pytest.mark.parametrize(("value", "paths"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_breakpoints_are_named_by_their_paths(value: Any, paths: list[str]) -> None:
    made = simulation()
    with pytest.raises(CommandError) as caught:
        made.apply({"kind": "run", "until": {"breakpoint": True}, "breakpoints": value})
    assert [problem.path for problem in caught.value.problems] == paths


def test_breakpoints_are_only_for_runs_until_one_of_them() -> None:
    with pytest.raises(CommandError, match="only for runs until"):
        simulation().apply({"kind": "run", "until": "idle", "breakpoints": []})
