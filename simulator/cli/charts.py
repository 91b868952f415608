"""A run as rows of numbers over virtual time, for a spreadsheet: use, what waits and why, the price; rollouts."""

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
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number of seconds above 0")
    return found


class Follower(Protocol):
    """What looks at each record, and writes in the end."""

    def follow(self, record: Record) -> None: ...

    def end(self) -> None: ...


def followers(
    simulation: Simulation, charts: IO[str] | None, every: float, changes: IO[str] | None
) -> Sequence[Follower]:
    """What writes to the files that there are."""
    found: list[Follower] = []
    if charts is not None:
        found.append(Charts(simulation, charts, every))
    if changes is not None:
        found.append(RolloutRows(simulation, changes))
    return found


class RolloutRows:
    """Rows for what has changed by the end of each virtual time."""

    def __init__(self, simulation: Simulation, file: IO[str]) -> None:
        self.file = file
        self._rollouts = rollouts.Rollouts(simulation)
        self._rows: dict[float, dict[rollouts.Workload, rollouts.Rollout]] = {}

    def follow(self, record: Record) -> None:
        self._rollouts.follow(record)
        if found := self._rollouts.take():
            self._rows.setdefault(float(record.data["t"]), {}).update(found)

    def end(self) -> None:
        rollouts.write_csv(self.file, self._rows)


class Charts:
    """A row for the first record of each period, as the cluster is after it, and one for the end."""

    def __init__(self, simulation: Simulation, file: IO[str], every: float) -> None:
        self.simulation, self.file, self.every = simulation, file, every
        self._meter = Meter(simulation)
        self._points: list[Point] = []
        self._next, self._last = 0.0, -1.0

    def follow(self, record: Record) -> None:
        self._meter.follow(record)
        at = float(record.data["t"])
        if at >= self._next:
            self._next = at + self.every
            self._take()

    def end(self) -> None:
        """Which columns there are is known only now."""
        if self.simulation.now > self._last:
            self._take()
        write_csv(self.file, self._points)

    def _take(self) -> None:
        self._last = self.simulation.now
        self._points.append(self._meter.point())
