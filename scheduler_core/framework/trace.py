"""Trace: what ran in one attempt, step by step, as it is shown. See docs/trace_format.md."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.status import SUCCESS, Code, Status
from scheduler_core.framework.stopwatch import Clock, Stopwatch

Step = dict[str, Any]
# (point, code, seconds) since the step before it; calls of extenders have EXTENDER as their point.
Timing = tuple[str, str, float]
EXTENDER = "Extender"
# Most steps say no more than what ran, how it ended and on how many nodes: each of these is one dict, for all attempts
# that have it. Nobody changes a step that was told.
MOST_KNOWN = 4096


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

    def add(
        self,
        point: ExtensionPoint | str,
        plugin: str = "",
        status: Status = SUCCESS,
        in_: int | None = None,
        out: int | None = None,
        data: Any = None,
    ) -> None:
        """One plugin at one extension point. Fields that are None are left out."""
        step = plugin_step(point, plugin, status, in_, out, data)
        self.steps.append(step)
        if self._clock is not None:
            now = self._clock()
            self.timings.append((step["point"], step["code"], now - self._since))
            self._since = now

    def add_point(self, steps: Sequence[Step], watch: Stopwatch | None) -> None:
        """All steps of a point, told when it is over: their time is shared out as the plugins spent it.

        What the framework itself took is shared out with it; where no plugin was asked, to those that ran alike.
        """
        self.steps += steps
        if self._clock is None or not steps:
            return
        now = self._clock()
        spent = {} if watch is None else watch.take()
        shares = [spent.get(step.get("plugin", ""), 0.0) for step in steps] if spent else []
        if not any(shares):
            shares = [float(step["code"] != "Skip") for step in steps]
        unit = (now - self._since) / (sum(shares) or 1.0)
        self.timings += [(step["point"], step["code"], unit * share) for step, share in zip(steps, shares, strict=True)]
        self._since = now

    def stopwatch(self) -> Stopwatch | None:
        return None if self._clock is None else Stopwatch(self._clock)

    def add_calls(self, calls: Iterable[Mapping[str, Any]]) -> None:
        """Calls of extenders from within a plugin; their time is part of that plugin's."""
        for call in calls:
            self.steps.append(dict(call))
            if self._clock is not None:
                self.timings.append((EXTENDER, call["code"], 0.0))

    def add_call(self, point: ExtensionPoint, extender: str, status: Status, **fields: Any) -> None:
        """One call of an extender, named by its urlPrefix. Fields that are None are left out."""
        step: Step = {"point": str(point), "extender": extender, "code": status.code.upstream_name}
        if status.reasons:
            step["reasons"] = list(status.reasons)
        for name, value in fields.items():
            if value is not None:
                step["in" if name == "in_" else name] = value
        self.steps.append(step)
        if self._clock is not None:
            now = self._clock()
            self.timings.append((EXTENDER, step["code"], now - self._since))
            self._since = now


def _step(point: str, plugin: str, code: Code, nodes_in: int | None, nodes_out: int | None) -> Step:
    step: Step = {"point": str(point), "plugin": plugin} if plugin else {"point": str(point)}
    step["code"] = code.upstream_name
    if nodes_in is not None:
        step["in"] = nodes_in
    if nodes_out is not None:
        step["out"] = nodes_out
    return step


def plugin_step(
    point: ExtensionPoint | str,
    plugin: str,
    status: Status,
    nodes_in: int | None = None,
    nodes_out: int | None = None,
    data: Any = None,
) -> Step:
    """The step of one plugin at one extension point. Fields that are None are left out."""
    if data is None and not status.reasons:
        return step_of(point, plugin, status.code, nodes_in, nodes_out)
    step = _step(point, plugin, status.code, nodes_in, nodes_out)
    if status.reasons:
        step["reasons"] = list(status.reasons)
    if data is not None:
        step["data"] = data
    return step


@lru_cache(MOST_KNOWN)
def step_of(point: str, plugin: str, code: Code, nodes_in: int | None, nodes_out: int | None) -> Step:
    """The step that says no more than this."""
    return _step(point, plugin, code, nodes_in, nodes_out)


@lru_cache(MOST_KNOWN)
def score_step(point: str, plugin: str, lowest: int, highest: int, weight: int) -> Step:
    """The step of a Score plugin: the range of its scores, and what they weigh."""
    step = _step(point, plugin, Code.SUCCESS, None, None)
    step["data"] = {"min": lowest, "max": highest, "weight": weight}
    return step
