"""Lives of clusters, step by step, as the real scheduling loop lived them: with groups of pods and without.

Measured from the code of kube-scheduler v1.36.2 (`ScheduleOne` with its queue, failure handler and binding cycle, on a
clock that stands still), in the form of the `gang` vectors but for what a plugin said within a cycle. Scenarios are
those of the vectors' families, changed at random: pods and nodes that come and go, time that passes. 150 that gave the
same answers three times.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler_core.emulations import DEFAULT
from tests.conformance import gangs

Fields = dict[str, Any]
LIVES = Path(__file__).with_name("loops.jsonl.gz")
AT_A_TIME = 25
QUEUES = ("activeQ", "backoffQ", "errorBackoffQ", "unschedulable")
CYCLE = ("podGroup", "condition", "pods")
MEMBER = ("pod", "suggested", "node", "outcome", "message", "unschedulablePlugins", "nominatedNode")


def lives() -> Iterator[Fields]:
    with gzip.open(LIVES, "rt") as lines:
        yield from map(json.loads, lines)


def measured(step: Fields) -> Fields:
    """Of a step as the engine tells it, what was measured of the real one."""
    found: Fields = {"op": step["op"], "queue": {name: step["queue"][name] for name in QUEUES}}
    if step["op"] == "schedule":
        found["running"] = step.get("running", {})
        found["cycles"] = [
            filled(cycle | {"pods": [filled(pod, MEMBER) for pod in cycle["pods"]]}, CYCLE)
            for cycle in step.get("cycles", [])
        ]
    return found


def filled(fields: Fields, names: tuple[str, ...]) -> Fields:
    """Those of these names that say something; a nomination that is taken away is an empty text."""
    return {name: fields[name] for name in names if fields.get(name) not in (None, [])}


@pytest.mark.parametrize("first", range(0, 150, AT_A_TIME))
def test_a_life_is_that_of_the_real_loop(first: int) -> None:
    some = list(lives())[first : first + AT_A_TIME]
    assert len(some) == AT_A_TIME
    for life in some:
        steps = gangs.run(life["scenario"], DEFAULT)["steps"]
        for number, (got, want) in enumerate(zip(steps, life["expected"], strict=True)):
            assert measured(got) == want, f"{life['scenario']['name']}, step {number}"
