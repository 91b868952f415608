"""The translation of the engine's records to kube-scheduler's metrics."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from playground.metrics import definitions
from playground.metrics.tally import Tally
from scheduler_core.queue.moves import SubQueue
from simulator.explain.times import RecordGroup
from simulator.simulation import Record

# kube-scheduler's queue names. It counts gated Pods as unschedulable, and Pods after an error as in backoff.
QUEUES = {
    SubQueue.ACTIVE.value: "active",
    SubQueue.BACKOFF.value: "backoff",
    SubQueue.ERROR_BACKOFF.value: "backoff",
    SubQueue.UNSCHEDULABLE.value: "unschedulable",
    SubQueue.GATED.value: "unschedulable",
}
POP_FROM_BACKOFF = "PopFromBackoffQ"
RESULTS = ("scheduled", "unschedulable", "error")
# Steps by the extension point that kube-scheduler measures them under.
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
# The first step after the scheduling algorithm.
ASSUME = "Assume"
PASSED = ("Success", "Skip")


def observe_records(tally: Tally, records: Sequence[Record], groups: Iterable[RecordGroup]) -> None:
    """Count these records; `groups` are those with measured durations."""
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
    """Count an attempt in a cycle's record, or in the binding of a Pod that waited at Permit."""
    profile, result = cycle["profile"], cycle["outcome"]
    if result in RESULTS:
        tally.count(definitions.SCHEDULE_ATTEMPTS, result, profile)
    if result == "scheduled":
        # A Pod that preempts is not scheduled in the same attempt.
        tally.observe(definitions.POD_ATTEMPTS, cycle["attempt"])
        return
    for step in cycle["steps"]:
        if step["point"] == "PostFilter" and step.get("plugin") == "DefaultPreemption":
            tally.count(definitions.PREEMPTION_ATTEMPTS)
            victims = step.get("data", {}).get("victims")
            if step["code"] == "Success" and victims is not None:
                tally.observe(definitions.PREEMPTION_VICTIMS, len(victims))


def _durations(tally: Tally, group: RecordGroup) -> None:
    """Observe the durations of a group's attempts: in total, of the algorithm, and of each extension point."""
    first = group.records[0].data
    cycle = first["cycle"]
    profile, result = cycle["profile"], cycle["outcome"]
    if result in RESULTS:
        tally.observe_all(definitions.ATTEMPT_DURATION, map(sum, group.seconds), result, profile)
    points = [step.timed_as for step in group.steps]
    if first["kind"] == "cycle" and "nodes" in cycle:
        end = points.index(ASSUME) if ASSUME in points else len(points)
        tally.observe_all(definitions.ALGORITHM_DURATION, [sum(seconds[:end]) for seconds in group.seconds])
    position = 0
    # Consecutive steps of an extension point are one observation.
    for point, steps in groupby(group.steps, key=lambda step: POINTS.get(step.timed_as)):
        codes = [step.code for step in steps]
        begin, position = position, position + len(codes)
        if point is not None:
            took = [sum(seconds[begin:position]) for seconds in group.seconds]
            tally.observe_all(definitions.EXTENSION_POINT_DURATION, took, point, _status(point, codes), profile)


def _status(point: str, codes: Sequence[str]) -> str:
    """Return the extension point's status: the last failure, but Success if any PostFilter plugin succeeded."""
    failed = [code for code in codes if code not in PASSED]
    if not failed or (point == "PostFilter" and len(failed) < len(codes)):
        return "Success"
    return failed[-1]
