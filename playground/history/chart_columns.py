"""The cluster's charts over virtual time, reduced to the number of points that a chart can show."""

import io
from typing import TypedDict

from playground.models import ChartPoint, Cluster
from playground.response_types import named
from playground.store.chart_selection import select_points
from simulator.simulation.charts import PHASES, Point, write_csv

MOST_POINTS, MOST_ROWS = 1_500, 20_000


@named("Charts")
class Charts(TypedDict):
    """The points of the charts as columns in the order of `seq`; `use` is in percent of the allocatable resources."""

    revision: int
    seq: list[int]
    t: list[float]
    nodes: list[int]
    price: list[float]
    use: dict[str, list[float]]
    phases: dict[str, list[int]]
    waiting: dict[str, list[int]]


def read_columns(cluster: Cluster) -> Charts:
    rows = _points(cluster.pk, MOST_POINTS)
    points = [point for _, point in rows]
    resources = dict.fromkeys(name for point in points for name in point["use"])
    reasons = sorted({name for point in points for name in point["waiting"]})
    return {
        "revision": cluster.revision,
        "seq": [seq for seq, _ in rows],
        "t": [point["t"] for point in points],
        "nodes": [point["nodes"] for point in points],
        "price": [point["price"] for point in points],
        "use": {name: [point["use"].get(name, 0.0) for point in points] for name in resources},
        "phases": {phase: [point["phases"][phase] for point in points] for phase in PHASES},
        "waiting": {name: [point["waiting"].get(name, 0) for point in points] for name in reasons},
    }


def as_csv(cluster: Cluster) -> str:
    file = io.StringIO()
    write_csv(file, [point for _, point in _points(cluster.pk, MOST_ROWS)], line_end="\r\n")
    return file.getvalue()


def _points(cluster_id: int, most: int) -> list[tuple[int, Point]]:
    """Return the points since the last reset; if too many, the last of each of `most` equal parts of the time."""
    stored = ChartPoint.objects.filter(cluster_id=cluster_id).order_by("seq")
    wanted = select_points(stored.values_list("seq", "t").iterator(), most)
    if not wanted:
        return []
    rows = stored.filter(seq__gte=min(wanted)).values_list("seq", "body")
    return [(seq, body) for seq, body in rows.iterator() if seq in wanted]
