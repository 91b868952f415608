"""Points for the charts while a cluster is worked on: one a virtual second, more where much happens at once."""

from typing import NamedTuple

from simulator.simulation import Record, Simulation
from simulator.simulation.charts import Meter, Point
from simulator.simulation.rollouts import Rollout, Rollouts, Workload

EVERY_SECONDS = 1.0
EVERY_RECORDS = 25


class Taken(NamedTuple):
    """The cluster after the record `seq`, and the workloads whose pods have changed since the point before."""

    seq: int
    point: Point
    rollouts: dict[Workload, Rollout]


class Pacer:
    """Takes points as often as a chart can show them, and after the last record of each commit."""

    def __init__(self, simulation: Simulation) -> None:
        self._meter = Meter(simulation)
        self._rollouts = Rollouts(simulation)
        self._points: list[Taken] = []
        self._at, self._since = simulation.now, 0

    def follow(self, record: Record) -> None:
        self._meter.follow(record)
        self._rollouts.follow(record)
        self._since += 1
        if self._since >= EVERY_RECORDS or not 0 <= float(record.data["t"]) - self._at < EVERY_SECONDS:
            self._point(record)

    def take(self, last: Record | None = None) -> list[Taken]:
        """What has gathered, with a point after `last`, the newest record; without it, what is told already."""
        if last is not None and (not self._points or self._points[-1].seq != last.seq):
            self._point(last)
        if last is None:
            self._rollouts.take()
        found, self._points = self._points, []
        return found

    def _point(self, record: Record) -> None:
        point = self._meter.point()
        self._points.append(Taken(record.seq, point, self._rollouts.take()))
        self._at, self._since = point["t"], 0
