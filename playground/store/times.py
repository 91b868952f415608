"""The durations of a cluster's extension points and plugins, summed up in the transaction that stores the records."""

from collections.abc import Sequence

from playground.models import ClusterTimes
from playground.store.known import CommittedState
from playground.store.rows import insert, text
from simulator.explain.times import ExplainedClusterTimings, RecordGroup, TimeSums


def add(cluster_id: int, groups: Sequence[RecordGroup], known: CommittedState) -> None:
    """Add the measured steps of records. The caller holds the cluster's lease."""
    if not groups:
        return
    if known.times is None:
        known.times = sums_of(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes())
    times = known.times
    times.count(groups)
    body = [
        [*key, runs, skips, round(seconds, 7), round(longest, 7)]
        for key, (runs, skips, seconds, longest) in times.sums.items()
    ]
    insert(
        ClusterTimes, ("cluster_id", "attempts", "body"), [(cluster_id, times.attempts, text(body))], over=("cluster",)
    )


def of_cluster(cluster_id: int) -> ExplainedClusterTimings:
    """Return the answer of `timings/`."""
    return sums_of(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes()).describe()


def sums_of(row: ClusterTimes) -> TimeSums:
    """Return the stored sums."""
    return TimeSums(row.attempts, {(point, plugin): values for point, plugin, *values in row.body})
