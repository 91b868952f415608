"""What the records of the engine mean in kube-scheduler's metrics."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from playground.metrics import definitions
from playground.metrics.tally import Tally
from scheduler_core.queue.moves import SubQueue
from simulator.explain.times import RecordGroup
from simulator.simulation import Record

# Upstream's queues. Gated pods wait among the unschedulable ones there, those after an error with the others.
QUEUES = {
    SubQueue.ACTIVE.value: "active",
    SubQueue.BACKOFF.value: "backoff",
    SubQueue.ERROR_BACKOFF.value: "backoff",
    SubQueue.UNSCHEDULABLE.value: "unschedulable",
    SubQueue.GATED.value: "unschedulable",
}
POP_FROM_BACKOFF = "PopFromBackoffQ"
RESULTS = ("scheduled", "unschedulable", "error")
# The steps that belong to an extension point which upstream measures, and to which.
POINTS = {
    **{
        point: point
        for point in (
            *("PreFilter", "Filter", "PostFilter", "PreScore", "Score", "Reserve", "Unreserve", "Permit"),
            *("PreBind", "Bind", "PostBind"),
        )
    },
    "NormalizeScore": "Score",
}
# The step at which the algorithm is over.
ASSUME = "Assume"
PASSED = ("Success", "Skip")


def observe(tally: Tally, records: Sequence[Record], groups: Iterable[RecordGroup]) -> None:
    """Count what these records tell; `groups` are those of them that were measured."""
    for kind, many in Counter(record.data["kind"] for record in records).items():
        tally.count(definitions.RECORDS, kind, by=many)
    moves = Counter((move["from"], move["to"], move["event"]) for record in records for move in record.moves)
    for move, many in moves.items():
        _count_moves(tally, *move, many)
    for record in records:
        if "cycle" in record.data:
            _attempt(tally, record.data["cycle"])
    for group in groups:
        _durations(tally, group)


def _count_moves(tally: Tally, origin: str, target: str, event: str, many: int) -> None:
    queue = QUEUES.get(target)
    if queue is not None and QUEUES.get(origin) != queue:
        tally.count(definitions.QUEUE_INCOMING, queue, event, by=many)
    elif event == POP_FROM_BACKOFF:
        tally.count(definitions.QUEUE_INCOMING, "active", POP_FROM_BACKOFF, by=many)


def _attempt(tally: Tally, cycle: Mapping[str, Any]) -> None:
    """A cycle's record, or that of the binding of a pod that waited at Permit."""
    profile, result = cycle["profile"], cycle["outcome"]
    if result in RESULTS:
        tally.count(definitions.SCHEDULE_ATTEMPTS, result, profile)
    if result == "scheduled":
        # Nothing was preempted for it: a pod that preempts waits, and comes again.
        tally.observe(definitions.POD_ATTEMPTS, cycle["attempt"])
        return
    for step in cycle["steps"]:
        if step["point"] == "PostFilter" and step.get("plugin") == "DefaultPreemption":
            tally.count(definitions.PREEMPTION_ATTEMPTS)
            victims = step.get("data", {}).get("victims")
            if step["code"] == "Success" and victims is not None:
                tally.observe(definitions.PREEMPTION_VICTIMS, len(victims))


def _durations(tally: Tally, group: RecordGroup) -> None:
    """What the attempts of a group took: in all, until a node was found, and at each extension point."""
    first = group.records[0].data
    cycle = first["cycle"]
    profile, result = cycle["profile"], cycle["outcome"]
    if result in RESULTS:
        tally.observe_all(definitions.ATTEMPT_DURATION, map(sum, group.seconds), result, profile)
    points = [step.timed_as for step in group.steps]
    if first["kind"] == "cycle" and "nodes" in cycle:
        end = points.index(ASSUME) if ASSUME in points else len(points)
        tally.observe_all(definitions.ALGORITHM_DURATION, [sum(seconds[:end]) for seconds in group.seconds])
    at = 0
    # Steps of one extension point that follow one another are one observation.
    for point, steps in groupby(group.steps, key=lambda step: POINTS.get(step.timed_as)):
        codes = [step.code for step in steps]
        begin, at = at, at + len(codes)
        if point is not None:
            took = [sum(seconds[begin:at]) for seconds in group.seconds]
            tally.observe_all(definitions.EXTENSION_POINT_DURATION, took, point, _status(point, codes), profile)


def _status(point: str, codes: Sequence[str]) -> str:
    """What the extension point as a whole answered: the last that did not pass, but one PostFilter is enough."""
    failed = [code for code in codes if code not in PASSED]
    if not failed or (point == "PostFilter" and len(failed) < len(codes)):
        return "Success"
    return failed[-1]
