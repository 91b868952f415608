"""What the records of the engine mean in kube-scheduler's metrics."""

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any

from playground.metrics import definitions
from playground.metrics.tally import Tally
from scheduler_core.framework.trace import Timing
from scheduler_core.queue.moves import SubQueue
from scheduler_core.simulation import Record

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
# Behind the last step; it belongs to no extension point.
_END: Timing = ("", "", 0.0)


def observe(tally: Tally, records: Iterable[Record]) -> None:
    """Count what these records tell."""
    for record in records:
        tally.count(definitions.RECORDS, record.data["kind"])
        for move in record.moves:
            _count_move(tally, move)
        if "cycle" in record.data:
            _attempt(tally, record.data["cycle"], record.timings)
            if record.data["kind"] == "cycle" and record.timings and "nodes" in record.data["cycle"]:
                before = takewhile(lambda timing: timing[0] != ASSUME, record.timings)
                tally.observe(definitions.ALGORITHM_DURATION, sum(seconds for *_, seconds in before))


def _count_move(tally: Tally, move: Mapping[str, Any]) -> None:
    queue = QUEUES.get(move["to"])
    if queue is not None and QUEUES.get(move["from"]) != queue:
        tally.count(definitions.QUEUE_INCOMING, queue, move["event"])
    elif move["event"] == POP_FROM_BACKOFF:
        tally.count(definitions.QUEUE_INCOMING, "active", POP_FROM_BACKOFF)


def _attempt(tally: Tally, cycle: Mapping[str, Any], timings: list[Timing]) -> None:
    """A cycle's record, or that of the binding of a pod that waited at Permit."""
    profile, result = cycle["profile"], cycle["outcome"]
    if result in RESULTS:
        tally.count(definitions.SCHEDULE_ATTEMPTS, result, profile)
        if timings:
            tally.observe(definitions.ATTEMPT_DURATION, sum(seconds for *_, seconds in timings), result, profile)
    if result == "scheduled":
        tally.observe(definitions.POD_ATTEMPTS, cycle["attempt"])
    for step in cycle["steps"]:
        if step["point"] == "PostFilter" and step.get("plugin") == "DefaultPreemption":
            tally.count(definitions.PREEMPTION_ATTEMPTS)
            victims = step.get("data", {}).get("victims")
            if step["code"] == "Success" and victims is not None:
                tally.observe(definitions.PREEMPTION_VICTIMS, len(victims))
    _durations(tally, timings, profile)


def _durations(tally: Tally, timings: list[Timing], profile: str) -> None:
    """Steps of one extension point that follow one another are one observation."""
    point: str | None = None
    failed: list[str] = []
    seconds, ran = 0.0, 0
    for step, code, took in (*timings, _END):
        current = POINTS.get(step)
        if current != point:
            if point is not None:
                whole = _status(point, ran, failed)
                tally.observe(definitions.EXTENSION_POINT_DURATION, seconds, point, whole, profile)
            point, seconds, ran, failed = current, 0.0, 0, []
        seconds += took
        ran += 1
        if code not in PASSED:
            failed.append(code)


def _status(point: str, ran: int, failed: list[str]) -> str:
    """What the extension point as a whole answered: the last that did not pass, but one PostFilter is enough."""
    if not failed or (point == "PostFilter" and len(failed) < ran):
        return "Success"
    return failed[-1]
