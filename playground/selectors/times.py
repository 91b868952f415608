"""What extension points and plugins took in a cluster, over all of its attempts."""

from typing import Any

from playground.models import ClusterTimes
from scheduler_core.framework.interface import ExtensionPoint

# The steps that are no plugin's stand before or behind the point that they belong to.
BEFORE = {"Filter": ["Sample"]}
BEHIND = {"NormalizeScore": ["SelectHost", "Assume"], "Permit": ["WaitOnPermit"]}
ORDER = [step for point in ExtensionPoint for step in (*BEFORE.get(point, ()), str(point), *BEHIND.get(point, ()))]


def of_cluster(cluster_id: int) -> dict[str, Any]:
    """The points in the order that they run; their plugins, the one that took longest first."""
    row = ClusterTimes.objects.filter(pk=cluster_id).first() or ClusterTimes()
    points: dict[str, list[dict[str, Any]]] = {}
    for point, plugin, runs, skips, seconds, longest in row.body:
        entry = {"plugin": plugin, "runs": runs, "skips": skips, "seconds": seconds, "longest": longest}
        points.setdefault(point, []).append(entry)
    return {
        "measured": "run",
        "attempts": row.attempts,
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


def _total(entries: Any) -> float:
    return round(sum(entry["seconds"] for entry in entries), 7)
