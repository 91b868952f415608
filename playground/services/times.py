"""Add up what extension points and plugins took in a cluster, in the transaction that stores what they decided."""

from collections.abc import Sequence

from playground.limits import TIMED_STEPS
from playground.models import ClusterTimes
from scheduler_core.simulation import Record

# (point, plugin) → runs, skips, seconds, longest.
Sums = dict[tuple[str, str], list[float]]
# Users choose the names of extenders; beyond so many rows they are one at each point.
OTHER = "other"


def add(cluster_id: int, records: Sequence[Record]) -> None:
    """Count the steps of these records, if they were measured. To be called under the cluster's lease."""
    timed = [record for record in records if record.timings]
    if not timed:
        return
    row = ClusterTimes.objects.filter(pk=cluster_id).first() or ClusterTimes(pk=cluster_id)
    sums: Sums = {(point, plugin): values for point, plugin, *values in row.body}
    for record in timed:
        _count(sums, record)
    row.attempts += sum(record.data["kind"] == "cycle" for record in timed)
    row.body = [
        [*key, runs, skips, round(seconds, 7), round(longest, 7)]
        for key, (runs, skips, seconds, longest) in sums.items()
    ]
    row.save()


def _count(sums: Sums, record: Record) -> None:
    for step, (_, code, seconds) in zip(record.data["cycle"]["steps"], record.timings, strict=True):
        key = (step["point"], step.get("plugin") or step.get("extender", ""))
        if key not in sums and len(sums) >= TIMED_STEPS:
            key = (step["point"], OTHER)
        values = sums.setdefault(key, [0, 0, 0.0, 0.0])
        values[code == "Skip"] += 1
        values[2] += seconds
        if seconds > values[3]:
            values[3] = seconds
