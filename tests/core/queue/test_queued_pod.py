"""Pods of a queue written down and read again: those that came at once are one entry."""

import json
import math
from typing import Any

import pytest

from scheduler_core.framework.queued_pod import QueuedPodInfo, dump_all, load_all
from tests.conformance.testing import make_pod

NEXT = math.nextafter(2.0, math.inf)


def _queued(uid: str, timestamp: float = 2.0, **fields: Any) -> QueuedPodInfo:
    return QueuedPodInfo(make_pod(uid).uid(uid).build(), timestamp, **fields)


CASES: list[tuple[str, list[QueuedPodInfo], list[list[str]]]] = [
    # name, pods, the uids of each entry
    ("nobody", [], []),
    ("one", [_queued("a", initial_attempt=2.0)], [["a"]]),
    (
        "at once",
        [
            _queued("a", initial_attempt=2.0),
            _queued("b", initial_attempt=NEXT),
            _queued("c", initial_attempt=math.nextafter(NEXT, math.inf)),
        ],
        [["a", "b", "c"]],
    ),
    ("a gap between", [_queued("a", initial_attempt=2.0), _queued("b", initial_attempt=2.5)], [["a"], ["b"]]),
    ("another order", [_queued("b", initial_attempt=NEXT), _queued("a", initial_attempt=2.0)], [["b"], ["a"]]),
    ("another time", [_queued("a", initial_attempt=2.0), _queued("b", 2.5, initial_attempt=NEXT)], [["a"], ["b"]]),
    (
        "tried",
        [_queued("a", initial_attempt=2.0, attempts=1), _queued("b", initial_attempt=NEXT)],
        [["a"], ["b"]],
    ),
    (
        "held",
        [_queued("a", initial_attempt=2.0), _queued("b", initial_attempt=NEXT, unschedulable_plugins={"P"})],
        [["a"], ["b"]],
    ),
    ("never in the active queue", [_queued("a", gating_plugin="G"), _queued("b", gating_plugin="G")], [["a"], ["b"]]),
    ("new, not yet there", [_queued("a"), _queued("b")], [["a"], ["b"]]),
]


@pytest.mark.parametrize(("pods", "entries"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_dumped_and_loaded_they_are_as_before(pods: list[QueuedPodInfo], entries: list[list[str]]) -> None:
    dumped = json.loads(json.dumps(dump_all(pods)))
    assert [[entry["uid"], *entry.get("others", [])] for entry in dumped] == entries
    by_uid = {queued.pod.uid: queued.pod for queued in pods}
    assert list(load_all(dumped, by_uid)) == pods
    # As older checkpoints have them.
    assert list(load_all([queued.dump() for queued in pods], by_uid)) == pods
