"""The cluster over virtual time, in as many points as a chart has room for."""

import io
from typing import TypedDict

from playground.models import ChartPoint, Cluster
from playground.shapes import named
from playground.store.points import shown
from simulator.simulation.charts import PHASES, Point, write_csv

MOST_POINTS, MOST_ROWS = 1_500, 20_000


@named("Charts")
class Charts(TypedDict):
    """Columns: one entry a point, in the order of `seq`; per cent of what the nodes offer in `use`."""

    revision: int
    seq: list[int]
    t: list[float]
    nodes: list[int]
    price: list[float]
    use: dict[str, list[float]]
    phases: dict[str, list[int]]
    waiting: dict[str, list[int]]


def columns(cluster: Cluster) -> Charts:
    found = _points(cluster.pk, MOST_POINTS)
    points = [point for _, point in found]
    resources = dict.fromkeys(name for point in points for name in point["use"])
    reasons = sorted({name for point in points for name in point["waiting"]})
    return {
        "revision": cluster.revision,
        "seq": [seq for seq, _ in found],
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
    """Of the time since the last reset: where there are too many, the last one of each of `most` equal parts of it."""
    stored = ChartPoint.objects.filter(cluster_id=cluster_id).order_by("seq")
    wanted = shown(stored.values_list("seq", "t").iterator(), most)
    if not wanted:
        return []
    rows = stored.filter(seq__gte=min(wanted)).values_list("seq", "body")
    return [(seq, body) for seq, body in rows.iterator() if seq in wanted]
