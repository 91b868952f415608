"""Points for the charts while a cluster is worked on: one a virtual second, more where much happens at once."""

from scheduler_core.simulation import Record, Simulation
from scheduler_core.simulation.charts import Meter, Point

EVERY_SECONDS = 1.0
EVERY_RECORDS = 25


class Pacer:
    """Takes points as often as a chart can show them, and after the last record of each commit."""

    def __init__(self, simulation: Simulation) -> None:
        self._meter = Meter(simulation)
        self._points: list[tuple[int, Point]] = []
        self._at, self._since = simulation.now, 0

    def follow(self, record: Record) -> None:
        self._meter.follow(record)
        self._since += 1
        if self._since >= EVERY_RECORDS or not 0 <= float(record.data["t"]) - self._at < EVERY_SECONDS:
            self._point(record)

    def take(self, last: Record | None = None) -> list[tuple[int, Point]]:
        """What has gathered, with a point after `last`, the newest record."""
        if last is not None and (not self._points or self._points[-1][0] != last.seq):
            self._point(last)
        found, self._points = self._points, []
        return found

    def _point(self, record: Record) -> None:
        point = self._meter.point()
        self._points.append((record.seq, point))
        self._at, self._since = point["t"], 0
