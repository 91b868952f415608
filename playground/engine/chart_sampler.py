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
        self._samples: list[ChartSample] = []
        self._sampled_t, self._records_since = simulation.now, 0

    def follow(self, record: Record) -> None:
        self._meter.count_record(record)
        self._rollouts.count_record(record)
        self._records_since += 1
        if self._records_since >= EVERY_RECORDS or not 0 <= float(record.data["t"]) - self._sampled_t < EVERY_SECONDS:
            self._sample(record)

    def take_samples(self, last: Record | None = None) -> list[ChartSample]:
        """Return the collected points, with one after `last`, the newest record.

        Without `last`, discard pending rollouts.
        """
        if last is not None and (not self._samples or self._samples[-1].seq != last.seq):
            self._sample(last)
        if last is None:
            self._rollouts.pop_changed()
        points, self._samples = self._samples, []
        return points

    def _sample(self, record: Record) -> None:
        point = self._meter.point()
        self._samples.append(ChartSample(record.seq, point, self._rollouts.pop_changed()))
        self._sampled_t, self._records_since = point["t"], 0
