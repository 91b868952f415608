"""Chart points while a worker applies commands: one per virtual second, more if many records share a second."""

from typing import NamedTuple

from simulator.simulation import Record, Simulation
from simulator.simulation.charts import Meter, Point
from simulator.simulation.rollouts import Rollout, Rollouts, Workload

EVERY_SECONDS = 1.0
EVERY_RECORDS = 25


class ChartSample(NamedTuple):
    """The cluster's metrics after the record `seq`, and the workloads whose Pods changed since the point before."""

    seq: int
    point: Point
    rollouts: dict[Workload, Rollout]


class ChartSampler:
    """A collector of chart points: as many as a chart can show, and one after the last record of each commit."""

    def __init__(self, simulation: Simulation) -> None:
        self._meter = Meter(simulation)
        self._rollouts = Rollouts(simulation)
        self._points: list[ChartSample] = []
        self._at, self._since = simulation.now, 0

    def follow(self, record: Record) -> None:
        self._meter.count_record(record)
        self._rollouts.count_record(record)
        self._since += 1
        if self._since >= EVERY_RECORDS or not 0 <= float(record.data["t"]) - self._at < EVERY_SECONDS:
            self._point(record)

    def take(self, last: Record | None = None) -> list[ChartSample]:
        """Return the collected points, with one after `last`, the newest record.

        Without `last`, discard pending rollouts.
        """
        if last is not None and (not self._points or self._points[-1].seq != last.seq):
            self._point(last)
        if last is None:
            self._rollouts.pop_changed()
        points, self._points = self._points, []
        return points

    def _point(self, record: Record) -> None:
        point = self._meter.point()
        self._points.append(ChartSample(record.seq, point, self._rollouts.pop_changed()))
        self._at, self._since = point["t"], 0
