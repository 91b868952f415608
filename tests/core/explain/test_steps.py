"""The steps of a cycle: one table of order, home point and sentence, of every step that a cycle can have."""

from typing import Any

import pytest

from kube_objects.languages import catalogue, folder, render
from scheduler_core.framework.interface import ExtensionPoint
from simulator.explain.steps import HOME, PHASES, SENTENCES, outcome_sentence, point_of, step_sentence

ENGLISH = catalogue("en", folder())
CYCLE = {
    "pod": "default/web-1",
    "priority": 5,
    "node": "node-1",
    "outcome": "scheduled",
    "message": "",
    "nodes": {"total": 5000, "toFind": 500, "start": 12, "feasible": 3},
}
SMALL = {**CYCLE, "nodes": {"total": 5, "toFind": None, "start": 0, "feasible": 1}}
REJECTED = [["Fit", ["Insufficient cpu"], 1200], ["Name", ["wrong name"], 1]]


def step(point: str, code: str = "Success", **more: Any) -> dict[str, Any]:
    return {"point": point, "code": code, **more}


CASES = [
    # step, cycle, what is said of it
    (step("QueueSort"), CYCLE, "web-1 comes first in the queue, with priority 5"),
    (
        step("Sample"),
        CYCLE,
        "500 feasible nodes of 5,000 are enough; the search starts at node 12 of the list",
    ),
    (step("Sample"), SMALL, "All 5 nodes are looked at"),
    (
        {**step("Filter", data={"rejected": REJECTED}), "in": 5000, "out": 3799},
        CYCLE,
        "5,000 nodes in, 3,799 left: 1,200 Insufficient cpu; 1 wrong name",
    ),
    ({**step("Filter"), "in": 5, "out": 5}, SMALL, "5 nodes in, 5 left"),
    (
        step("PostFilter", data={"nominatedNode": "node-2", "victims": ["default/a", "default/b"]}),
        CYCLE,
        "2 pods are evicted, and node-2 is nominated",
    ),
    (step("PostFilter", "Unschedulable", reasons=["no help"]), CYCLE, "Unschedulable: no help"),
    (step("Score", data={"min": 0, "max": 100, "weight": 2}), CYCLE, "raw scores from 0 to 100, weight ×2"),
    (step("NormalizeScore", data={"min": 0, "max": 100, "weight": 2}), CYCLE, "normalised to 0–100, weight ×2"),
    (step("SelectHost", data={"node": "node-1"}), SMALL, "node-1 is the only feasible node, so nothing is scored"),
    (
        step("SelectHost", data={"node": "node-1", "total": 1200, "ties": ["node-1", "node-2"]}),
        CYCLE,
        "node-1, drawn with the seed among 2 nodes that share the best total, 1,200",
    ),
    (
        step("SelectHost", data={"node": "node-1", "total": 1200, "ties": ["node-1"]}),
        CYCLE,
        "node-1 has the best total, 1,200",
    ),
    (step("Assume"), CYCLE, "the cache counts the pod on node-1 from now on"),
    (step("Permit", "Wait", data={"timeout": 90}), CYCLE, "the pod waits, at most 1 min 30 s"),
    (step("Permit"), CYCLE, "Success"),
    (step("Score", "Error", reasons=["boom"], data={"min": 0}), CYCLE, "Error: boom"),
    (step("PreScore", "Skip"), CYCLE, "skips: it has nothing to say about this pod"),
]


@pytest.mark.parametrize(("what", "cycle", "want"), CASES)
def test_a_step(what: dict[str, Any], cycle: dict[str, Any], want: str) -> None:
    assert render(step_sentence(what, cycle, [what["point"]]), ENGLISH) == want


def test_several_that_skip() -> None:
    said = step_sentence(step("PreScore", "Skip"), CYCLE, ["A", "B"])
    assert render(said, ENGLISH) == "2 plugins skip, they have nothing to say about this pod: A, B"
    assert "A, B" in render(said, catalogue("ko", folder()))


def test_how_an_attempt_ends() -> None:
    assert render(outcome_sentence(CYCLE), ENGLISH) == "scheduled on node-1"
    assert render(outcome_sentence(CYCLE | {"outcome": "waiting"}), ENGLISH) == "waits for its binding to node-1"
    assert outcome_sentence(CYCLE | {"outcome": "unschedulable", "message": "0/3 nodes"}) == "0/3 nodes"


def test_every_point_stands_somewhere() -> None:
    points = [point for _, points in PHASES for point in points]
    assert set(points) == {str(point) for point in ExtensionPoint}
    assert set(HOME.values()) <= set(points)
    assert [point_of(step(name)) for name in ("Sample", "Bind")] == ["Filter", "Bind"]
    assert set(SENTENCES) <= {*points, *HOME, "Skip", "Error"}
