"""What extension points and plugins took in a cluster, added up in the transaction that stores what they decided."""

from collections.abc import Sequence

from playground.models import ClusterTimes
from playground.store.known import Known
from playground.store.rows import insert, text
from simulator.explain.times import ExplainedClusterTimings, RecordGroup, TimeSums


def add(cluster_id: int, groups: Sequence[RecordGroup], known: Known) -> None:
    """Count the steps of records that were measured. To be called under the cluster's lease."""
    if not groups:
        return
    if known.times is None:
        known.times = sums_of(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes())
    found = known.times
    found.count(groups)
    body = [
        [*key, runs, skips, round(seconds, 7), round(longest, 7)]
        for key, (runs, skips, seconds, longest) in found.sums.items()
    ]
    insert(
        ClusterTimes, ("cluster_id", "attempts", "body"), [(cluster_id, found.attempts, text(body))], over=("cluster",)
    )


def of_cluster(cluster_id: int) -> ExplainedClusterTimings:
    """The answer of `timings/`."""
    return sums_of(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes()).describe()


def sums_of(row: ClusterTimes) -> TimeSums:
    """What is stored, to be read or added to."""
    return TimeSums(row.attempts, {(point, plugin): values for point, plugin, *values in row.body})
