"""What extension points and plugins took: in one attempt that was run again, or added up over a run's records.

Measured by whoever gives the simulation a clock; records hold no durations, so that they stay the same every time.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypedDict

from scheduler_core.explain.rerun import Rerun
from scheduler_core.framework.interface import ExtensionPoint
from scheduler_core.framework.trace import Step
from scheduler_core.simulation.journal import Record

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


@dataclass(slots=True)
class TimeSums:
    """Sums over the attempts of records that were measured: (point, plugin) → runs, skips, seconds, longest."""

    attempts: int = 0
    sums: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def count(self, record: Record) -> None:
        """Add a record's steps, if they were measured."""
        if not record.timings:
            return
        self.attempts += record.data["kind"] == "cycle"
        sums = self.sums
        for step, (_, code, seconds) in zip(record.data["cycle"]["steps"], record.timings, strict=True):
            values = sums.get((step["point"], _who(step)))
            if values is None:
                values = self._first(step["point"], _who(step))
            values[code == "Skip"] += 1
            values[2] += seconds
            if seconds > values[3]:
                values[3] = seconds

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
