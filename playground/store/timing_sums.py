"""The durations of a cluster's extension points and plugins, summed up in the transaction that stores the records."""

from collections.abc import Sequence

from playground.models import ClusterTimes
from playground.store.committed_state import CommittedState
from playground.store.rows import encode_json, insert_rows
from simulator.explain.times import ExplainedClusterTimings, RecordGroup, TimeSums


def add_timings(cluster_id: int, groups: Sequence[RecordGroup], known: CommittedState) -> None:
    """Add the measured steps of records. The caller holds the cluster's lease."""
    if not groups:
        return
    if known.times is None:
        known.times = stored_sums(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes())
    times = known.times
    times.count(groups)
    body = [
        [*key, runs, skips, round(seconds, 7), round(longest, 7)]
        for key, (runs, skips, seconds, longest) in times.sums.items()
    ]
    insert_rows(
        ClusterTimes,
        ("cluster_id", "attempts", "body"),
        [(cluster_id, times.attempts, encode_json(body))],
        over=("cluster",),
    )


def read_timings(cluster_id: int) -> ExplainedClusterTimings:
    """Return the answer of `timings/`."""
    return stored_sums(ClusterTimes.objects.find(cluster_id=cluster_id) or ClusterTimes()).describe()


def stored_sums(row: ClusterTimes) -> TimeSums:
    """Return the stored sums."""
    return TimeSums(row.attempts, {(point, plugin): values for point, plugin, *values in row.body})
