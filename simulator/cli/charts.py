"""CSV files about a run over virtual time: usage, pending pods by reason, cost, and rollouts."""

import argparse
from collections.abc import Sequence
from typing import IO, Protocol

from simulator.simulation import Record, Simulation, rollouts
from simulator.simulation.charts import Meter, Point, write_csv

_EVERY_SECONDS = 15.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    about = "write nodes, pods, what is requested and what it costs over time as CSV; - is stdout"
    parser.add_argument("--charts", metavar="FILE", help=about)
    every = "virtual seconds that are at least between two rows of --charts (default %(default)g)"
    parser.add_argument("--charts-every", type=_seconds, default=_EVERY_SECONDS, metavar="SECONDS", help=every)
    about = "with --actors: write the pods of each revision of each workload as they change, as CSV; - is stdout"
    parser.add_argument("--rollouts", metavar="FILE", help=about)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds above 0")
    return seconds


class Follower(Protocol):
    """A collector that gets each record and writes a file at the end."""

    def follow(self, record: Record) -> None: ...

    def end(self) -> None: ...


def followers(
    simulation: Simulation, charts: IO[str] | None, every: float, changes: IO[str] | None
) -> Sequence[Follower]:
    """Return the collectors of the files that are open."""
    collectors: list[Follower] = []
    if charts is not None:
        collectors.append(Charts(simulation, charts, every))
    if changes is not None:
        collectors.append(RolloutRows(simulation, changes))
    return collectors


class RolloutRows:
    """Rows for the rollouts that changed at each virtual time."""

    def __init__(self, simulation: Simulation, file: IO[str]) -> None:
        self.file = file
        self._rollouts = rollouts.Rollouts(simulation)
        self._rows: dict[float, dict[rollouts.Workload, rollouts.Rollout]] = {}

    def follow(self, record: Record) -> None:
        self._rollouts.follow(record)
        if changed := self._rollouts.take():
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
        self._meter.follow(record)
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
