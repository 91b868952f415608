"""Trace: the steps of one attempt, as the UI shows them. See docs/reference/commands-and-trace.md."""

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
# Equal steps share one dict across attempts, so a step must not be modified.
MAX_CACHED_STEPS = 4096


class Trace:
    """A collector of the steps of one attempt; None in its place records nothing.

    With a `clock` (seconds) it also measures them, into `timings`. No decision or record depends on these.
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
        """Add the step of one plugin at one extension point. Fields that are None are left out."""
        step = plugin_step(point, plugin, status, in_, out, data)
        self.steps.append(step)
        if self._clock is not None:
            now = self._clock()
            self.timings.append((step["point"], step["code"], now - self._since))
            self._since = now

    def add_point(self, steps: Sequence[Step], watch: Stopwatch | None) -> None:
        """Add all steps of a point at its end, and share out its time as the plugins spent it.

        The framework's own time is shared out with it; without measurements all plugins that ran get equal shares.
        """
        self.steps += steps
        if self._clock is None or not steps:
            return
        now = self._clock()
        spent = {} if watch is None else watch.pop_spent()
        shares = [spent.get(step.get("plugin", ""), 0.0) for step in steps] if spent else []
        if not any(shares):
            shares = [float(step["code"] != "Skip") for step in steps]
        unit = (now - self._since) / (sum(shares) or 1.0)
        self.timings += [(step["point"], step["code"], unit * share) for step, share in zip(steps, shares, strict=True)]
        self._since = now

    def stopwatch(self) -> Stopwatch | None:
        return None if self._clock is None else Stopwatch(self._clock)

    def add_calls(self, calls: Iterable[Mapping[str, Any]]) -> None:
        """Add extender calls that a plugin made; their time is part of the plugin's."""
        for call in calls:
            self.steps.append(dict(call))
            if self._clock is not None:
                self.timings.append((EXTENDER, call["code"], 0.0))

    def add_call(self, point: ExtensionPoint, extender: str, status: Status, **fields: Any) -> None:
        """Add one call of an extender, named by its urlPrefix. Fields that are None are left out."""
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
    """Return the step of one plugin at one extension point. Fields that are None are left out."""
    if data is None and not status.reasons:
        return plain_step(point, plugin, status.code, nodes_in, nodes_out)
    step = _step(point, plugin, status.code, nodes_in, nodes_out)
    if status.reasons:
        step["reasons"] = list(status.reasons)
    if data is not None:
        step["data"] = data
    return step


@lru_cache(MAX_CACHED_STEPS)
def plain_step(point: str, plugin: str, code: Code, nodes_in: int | None, nodes_out: int | None) -> Step:
    """Return a step without reasons and data, shared with other attempts."""
    return _step(point, plugin, code, nodes_in, nodes_out)


@lru_cache(MAX_CACHED_STEPS)
def score_step(point: str, plugin: str, lowest: int, highest: int, weight: int) -> Step:
    """Return the step of a Score plugin: the range of its scores, and its weight."""
    step = _step(point, plugin, Code.SUCCESS, None, None)
    step["data"] = {"min": lowest, "max": highest, "weight": weight}
    return step
