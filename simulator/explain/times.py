"""Durations of extension points and plugins, in one attempt that was run again or summed over a run's records.

A caller that gives the simulation a clock gets them. Records hold no durations, so that they stay reproducible.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypedDict

from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.trace import EXTENDER, Step
from simulator.explain.rerun import Rerun
from simulator.simulation.journal import Record

# Steps without a plugin, before or after the extension point that they belong to.
BEFORE = {"Filter": ["Sample"]}
AFTER = {"NormalizeScore": ["SelectHost", "Assume"], "Permit": ["WaitOnPermit"]}
ORDER = [step for point in ExtensionPoint for step in (*BEFORE.get(point, ()), str(point), *AFTER.get(point, ()))]
# Users choose the names of extenders. Beyond this limit, each point sums them in one row.
MAX_ROWS = 300
OTHER = "other"


class ExplainedTimedStep(TypedDict):
    point: str
    plugin: str
    code: str
    seconds: float


class ExplainedTimings(TypedDict):
    measured: Literal["rerun"]
    steps: list[ExplainedTimedStep]


class ExplainedTimedPlugin(TypedDict):
    plugin: str
    runs: int
    skips: int
    seconds: float
    longest: float


class ExplainedTimedPoint(TypedDict):
    point: str
    seconds: float
    plugins: list[ExplainedTimedPlugin]


class ExplainedClusterTimings(TypedDict):
    measured: Literal["run"]
    attempts: int
    seconds: float
    points: list[ExplainedTimedPoint]


def times_of_rerun(rerun: Rerun) -> ExplainedTimings:
    """Return the durations of an attempt's steps in running order."""
    steps = zip(rerun.cycle["steps"], rerun.timings, strict=True)
    return {
        "measured": "rerun",
        "steps": [
            {
                "point": step["point"],
                "plugin": _runner(step),
                "code": step["code"],
                "seconds": round(seconds, 7),
            }
            for step, (_, _, seconds) in steps
        ],
    }


class TimedStep(NamedTuple):
    """One kind of measured step; its duration counts for the point `timed_as`."""

    timed_as: str
    point: str
    plugin: str
    code: str


@dataclass(slots=True)
class RecordGroup:
    """Measured records with the same steps and the same outcome, and the durations of each record's steps."""

    steps: list[TimedStep]
    records: list[Record]
    seconds: list[tuple[float, ...]]


def group_by_steps(records: Iterable[Record]) -> list[RecordGroup]:
    """Group the measured records that have the same steps and outcome, so that each group is added up at once."""
    groups: dict[Hashable, RecordGroup] = {}
    for record in records:
        if not record.timings:
            continue
        cycle = record.data["cycle"]
        timed_as, codes, seconds = zip(*record.timings, strict=True)
        plugins = tuple([step.get("plugin") for step in cycle["steps"]])
        called = tuple(map(_runner, cycle["steps"])) if EXTENDER in timed_as else ()
        ended = record.data["kind"], cycle["profile"], cycle["outcome"], "nodes" in cycle
        key = timed_as, codes, plugins, called, ended
        group = groups.get(key)
        if group is None:
            ran = zip(timed_as, cycle["steps"], codes, strict=True)
            steps = [TimedStep(timed, step["point"], _runner(step), code) for timed, step, code in ran]
            group = groups[key] = RecordGroup(steps, [], [])
        group.records.append(record)
        group.seconds.append(seconds)
    return list(groups.values())


@dataclass(slots=True)
class TimeSums:
    """Sums over measured attempts: (point, plugin) → runs, skips, seconds, longest."""

    attempts: int = 0
    sums: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def count(self, groups: Iterable[RecordGroup]) -> None:
        """Add the steps of measured records."""
        for group in groups:
            many = len(group.records)
            self.attempts += many * (group.records[0].data["kind"] == "cycle")
            for step, column in zip(group.steps, zip(*group.seconds, strict=True), strict=True):
                values = self.sums.get((step.point, step.plugin))
                if values is None:
                    values = self._first(step.point, step.plugin)
                values[step.code == "Skip"] += many
                values[2] += sum(column)
                values[3] = max(values[3], *column)

    def _first(self, point: str, plugin: str) -> list[float]:
        key = (point, plugin) if len(self.sums) < MAX_ROWS else (point, OTHER)
        return self.sums.setdefault(key, [0, 0, 0.0, 0.0])

    def describe(self) -> ExplainedClusterTimings:
        """Return the sums by point in running order, each point's slowest plugin first."""
        points: dict[str, list[ExplainedTimedPlugin]] = {}
        for (point, plugin), (runs, skips, seconds, longest) in self.sums.items():
            entry: ExplainedTimedPlugin = {
                "plugin": plugin,
                "runs": int(runs),
                "skips": int(skips),
                "seconds": seconds,
                "longest": longest,
            }
            points.setdefault(point, []).append(entry)
        return {
            "measured": "run",
            "attempts": self.attempts,
            "seconds": _total(entry for plugins in points.values() for entry in plugins),
            "points": [
                {
                    "point": point,
                    "seconds": _total(points[point]),
                    "plugins": sorted(points[point], key=lambda entry: (-entry["seconds"], entry["plugin"])),
                }
                for point in sorted(points, key=ORDER.index)
            ],
        }


def _runner(step: Step) -> str:
    """Return the plugin or extender that a step ran."""
    return step.get("plugin") or step.get("extender", "")  # type: ignore[no-any-return]


def _total(entries: Iterable[ExplainedTimedPlugin]) -> float:
    return round(sum(entry["seconds"] for entry in entries), 7)
