"""Trace: what ran in one attempt, step by step, as it is shown. See docs/trace_format.md."""

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Status
from scheduler_core.framework.stopwatch import Clock, Stopwatch

Step = dict[str, Any]
# (point, code, seconds) since the step before it; calls of extenders have EXTENDER as their point.
Timing = tuple[str, str, float]
EXTENDER = "Extender"


class Trace:
    """Collects the steps of one attempt; `None` in its place records nothing.

    With a `clock` (seconds) it also measures them, into `timings`. Nothing that is decided or recorded depends on it.
    """

    __slots__ = ("_clock", "_since", "steps", "timings")

    def __init__(self, clock: Clock | None = None) -> None:
        self.steps: list[Step] = []
        self.timings: list[Timing] = []
        self._clock = clock
        self._since = 0.0 if clock is None else clock()

    def add(self, point: ExtensionPoint | str, plugin: str = "", status: Status = SUCCESS, **fields: Any) -> None:
        """One plugin at one extension point. Fields that are None are left out."""
        step: Step = {"point": str(point), "plugin": plugin} if plugin else {"point": str(point)}
        self._finish(step, step["point"], status, fields)

    def stopwatch(self) -> Stopwatch | None:
        return None if self._clock is None else Stopwatch(self._clock)

    def share_out(self, first: int, watch: Stopwatch | None) -> None:
        """The steps from index `first` on were told at once: share their time out as the plugins spent it.

        What the framework itself took is shared out with it; where no plugin was asked, to those that ran alike.
        """
        if watch is None:
            return
        spent = watch.take()
        steps, timings = self.steps[first:], self.timings[first:]
        shares = [spent.get(step.get("plugin", ""), 0.0) for step in steps]
        if not any(shares):
            shares = [float(step["code"] != "Skip") for step in steps]
        whole, parts = sum(seconds for *_, seconds in timings), sum(shares) or 1.0
        self.timings[first:] = [
            (point, code, whole * share / parts) for (point, code, _), share in zip(timings, shares, strict=True)
        ]

    def add_calls(self, calls: Iterable[Mapping[str, Any]]) -> None:
        """Calls of extenders from within a plugin; their time is part of that plugin's."""
        for call in calls:
            self.steps.append(dict(call))
            if self._clock is not None:
                self.timings.append((EXTENDER, call["code"], 0.0))

    def add_call(self, point: ExtensionPoint, extender: str, status: Status, **fields: Any) -> None:
        """One call of an extender, named by its urlPrefix."""
        self._finish({"point": str(point), "extender": extender}, EXTENDER, status, fields)

    def _finish(self, step: Step, timed_as: str, status: Status, fields: Step) -> None:
        code = "Success" if status is SUCCESS else status.code.upstream_name
        step["code"] = code
        if status.reasons:
            step["reasons"] = list(status.reasons)
        for name, value in fields.items():
            if value is not None:
                step["in" if name == "in_" else name] = value
        self.steps.append(step)
        if self._clock is not None:
            now = self._clock()
            self.timings.append((timed_as, code, now - self._since))
            self._since = now
