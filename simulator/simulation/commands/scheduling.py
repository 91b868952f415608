"""Commands that run the scheduler, resolve what its plugins wait for, or set the random seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kube_objects.sentences import say
from kube_objects.text.problems import Problem
from scheduler_core.framework.waiting import WaitingPod
from simulator.simulation import breakpoints
from simulator.simulation.commands.command import Command, CommandError, Payload
from simulator.simulation.commands.fields import MAX_TEXT, Choice, OneRule, Schema, Seconds, Seed, Text
from simulator.simulation.journal import Record
from simulator.simulation.timeline import ATTEMPT_SECONDS, Timeline

MAX_ADVANCE_SECONDS = 366 * 24 * 3600
# Virtual time ends after a thousand years, because a Kubernetes timestamp has four digits for the year.
MAX_SECONDS = 1000 * MAX_ADVANCE_SECONDS
MAX_CYCLES = 10_000_000
UNTIL_BREAKPOINT = {"breakpoint": True}
# The virtual seconds for which a run waits for the next work of controllers.
IDLE_SECONDS = 3600.0


@dataclass(slots=True, frozen=True)
class _Until:
    """The condition for the end of a run, which also ends if no pod can be popped. All None and false: "idle"."""

    cycles: int | None = None
    seconds: float | None = None
    pod: str | None = None
    breakpoint: bool = False


class _UntilField(OneRule):
    """The field type of `until`."""

    @property
    def notation(self) -> str:
        return '"idle" | {"cycles": n} | {"seconds": n} | {"pod": key} | {"breakpoint": true}'

    def broken_by(self, value: Any) -> str:
        if value == "idle":
            return ""
        if isinstance(value, Mapping) and len(value) == 1:
            cycles, pod = value.get("cycles"), value.get("pod")
            if isinstance(cycles, int) and not isinstance(cycles, bool) and 0 < cycles <= MAX_CYCLES:
                return ""
            if "seconds" in value and not Seconds(MAX_ADVANCE_SECONDS).broken_by(value["seconds"]):
                return ""
            if (isinstance(pod, str) and len(pod) <= MAX_TEXT) or value.get("breakpoint") is True:
                return ""
        return (
            f'must be "idle", {{"cycles": 1 to {MAX_CYCLES}}}, {{"seconds": more than 0}}, {{"pod": "namespace/name"}} '
            'or {"breakpoint": true}'
        )

    def schema(self) -> Schema:
        return {
            "oneOf": [
                {"type": "string", "enum": ["idle"]},
                _only("cycles", {"type": "integer", "minimum": 1, "maximum": MAX_CYCLES}),
                _only("seconds", Seconds(MAX_ADVANCE_SECONDS).schema()),
                _only("pod", Text().schema()),
                _only("breakpoint", {"type": "boolean", "enum": [True]}),
            ]
        }


def _only(name: str, schema: Schema) -> Schema:
    return {"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": False}


class _BreakpointsField:
    """The field type of `breakpoints`."""

    notation = ""

    def check(self, name: str, value: Any) -> Sequence[Problem]:
        return breakpoints.check(value, name)

    def schema(self) -> Schema:
        return breakpoints.schema()


def _only_until_breakpoint(payload: Payload) -> Sequence[Problem]:
    if "breakpoints" not in payload or stops_at_breakpoints(payload):
        return ()
    return [Problem("breakpoints", None, say('is only for runs until {"breakpoint": true} or {"seconds": n}'))]


def stops_at_breakpoints(payload: Payload) -> bool:
    until = payload.get("until")
    return until == UNTIL_BREAKPOINT or (isinstance(until, Mapping) and "seconds" in until)


def _check_end(simulation: Timeline, path: str, seconds: float) -> None:
    """Raise CommandError if the clock would pass the end of virtual time."""
    # A run that continues after a restore was checked at its start.
    if simulation.run_end is None and simulation.now + seconds > MAX_SECONDS:
        rule = say("the clock is at {now} seconds; its maximum is {most}", now=round(simulation.now), most=MAX_SECONDS)
        raise CommandError([Problem(path, seconds, rule, hint=say("reset the cluster, which sets its clock to 0"))])


def run(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Check that the run ends within virtual time, and return its records. Raise CommandError."""
    until = payload["until"]
    if isinstance(until, Mapping) and "seconds" in until:
        _check_end(simulation, "until.seconds", until["seconds"])
    elif simulation.now > MAX_SECONDS:
        _check_end(simulation, "until", 0.0)
    return _run_records(simulation, payload)


def _run_records(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    until = _Until() if payload["until"] == "idle" else _Until(**payload["until"])
    simulation.breakpoints = payload.get("breakpoints", ())
    has_controllers, last = simulation.cluster.controllers is not None, simulation.now
    for record in _run(simulation, until):
        last = simulation.now
        yield record
        if "stoppedBy" in record.data and record.data["kind"] == "reconcile":
            return
    if has_controllers and simulation.now > last:
        yield simulation.record("clock")  # the time of the last record is the time of the cluster


def _run(simulation: Timeline, until: _Until) -> Iterator[Record]:
    """Run events until the condition is met.

    1. Choose the next event: an attempt, or a jump of the clock. End the run if there is none.
    2. Yield its records, including those of bindings, evictions and controllers that follow from it.
    3. End the run at a breakpoint, after `until.cycles` cycles, or after an attempt of `until.pod`.
    """
    cycles = 0
    while (records := _next_event(simulation, until)) is not None:
        tried: set[str] = set()
        stopped = False
        for record in records:
            if record.data["kind"] == "cycle":
                tried.add(record.data["cycle"]["pod"])
            stopped = stopped or "stoppedBy" in record.data
            yield record
        cycles += len(tried)  # more than one in the cycle of a pod group
        if stopped or (until.cycles is not None and cycles >= until.cycles) or until.pod in tried:
            return


def _next_event(simulation: Timeline, until: _Until) -> Iterator[Record] | None:
    """Return the records of a run's next event, which is processed as they are read; None at the end of the run.

    1. Finish an attempt that was in progress at a checkpoint.
    2. With `until.seconds`: end at that time. Otherwise attempt a pod, or jump to the next timer.
    3. Without: attempt a pod if one can be popped.
    4. With controllers: jump to their next change within IDLE_SECONDS. Otherwise end.

    Unless the run counts cycles, pod groups that failed since the last change are not attempted.
    """
    if simulation.attempting:
        return simulation.attempt()
    can_try = simulation.cluster.queue.can_pop and not (
        until.cycles is None and simulation.has_only_unschedulable_groups
    )
    soonest = simulation.now + ATTEMPT_SECONDS
    if until.seconds is not None:
        end = _run_end(simulation, until.seconds)
        if simulation.now >= end:
            return None
        if can_try:
            return simulation.attempt()
        return simulation.advance(min(max(simulation.cluster.timers.peek(end), soonest), end))
    if can_try:
        return simulation.attempt()
    if simulation.cluster.controllers is None:
        return None
    end = _run_end(simulation, IDLE_SECONDS)
    next_change = simulation.cluster.timers.peek_change(end)
    return None if next_change > end else simulation.advance(max(next_change, soonest))


def _run_end(simulation: Timeline, seconds: float) -> float:
    """Return the virtual time at which the run ends; after a restore, the end that was set at its start."""
    if simulation.run_end is None:
        simulation.run_end = simulation.now + seconds
    return simulation.run_end


def advance_clock(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Check that the clock stays within virtual time, and return the records. Raise CommandError."""
    _check_end(simulation, "seconds", payload["seconds"])
    return _advance_records(simulation, payload)


def _advance_records(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    yield from simulation.advance(_run_end(simulation, payload["seconds"]))
    yield simulation.record("clock")


def permit(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    """Allow or reject a pod that waits at Permit, for one of its plugins or for all."""
    pod = simulation.cluster.find_pod(payload["pod"])
    waiting = None if pod is None else simulation.cluster.scheduler.waiting.get(pod.uid)
    if waiting is None or waiting.point != WaitingPod.point:
        raise CommandError([Problem("pod", payload["pod"], say("does not wait at Permit"))])
    plugin = payload.get("plugin")
    if plugin is not None and plugin not in waiting.pending_plugins:
        rule = say("the pod does not wait for it; it waits for {names}", names=", ".join(waiting.pending_plugins))
        raise CommandError([Problem("plugin", plugin, rule)])

    def carry_out() -> Iterator[Record]:
        if payload["decision"] == "allow":
            for name in waiting.pending_plugins if plugin is None else [plugin]:
                waiting.allow(name)
        else:
            waiting.reject(plugin or waiting.pending_plugins[0], payload.get("message") or "rejected by hand")
        yield simulation.record("permit", pod=payload["pod"], decision=payload["decision"])
        yield from simulation.settle()

    return carry_out()


def fail_binding(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    simulation.cluster.fail_next_binding = payload.get("message") or "binding failed, as told"
    yield simulation.record("control", failBinding=simulation.cluster.fail_next_binding)


def seed(simulation: Timeline, payload: Payload) -> Iterator[Record]:
    simulation.seed = payload["seed"]
    simulation.cluster.random.seed(simulation.seed)
    yield simulation.record("control", seed=simulation.seed)


COMMANDS = (
    Command(
        kind="schedule_one",
        about="runs one cycle for the next Pod",
        prepare=lambda simulation, _: simulation.attempt(),
        wakes_no_group=True,
    ),
    Command(
        kind="run",
        about="runs cycles until the condition holds; see [Run](#run)",
        required={"until": _UntilField()},
        optional={"breakpoints": _BreakpointsField()},
        check_together=_only_until_breakpoint,
        wakes_no_group=True,
        prepare=run,
    ),
    Command(
        kind="advance_clock",
        about="advances virtual time: backoffs end, and waiting Pods time out",
        required={"seconds": Seconds(MAX_ADVANCE_SECONDS)},
        prepare=advance_clock,
        wakes_no_group=True,
    ),
    Command(
        kind="permit",
        about="allows or rejects a Pod that waits at Permit",
        required={"pod": Text(), "decision": Choice(("allow", "reject"))},
        optional={"plugin": Text(), "message": Text()},
        prepare=permit,
    ),
    Command(
        kind="fail_binding",
        about="makes the next Bind fail with an error",
        optional={"message": Text()},
        prepare=fail_binding,
    ),
    Command(
        kind="seed", about="restarts the random generator that breaks ties", required={"seed": Seed()}, prepare=seed
    ),
)
