"""What extension points and plugins took: in one attempt that was run again, or added up over a run's records.

Measured by whoever gives the simulation a clock; records hold no durations, so that they stay the same every time.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypedDict

from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.trace import EXTENDER, Step
from simulator.explain.rerun import Rerun
from simulator.simulation.journal import Record

# The steps that are no plugin's stand before or behind the point that they belong to.
BEFORE = {"Filter": ["Sample"]}
BEHIND = {"NormalizeScore": ["SelectHost", "Assume"], "Permit": ["WaitOnPermit"]}
ORDER = [step for point in ExtensionPoint for step in (*BEFORE.get(point, ()), str(point), *BEHIND.get(point, ()))]
# Users choose the names of extenders; beyond so many rows they are one at each point.
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


def times_of_rerun(again: Rerun) -> ExplainedTimings:
    """The steps in the order that they ran."""
    steps = zip(again.cycle["steps"], again.timings, strict=True)
    return {
        "measured": "rerun",
        "steps": [
            {"point": step["point"], "plugin": _who(step), "code": step["code"], "seconds": round(seconds, 7)}
            for step, (_, _, seconds) in steps
        ],
    }


class TimedStep(NamedTuple):
    """A step as far as it is measured: `timed_as` is the point that its time counts for."""

    timed_as: str
    point: str
    who: str
    code: str


@dataclass(slots=True)
class Alike:
    """Records of attempts that ended alike after the same steps, and what each of these took in each of them."""

    steps: list[TimedStep]
    records: list[Record]
    seconds: list[tuple[float, ...]]


def alike(records: Iterable[Record]) -> list[Alike]:
    """The records that were measured, those together that are added up as one: most of a run are."""
    groups: dict[Hashable, Alike] = {}
    for record in records:
        if not record.timings:
            continue
        cycle = record.data["cycle"]
        timed_as, codes, seconds = zip(*record.timings, strict=True)
        plugins = tuple([step.get("plugin") for step in cycle["steps"]])
        called = tuple(map(_who, cycle["steps"])) if EXTENDER in timed_as else ()
        ended = record.data["kind"], cycle["profile"], cycle["outcome"], "nodes" in cycle
        key = timed_as, codes, plugins, called, ended
        group = groups.get(key)
        if group is None:
            ran = zip(timed_as, cycle["steps"], codes, strict=True)
            steps = [TimedStep(timed, step["point"], _who(step), code) for timed, step, code in ran]
            group = groups[key] = Alike(steps, [], [])
        group.records.append(record)
        group.seconds.append(seconds)
    return list(groups.values())


@dataclass(slots=True)
class TimeSums:
    """Sums over the attempts of records that were measured: (point, plugin) → runs, skips, seconds, longest."""

    attempts: int = 0
    sums: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def count(self, groups: Iterable[Alike]) -> None:
        """Add the steps of records that were measured."""
        for group in groups:
            many = len(group.records)
            self.attempts += many * (group.records[0].data["kind"] == "cycle")
            for step, column in zip(group.steps, zip(*group.seconds, strict=True), strict=True):
                values = self.sums.get((step.point, step.who))
                if values is None:
                    values = self._first(step.point, step.who)
                values[step.code == "Skip"] += many
                values[2] += sum(column)
                values[3] = max(values[3], *column)

    def _first(self, point: str, who: str) -> list[float]:
        key = (point, who) if len(self.sums) < MAX_ROWS else (point, OTHER)
        return self.sums.setdefault(key, [0, 0, 0.0, 0.0])

    def describe(self) -> ExplainedClusterTimings:
        """Points are in the order that they run; of their plugins the one that took longest comes first."""
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
            "seconds": _total(entry for found in points.values() for entry in found),
            "points": [
                {
                    "point": point,
                    "seconds": _total(points[point]),
                    "plugins": sorted(points[point], key=lambda entry: (-entry["seconds"], entry["plugin"])),
                }
                for point in sorted(points, key=ORDER.index)
            ],
        }


def _who(step: Step) -> str:
    return step.get("plugin") or step.get("extender", "")  # type: ignore[no-any-return]


def _total(entries: Iterable[ExplainedTimedPlugin]) -> float:
    return round(sum(entry["seconds"] for entry in entries), 7)
