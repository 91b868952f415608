"""Trace: what ran in one attempt, step by step, as it is shown. See docs/trace_format.md."""

from collections.abc import Callable
from typing import Any

from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Status

Step = dict[str, Any]
# (point, code, seconds) since the step before it; calls of extenders have EXTENDER as their point.
Timing = tuple[str, str, float]
Clock = Callable[[], float]
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
        step: Step = {"point": str(point)}
        if plugin:
            step["plugin"] = plugin
        self._finish(step, step["point"], status, fields)

    def add_call(self, point: ExtensionPoint, extender: str, status: Status, **fields: Any) -> None:
        """One call of an extender, named by its urlPrefix."""
        self._finish({"point": str(point), "extender": extender}, EXTENDER, status, fields)

    def _finish(self, step: Step, timed_as: str, status: Status, fields: Step) -> None:
        step["code"] = "Success" if status is SUCCESS else status.code.upstream_name
        if status.reasons:
            step["reasons"] = list(status.reasons)
        for name, value in fields.items():
            if value is not None:
                step["in" if name == "in_" else name] = value
        self.steps.append(step)
        if self._clock is not None:
            now = self._clock()
            self.timings.append((timed_as, step["code"], now - self._since))
            self._since = now
