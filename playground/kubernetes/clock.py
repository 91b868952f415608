"""The time of a cluster's API: the virtual one, which the scheduler and the controllers write and compare."""

from datetime import UTC, datetime, timedelta

from playground.models import Cluster
from scheduler_core.simulation.cluster import EPOCH_SECONDS


def now(cluster: Cluster) -> datetime:
    return datetime.fromtimestamp(EPOCH_SECONDS, UTC) + timedelta(seconds=int(cluster.t))


def beginning() -> datetime:
    """When every cluster began."""
    return datetime.fromtimestamp(EPOCH_SECONDS, UTC)
