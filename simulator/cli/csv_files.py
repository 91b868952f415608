"""Writers of the CSV files `--charts` and `--rollouts`. They get each record of a run."""

from typing import IO

from simulator.simulation import Record, Simulation, rollouts
from simulator.simulation.charts import Meter, Point, write_csv


class RolloutRows:
    """Rows for the rollouts that changed at each virtual time."""

    def __init__(self, simulation: Simulation, file: IO[str]) -> None:
        self.file = file
        self._rollouts = rollouts.Rollouts(simulation)
        self._rows: dict[float, dict[rollouts.Workload, rollouts.Rollout]] = {}

    def follow(self, record: Record) -> None:
        self._rollouts.count_record(record)
        if changed := self._rollouts.pop_changed():
            self._rows.setdefault(float(record.data["t"]), {}).update(changed)

    def end(self) -> None:
        rollouts.write_csv(self.file, self._rows)


class Charts:
    """Rows with the cluster's state after the first record of each period, and at the end."""

    def __init__(self, simulation: Simulation, file: IO[str], every: float) -> None:
        self.simulation, self.file, self.every = simulation, file, every
        self._meter = Meter(simulation)
        self._points: list[Point] = []
        self._next, self._last = 0.0, -1.0

    def follow(self, record: Record) -> None:
        self._meter.count_record(record)
        time = float(record.data["t"])
        if time >= self._next:
            self._next = time + self.every
            self._add_row()

    def end(self) -> None:
        """Write all rows; the columns are known only at the end."""
        if self.simulation.now > self._last:
            self._add_row()
        write_csv(self.file, self._points)

    def _add_row(self) -> None:
        self._last = self.simulation.now
        self._points.append(self._meter.point())
