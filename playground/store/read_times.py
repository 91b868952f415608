"""What extension points and plugins took in a cluster, over all of its attempts."""

from typing import Any

from playground.models import ClusterTimes
from scheduler_core.explain.times import TimeSums


def of_cluster(cluster_id: int) -> dict[str, Any]:
    """The answer of `timings/`."""
    return sums_of(ClusterTimes.objects.filter(pk=cluster_id).first() or ClusterTimes()).describe()


def sums_of(row: ClusterTimes) -> TimeSums:
    """What is stored, to be read or added to."""
    return TimeSums(row.attempts, {(point, plugin): values for point, plugin, *values in row.body})
