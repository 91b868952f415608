"""The time of a cluster's API: the virtual one, which the scheduler and the controllers write and compare."""

from datetime import UTC, datetime

from kubernetes_api.matching import TIME_FORMAT
from kubernetes_api.reads.cells import Now
from playground.models import Cluster
from scheduler_core.objects.epoch import EPOCH_SECONDS


def now(cluster: Cluster) -> Now:
    found = Now.fromtimestamp(EPOCH_SECONDS + int(cluster.t), UTC)
    found.wall = datetime.now(UTC)
    return found


def beginning() -> datetime:
    """When every cluster began."""
    return datetime.fromtimestamp(EPOCH_SECONDS, UTC)


def text(moment: datetime) -> str:
    """Return a moment as objects of the API write it (RFC 3339)."""
    return moment.strftime(TIME_FORMAT)
