"""The time of a cluster's API. It is virtual time, which the scheduler and the controllers write and compare."""

from datetime import UTC, datetime

from kube_apiserver.reads.cells import Now
from kube_apiserver.time_format import TIME_FORMAT
from kube_objects.epoch import EPOCH_SECONDS
from playground.models import Cluster


def cluster_time(cluster: Cluster) -> Now:
    moment = Now.fromtimestamp(EPOCH_SECONDS + int(cluster.t), UTC)
    moment.wall = datetime.now(UTC)
    return moment


def beginning() -> datetime:
    """Return the time at which every cluster begins."""
    return datetime.fromtimestamp(EPOCH_SECONDS, UTC)


def format_time(moment: datetime) -> str:
    """Return a moment as objects of the API write it (RFC 3339)."""
    return moment.strftime(TIME_FORMAT)
